package automation

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"webmcphub/automation/automationtest"
)

// onLargePages counts the clicks of a page on its window, so that no element of it has a handler.
const onLargePages = `<!doctype html><main id=d></main><script>clicks = 0
	addEventListener("click", e => { clicks++; e.preventDefault() })
	let h = ""; `

// largePages are pages of 2,000 rows, 10,000 links, 10,000 buttons and 200 frames, each with a line of its snapshot. In the frames' page, a
// text that nothing else has is in the last frame.
var largePages = []struct{ name, html, line string }{
	{"table", onLargePages + `for (let i = 0; i < 2000; i++) h += "<tr><td>INV-" + i + "<td>Customer " + i + "<td>" + i * 3 + "<td><button>Edit</button>"
		d.innerHTML = "<table>" + h + "</table>"</script>`, `button "Edit"`},
	{"links", onLargePages + `for (let i = 0; i < 10000; i++) h += "<a href=/l/" + i + ">Link " + i + "</a> "
		d.innerHTML = h</script>`, `link "Link 7"`},
	{"buttons", onLargePages + `for (let i = 0; i < 10000; i++) h += "<button>Button " + i + "</button> "
		d.innerHTML = h</script>`, `button "Button 7"`},
	{"frames", onLargePages + `for (let i = 0; i < 200; i++) h += "<iframe srcdoc='<p>Frame " + i + "'></iframe>"
		d.innerHTML = "<button>Save</button>" + h</script>`, `button "Save"`},
	{"small", onLargePages + `d.innerHTML = "<h1>Chairs</h1><form><label>Name <input></label><button>Save</button></form>"</script>`, `button "Save"`},
}

// placements are where a tab can be: in front, behind another tab, or opened behind one and never drawn.
var placements = []string{"front", "behind", "never-drawn"}

// place opens a page of the site in a tab of one of the placements.
func place(t testing.TB, site *automationtest.Site, placement string) *automationtest.Tab {
	tab := automationtest.NewTab(t, site, "about:blank")
	tab.Attach()
	if placement == "never-drawn" {
		tab = automationtest.NewBackgroundTab(t, tab, "about:blank")
		tab.Attach()
	}
	tab.Goto(site.URL("a", "/"))
	if placement == "behind" {
		over := automationtest.NewBackgroundTab(t, tab, "about:blank")
		tab.Must("", "Target.activateTarget", map[string]any{"targetId": over.Target}, nil)
	}
	return tab
}

// BenchmarkLargePages takes snapshots of large pages and a small one, clicks in them, and waits for a text, and asks Chrome alone in turns
// with that: dom-ms is a bare DOMSnapshot.captureSnapshot, tree-ms a bare Accessibility.getFullAXTree. All are medians.
func BenchmarkLargePages(b *testing.B) {
	for _, large := range largePages {
		for _, placement := range placements {
			b.Run(large.name+"/"+placement, func(b *testing.B) {
				site := automationtest.Serve(b, automationtest.HTML(large.html))
				tab := place(b, site, placement)
				browser := newFakeBrowser(site.URL("a", "/"))
				s := New(Options{Browser: chromium{browser, tab}, Categories: Categories()})
				b.Cleanup(s.Close)
				r := real{newAgent(b, s, browser, "1"), tab}
				click := `{"uid":"` + r.uid(large.line) + `"}`
				text := large.line[strings.Index(large.line, `"`)+1 : len(large.line)-1]
				if large.name == "frames" {
					text = "Frame 199"
				}
				took := map[string][]time.Duration{}
				measure := func(what string, do func()) {
					begun := time.Now()
					do()
					took[what] = append(took[what], time.Since(begun))
				}
				n := 0
				for b.Loop() {
					measure("dom", func() {
						var got json.RawMessage
						r.Must("", "DOMSnapshot.captureSnapshot", map[string]any{"computedStyles": []string{}}, &got)
					})
					measure("snapshot", func() { r.says("take_snapshot", `{}`, large.line) })
					measure("click", func() { r.says("click", click, "Clicked") })
					measure("wait", func() { r.says("wait_for", `{"text":["`+text+`"]}`, "is shown") })
					if large.name == "small" {
						measure("tree", func() {
							var got json.RawMessage
							r.Must("", "Accessibility.getFullAXTree", nil, &got)
						})
					}
					n++
				}
				if got := js[int](r, "clicks"); got != n {
					b.Errorf("%d clicks, and the page counts %d", n, got)
				}
				for what, all := range took {
					slices.Sort(all)
					b.ReportMetric(float64(all[len(all)/2].Microseconds())/1000, what+"-ms")
				}
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
