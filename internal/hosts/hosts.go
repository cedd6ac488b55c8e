// Package hosts gives the names of hosts as browsers look them up.
package hosts

import "golang.org/x/net/idna"

var names = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.StrictDomainName(false), idna.BidiRule())

// ASCII is a host's name with letters other than ASCII's in their xn-- form. It fails for
// what browsers take for no name. Any goroutine may call it.
func ASCII(host string) (string, error) { return names.ToASCII(host) }
