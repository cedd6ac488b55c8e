package inspectcmd

import (
	"slices"
	"testing"
	"time"

	"webmcphub/live/model"
)

// TestJoined: what a page said before it crashed stays, and what Chrome tells again of a page
// that lives on stands there once.
func TestJoined(t *testing.T) {
	said := func(text string, second int64) model.Said {
		s := model.Said{Text: text}
		if second > 0 {
			s.At = time.Unix(second, 0)
		}
		return s
	}
	a, b, c, unknown := said("a", 1), said("b", 2), said("c", 3), said("unknown", 0)
	for name, row := range map[string]struct{ earlier, now, want []model.Said }{
		"nothing was said":              {nil, nil, nil},
		"it crashed":                    {[]model.Said{a, b}, nil, []model.Said{a, b}},
		"it was reloaded":               {[]model.Said{a, b}, []model.Said{c}, []model.Said{a, b, c}},
		"it lives on":                   {[]model.Said{a, b, unknown}, []model.Said{b, c}, []model.Said{a, unknown, b, c}},
		"it says things out of order":   {[]model.Said{a, b}, []model.Said{c, b}, []model.Said{a, c, b}},
		"it isn't known when it did so": {[]model.Said{a}, []model.Said{unknown}, []model.Said{a, unknown}},
	} {
		if got := joined(row.earlier, row.now); !slices.Equal(got, row.want) {
			t.Errorf("%s: %v, want %v", name, got, row.want)
		}
	}
}
