package automation

import (
	"net/http"
	"strings"
	"testing"

	"webmcphub/automation/automationtest"
)

// TestSecretsInHeaders: whoever reads the requests of a page doesn't get what would let others
// act as its user, such as cookies that no script can read.
func TestSecretsInHeaders(t *testing.T) {
	r := openReal(t, automationtest.Pages{"/": `<p>x`})
	r.Site.Handle(func(w http.ResponseWriter, q *http.Request) bool {
		switch q.URL.Path {
		case "/login":
			http.SetCookie(w, &http.Cookie{Name: "sid", Value: "s3cretcookie", HttpOnly: true, Path: "/"})
			http.Redirect(w, q, "/data", http.StatusFound)
		case "/data":
			_, _ = w.Write([]byte("data"))
		default:
			return false
		}
		return true
	})
	r.says("list_network_requests", `{}`, "")
	r.says("evaluate_script", `{"function":"async () => (await fetch('/login', {headers: {Authorization: 'Bearer s3crettoken'}})).text()"}`, "data")
	seen := ""
	for _, id := range []string{"1", "2", "3", "4"} {
		if got := r.call("get_network_request", `{"reqid":`+id+`}`); !got.IsError {
			seen += got.Text
		}
	}
	if strings.Contains(seen, "s3cret") {
		t.Errorf("a secret is shown:\n%s", seen)
	}
	for _, want := range []string{"authorization: Bearer [hidden, 11 bytes]", "set-cookie: sid=[hidden, 12 bytes]; Path=/; HttpOnly", "cookie: sid=[hidden, 12 bytes]"} {
		if !strings.Contains(seen, want) {
			t.Errorf("%q is not in\n%s", want, seen)
		}
	}
}
