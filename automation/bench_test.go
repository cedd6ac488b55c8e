package automation

import (
	"fmt"
	"testing"

	"webmcphub/automation/automationtest"
)

// BenchmarkClick is a click by the service, in a tab in front and in one behind it, which
// must be as fast: its page counts the clicks.
func BenchmarkClick(b *testing.B) {
	for _, behind := range []bool{false, true} {
		b.Run(fmt.Sprintf("behind=%v", behind), func(b *testing.B) {
			site := automationtest.Serve(b, automationtest.HTML(`<!doctype html><button onclick="clicks++">Buy</button><script>clicks = 0</script>`))
			tab := automationtest.OpenAt(b, site, site.URL("a", "/"))
			if behind {
				tab = automationtest.NewTab(b, site, "about:blank")
				if err := tab.Conn.Call(b.Context(), "", "Target.createTarget", map[string]any{"url": "about:blank", "background": true}, &struct{ TargetID *string }{&tab.Target}); err != nil {
					b.Fatal(err)
				}
				tab.Attach()
				tab.Goto(site.URL("a", "/"))
			}
			browser := newFakeBrowser(site.URL("a", "/"))
			s := New(Options{Browser: chromium{browser, tab}, Categories: Categories()})
			b.Cleanup(s.Close)
			r := real{newAgent(b, s, browser, "1"), tab}
			args := `{"uid":"` + r.uid("Buy") + `"}`
			r.says("click", args, "Clicked")
			n := 1
			for b.Loop() {
				if answer := r.call("click", args); answer.IsError {
					b.Fatal(answer.Text)
				}
				n++
			}
			if got := js[int](r, "clicks"); got != n {
				b.Errorf("%d clicks, and the page counts %d", n, got)
			}
		})
	}
}
