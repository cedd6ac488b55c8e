package extbrowser_test

import (
	"fmt"
	"strings"
	"testing"

	. "webmcphub/actors"
	. "webmcphub/actors/hubtest"
	"webmcphub/extlink/exttest"
	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// The tab that an extension says the user looks at is marked in MCP-B's
// descriptions, and is where a site's tool goes; also when the browser connects
// anew, and to a hub that it has not told of any switch.
func TestTheUsersTabOfAnExtension(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		mcpb := func(o *Options) {
			o.WatchFront, o.Registry.Naming = true, offer.MCPBNames
		}
		h := NewExtHub(t, mcpb)
		b := h.Join(exttest.New("one"))
		var tabs []*exttest.Tab
		for range 3 {
			tab := b.OpenTab(Shop)
			tab.Register(exttest.Tool{Name: "add"})
			tabs = append(tabs, tab)
			h.Quiet()
		}
		wants := func(h *TestHub, active int) {
			t.Helper()
			h.Quiet()
			c := h.Pub.Current()
			id := func(i int) registry.TabID { return registry.TabID(i + 1) } // also after a connection anew
			routed := c.Lookup("website_tool_shop_test_add")
			if routed == nil {
				t.Fatal("there is no routed tool")
			}
			label := "• 3 tabs]"
			if active > 0 {
				label = fmt.Sprintf("• Tab %d Active]", id(active-1))
				if chosen := c.ChooseTab(routed.SiteTool, nil); chosen.Name != fmt.Sprintf("website_tool_shop_test_tab%d_add", id(active-1)) {
					t.Errorf("chosen is %s", chosen.Name)
				}
			}
			if !strings.Contains(routed.Description, label) {
				t.Errorf("the routed tool is %q", routed.Description)
			}
			for i := range 3 {
				tool := c.Lookup(fmt.Sprintf("website_tool_shop_test_tab%d_add", id(i)))
				if tool == nil {
					t.Fatalf("tab %d has no tool", i+1)
				}
				if want := i+1 == active; strings.Contains(tool.Description, "Active") != want {
					t.Errorf("tab %d is active: %v; %q", i+1, want, tool.Description)
				}
			}
		}
		wants(h, 0)
		for _, i := range []int{1, 0, 2} {
			tabs[i].Show()
			wants(h, i+1)
		}
		h.AddExtension(b.Connect()) // anew, without a word about the front but its tabs'
		wants(h, 3)
		b.Die()
		h.Quiet()

		h.AddExtension(b.Connect())
		wants(h, 3)
		if got := h.Pub.Switched(); len(got) != 2 {
			t.Errorf("switches are %q", got)
		}
	})
}

// A hub that is new learns of it as the browser connects.
func TestTheUsersTabIsFound(t *testing.T) {
	for _, watch := range []bool{true, false} {
		Bubble(t, func(t *testing.T) {
			h := NewExtHub(t, func(o *Options) { o.WatchFront, o.Registry.Naming = watch, offer.MCPBNames })
			b := exttest.New("one")
			b.OpenTab(Shop)
			b.OpenTab(Shop).Show()
			h.Join(b)
			if tabs := h.Pub.Current().Tabs(); tabs[0].Active || tabs[1].Active != watch {
				t.Errorf("watch %v: active are %v and %v", watch, tabs[0].Active, tabs[1].Active)
			}
		})
	}
	Bubble(t, func(t *testing.T) {
		h := NewExtHub(t, func(o *Options) { o.WatchFront, o.Registry.Naming = true, offer.MCPBNames })
		w := exttest.NewWire()
		t.Cleanup(func() { _ = w.Close() })
		h.AddExtension(w)
		w.Say(`{"type":"connected","browser":{"name":"Chrome","version":"1"},"tabs":[{"id":1,"title":"","url":"http://a.test/","active":true},{"id":2,"title":"","url":"http://b.test/","active":true}]}`)
		h.Quiet()
		if tabs := h.Pub.Current().Tabs(); tabs[0].Active || tabs[1].Active {
			t.Error("of two windows' tabs one is taken")
		}
	})
}
