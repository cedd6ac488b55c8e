package snapshot

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"webmcphub/automation/automationtest"
)

// BenchmarkTake measures snapshots of the ten pages, of pages with very many elements (see [largePages]) and of a page of
// 100,000 nodes; tree is what Chrome alone takes for the whole accessibility tree.
func BenchmarkTake(b *testing.B) {
	names := append([]string{"light", "hundred-thousand"}, slices.Sorted(maps.Keys(largePages))...)
	for _, name := range append(names, pages...) {
		open := func(b *testing.B) *automationtest.Tab {
			switch name {
			case "light":
				return automationtest.Open(b, automationtest.HTML(`<h1>Light</h1><form><label>Name <input></label><button>Save</button></form>`))
			case "hundred-thousand":
				return automationtest.Open(b, automationtest.HTML(`<div id=d></div><script>
					let h = ""; for (let i = 0; i < 25000; i++) h += "<div><span>text " + i + "</span></div>"; d.innerHTML = h</script>`))
			}
			if html, is := largePages[name]; is {
				return automationtest.Open(b, automationtest.HTML(html))
			}
			return openPage(b, name)
		}
		b.Run(name, func(b *testing.B) {
			tab, snaps := open(b), NewTab(0)
			for b.Loop() {
				take(b, tab, snaps, Options{})
			}
		})
		b.Run(name+"/tree", func(b *testing.B) {
			tab := open(b)
			main, _ := tab.Main()
			for b.Loop() {
				var all json.RawMessage
				if err := tab.Call(tab.Ctx, main.Session, "Accessibility.getFullAXTree", nil, &all); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
