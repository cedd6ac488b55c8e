package replica

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"webmcphub/cluster/wire"
	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// talking is a mirror that the node n1 has welcomed.
func talking(t testing.TB) *Mirror {
	t.Helper()
	m, err := NewMirror(nodeName, "g1", Bounds{})
	if err != nil {
		t.Fatal(err)
	}
	m.Step(LinkBack{})
	m.Step(Received{wire.Welcome{Version: 1, Incarnation: "n1", Talk: "g1.1"}})
	return m
}

func whole(version uint64, pages ...wire.Page) wire.Whole {
	return wire.Whole{At: wire.Position{Incarnation: "n1", Version: version}, Browsers: []wire.Browser{{Name: "b"}}, Pages: pages, Talk: "g1.1"}
}

// What a node says beyond what any may is left out, with the reason, and the rest goes on.
func TestHostileNode(t *testing.T) {
	many := make([]wire.Tool, 5*registry.DefaultMaxTools+1)
	for name, c := range map[string]struct {
		page wire.Page
		why  string
	}{
		"no id":              {wire.Page{}, "its id is empty"},
		"long id":            {wire.Page{ID: strings.Repeat("x", 257)}, "its id is longer"},
		"unseen id":          {wire.Page{ID: "a\u202eb"}, "characters that no id has"},
		"twice":              {wire.Page{ID: "good"}, "told of twice"},
		"no browser":         {wire.Page{ID: "p", Browser: "../west/b"}, "a browser's name"},
		"no origin":          {wire.Page{ID: "p", Origin: "https://a.example/path"}, "its origin is none"},
		"script as origin":   {wire.Page{ID: "p", Origin: "javascript:x"}, "its origin is none"},
		"long address":       {wire.Page{ID: "p", URL: "https://a/" + strings.Repeat("x", 64<<10)}, "too long"},
		"opened before ever": {wire.Page{ID: "p", Opened: math.MinInt}, "negative"},
		"many tools":         {wire.Page{ID: "p", Tools: many}, "more than 10000 tools"},
		"many frames":        {wire.Page{ID: "p", Frames: make([]wire.Frame, 5001)}, "more than 5000 frames"},
		"long frame":         {wire.Page{ID: "p", Frames: []wire.Frame{{ID: strings.Repeat("x", 257)}}}, "a frame's id"},
		"nothing as prompt":  {wire.Page{ID: "p", Offers: &wire.Offers{Prompts: []*offer.PagePrompt{nil}}}, "nothing in place of one"},
		"many resources":     {wire.Page{ID: "p", Offers: &wire.Offers{Resources: make([]wire.Resource, 2*offer.MaxOffers+1)}}, "more than 1000"},
	} {
		m := talking(t)
		var left []LeftOut
		for _, e := range m.Step(Received{whole(1, wire.Page{ID: "good"}, c.page, wire.Page{ID: "other"})}) {
			if l, ok := e.(LeftOut); ok {
				left = append(left, l)
			}
		}
		if len(left) != 1 || !strings.Contains(left[0].Why, c.why) || left[0].Node != nodeName {
			t.Errorf("%s: left out %.200v, want %s", name, left, c.why)
		}
		if pages := m.Content().Pages; len(pages) != 2 || pages[0].Page != "east/good" || pages[1].Page != "east/other" {
			t.Errorf("%s: has %v", name, pages)
		}
	}
}

// A page that is refused now isn't left as it was.
func TestRefusedPageGoes(t *testing.T) {
	m := talking(t)
	m.Step(Received{whole(1, wire.Page{ID: "p"}, wire.Page{ID: "q"})})
	m.Step(Received{wire.Changes{From: 1, At: wire.Position{Incarnation: "n1", Version: 2}, Pages: []wire.Page{{ID: "p", Origin: "none"}}, Talk: "g1.1"}})
	if pages := m.Content().Pages; len(pages) != 1 || pages[0].Page != "east/q" {
		t.Errorf("has %v", pages)
	}
}

// What is edited as no page may be goes, and is edited in vain until it is told of as a whole. Of a page that is
// edited twice at once, or goes, the first counts.
func TestHostileEdits(t *testing.T) {
	changes := func(version uint64, edits ...wire.Edit) wire.Changes {
		return wire.Changes{From: version - 1, At: wire.Position{Incarnation: "n1", Version: version}, Edits: edits, Talk: "g1.1"}
	}
	for name, e := range map[string]wire.Edit{
		"no origin":    {Page: &wire.Page{Origin: "none"}},
		"many frames":  {Frames: ptr(make([]wire.Frame, maxFrames+1))},
		"many offers":  {Offers: &wire.Offers{Resources: make([]wire.Resource, 2*offer.MaxOffers+1)}},
		"many tools":   {Tools: &wire.ToolChanges{Numbers: []wire.Run{{1, math.MaxUint64}, {1, math.MaxUint64}}}},
		"many new":     {Tools: &wire.ToolChanges{New: make([]wire.Tool, maxTools+1)}},
		"long address": {Page: &wire.Page{URL: strings.Repeat("x", maxURL+1)}},
	} {
		m := talking(t)
		m.Step(Received{whole(1, wire.Page{ID: "p"}, wire.Page{ID: "q"})})
		e.ID = "p"
		if _, why := asked(m.Step(Received{changes(2, e)})); why == "" || m.Page("east/p") != nil || m.Page("east/q") == nil {
			t.Errorf("%s: left out for %q", name, why)
		}
		if m.Step(Received{changes(3, wire.Edit{ID: "p", Page: &wire.Page{Title: "good"}})}); m.Page("east/p") != nil || !m.Known() {
			t.Errorf("%s: it is there by an edit", name)
		}
		again := changes(4)
		again.Pages = []wire.Page{{ID: "p"}}
		if m.Step(Received{again}); m.Page("east/p") == nil || !m.Known() {
			t.Errorf("%s: it isn't there again", name)
		}
	}
	m := talking(t)
	m.Step(Received{whole(1, wire.Page{ID: "p"}, wire.Page{ID: "q"})})
	c := changes(2, wire.Edit{ID: "p", Page: &wire.Page{Title: "one"}}, wire.Edit{ID: "p", Page: &wire.Page{Title: "two"}}, wire.Edit{ID: "q", Page: &wire.Page{Title: "gone"}})
	c.Gone = []string{"q"}
	if m.Step(Received{c}); m.Page("east/p").Title != "one" || m.Page("east/q") != nil || len(m.Content().Pages) != 1 {
		t.Errorf("has %+v", m.Content().Pages)
	}
}

func ptr[T any](v T) *T { return &v }

// A node names pages of its own only, and closes no other's.
func TestNodesKeepToTheirOwn(t *testing.T) {
	m := talking(t)
	m.Step(Received{whole(1, wire.Page{ID: "west/p", Browser: ""}, wire.Page{ID: "p"})})
	c := m.Step(Received{wire.Changes{From: 1, At: wire.Position{Incarnation: "n1", Version: 2}, Gone: []string{"/p", "../west/p", "", "west/p"}, Talk: "g1.1"}})
	if len(c) == 0 || fmt.Sprint(c[0].(Content).Gone) != "[east/west/p]" || m.Page("east/p") == nil {
		t.Errorf("got %+v", c)
	}
	for _, id := range []registry.PageID{"p", "west/p", ""} {
		if node, own := Own(Named("east", id)); node != "east" || own != id {
			t.Errorf("%q came back as %s of %s", id, own, node)
		}
	}
	for _, name := range []string{"", "West", "a/b", "a.b", strings.Repeat("n", 32+1), "ü"} {
		if _, err := NewMirror(name, "g1", Bounds{}); err == nil {
			t.Errorf("a node may be called %q", name)
		}
	}
}

// What no honest node says at that point changes nothing.
func TestNonsenseIsHarmless(t *testing.T) {
	at := func(v uint64) wire.Position { return wire.Position{Incarnation: "n1", Version: v} }
	for name, message := range map[string]wire.Message{
		"changes that go back":        wire.Changes{From: 9, At: at(3), Pages: []wire.Page{{ID: "x"}}, Talk: "g1.1"},
		"changes of another talk":     wire.Changes{From: 5, At: at(6), Pages: []wire.Page{{ID: "x"}}, Talk: "g1.9"},
		"an earlier whole":            whole(4, wire.Page{ID: "x"}),
		"a part of nothing":           wire.Whole{At: at(6), Part: 3, Pages: []wire.Page{{ID: "x"}}, Talk: "g1.1"},
		"a whole of another talk":     wire.Whole{At: at(6), Pages: []wire.Page{{ID: "x"}}},
		"an answer to no ping":        wire.Pong{Seq: math.MaxUint64, At: at(math.MaxUint64), Talk: "g1.1"},
		"a welcome to another talk":   wire.Welcome{Version: 1, Incarnation: "n2", Talk: "g0.1"},
		"a welcome that comes doubly": wire.Welcome{Version: 1, Incarnation: "n1", Talk: "g1.1"},
		"what gateways say":           wire.Hello{Talk: "g1.1"},
		"an edit of no page":          wire.Changes{From: 5, At: at(6), Pages: []wire.Page{{ID: "y"}}, Edits: []wire.Edit{{ID: "x"}}, Talk: "g1.1"},
		"an edit with no such tool":   wire.Changes{From: 5, At: at(6), Gone: []string{"p"}, Edits: []wire.Edit{{ID: "p", Tools: &wire.ToolChanges{Numbers: []wire.Run{{7, 1}}}}}, Talk: "g1.1"},
	} {
		m := talking(t)
		m.Step(Received{whole(5, wire.Page{ID: "p"})})
		for _, e := range m.Step(Received{message}) {
			if _, shows := e.(Content); shows {
				t.Errorf("%s: shows %+v", name, e)
			}
		}
		if m.At() != at(5) || !m.Known() && !strings.HasPrefix(name, "an edit") || len(m.Content().Pages) != 1 {
			t.Errorf("%s: at %v", name, m.At())
		}
	}
}

// A node that sends parts without end fills nothing.
func TestPartsAreBounded(t *testing.T) {
	m := talking(t)
	for i := range 100 {
		pages := make([]wire.Page, 1000)
		m.Step(Received{wire.Whole{At: wire.Position{Incarnation: "n1", Version: 1}, Part: i, More: true, Pages: pages, Talk: "g1.1"}})
	}
	if n := len(m.parts.Pages); n > maxPages+1000 {
		t.Errorf("%d pages wait", n)
	}
}

// A node that opens pages without end, a few with each change, fills nothing either; those that it
// has change as ever.
func TestPagesAreBounded(t *testing.T) {
	m := talking(t)
	pages := make([]wire.Page, maxPages)
	for i := range pages {
		pages[i].ID = fmt.Sprint(i)
	}
	m.Step(Received{whole(1, pages...)})
	var left []LeftOut
	more := []wire.Page{{ID: "more"}, {ID: "0", Title: "changed"}}
	for _, e := range m.Step(Received{wire.Changes{From: 1, At: wire.Position{Incarnation: "n1", Version: 2}, Pages: more, Talk: "g1.1"}}) {
		if l, ok := e.(LeftOut); ok {
			left = append(left, l)
		}
	}
	if len(left) != 1 || left[0].Page != "more" || !strings.Contains(left[0].Why, "more than 4000 pages") {
		t.Errorf("left out %v", left)
	}
	if n := len(m.Content().Pages); n != maxPages || m.Page("east/0").Title != "changed" {
		t.Errorf("has %d pages, and of the first %+v", n, m.Page("east/0"))
	}
	m.Step(Received{wire.Changes{From: 2, At: wire.Position{Incarnation: "n1", Version: 3}, Gone: []string{"1"}, Pages: more, Talk: "g1.1"}})
	if m.Page("east/more") == nil {
		t.Error("a page has no room in the place of one that is gone")
	}
}

// FuzzMirror lets a node say anything.
func FuzzMirror(f *testing.F) {
	for _, m := range []wire.Message{whole(1, wire.Page{ID: "p", Tools: []wire.Tool{{Name: "x"}}}), wire.Changes{From: 1, At: wire.Position{Incarnation: "n1", Version: 2}, Gone: []string{"p"}, Talk: "g1.1"},
		wire.Pong{Seq: 1, At: wire.Position{Incarnation: "n1", Version: 9}, Talk: "g1.1"}, wire.Welcome{Version: 1, Incarnation: "n2", Talk: "g1.1"}} {
		raw, err := wire.Encode(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw, raw)
	}
	f.Add([]byte(`{"kind":"whole","body":{"At":{"Incarnation":"n1","Version":1},"Talk":"g1.1","Pages":[{"ID":"p","Tools":[{"name":"x","n":1}]}]}}`),
		[]byte(`{"kind":"changes","body":{"From":1,"At":{"Incarnation":"n1","Version":2},"Talk":"g1.1","Edits":[{"ID":"p","Page":{"URL":"https://b/"},"Frames":[],"Offers":{},"Tools":{"Numbers":[[1,2]],"New":[{"n":2,"name":"y"}]}}]}}`))
	f.Add([]byte(`{"kind":"whole","body":{"At":{"Incarnation":"n1","Version":1},"Talk":"g1.1","Pages":[{"ID":"p","Tools":[{"name":"x","input":7}],"Offers":{"prompts":[null]}}]}}`), []byte(`{}`))
	f.Fuzz(func(t *testing.T, first, second []byte) {
		m, r := talking(t), newRoom(registry.Options{})
		for _, raw := range [][]byte{first, second} {
			message, err := wire.Decode(raw)
			if err != nil {
				continue
			}
			for _, e := range m.Step(Received{message}) {
				if c, ok := e.(Content); ok {
					r.show(c)
				}
			}
		}
		for _, tab := range r.state.Catalog().Tabs() {
			if NodeOf(tab.Page) != nodeName || m.Page(tab.Page) == nil {
				t.Errorf("the page %s is shown", tab.Page)
			}
		}
		if len(r.state.Catalog().Tabs()) != len(m.Content().Pages) {
			t.Errorf("%d tabs for %d pages", len(r.state.Catalog().Tabs()), len(m.Content().Pages))
		}
	})
}
