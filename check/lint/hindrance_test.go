package lint

import (
	"strings"
	"testing"
)

// TestLedToLogin: a page without tools that asks for a password needs a login only if it is
// another page than the one that was asked for, and one for that.
func TestLedToLogin(t *testing.T) {
	for _, row := range []struct {
		asked, is string
		login     bool
	}{
		{"http://app.test/account", "http://app.test/login", true},
		{"http://app.test/account", "http://app.test/users/sign_in", true},
		{"http://app.test/", "http://idp.test/oauth2/v2.0/authorize?state=SECRET&login_hint=me@x.test", true},
		{"https://app.test/a", "https://login.idp.test/x", true},
		{"https://app.test/konto", "https://app.test/anmelden?ziel=%2Fkonto", true},
		{"https://app.test/konto", "https://idp.test/anmelden?ziel=https%3A%2F%2Fapp.test%2Fkonto", true},
		{"http://shop.test/", "http://shop.test/en/", false}, // with a box in its header, as those below
		{"http://shop.test/", "http://shop.test/en/?from=/", false},
		{"http://shop.test/", "https://www.shop.test/", false},
		{"http://shop.test/authors", "http://shop.test/en/authors", false},
		{"http://sso.test/", "http://sso.test/en/", false},
		{"http://shop.test/docs/oauth", "http://shop.test/en/docs/oauth", false},
		{"http://shop.test/old", "http://shop.test/catalogin/design", false},
		{"http://Shop.test/login", "http://shop.test/login", false}, // it was asked for, so it is meant
		{"http://shop.test:80/login", "http://shop.test/login", false},
		{"https://shop.test:443/login", "https://shop.test/login/", false},
		{"http://shop.test", "http://shop.test/", false},
		{"http://shop.test/login", "https://shop.test/login", false},
	} {
		why := Started.Of(SeenPage{Asked: row.asked, URL: row.is, Password: true}, 200)
		if strings.Contains(why, "needs a login") != row.login || strings.Contains(why, "SECRET") || strings.Contains(why, "me@") {
			t.Errorf("%s leads to %s: %q, want a login %v", row.asked, row.is, why, row.login)
		}
		page := SeenPage{Asked: row.asked, URL: row.is, Password: true, Tools: []Tool{{}}}
		if why := Started.Of(page, 200); why != "" {
			t.Errorf("a page with tools: %s", why)
		}
	}
}

// TestAdvice: what is advised is what can be done, in the Chrome that the page is looked at in.
func TestAdvice(t *testing.T) {
	for _, row := range []struct{ code, started, given string }{
		{"net::ERR_CERT_AUTHORITY_INVALID", "--chrome-arg=--ignore-certificate-errors", "go past its warning"},
		{"net::ERR_SSL_PROTOCOL_ERROR", "http://", "http://"},
		{"net::ERR_INVALID_AUTH_CREDENTIALS", "name that one by --browser-url", "in the Chrome of --browser-url"},
		{"net::ERR_UNSAFE_PORT", "of that port", "of that port"},
		{"net::ERR_CONNECTION_REFUSED", "the server running", "the server running"},
	} {
		for c, want := range map[ChromeOwnership]string{Started: row.started, Given: row.given} {
			got := c.Unloaded(row.code)
			if !strings.Contains(got, row.code) || !strings.Contains(got, want) {
				t.Errorf("%s: %q, want %q", row.code, got, want)
			}
			if c == Given && strings.Contains(got, "--chrome-arg") || strings.HasPrefix(row.code, "net::ERR_SSL") && strings.Contains(got, "certificate") {
				t.Errorf("%s: %q helps nobody", row.code, got)
			}
		}
	}
	for status, want := range map[int]string{401: "needs a login (its server answers 401); log in there", 404: "the error 404", 200: ""} {
		if got := Given.Of(SeenPage{}, status); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%d: %q, want %q", status, got, want)
		}
	}
}
