package snapshot

import (
	"testing"

	"webmcphub/automation/automationtest"
)

// largePages are pages of 2,000 rows, 10,000 links and 10,000 buttons.
var largePages = map[string]string{
	"table":   `<table id=d></table><script>let h="";for(let i=0;i<2000;i++)h+="<tr><td>INV-"+i+"<td>Customer "+i+"<td>"+i*3+"<td><button>Edit</button>";d.innerHTML=h</script>`,
	"links":   `<div id=d></div><script>let h="";for(let i=0;i<10000;i++)h+="<a href=/l/"+i+">Link "+i+"</a> ";d.innerHTML=h</script>`,
	"buttons": `<div id=d></div><script>let h="";for(let i=0;i<10000;i++)h+="<button>Button "+i+"</button> ";d.innerHTML=h</script>`,
}

// TestLargePagesInAnyPlacement: a page of 2,000 rows, 10,000 links or 10,000 buttons is shown in front, behind another tab, and in a tab
// that was never drawn, and what it shows is found again.
func TestLargePagesInAnyPlacement(t *testing.T) {
	served := automationtest.Pages{"/front": "front"}
	for name, html := range largePages {
		served["/"+name] = html
	}
	site := automationtest.Serve(t, served)
	for path, wants := range map[string]string{"/table": `row "INV-7 | Customer 7 | 21"`, "/links": `link "Link 7" /l/7`, "/buttons": `button "Button 7"`} {
		for _, placement := range []string{"front", "behind", "never drawn"} {
			t.Run(path[1:]+" "+placement, func(t *testing.T) {
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
				snaps := NewTab(0)
				s := take(t, tab, snaps, Options{})
				has(t, s, wants, "more ", "root=")
				if _, err := snaps.Find(tab.Ctx, tab.Page, "", s.Shown[len(s.Shown)-1].UID); err != nil {
					t.Error(err)
				}
			})
		}
	}
}
