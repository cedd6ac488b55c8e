package records

import (
	"strings"
	"testing"
)

func TestWithoutSecrets(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"accept", "text/html; q=1", "text/html; q=1"},
		{"cookie", "sid=s3cret; theme=dark", "sid=[hidden, 6 bytes]; theme=[hidden, 4 bytes]"},
		{"cookie", "s3cret", "[hidden, 6 bytes]"},
		{"cookie", "a=b=c", "a=[hidden, 3 bytes]"},
		{"cookie", "", "[hidden, 0 bytes]"},
		{"set-cookie", "sid=s3cret; Path=/; HttpOnly", "sid=[hidden, 6 bytes]; Path=/; HttpOnly"},
		{"set-cookie", "s3cret", "[hidden, 6 bytes]"},
		{"authorization", "Bearer abc.def", "Bearer [hidden, 7 bytes]"},
		{"authorization", "abc def", "[hidden, 7 bytes]"},
		{"authorization", "abc", "[hidden, 3 bytes]"},
		{"proxy-authorization", "Basic dXNlcjpwYXNz", "Basic [hidden, 12 bytes]"},
	} {
		got := withoutSecrets(c.name, c.value)
		if got != c.want {
			t.Errorf("%s: %s is %s, want %s", c.name, c.value, got, c.want)
		}
		if again := withoutSecrets(c.name, got); again != got {
			t.Errorf("%s, twice: %s", got, again)
		}
	}
}

// TestSecretsOfCutHeaders: how long a secret was is told also where headers are too long to
// be kept whole.
func TestSecretsOfCutHeaders(t *testing.T) {
	long := strings.Repeat("x", maxHeaders)
	var h headerBlock
	h.set([]byte(`{"Cookie":"sid=`+long+`","Set-Cookie":"a=1234; Path=/\nb=`+long+`"}`), true)
	var text []string
	for _, line := range h.list() {
		text = append(text, line.Name+": "+line.Value)
	}
	want := "cookie: sid=[hidden, 16384 bytes]|set-cookie: a=[hidden, 4 bytes]; Path=/|set-cookie: b=[hidden, 16384 bytes]"
	if got := strings.Join(text, "|"); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}
