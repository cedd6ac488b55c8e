package flow

import (
	"fmt"
	"strings"

	"webmcphub/registry/names"
)

// Pair allows data of some origins to go to some others. It is immutable.
type Pair struct {
	text     string
	from, to names.OriginPattern
}

// ParsePair reads A->B, where A and B are patterns of origins as [names.ParseOriginPattern] reads them, such as
// https://crm.example->https://*.mail.example.
func ParsePair(text string) (p Pair, err error) {
	from, to, ok := strings.Cut(text, "->")
	if !ok {
		return p, fmt.Errorf("%q is not a flow: write it like https://crm.example->https://mail.example", text)
	}
	p.text = text
	if p.from, err = names.ParseOriginPattern(strings.TrimSpace(from)); err == nil {
		p.to, err = names.ParseOriginPattern(strings.TrimSpace(to))
	}
	if err != nil {
		return Pair{}, fmt.Errorf("the flow %q: %w", text, err)
	}
	return p, nil
}

func (p Pair) String() string { return p.text }

// exactly is a pair of two origins. Each of them may be one that only the pattern * names.
type exactly struct{ from, to string }
