package snapshot

import (
	"encoding/json"
	"testing"

	"webmcphub/automation/automationtest"
)

// BenchmarkTake measures snapshots of the ten pages and of a page of 100,000 nodes; tree is
// what Chrome alone takes for the whole accessibility tree.
func BenchmarkTake(b *testing.B) {
	for _, name := range append([]string{"light", "hundred-thousand"}, pages...) {
		open := func(b *testing.B) *automationtest.Tab {
			switch name {
			case "light":
				return automationtest.Open(b, automationtest.HTML(`<h1>Light</h1><form><label>Name <input></label><button>Save</button></form>`))
			case "hundred-thousand":
				return automationtest.Open(b, automationtest.HTML(`<div id=d></div><script>
					let h = ""; for (let i = 0; i < 25000; i++) h += "<div><span>text " + i + "</span></div>"; d.innerHTML = h</script>`))
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
