package calls

import (
	"context"
	"encoding/json"

	"webmcphub/registry"
	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// Withheld asks people to accept tools that are withheld ([registry.Tab.Withheld]). Any
// goroutine may call it.
type Withheld interface {
	// Ask asks the client's user to accept a tool, with what else is withheld of its site.
	// It says what came of that, in a sentence, or gives "" if the user can't be asked, or
	// nobody can accept the tool. A non-nil input is a [Refusal].Input, by which the client
	// is to ask. It returns soon after ctx has ended.
	Ask(ctx context.Context, who Who, now *registry.Catalog, h *offer.Held) (said string, input json.RawMessage)
}

// withheldAs is a tool of a page's own name that is withheld, on one page or, if page is
// nil, on any; nil if there is none.
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

// acceptFirst is the answer that says why a tool was not called that is withheld, having asked the client's
// user, if that can be, to accept it.
func (s *Handler) acceptFirst(ctx context.Context, c ToolCall, now *registry.Catalog, h *offer.Held) registry.Result {
	name := sanitize.Text(h.Tool.Name, 200)
	if s.options.Withheld != nil {
		switch said, input := s.options.Withheld.Ask(ctx, s.who(c.Client, c.Request, c.Rounds), now, h); {
		case input != nil:
			return *resultOf(&Refusal{Input: input})
		case said != "":
			return sanitize.ErrorResult(name + " was not called: it was withheld. " + said)
		}
	}
	return sanitize.ErrorResult(name + " was not called. It is " + h.Why)
}
