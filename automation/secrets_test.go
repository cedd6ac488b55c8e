package automation

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

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
	wanted := []string{"authorization: Bearer [hidden, 11 bytes]", "set-cookie: sid=[hidden, 12 bytes]; Path=/; HttpOnly",
		"cookie: sid=[hidden, 12 bytes]"}
	// Chrome reports the headers of the network apart from the response, which the script may have by then.
	seen, late := "", time.Now().Add(10*time.Second)
	for lacks := true; lacks && time.Now().Before(late); {
		seen = ""
		for _, id := range []string{"1", "2", "3", "4"} {
			if got := r.call("get_network_request", `{"reqid":`+id+`}`); !got.IsError {
				seen += got.Text
			}
		}
		lacks = slices.ContainsFunc(wanted, func(want string) bool { return !strings.Contains(seen, want) })
	}
	if strings.Contains(seen, "s3cret") {
		t.Errorf("a secret is shown:\n%s", seen)
	}
	for _, want := range wanted {
		if !strings.Contains(seen, want) {
			t.Errorf("%q is not in\n%s", want, seen)
		}
	}
}
