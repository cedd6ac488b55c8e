package calls

import (
	"context"
	"encoding/json"

	"webmcphub/registry"
	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// PinAsker asks users to accept tools that are withheld ([registry.Tab.Withheld]). Any goroutine may call it.
type PinAsker interface {
	// Ask asks the client's user to accept a tool together with everything else that is withheld of its site. It
	// returns a sentence that says what the user decided, or "" if the user can't be asked or nobody can accept the
	// tool. If input is not nil, it is a [Refusal].Input that makes the client ask its user. Ask returns soon after
	// ctx ends.
	Ask(ctx context.Context, who Who, now *registry.Catalog, h *offer.Held) (said string, input json.RawMessage)
}

// withheldAs returns the withheld tool that its page calls name, or nil if there is none. It looks at one page only,
// or at all pages if page is nil.
func withheldAs(now *registry.Catalog, name string, page *registry.Tab) *offer.Held {
	for _, tab := range now.Tabs() {
		if page != nil && tab != page {
			continue
		}
		for _, h := range tab.Withheld {
			if h.Tool.Name == name {
				return h
			}
		}
	}
	return nil
}

// acceptFirst returns the answer to a call of a withheld tool, which says why the tool was not called. If possible,
// acceptFirst first asks the client's user to accept the tool.
func (s *Handler) acceptFirst(ctx context.Context, c ToolCall, now *registry.Catalog, h *offer.Held) registry.Result {
	name := sanitize.Text(h.Tool.Name, 200)
	if s.options.PinAsker != nil {
		switch said, input := s.options.PinAsker.Ask(ctx, s.who(c.Client, c.Request, c.Rounds), now, h); {
		case input != nil:
			return *resultOf(&Refusal{Input: input})
		case said != "":
			return sanitize.ErrorResult(name + " was not called: it was withheld. " + said)
		}
	}
	return sanitize.ErrorResult(name + " was not called. It is " + h.Why)
}
