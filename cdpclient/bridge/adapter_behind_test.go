package bridge

import (
	"fmt"
	"slices"
	"testing"
)

// TestToolsOfATabBehindAnother: Chrome runs timers of a hidden page once a second,
// so what changes in one must not wait for them. In each round the page changes
// as its timers run, and once more by a timer that is due before the adapter
// would look: only an adapter that waits for no such timer sees the one change
// without the other.
func TestToolsOfATabBehindAnother(t *testing.T) {
	const rounds = 8 // of which one is enough: the machine may be slow; more would be more buttons than are told
	base := serveBridgePages(t, "", map[string]string{"/forms": `<form toolname="first" tooldescription="d"><input name="a"></form>`, "/made": `<button>First</button>`})
	conn := bridgeChrome(t, false)
	for _, test := range []struct{ page, first, add, prefix string }{
		// The first form is looked at at once, the next one after a pause.
		{"/forms", "first", `document.body.insertAdjacentHTML("beforeend", "<form toolname=" + name + " tooldescription=d></form>")`, ""},
		{"/made", "click_first", `document.body.insertAdjacentHTML("beforeend", "<button>" + name + "</button>")`, "click_"},
	} {
		t.Run(test.page[1:], func(t *testing.T) {
			tab, s := introspected(t, conn, base+test.page, test.first)
			tab.loaded()
			newBridgeTab(t, conn)
			if hidden := tab.eval(`document.hidden`); hidden != "true" {
				t.Fatal("the page can be seen")
			}
			tab.eval(`globalThis.add = (name) => {` + test.add + `};
				const moment = async (ms) => {
					for (const begin = performance.now(); performance.now() - begin < ms; ) {
						await new Promise((done) => { const c = new MessageChannel(); c.port1.onmessage = done; c.port2.postMessage(0); });
					}
				};
				globalThis.round = (i) => new Promise((done) => setTimeout(async () => {
					add("early" + i);
					await moment(10);
					add("change" + i);
					setTimeout(() => add("late" + i), 10);
					done();
				}, 1))`)
			for i := range rounds {
				tab.eval(fmt.Sprintf(`round(%d).then(() => 0)`, i))
				change, late := fmt.Sprint(test.prefix, "change", i), fmt.Sprint(test.prefix, "late", i)
				alone := false
				tab.listed(s, late, func(names []string) bool {
					has := slices.Contains(names, late)
					alone = alone || slices.Contains(names, change) && !has
					return has
				})
				if alone {
					t.Logf("in round %d", i)
					return
				}
			}
			t.Errorf("in %d rounds the adapter has looked only when the page's timers ran", rounds)
		})
	}
}
