package commands

import (
	"slices"
	"testing"
	"time"

	"webmcphub/live"
)

// TestJoined: what a page said before it crashed stays, and what Chrome tells again of a page
// that lives on stands there once.
func TestJoined(t *testing.T) {
	said := func(text string, second int64) live.Said {
		s := live.Said{Text: text}
		if second > 0 {
			s.At = time.Unix(second, 0)
		}
		return s
	}
	a, b, c, unknown := said("a", 1), said("b", 2), said("c", 3), said("unknown", 0)
	for name, row := range map[string]struct{ earlier, now, want []live.Said }{
		"nothing was said":              {nil, nil, nil},
		"it crashed":                    {[]live.Said{a, b}, nil, []live.Said{a, b}},
		"it was reloaded":               {[]live.Said{a, b}, []live.Said{c}, []live.Said{a, b, c}},
		"it lives on":                   {[]live.Said{a, b, unknown}, []live.Said{b, c}, []live.Said{a, unknown, b, c}},
		"it says things out of order":   {[]live.Said{a, b}, []live.Said{c, b}, []live.Said{a, c, b}},
		"it isn't known when it did so": {[]live.Said{a}, []live.Said{unknown}, []live.Said{a, unknown}},
	} {
		if got := joined(row.earlier, row.now); !slices.Equal(got, row.want) {
			t.Errorf("%s: %v, want %v", name, got, row.want)
		}
	}
}
