package policy

import (
	"errors"
	"fmt"

	"webmcphub/registry/names"
	"webmcphub/registry/offer"
)

// HintFlags say which of pages' claims clients are to believe.
type HintFlags struct {
	PageHints  string   `enum:"own,all,trusted,none" default:"own" help:"Pass on to clients the claims of these documents that a tool is harmless (readOnlyHint, destructiveHint: false, idempotentHint, openWorldHint: false). Some clients then don't ask their user. own: documents of the page's own origin. all: all documents. trusted: those of --trust-hints. none: no document. Claims that a tool is dangerous are always passed on."`
	TrustHints []string `sep:"none" placeholder:"ORIGIN" help:"With --page-hints=trusted: believe the claims of this origin, written as for --allow-origin. Repeatable."`
}

// Hints holds what HintFlags say.
type Hints struct {
	offer.HintPolicy
	Trusted *names.Origins
}

// Hints returns what the flags say.
func (f HintFlags) Hints() (p Hints, err error) {
	p.HintPolicy = offer.HintPolicy(f.PageHints)
	switch trusted := p.HintPolicy == offer.HintsOfTrusted; {
	case trusted && len(f.TrustHints) == 0:
		return p, errors.New("--page-hints=trusted needs at least one --trust-hints; to trust no page, use --page-hints=none")
	case !trusted && len(f.TrustHints) > 0:
		return p, errors.New("--trust-hints goes with --page-hints=trusted only")
	case trusted:
		if p.Trusted, err = names.ParseOrigins(f.TrustHints, nil); err != nil {
			return p, fmt.Errorf("--trust-hints: %w", err)
		}
	}
	return p, nil
}
