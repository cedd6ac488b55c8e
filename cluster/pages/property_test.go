package pages

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"webmcphub/cluster/api"
	"webmcphub/registry"
)

// arrived is a delta as it arrives.
func arrived(t interface{ Fatal(...any) }, d *api.Delta) *api.Delta {
	raw, err := proto.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	in := &api.Delta{}
	if err := proto.Unmarshal(raw, in); err != nil {
		t.Fatal(err)
	}
	return in
}

// shown is what there is of pages, by their ids.
func shown(all []*registry.PageSnapshot) string {
	var pages []string
	text := func(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
	for _, f := range all {
		var b strings.Builder
		_, own := Own(f.Page)
		fmt.Fprintf(&b, "%s %d %v %q %q %q %q %q %v %d %v %v %v\n", own, f.Opened, f.Proxied, f.URL, f.Origin, text(f.Title), f.State, text(f.Dialog), f.Arrived, f.Gen, f.Moving, f.Frames, f.Offers.Browser)
		for _, t := range f.Tools {
			fmt.Fprintf(&b, "  %s %s\n", t.Name, Digest(t))
		}
		for _, r := range f.Offers.Resources {
			fmt.Fprintf(&b, "  %s %v %s %s\n", r.URI, r.Template, text(r.Name), text(r.Description))
		}
		for _, p := range f.Offers.Prompts {
			fmt.Fprintf(&b, "  prompt %s\n", text(p.Name))
		}
		pages = append(pages, b.String())
	}
	slices.Sort(pages)
	return strings.Join(pages, "")
}

// of is what there is in a snapshot. Its facts are named as named, so that both sides can be compared.
func of(s *Snapshot) string {
	var all []*registry.PageSnapshot
	for _, p := range s.order {
		named := *p.facts
		named.Page = Named(nodeName, named.Page)
		all = append(all, &named)
	}
	return shown(all)
}

// TestApplyDiff plays a node, and a gateway that is told of it by differences between any two snapshots, whole or in
// parts, loses it, hides it, and finds it again, or another incarnation in its place. What the gateway has is always
// what the node had in that snapshot, a room that is told of it shows the same, and calls find their tool or none.
func TestApplyDiff(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		incarnations := 1
		n := newNode(registry.Options{MaxTools: 4})
		m, err := NewMirror(nodeName)
		if err != nil {
			t.Fatal(err)
		}
		r, told, now := newRoom(registry.Options{MaxTools: 4}), &Snapshot{}, time.Unix(0, 0)
		recent := []*Snapshot{told}
		show := func(c Content, changed bool) {
			if changed {
				r.show(c)
			}
		}
		tell := func(*rapid.T) {
			incarnation, newest := fmt.Sprint("n", incarnations), n.source.Newest()
			if newest == told {
				return
			}
			for i, part := range Parts(Diff(told, newest)) {
				if i > 0 && rapid.IntRange(0, 9).Draw(t, "cut") == 0 {
					m.Begin() // the connection is lost in the middle, and made again
					told = &Snapshot{}
					return
				}
				c, changed, left, err := m.Apply(incarnation, arrived(t, part))
				if err != nil || len(left) > 0 {
					t.Fatalf("left out: %v; %v", left, err)
				}
				show(c, changed)
			}
			told = newest
			recent = append(recent, told)
			show(m.Fresh())
		}
		t.Repeat(map[string]func(*rapid.T){
			"happens": n.happens, "happens2": n.happens,
			"flush": func(*rapid.T) { n.calm() },
			"tell":  tell, "tell2": tell,
			"reconnect": func(t *rapid.T) { // the node remembers what it told, or not
				if m.Begin(); rapid.Bool().Draw(t, "forgets") {
					told = &Snapshot{}
				}
			},
			"conflate": func(t *rapid.T) { // whichever snapshots lie between
				a, b := rapid.SampledFrom(recent).Draw(t, "a"), n.source.Newest()
				other, _ := NewMirror(nodeName)
				for _, d := range []*api.Delta{Diff(&Snapshot{}, a), Diff(a, b), Diff(b, b)} {
					if d.Version == 0 { // of no pages
						continue
					}
					if _, _, left, err := other.Apply("n", arrived(t, d)); err != nil || len(left) > 0 {
						t.Fatalf("left out: %v; %v", left, err)
					}
				}
				if got, want := shown(other.all().Pages), of(b); got != want {
					t.Fatalf("from %d it has\n%s\nand %d is\n%s", a.Version, got, b.Version, want)
				}
			},
			"hide": func(*rapid.T) {
				m.HideIn(now, Lost)
				now = now.Add(Lost)
				show(m.Due(now))
			},
			"fresh": func(*rapid.T) { show(m.Fresh()) },
			"anew": func(t *rapid.T) {
				incarnations++
				n = newNode(registry.Options{MaxTools: 4})
				told, recent = &Snapshot{}, []*Snapshot{{}}
				m.Begin()
			},
			"": func(t *rapid.T) {
				if incarnation, version := m.Has(); version > 0 && incarnation == fmt.Sprint("n", incarnations) && version == told.Version {
					if got, want := shown(m.all().Pages), of(told); got != want {
						t.Fatalf("the gateway has\n%s\nand the node had\n%s", got, want)
					}
					weight := 0
					for _, p := range told.order {
						weight += p.weight
					}
					if m.weight != weight {
						t.Fatalf("it weighs %d, and at its node %d", m.weight, weight)
					}
				}
				if tabs := len(r.state.Catalog().Tabs()); m.shown && tabs != len(m.order) || !m.shown && tabs != 0 {
					t.Fatalf("%d tabs are shown of %d (%v)", tabs, len(m.order), m.shown)
				}
			},
			"call": func(t *rapid.T) {
				for _, p := range m.order {
					for _, tool := range p.facts.Tools {
						_, own := Own(p.facts.Page)
						hub, err := Find(n.state.Catalog(), &api.ToolCall{Document: &api.Document{Page: string(own), Frame: string(tool.Frame), Generation: uint64(tool.Doc)}, Runtime: string(tool.Runtime), Tool: tool.Name, Digest: Digest(tool)})
						if err == nil && (hub.Route.Page != own || hub.Route.Doc != tool.Doc || Digest(hub.Source()) != Digest(tool)) {
							t.Fatalf("asked for %+v, found %+v", tool, hub.Route)
						}
					}
				}
			},
		})
	})
}

// TestWrongDeltasLeaveNothing lets a node tell anything of a few pages. What a room was shown is what the Mirror has,
// and after an error, when the Mirror was dropped, it is nothing.
func TestWrongDeltasLeaveNothing(t *testing.T) {
	id := rapid.SampledFrom([]string{"a", "b", "c", "d", ""})
	page := rapid.Custom(func(t *rapid.T) *api.Page {
		p := aPage(id.Draw(t, "id"), &api.PageInfo{Opened: rapid.Int64Range(-1, 2).Draw(t, "opened")})
		number := rapid.Uint64Range(1, 4).Draw(t, "number")
		p.Tools.Numbers = []uint64{number}
		switch rapid.IntRange(0, 9).Draw(t, "as") {
		case 0:
			p.Info = nil
		case 1:
			p.Tools = nil
		case 2: // a reference to a tool that it may have
		default:
			p.Tools.New = []*api.Tool{{Number: number, Name: "x"}}
		}
		return p
	})
	rapid.Check(t, func(t *rapid.T) {
		m, err := NewMirror(nodeName)
		if err != nil {
			t.Fatal(err)
		}
		r := newRoom(registry.Options{})
		for range rapid.IntRange(1, 10).Draw(t, "deltas") {
			incarnation := rapid.SampledFrom([]string{"n1", "n1", "n1", "n2"}).Draw(t, "incarnation")
			d := whole(m.version+1, rapid.SliceOfN(page, 0, 4).Draw(t, "pages")...)
			if rapid.Bool().Draw(t, "change") {
				d.From = m.version
			}
			d.Gone = rapid.SliceOfN(id, 0, 2).Draw(t, "gone")
			c, changed, _, err := m.Apply(incarnation, d)
			if err != nil {
				c, changed = m.Drop()
			}
			if changed {
				r.show(c)
			}
			if c, changed = m.Fresh(); changed {
				r.show(c)
			}
			if got, want := fmt.Sprint(slices.Sorted(maps.Keys(r.has))), fmt.Sprint(slices.Sorted(maps.Keys(m.pages))); got != want {
				t.Fatalf("shown are %s, and there are %s (%v)", got, want, err)
			}
		}
	})
}

// What a gateway's registry publishes is what the node's does: names, tools, offers, tabs and their order.
func TestSameCatalog(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := registry.Options{MaxName: rapid.SampledFrom([]int{0, 32, 128}).Draw(t, "max"), MaxTools: 4}
		n, r, told := newNode(o), newRoom(o), &Snapshot{}
		m, _ := NewMirror(nodeName)
		tell := func(*rapid.T) {
			n.calm()
			newest := n.source.Newest()
			c, changed, left, err := m.Apply("n1", arrived(t, Diff(told, newest)))
			if told = newest; err != nil || len(left) > 0 {
				t.Fatalf("left out: %v; %v", left, err)
			}
			if changed {
				r.show(c)
			} else if c, changed = m.Fresh(); changed {
				r.show(c)
			}
		}
		t.Repeat(map[string]func(*rapid.T){"happens": n.happens, "again": n.happens, "tell": tell})
		tell(nil)
		if got, want := listed(r.state.Catalog()), listed(n.state.Catalog()); got != want {
			t.Fatalf("the gateway has\n%s\nand the node\n%s", got, want)
		}
	})
}
