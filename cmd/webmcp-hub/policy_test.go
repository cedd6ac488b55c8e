package main

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"webmcphub/registry"
	"webmcphub/registry/names"
	"webmcphub/registry/offer"
)

// A page may ask the agent for something only if the rules permit both the
// document that asks and the page around it, as with its tools.
func TestGuardJudgesThePageToo(t *testing.T) {
	const good, bad = "https://good.example", "https://bad.example"
	for _, c := range []struct {
		flags       originFlags
		frame, page string
		passes      bool
	}{
		{originFlags{}, bad, bad, true},
		{originFlags{DenyOrigin: []string{bad}}, good, good, true},
		{originFlags{DenyOrigin: []string{bad}}, bad, good, false},
		{originFlags{DenyOrigin: []string{bad}}, good, bad, false},
		// A denied site can ask for a sandbox, which takes its origin away.
		{originFlags{DenyOrigin: []string{bad}}, names.OpaqueOrigin, good, false},
		{originFlags{DenyOrigin: []string{bad}}, good, names.OpaqueOrigin, false},
		{originFlags{DenyOrigin: []string{bad}}, "", good, false},
		{originFlags{AllowOrigin: []string{"*"}, DenyOrigin: []string{bad}}, names.OpaqueOrigin, good, true},
		{originFlags{AllowOrigin: []string{good}}, good, good, true},
		{originFlags{AllowOrigin: []string{good}}, good, bad, false},
		{originFlags{AllowOrigin: []string{good}}, bad, good, false},
		{originFlags{AllowOrigin: []string{good}}, good, names.OpaqueOrigin, false},
		{originFlags{AllowOrigin: []string{good}}, "", good, false},
	} {
		policy, err := c.flags.origins()
		if err != nil {
			t.Fatal(err)
		}
		passed := false
		ask := policy.guard(func(context.Context, offer.PageRequest) (json.RawMessage, error) {
			passed = true
			return nil, nil
		})
		_, err = ask(t.Context(), offer.PageRequest{Origin: c.frame, PageOrigin: c.page})
		var refusal registry.PageError
		if passed != c.passes || errors.As(err, &refusal) == c.passes {
			t.Errorf("%+v: %q in %q passed: %v, %v", c.flags, c.frame, c.page, passed, err)
		}
	}
}
