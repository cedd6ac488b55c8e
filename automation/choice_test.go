package automation

import (
	"strings"
	"testing"

	"webmcphub/internal/browsertool"
	"webmcphub/registry"
)

// TestFind: a call means the page that it names, else its client's current one, else the only one that is free.
func TestFind(t *testing.T) {
	two, one := catalog("https://a.example/", "https://b.example/"), catalog("https://a.example/")
	id := func(n int) *int { return &n }
	focused := two.Tabs()[1]
	for name, c := range map[string]struct {
		call PageChoice
		want string // a page, or what the error says
	}{
		"by its number":              {PageChoice{Now: two, ID: id(2)}, "p2"},
		"a number before the choice": {PageChoice{Now: two, ID: id(2), At: "p1"}, "p2"},
		"an unknown number":          {PageChoice{Now: two, ID: id(3)}, "there is no page 3; if there was one, it was closed. Open pages: 1 (https://a.example/), 2 (https://b.example/)."},
		"the current page":           {PageChoice{Now: two, At: "p2"}, "p2"},
		"a current page that closed": {PageChoice{Now: one, At: "p2"}, "your current page was closed"},
		"none of two":                {PageChoice{Now: two}, "you have no current page"},
		"the only one":               {PageChoice{Now: one, Free: func(registry.PageID) bool { return true }}, "p1"},
		"the only one, another's":    {PageChoice{Now: one, Free: func(registry.PageID) bool { return false }}, "you have no current page"},
		"the focused one":            {PageChoice{Now: two, FocusMode: true, Focused: focused}, "p2"},
		"none is focused":            {PageChoice{Now: one, FocusMode: true}, "no tab is focused"},
	} {
		c.call.Shown = func(t *registry.Tab) string { return t.URL }
		tab, err := FindPage(c.call)
		if err != nil && !strings.Contains(err.Error(), c.want) || err == nil && string(tab.Page) != c.want {
			t.Errorf("%s: %+v, %v; want %s", name, tab, err, c.want)
		}
	}
}

// TestCurrent: clients' choices don't know of each other.
func TestCurrent(t *testing.T) {
	var c browsertool.CurrentPages
	c.Select("a", "p1")
	c.Select("b", "p2")
	c.Forget("a")
	if c.Of("a") != "" || c.Of("b") != "p2" || c.Len() != 1 {
		t.Errorf("they are %q and %q, of %d", c.Of("a"), c.Of("b"), c.Len())
	}
}

func catalog(addresses ...string) *registry.Catalog {
	s := registry.NewState(registry.Options{})
	s.Step(registry.BrowserChanged{})
	for i, address := range addresses {
		page := registry.PageID("p" + string(rune('1'+i)))
		s.Step(registry.PageOpened{Page: page, URL: address})
	}
	s.Step(registry.FlushDue{})
	return s.Catalog()
}
