package tab

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"webmcphub/registry"
	"webmcphub/registry/names"
	"webmcphub/registry/offer"
)

// TestAskAgentJudgesThePageToo: a page may ask the agent for something only if the rules
// permit both the document that asks and the page around it, as with its tools.
func TestAskAgentJudgesThePageToo(t *testing.T) {
	const good, bad = "https://good.example", "https://bad.example"
	for _, c := range []struct {
		allow, deny string
		frame, page string
		passes      bool
	}{
		{"", "", bad, bad, true},
		{"", bad, good, good, true},
		{"", bad, bad, good, false},
		{"", bad, good, bad, false},
		// A denied site can ask for a sandbox, which takes its origin away.
		{"", bad, names.OpaqueOrigin, good, false},
		{"", bad, good, names.OpaqueOrigin, false},
		{"", bad, "", good, false},
		{"*", bad, names.OpaqueOrigin, good, true},
		{good, "", good, good, true},
		{good, "", good, bad, false},
		{good, "", bad, good, false},
		{good, "", good, names.OpaqueOrigin, false},
		{good, "", "", good, false},
	} {
		var rules *names.Origins
		if c.allow+c.deny != "" {
			var err error
			if rules, err = names.ParseOrigins(strings.Fields(c.allow), strings.Fields(c.deny)); err != nil {
				t.Fatal(err)
			}
		}
		passed := false
		env := &Env{Origins: rules, Policy: Policy{PageRequests: func(context.Context, offer.PageRequest) (json.RawMessage, error) {
			passed = true
			return nil, nil
		}}}
		_, err := env.AskAgent(t.Context(), offer.PageRequest{Origin: c.frame, PageOrigin: c.page})
		var refusal registry.PageError
		if passed != c.passes || errors.As(err, &refusal) == c.passes {
			t.Errorf("%+v: passed: %v, %v", c, passed, err)
		}
	}
}
