package e2e

import (
	"fmt"
	"slices"
	"testing"
)

// TestExtensionTellsToolsOfATabBehindAnother: Chrome runs a hidden page's timers
// once a second, a content script's as well, so what is told of such a page must
// not wait for them. In each round the page adds tools as its timers run, and one
// more by a timer that is due before the extension would look: only what waits
// for no such timer is told without it.
func TestExtensionTellsToolsOfATabBehindAnother(t *testing.T) {
	const rounds = 8 // of which one is enough: the machine may be slow
	for _, webmcp := range []bool{true, false} {
		t.Run(fmt.Sprintf("native WebMCP %v", webmcp), func(t *testing.T) {
			h := startScriptedHub(t, pairingToken, "")
			c := extendedChrome(t, webmcp, throttled)
			h.pair(c)
			p := c.open(t, pages.url("forms.html"))
			id := h.tab("forms.html")
			h.has(id, "ask", "book", "find")
			c.open(t, pages.url("plain.html"))
			if hidden := string(p.eval(`document.hidden`)); hidden != "true" {
				t.Fatalf("the page's document.hidden is %s", hidden)
			}
			// The first tool is read at once, the next one after a pause.
			p.eval(`globalThis.moment = async ms => {
					for (const begin = performance.now(); performance.now() - begin < ms;) {
						await new Promise(done => { const c = new MessageChannel(); c.port1.onmessage = done; c.port2.postMessage(0); });
					}
				};
				globalThis.round = i => new Promise(done => setTimeout(async () => {
					const add = ` + map[bool]string{true: `name => addTool({name}).registered`, false: `addForm`}[webmcp] + `;
					add('early' + i);
					await moment(10);
					add('change' + i);
					setTimeout(() => add('late' + i), 5);
					done();
				}, 1))`)
			for i := range rounds {
				p.eval(fmt.Sprintf(`round(%d).then(() => true)`, i))
				change, late := fmt.Sprint("change", i), fmt.Sprint("late", i)
				alone := false
				h.wait(late, func() bool {
					names := h.names(id)
					has := slices.Contains(names, late)
					alone = alone || slices.Contains(names, change) && !has
					return has
				})
				if alone {
					t.Logf("in round %d", i)
					return
				}
			}
			t.Errorf("in %d rounds the extension has told of tools only when the page's timers ran", rounds)
		})
	}
}
