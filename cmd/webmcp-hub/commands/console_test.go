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
	said := func(text string, second int64) live.ConsoleMessage {
		s := live.ConsoleMessage{Text: text}
		if second > 0 {
			s.At = time.Unix(second, 0)
		}
		return s
	}
	a, b, c, unknown := said("a", 1), said("b", 2), said("c", 3), said("unknown", 0)
	for name, row := range map[string]struct{ earlier, now, want []live.ConsoleMessage }{
		"nothing was said":              {nil, nil, nil},
		"it crashed":                    {[]live.ConsoleMessage{a, b}, nil, []live.ConsoleMessage{a, b}},
		"it was reloaded":               {[]live.ConsoleMessage{a, b}, []live.ConsoleMessage{c}, []live.ConsoleMessage{a, b, c}},
		"it lives on":                   {[]live.ConsoleMessage{a, b, unknown}, []live.ConsoleMessage{b, c}, []live.ConsoleMessage{a, unknown, b, c}},
		"it says things out of order":   {[]live.ConsoleMessage{a, b}, []live.ConsoleMessage{c, b}, []live.ConsoleMessage{a, c, b}},
		"it isn't known when it did so": {[]live.ConsoleMessage{a}, []live.ConsoleMessage{unknown}, []live.ConsoleMessage{a, unknown}},
	} {
		if got := joined(row.earlier, row.now); !slices.Equal(got, row.want) {
			t.Errorf("%s: %v, want %v", name, got, row.want)
		}
	}
}
