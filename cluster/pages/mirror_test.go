package pages

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"webmcphub/cluster/api"
	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// aPage is one as a node tells of it when it opens it: with all its parts.
func aPage(id string, info *api.PageInfo) *api.Page {
	if info == nil {
		info = &api.PageInfo{}
	}
	return &api.Page{Id: id, Info: info, Frames: &api.Frames{}, Offers: &api.Offers{}, Tools: &api.Tools{}}
}

func whole(version uint64, pages ...*api.Page) *api.Delta {
	return &api.Delta{Version: version, Browsers: &api.Browsers{All: []*api.Browser{{Name: "b"}}}, Pages: pages}
}

func change(version uint64, pages ...*api.Page) *api.Delta {
	return &api.Delta{From: version - 1, Version: version, Pages: pages}
}

// mirror is one that shows what a delta tells.
func mirror(t testing.TB, told *api.Delta) *Mirror {
	t.Helper()
	m, err := NewMirror(nodeName)
	if err != nil {
		t.Fatal(err)
	}
	if told != nil {
		if _, _, left, err := m.Apply("n1", told); err != nil || len(left) > 0 {
			t.Fatal(left, err)
		}
		m.Fresh()
	}
	return m
}

func ids(m *Mirror) (all []registry.PageID) {
	for _, p := range m.all().Pages {
		all = append(all, p.Page)
	}
	return all
}

// What a node says beyond what any may is left out, with the reason, and the rest goes on.
func TestHostileNode(t *testing.T) {
	for name, c := range map[string]struct {
		page *api.Page
		why  string
	}{
		"no id":              {aPage("", nil), "its id is empty"},
		"long id":            {aPage(strings.Repeat("x", 257), nil), "its id is longer"},
		"unseen id":          {aPage("a\u202eb", nil), "characters that an id can't have"},
		"twice":              {aPage("good", nil), "in one delta twice"},
		"no browser":         {aPage("p", &api.PageInfo{Browser: "../west/b"}), "a browser's name"},
		"no origin":          {aPage("p", &api.PageInfo{Origin: "https://a.example/path"}), "its origin isn't valid"},
		"script as origin":   {aPage("p", &api.PageInfo{Origin: "javascript:x"}), "its origin isn't valid"},
		"long address":       {aPage("p", &api.PageInfo{Url: "https://a/" + strings.Repeat("x", 64<<10)}), "too long"},
		"opened before ever": {aPage("p", &api.PageInfo{Opened: math.MinInt64}), "negative"},
		"many tools":         {&api.Page{Id: "p", Info: &api.PageInfo{}, Tools: &api.Tools{Numbers: make([]uint64, maxTools+1)}}, "more than 10000 tools"},
		"many new":           {&api.Page{Id: "p", Info: &api.PageInfo{}, Tools: &api.Tools{New: make([]*api.Tool, maxTools+1)}}, "more than 10000 tools"},
		"many frames":        {&api.Page{Id: "p", Info: &api.PageInfo{}, Frames: &api.Frames{All: make([]*api.Frame, maxFrames+1)}}, "more than 5000 frames"},
		"long frame":         {&api.Page{Id: "p", Info: &api.PageInfo{}, Frames: &api.Frames{All: []*api.Frame{{Id: strings.Repeat("x", 257)}}}}, "a frame's id"},
		"many resources":     {&api.Page{Id: "p", Info: &api.PageInfo{}, Offers: &api.Offers{Resources: make([]*api.Resource, 2*offer.MaxOffers+1)}}, "more than 2000 resources"},
	} {
		m := mirror(t, nil)
		_, _, left, err := m.Apply("n1", whole(1, aPage("good", nil), c.page, aPage("other", nil)))
		if err != nil || len(left) != 1 || !strings.Contains(left[0].Why, c.why) {
			t.Errorf("%s: left out %.200v (%v), want %s", name, left, err, c.why)
		}
		want := "[east/good east/other]"
		if name == "twice" { // nobody knows which of both is right
			want = "[east/other]"
		}
		if got := fmt.Sprint(ids(m)); got != want {
			t.Errorf("%s: has %v", name, got)
		}
		// A page that is there, and is told of as no page may be, goes; what changes of it then is passed over until
		// it is told of as a whole.
		if c.page.Id != "p" {
			continue
		}
		m = mirror(t, whole(1, aPage("p", nil), aPage("q", nil)))
		if _, _, left, err = m.Apply("n1", change(2, c.page)); err != nil || len(left) != 1 || fmt.Sprint(ids(m)) != "[east/q]" {
			t.Errorf("%s: then left out %.200v (%v), has %v", name, left, err, ids(m))
		}
		if _, _, left, err = m.Apply("n1", change(3, &api.Page{Id: "p", Tools: &api.Tools{}})); err != nil || len(left) > 0 || fmt.Sprint(ids(m)) != "[east/q]" {
			t.Errorf("%s: its change gives %v (%v), has %v", name, left, err, ids(m))
		}
		if _, _, _, err = m.Apply("n1", change(4, aPage("p", nil))); err != nil || m.Page("east/p") == nil {
			t.Errorf("%s: it isn't there again (%v)", name, err)
		}
	}
}

// A node that changes what it hasn't told of is wrong, and so is one that goes on from elsewhere.
func TestWrongDeltas(t *testing.T) {
	for name, d := range map[string]*api.Delta{
		"no such page":        change(6, &api.Page{Id: "x", Tools: &api.Tools{}}),
		"no such tool":        change(6, &api.Page{Id: "p", Tools: &api.Tools{Numbers: []uint64{7}}}),
		"from a later state":  change(9, aPage("x", nil)),
		"from an earlier one": change(3, aPage("x", nil)),
	} {
		m := mirror(t, whole(5, aPage("p", nil)))
		if _, _, _, err := m.Apply("n1", d); err == nil {
			t.Errorf("%s: it is taken", name)
		}
	}
	if _, _, _, err := mirror(t, whole(5, aPage("p", nil))).Apply("n2", change(6)); err == nil {
		t.Error("another incarnation goes on")
	}
}

// A page that was refused doesn't come back by changes, which tell of a part of it only.
func TestRefusedPageComesBackWhole(t *testing.T) {
	info := &api.PageInfo{Title: "changed"}
	for name, p := range map[string]*api.Page{
		"info only":     {Info: info},
		"without tools": {Info: info, Frames: &api.Frames{}, Offers: &api.Offers{}},
		"no frames":     {Info: info, Offers: &api.Offers{}, Tools: &api.Tools{}},
		"no offers":     {Info: info, Frames: &api.Frames{}, Tools: &api.Tools{}},
		"no such tool":  {Info: info, Frames: &api.Frames{}, Offers: &api.Offers{}, Tools: &api.Tools{Numbers: []uint64{1}}},
	} {
		m := mirror(t, whole(1, aPage("p", nil)))
		if _, _, left, err := m.Apply("n1", change(2, aPage("p", &api.PageInfo{Opened: -1}))); err != nil || len(left) != 1 {
			t.Fatalf("left out %v (%v)", left, err)
		}
		p.Id = "p"
		if _, _, left, err := m.Apply("n1", change(3, p)); err != nil || len(left) > 0 || len(ids(m)) > 0 {
			t.Errorf("%s: left out %v (%v), has %v", name, left, err, ids(m))
		}
		if _, _, _, err := m.Apply("n1", change(4, aPage("p", nil))); err != nil || fmt.Sprint(ids(m)) != "[east/p]" {
			t.Errorf("%s: then it has %v (%v)", name, ids(m), err)
		}
		p.Id = "new"
		if _, _, _, err := m.Apply("n1", change(5, p)); err != errWrong {
			t.Errorf("%s: a page that was never told of is opened (%v)", name, err)
		}
	}
}

// After an error, Drop closes all pages that a Mirror has shown, also those that the wrong delta closed.
func TestDropClosesAllThatWasShown(t *testing.T) {
	half := &api.Page{Id: "x", Tools: &api.Tools{}}
	closes := change(2, half)
	closes.Gone = []string{"p"}
	for name, c := range map[string]struct {
		incarnation string
		told        *api.Delta
	}{
		"closed":              {"n1", closes},
		"not told of again":   {"n1", whole(2, half)},
		"another incarnation": {"n2", whole(1, half)},
		"refused":             {"n1", change(2, aPage("p", &api.PageInfo{Opened: -1}), half)},
		"opened again":        {"n1", change(2, aPage("p", &api.PageInfo{Opened: 1}), half)},
	} {
		m, r := mirror(t, nil), newRoom(registry.Options{})
		if _, _, _, err := m.Apply("n1", whole(1, aPage("p", nil), aPage("q", nil))); err != nil {
			t.Fatal(err)
		}
		first, _ := m.Fresh()
		r.show(first)
		if _, changed, _, err := m.Apply(c.incarnation, c.told); err != errWrong || changed {
			t.Errorf("%s: it is taken (%v)", name, err)
		}
		last, changed := m.Drop()
		if r.show(last); !changed || len(r.has) > 0 || len(r.state.Catalog().Tabs()) > 0 {
			t.Errorf("%s: Drop closes %v (%v), and %d pages stay", name, last.Gone, changed, len(r.has))
		}
		if again, changed := m.Drop(); changed || len(again.Gone) > 0 {
			t.Errorf("%s: Drop again closes %v", name, again.Gone)
		}
	}
}

// A node names pages of its own only, and closes no other's.
func TestNodesKeepToTheirOwn(t *testing.T) {
	m := mirror(t, whole(1, aPage("west/p", nil), aPage("p", nil)))
	d := change(2)
	d.Gone = []string{"/p", "../west/p", "", "west/p"}
	if c, _, _, err := m.Apply("n1", d); err != nil || fmt.Sprint(c.Gone) != "[east/west/p]" || m.Page("east/p") == nil {
		t.Errorf("got %+v, %v", c, err)
	}
	for _, id := range []registry.PageID{"p", "west/p", ""} {
		if node, own := Own(Named("east", id)); node != "east" || own != id {
			t.Errorf("%q came back as %s of %s", id, own, node)
		}
	}
	for _, name := range []string{"", "West", "a/b", "a.b", strings.Repeat("n", 33), "ü"} {
		if _, err := NewMirror(name); err == nil {
			t.Errorf("a node may be called %q", name)
		}
	}
}

// A node that tells more than any may is refused, whether it tells that at once, in parts without end, by changes or
// by references.
func TestBytesAreBounded(t *testing.T) {
	heavy := func(id string, number uint64) *api.Page {
		p := aPage(id, nil)
		p.Tools = &api.Tools{Numbers: []uint64{number}, New: []*api.Tool{{Number: number, Name: "x", Description: strings.Repeat("x", 2<<20)}}}
		return p
	}
	for name, tell := range map[string]func(i int) *api.Delta{
		"parts": func(i int) *api.Delta {
			return &api.Delta{Version: 1, More: true, Pages: []*api.Page{heavy(fmt.Sprint(i), 1)}}
		},
		"parts of many pages": func(i int) *api.Delta {
			return &api.Delta{Version: 1, More: true, Pages: slices.Repeat([]*api.Page{{}}, 10_000)}
		},
		"parts of many that are gone": func(i int) *api.Delta {
			return &api.Delta{Version: 1, More: true, Gone: make([]string, 10_000)}
		},
		"parts of long ids of pages that are gone": func(i int) *api.Delta {
			return &api.Delta{Version: 1, More: true, Gone: []string{strings.Repeat("x", 2<<20)}}
		},
		"parts of long ids of pages": func(i int) *api.Delta {
			return &api.Delta{Version: 1, More: true, Pages: []*api.Page{aPage(strings.Repeat("x", 2<<20), nil)}}
		},
		"parts of numbers": func(i int) *api.Delta {
			return &api.Delta{Version: 1, More: true, Pages: []*api.Page{{Id: "p", Tools: &api.Tools{Numbers: make([]uint64, 1<<18)}}}}
		},
		"parts of unknown fields": func(i int) *api.Delta {
			p := aPage("p", nil)
			p.ProtoReflect().SetUnknown(protowire.AppendBytes(protowire.AppendTag(nil, 1000, protowire.BytesType), make([]byte, 2<<20)))
			return &api.Delta{Version: 1, More: true, Pages: []*api.Page{p}}
		},
		"changes": func(i int) *api.Delta {
			if i == 0 {
				return whole(1)
			}
			return change(uint64(i+1), heavy(fmt.Sprint(i), 1))
		},
		"a reference to a heavy tool": func(i int) *api.Delta {
			if i == 0 {
				return whole(1, heavy("p", 1))
			}
			return change(2, &api.Page{Id: "p", Tools: &api.Tools{Numbers: slices.Repeat([]uint64{1}, 17)}})
		},
	} {
		m := mirror(t, nil)
		var err error
		for i := 0; err == nil && i < 30; i++ {
			_, _, _, err = m.Apply("n1", tell(i))
		}
		if err != ErrTooMuch {
			t.Errorf("%s: %v", name, err)
		}
		if m.Drop(); len(m.pages)+len(m.order) > 0 || m.parts != nil || m.weight != 0 || m.version != 0 {
			t.Errorf("%s: it still has something", name)
		}
	}
	m := mirror(t, whole(1))
	for i := range 30 {
		if _, _, left, err := m.Apply("n1", change(uint64(i+2), aPage(strings.Repeat("x", 1000+i), nil))); err != nil || len(left) != 1 {
			t.Fatalf("left out %v (%v)", left, err)
		}
	}
	if len(m.refused) > 0 {
		t.Errorf("it keeps %d ids that no page has", len(m.refused))
	}
	many := make([]*api.Page, maxPages)
	for i := range many {
		many[i] = aPage(fmt.Sprint(i), nil)
	}
	m = mirror(t, whole(1, many...))
	_, _, left, err := m.Apply("n1", change(2, aPage("more", nil), aPage("0", &api.PageInfo{Title: "changed"})))
	if err != nil || len(left) != 1 || left[0].Page != "more" || !strings.Contains(left[0].Why, "more than 4000 pages") || m.Page("east/0").Title != "changed" {
		t.Errorf("left out %v (%v)", left, err)
	}
}

// What a node at its bound tells is taken, though the message that tells it is larger than what is kept of it.
func TestNodeAtTheBoundIsTaken(t *testing.T) {
	at, gone := whole(1), whole(1)
	for i, weight := 0, 0; i < maxPages/2; i++ {
		p := aPage(fmt.Sprintf("%0*d", maxID, i), nil)
		for n := uint64(1); n <= 63; n++ {
			p.Tools.Numbers = append(p.Tools.Numbers, math.MaxUint64-n)
			p.Tools.New = append(p.Tools.New, &api.Tool{Number: math.MaxUint64 - n})
		}
		if weight += infoWeight(p.Info) + len(p.Tools.New)*toolWeight(p.Tools.New[0]); weight > maxWeight {
			break
		}
		at.Pages = append(at.Pages, p)
		gone.Pages = append(gone.Pages, aPage(fmt.Sprintf("%0*d", maxID, maxPages+i), nil))
	}
	m := mirror(t, gone)
	at.From, at.Version = 1, 2
	for _, p := range gone.Pages {
		at.Gone = append(at.Gone, p.Id)
	}
	for _, part := range Parts(at) {
		if _, _, left, err := m.Apply("n1", arrived(t, part)); err != nil || len(left) > 0 {
			t.Fatal(left, err)
		}
	}
	if len(m.pages) != len(at.Pages) || m.weight < maxWeight*99/100 {
		t.Errorf("it has %d pages, which weigh %d", len(m.pages), m.weight)
	}
}

// An honest node never tells what gateways refuse: pages that have no room are left out, with the reason, and come
// when there is some. Changes of the rest go on.
func TestNodeKeepsToTheBound(t *testing.T) {
	n, m, told := newNode(registry.Options{}), mirror(t, nil), &Snapshot{}
	n.source.most = 3 << 20
	has := func() string {
		n.calm()
		if _, _, left, err := m.Apply("n1", arrived(t, Diff(told, n.source.Newest()))); err != nil || len(left) > 0 {
			t.Fatal(left, err)
		}
		told = n.source.Newest()
		return fmt.Sprint(ids(m))
	}
	report := func(id registry.PageID, bytes int) {
		n.step(registry.PageOpened{Page: id, URL: "https://a.example/"},
			registry.ToolsReported{Page: id, Tools: []*registry.PageTool{{Name: "x", Description: strings.Repeat("<", bytes)}}})
	}
	for i := range 4 {
		report(registry.PageID(fmt.Sprint(i)), 1<<20)
	}
	if got := has(); got != "[east/0 east/1]" {
		t.Errorf("the gateway has %s", got)
	}
	if len(n.left) != 2 || !strings.Contains(n.left[0].Why, "the node's pages offer more than 3 MiB") {
		t.Errorf("left out: %q", n.left)
	}
	report("small", 10)
	n.step(registry.ToolsReported{Page: "2", Tools: []*registry.PageTool{{Name: "y"}}})
	if got := has(); got != "[east/0 east/1 east/2 east/small]" {
		t.Errorf("then the gateway has %s", got)
	}
	n.step(registry.PageClosed{Page: "0"})
	if got := has(); got != "[east/1 east/2 east/small east/3]" {
		t.Errorf("in the end the gateway has %s", got)
	}
	n.step(registry.ToolsReported{Page: "3", Tools: []*registry.PageTool{{Name: "large", Description: strings.Repeat("<", maxPage)}}})
	if has(); len(m.pages["east/3"].facts.Tools) != 0 || !strings.Contains(fmt.Sprint(n.left), `its tools from "large" on`) {
		t.Errorf("of a page there are %d tools, and left out are %v", len(m.pages["east/3"].facts.Tools), n.left)
	}
}

// A connection that is lost shows nowhere if it is back in time; else the pages are hidden, and come back as they
// were, without being told of again.
func TestStaleness(t *testing.T) {
	at := time.Unix(100, 0)
	m := mirror(t, whole(1, aPage("p", nil)))
	m.HideIn(at, Behind)
	m.HideIn(at, Lost) // the sooner one counts
	m.HideIn(at, Behind)
	if m.HideAt() != at.Add(Lost) {
		t.Fatalf("they are hidden at %v", m.HideAt())
	}
	if _, changed := m.Due(at.Add(Lost - 1)); changed {
		t.Error("they are hidden before")
	}
	if _, changed := m.Fresh(); changed || !m.HideAt().IsZero() {
		t.Error("a connection that is back in time shows")
	}
	before := m.epoch
	m.HideIn(at, Lost)
	if c, changed := m.Due(at.Add(Lost)); !changed || fmt.Sprint(c.Gone) != "[east/p]" || c.Browsers != nil || m.Page("east/p") != nil {
		t.Errorf("they are not hidden: %+v", c)
	}
	if _, changed, _, err := m.Apply("n1", change(2, aPage("q", nil))); changed || err != nil {
		t.Errorf("what comes while they are hidden shows (%v)", err)
	}
	c, changed := m.Fresh()
	if !changed || len(c.Pages) != 2 || len(c.Browsers) != 1 || c.Epoch == before {
		t.Errorf("they come back as %+v", c)
	}
	if incarnation, version := m.Has(); incarnation != "n1" || version != 2 {
		t.Errorf("it has %s %d", incarnation, version)
	}
	if c, changed, _, _ := m.Apply("n2", whole(1, aPage("p", nil))); !changed || fmt.Sprint(c.Gone) != "[east/p east/q]" || len(c.Pages) != 1 {
		t.Errorf("another incarnation shows as %+v", c)
	}
}

// A digest stays what it is from build to build, and tells all apart that differs.
func TestDigest(t *testing.T) {
	yes, no := true, false
	all := []*offer.PageTool{{}, {Name: "a"}, {Title: "a"}, {Description: "a"}, {Frame: "a"}, {Doc: 1}, {FrameURL: "a"}, {Origin: "a"},
		{Runtime: "a"}, {Script: "a"}, {InputSchema: []byte("{}")}, {OutputSchema: []byte("{}")}, {Meta: []byte("{}")},
		{Name: "a", Title: "a"}, {Name: "aa"}, {Annotations: offer.Annotations{ReadOnly: &yes}}, {Annotations: offer.Annotations{ReadOnly: &no}},
		{Annotations: offer.Annotations{Cache: &yes}}}
	seen := map[string]bool{}
	for _, tool := range all {
		seen[Digest(tool)] = true
	}
	if len(seen) != len(all) {
		t.Errorf("%d tools have %d digests", len(all), len(seen))
	}
	const golden = "ae75b6f567e40c769e38b8490f032b9f"
	if got := Digest(&offer.PageTool{Frame: "f", Doc: 3, Name: "buy", InputSchema: []byte(`{"type":"object"}`), Annotations: offer.Annotations{OpenWorld: &no}}); got != golden {
		t.Errorf("the digest is %s", got)
	}
	broken := &offer.PageTool{Name: "a\xff"}
	if sent := toolOf(broken, 1); DigestOf(sent) != Digest(broken) {
		t.Error("a text that isn't UTF-8 has another digest when it has been sent")
	}
}

// FuzzMirror lets a node tell anything: no page of another's is shown, and a room shows what the Mirror does.
func FuzzMirror(f *testing.F) {
	for _, d := range []*api.Delta{
		whole(1, &api.Page{Id: "p", Info: &api.PageInfo{}, Tools: &api.Tools{Numbers: []uint64{1}, New: []*api.Tool{{Number: 1, Name: "x"}}}}),
		{From: 1, Version: 2, Gone: []string{"p"}, Pages: []*api.Page{{Id: "p", Info: &api.PageInfo{Url: "https://b/"}, Frames: &api.Frames{}, Offers: &api.Offers{Prompts: []*api.Prompt{{}}}, Tools: &api.Tools{Numbers: []uint64{1, 2}}}}},
		{Version: 3, More: true, Pages: []*api.Page{{Id: "q"}}},
	} {
		raw, err := proto.Marshal(d)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw, raw, true)
	}
	f.Fuzz(func(t *testing.T, first, second []byte, sameLife bool) {
		m, r := mirror(t, nil), newRoom(registry.Options{})
		for i, raw := range [][]byte{first, second} {
			d := &api.Delta{}
			if proto.Unmarshal(raw, d) != nil {
				continue
			}
			incarnation := "n1"
			if i == 1 && !sameLife {
				incarnation = "n2"
			}
			c, changed, _, err := m.Apply(incarnation, d)
			if err != nil {
				c, changed = m.Drop()
			}
			if changed {
				r.show(c)
			} else if c, changed = m.Fresh(); changed {
				r.show(c)
			}
		}
		tabs := r.state.Catalog().Tabs()
		for _, tab := range tabs {
			if NodeOf(tab.Page) != nodeName || m.Page(tab.Page) == nil {
				t.Errorf("the page %s is shown", tab.Page)
			}
		}
		if m.shown && len(tabs) != len(m.order) || !m.shown && len(tabs) > 0 {
			t.Errorf("%d tabs for %d pages (%v)", len(tabs), len(m.order), m.shown)
		}
	})
}
