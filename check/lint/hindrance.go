package lint

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// ChromeOwnership says whose Chrome a page is checked in, which decides what a user can do about problems.
type ChromeOwnership bool

// Started is a Chrome that the check started; Given is the user's own Chrome.
const (
	Started ChromeOwnership = false
	Given   ChromeOwnership = true
)

// login returns advice for a page that needs a login.
func (c ChromeOwnership) login() string {
	if c == Given {
		return "log in there in the Chrome of --browser-url, and try again"
	}
	return "log in with a Chrome of yours, and name that one by --browser-url"
}

// certificate returns advice for a certificate that Chrome doesn't trust.
func (c ChromeOwnership) certificate() string {
	if c == Given {
		return "go past its warning in the Chrome of --browser-url, or have that trust it, and try again"
	}
	return "--chrome-arg=--ignore-certificate-errors has it do so"
}

// Of says why a page that has loaded isn't the intended one, or returns "". status is the HTTP status of the server's
// response; 0 if there is none.
func (c ChromeOwnership) Of(page SeenPage, status int) string {
	switch {
	case status >= 400 && status != 401 && status != 403:
		return fmt.Sprintf("its server answers with the error %d", status)
	case len(page.Tools) > 0:
		return ""
	case status >= 400:
		return fmt.Sprintf("it needs a login (its server answers %d); %s", status, c.login())
	case page.Password && ledToLogin(page.Asked, page.URL):
		return fmt.Sprintf("it needs a login (it leads to %s, which asks for a password); %s", withoutQuery(page.URL),
			c.login())
	}
	return ""
}

// Unloaded says why Chrome shows its error page instead of a page. code is the error's name, such as
// net::ERR_CONNECTION_REFUSED.
func (c ChromeOwnership) Unloaded(code string) string {
	is := func(some ...string) bool {
		return slices.ContainsFunc(some, func(s string) bool { return strings.HasPrefix(code, "net::"+s) })
	}
	switch {
	case is("ERR_INVALID_AUTH_CREDENTIALS", "ERR_TOO_MANY_RETRIES"): // HTTP authentication
		return "it needs a login (" + code + "); " + c.login()
	case is("ERR_CERT_"):
		return code + "; Chrome doesn't trust its certificate; " + c.certificate()
	case is("ERR_SSL_"):
		return code + "; the server doesn't speak TLS, or none that Chrome does; is its address one with http://?"
	case is("ERR_UNSAFE_PORT"):
		return code + "; Chrome opens no pages of that port"
	}
	return code + "; is the address right, and the server running?"
}

// words matches words in hosts and paths of login pages.
var words = lazily(`(?i)(^|[^a-z])((log|sign)[-_]?(in|on)|auth|authn|authenticate|authentication|authorize|oauth2?|oidc|openid|sso|saml2?)([^a-z]|$)`)

// ledToLogin reports whether the requested page led to a login page, at the address is, which asks for a password.
// Many sites have a password field on all pages, so the address itself must look like a login page's, or have a
// parameter with the address of the requested page.
func ledToLogin(requested, is string) bool {
	a, err1 := url.Parse(requested)
	b, err2 := url.Parse(is)
	switch {
	case err1 != nil || err2 != nil || host(a) == host(b) && flagPath(a) == flagPath(b):
		return false
	case words().MatchString(b.Path) && !words().MatchString(a.Path):
		return true
	case words().MatchString(b.Hostname()) && !words().MatchString(a.Hostname()):
		return true
	}
	for _, values := range b.Query() {
		for _, v := range values {
			if back, err := a.Parse(v); err == nil && flagPath(a) != "/" && host(back) == host(a) &&
				flagPath(back) == flagPath(a) && strings.ContainsAny(v, "/") {
				return true
			}
		}
	}
	return false
}

// host returns an address's host and port in normal form.
func host(u *url.URL) string {
	port := u.Port()
	if port == "80" && u.Scheme == "http" || port == "443" && u.Scheme == "https" {
		port = ""
	}
	return strings.ToLower(u.Hostname()) + ":" + port
}

// flagPath returns an address's path in normal form, with one slash at the end.
func flagPath(u *url.URL) string { return strings.TrimSuffix(u.Path, "/") + "/" }

// withoutQuery returns an address in a form that may be logged: what follows the path may be a secret.
func withoutQuery(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "another page"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}
