package leases

import (
	"fmt"
	"regexp"
	"strings"

	"webmcphub/cluster/names"
)

// A handle is NODE/BROWSER~ID. "~" needs no escape in URLs, and no browser's name contains it.

var browserName = regexp.MustCompile(`^[^/~\pC]{1,100}$`)

// ParseHandle returns the node and the browser of a handle. ok is false if the text isn't a handle.
func ParseHandle(handle string) (node, browser string, ok bool) {
	at := strings.LastIndexByte(handle, '~')
	if at < 0 || at == len(handle)-1 {
		return "", "", false
	}
	node, browser, ok = strings.Cut(handle[:at], "/")
	return node, browser, ok && names.Check("node", node) == nil && browserName.MatchString(browser)
}

// Name returns the browser's name in the cluster: NODE/BROWSER.
func (l Lease) Name() string { return l.Node + "/" + l.Browser }

// Check returns an error if a member's description is wrong.
func (m Member) Check() error {
	if m.Role != Node && m.Role != Gateway {
		return fmt.Errorf("a member's role is %q or %q, not %q", Node, Gateway, m.Role)
	}
	if err := names.Check(string(m.Role), m.Name); err != nil {
		return err
	}
	if m.Incarnation == "" {
		return fmt.Errorf("%s %s has no incarnation", m.Role, m.Name)
	}
	seen := map[string]bool{}
	for _, b := range m.Browsers {
		if !browserName.MatchString(b.Name) || seen[b.Name] {
			return fmt.Errorf("node %s can't have a browser named %q: each browser needs a name of its own, of 1 "+
				"to 100 characters, without / and ~", m.Name, b.Name)
		}
		if b.Life == "" {
			return fmt.Errorf("browser %s of node %s has no life", b.Name, m.Name)
		}
		seen[b.Name] = true
	}
	return nil
}
