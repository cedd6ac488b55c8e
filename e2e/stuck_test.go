package e2e

import (
	"strings"
	"testing"
)

// A tool that loops for ever doesn't keep its page, whatever runtime it is of.
// TestLifecycle shows that for Chrome's own and for @mcp-b/global.
func TestAdapterToolThatLoops(t *testing.T) {
	t.Parallel()
	for runtime, tool := range map[string]struct {
		name, make string // ENDLESS stands for a script that never ends
	}{
		"polyfill": {"loops", `document.modelContext.registerTool({name: 'loops', description: 'd', execute: () => { ENDLESS }})`},
		"form": {"loops", `document.body.insertAdjacentHTML('beforeend', '<form toolname="loops" tooldescription="d" toolautosubmit><input name="q"></form>'),
			document.forms[0].onsubmit = () => { ENDLESS }`},
		"dom": {"click_loops", `document.body.insertAdjacentHTML('beforeend', '<button>Loops</button>'), document.querySelector('button').onclick = () => { ENDLESS }`},
	} {
		t.Run(runtime, func(t *testing.T) {
			c := plainChrome(t)
			p := c.open(t, pages.url("plain.html"))
			h := attachHub(t, c, "--call-timeout=1s", "--introspect")
			if runtime == "polyfill" {
				needNPM(t)
				p.bringIn(polyfill)
			}
			endless, loops := pages.endless(t)
			p.eval(`(() => { ` + strings.Replace(tool.make, "ENDLESS", endless, 1) + ` })()`)
			h.wantRuntime(tool.name, runtime)
			wantError(t, h.call(formName(tool.name), nil), "did not answer")
			h.stderr.wait(t, "the page's script is being ended")
			loops()
			if got := string(p.eval(`1`)); got != "1" { // once the page is free
				t.Errorf("the page answered %s", got)
			}
		})
	}
}
