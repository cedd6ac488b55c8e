// Package hosts gives the names of hosts as browsers look them up, and says whether an
// address that a user gave names one.
package hosts

import (
	"fmt"
	"net/url"
	"strings"

	"golang.org/x/net/idna"
)

var names = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.StrictDomainName(false), idna.BidiRule())

// ASCII is a host's name with letters other than ASCII's in their xn-- form. It fails for
// what browsers take for no name. Any goroutine may call it.
func ASCII(host string) (string, error) { return names.ToASCII(host) }

// CheckURL says what is wrong with the address that a user gave by a flag, which must have one
// of two schemes. The error doesn't have what may be secret in it: its user and its query. Any
// goroutine may call it.
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
