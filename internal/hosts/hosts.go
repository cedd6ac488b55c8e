// Package hosts converts the names of hosts to the form in which browsers look them up, and checks addresses that
// users give.
package hosts

import (
	"fmt"
	"net/url"
	"strings"

	"golang.org/x/net/idna"
)

var names = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.StrictDomainName(false), idna.BidiRule())

// ASCII returns a host's name with non-ASCII letters in their xn-- form. It fails for a name that browsers don't
// accept. It may be called from any goroutine.
func ASCII(host string) (string, error) { return names.ToASCII(host) }

// CheckURL says what is wrong with the address that a user gave by a flag; its scheme must be one of schemes. The
// error contains neither the address's user nor its query, which may be secret. It may be called from any goroutine.
func CheckURL(flag, text string, schemes ...string) error {
	u, err := url.Parse(text)
	if err == nil && u.Host != "" && (u.Scheme == schemes[0] || u.Scheme == schemes[1]) {
		return nil
	}
	shown, _, _ := strings.Cut(text, "#")
	shown, _, _ = strings.Cut(shown, "?")
	shown = shown[strings.LastIndexByte(shown, '@')+1:]
	return fmt.Errorf("%s must be a URL that begins with %s:// or %s://, not %q", flag, schemes[0], schemes[1], shown)
}
