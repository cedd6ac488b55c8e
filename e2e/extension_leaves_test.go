package e2e

import (
	"fmt"
	"testing"
	"time"
)

// TestAFormThatNavigatesByTheExtension: a declarative form that is submitted is
// answered with where it led, as over the debugging port. A tool that has
// nothing to say is not taken for one.
func TestAFormThatNavigatesByTheExtension(t *testing.T) {
	pair := newPairing(t)
	h := startHub(t, pair.flags()...)
	c := sharedExtended(t, true)
	p := c.open(t, pages.url("forms.html"))
	c.pair(pair.port, pair.token)
	find := toolName("0", "find")
	h.waitTool(find)
	for name, value := range map[string]string{"none": "undefined", "null": "null"} {
		p.eval(fmt.Sprintf(`void document.modelContext.registerTool({name: %q, description: "Gives nothing", execute: () => %s})`, name, value))
		h.waitTool(toolName("0", name))
		begun := time.Now()
		if got := h.call(toolName("0", name), nil); got.IsError || time.Since(begun) > 5*time.Second {
			t.Errorf("%s: %s after %v", name, asJSON(got), time.Since(begun))
		}
	}
	wantText(t, h.call(find, map[string]any{"elements": "soup"}), "The tool navigated the page to "+pages.url("plain.html", "elements=soup")+". The page's tools may have changed: list them again.")
}
