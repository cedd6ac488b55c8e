package travel

import (
	"errors"
	"fmt"

	"webmcphub/internal/hosts"
	"webmcphub/registry/names"
	"webmcphub/registry/sanitize"
)

// CheckAddress gives an address as it may be gone to, for a tool, or says why it may not: it
// is of a scheme that leads to no web page, or kept out by the rules.
func CheckAddress(tool, address string, rules *names.Origins) (string, error) {
	checked, err := names.CheckAddress(tool, address, hosts.ASCII)
	if err != nil {
		return "", err
	}
	return checked, KeptOut(checked, rules)
}

// KeptOut says why an address that was checked may not be gone to by some rules; "" is none.
func KeptOut(address string, rules *names.Origins) error {
	if address == "" || address == "about:blank" || rules.Permits(address) {
		return nil
	}
	if rules.IsOwn("", address) {
		return errors.New(rules.Refusal("", address))
	}
	return fmt.Errorf("%s is kept out by the user's rules for sites (--allow-origin, --deny-origin, --browsers)", sanitize.Text(address, 200))
}
