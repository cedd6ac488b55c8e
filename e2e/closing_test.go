package e2e

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// TestClosingATabWithADialog: a tab whose frame of another site shows a dialog is closed, and the browser goes on with its other tabs.
func TestClosingATabWithADialog(t *testing.T) {
	t.Parallel()
	h := launchHub(t, "--automation", "--chrome-arg=--site-per-process")
	h.call("new_page", map[string]any{"url": pages.url("plain.html", "of=stays")})
	for i, tool := range []string{"close_tab", "close_page"} {
		for j, script := range []string{"alert(1)", "confirm(1)"} {
			of := fmt.Sprintf("of=closes-%d-%d", i, j)
			h.call("new_page", map[string]any{"url": pages.url("plain.html", of)})
			h.call("evaluate_script", map[string]any{"function": `() => new Promise((done) => {
				const f = document.createElement('iframe');
				f.onload = () => done();
				f.src = ` + quoted(pages.otherSite("plain.html", "of=frame")) + `;
				document.body.append(f);
			})`})
			if got := h.call("evaluate_script", map[string]any{"frame": "of=frame", "function": "() => { setTimeout(() => { " + script + " }, 100) }"}); got.IsError {
				t.Fatal(textOf(got))
			}
			var list string
			for !strings.Contains(list, "dialog open") {
				list = textOf(h.call("list_pages", nil))
			}
			id := number(regexp.MustCompile(`(\d+): .*` + of).FindStringSubmatch(list)[1])
			argument := map[string]any{"tabId": id}
			if tool == "close_page" {
				argument = map[string]any{"pageId": id}
			}
			if got := h.call(tool, argument); got.IsError {
				t.Errorf("%s with %s says %s", tool, script, textOf(got))
			}
			if list := textOf(h.call("list_pages", nil)); !strings.Contains(list, "of=stays") || strings.Contains(list, of) {
				t.Fatalf("after %s with %s there is %s", tool, script, list)
			}
		}
	}
}
