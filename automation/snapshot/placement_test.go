package snapshot

import (
	"testing"

	"webmcphub/automation/automationtest"
)

// placements are the ways in which a tab can be open.
var placements = []string{"front", "behind", "never drawn"}

// openPlaced opens a page in a tab in front, in one behind another, or in one that was never drawn.
func openPlaced(t testing.TB, site *automationtest.Site, path, placement string) *automationtest.Tab {
	t.Helper()
	tab := automationtest.NewTab(t, site, "about:blank")
	tab.Attach()
	switch placement {
	case "never drawn":
		tab.Goto(site.URL("a", "/front"))
		tab = automationtest.NewBackgroundTab(t, tab, "about:blank")
		tab.Attach()
		tab.Goto(site.URL("a", path))
	case "behind":
		tab.Goto(site.URL("a", path))
		over := automationtest.NewBackgroundTab(t, tab, site.URL("a", "/front"))
		tab.Must("", "Target.activateTarget", map[string]any{"targetId": over.Target}, nil)
	default:
		tab.Goto(site.URL("a", path))
	}
	return tab
}

// largePages are pages of 2,000 rows, 10,000 links and 10,000 buttons.
var largePages = map[string]string{
	"table":   `<table id=d></table><script>let h="";for(let i=0;i<2000;i++)h+="<tr><td>INV-"+i+"<td>Customer "+i+"<td>"+i*3+"<td><button>Edit</button>";d.innerHTML=h</script>`,
	"links":   `<div id=d></div><script>let h="";for(let i=0;i<10000;i++)h+="<a href=/l/"+i+">Link "+i+"</a> ";d.innerHTML=h</script>`,
	"buttons": `<div id=d></div><script>let h="";for(let i=0;i<10000;i++)h+="<button>Button "+i+"</button> ";d.innerHTML=h</script>`,
}

// largeShown is what a snapshot of each large page shows.
var largeShown = map[string]string{"table": `row "INV-7 | Customer 7 | 21"`, "links": `link "Link 7" /l/7`,
	"buttons": `button "Button 7"`}

func servePages(t testing.TB) *automationtest.Site {
	served := automationtest.Pages{"/front": "front"}
	for name, html := range largePages {
		served["/"+name] = html
	}
	return automationtest.Serve(t, served)
}

// TestLargePagesInAnyPlacement: a page of 2,000 rows, 10,000 links or 10,000 buttons is shown in front, behind another tab, and in a tab
// that was never drawn, and what it shows is found again.
func TestLargePagesInAnyPlacement(t *testing.T) {
	site := servePages(t)
	for name, wants := range largeShown {
		for _, placement := range placements {
			t.Run(name+" "+placement, func(t *testing.T) {
				tab, snaps := openPlaced(t, site, "/"+name, placement), NewTab(0)
				s := take(t, tab, snaps, Options{})
				has(t, s, wants, "more ", "root=")
				if _, err := snaps.Find(tab.Ctx, tab.Page, "", s.Shown[len(s.Shown)-1].UID); err != nil {
					t.Error(err)
				}
			})
		}
	}
}
