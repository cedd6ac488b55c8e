package page_test

import (
	"errors"
	"strings"
	"testing"

	. "webmcphub/automation/automationtest"
	"webmcphub/automation/page"
	"webmcphub/cdpclient"
)

// TestSessionEnds: when the session with a tab ends, announced or not, what waits for the page is
// told what became of the tab.
func TestSessionEnds(t *testing.T) {
	t.Parallel()
	const still, closed = "the tab, which is still there; call again", "the tab was closed"
	for _, c := range []struct {
		name string
		ends func(tab *Tab)
		says string
	}{
		{"unannounced", func(tab *Tab) { page.SessionEnds(tab.Page) }, still},
		{"announced", func(tab *Tab) { page.Sever(tab.Page) }, still},
		{"with the tab", func(tab *Tab) {
			tab.Conn.Post("", cdpclient.TargetCloseTarget, map[string]any{"targetId": tab.Target}, nil)
		}, closed},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tab := Open(t, HTML(`<p>x`))
			never := tab.Send(tab.Ctx, "", cdpclient.RuntimeEvaluate, map[string]any{"expression": "new Promise(() => {})", "awaitPromise": true})
			c.ends(tab)
			err := never.Wait(tab.Ctx, nil)
			var ended *page.Ended
			if !errors.As(err, &ended) || !strings.Contains(ended.Why, c.says) {
				t.Errorf("who waits is told %v, want %s", err, c.says)
			}
			<-tab.Done()
			if err := tab.Call(tab.Ctx, "", cdpclient.RuntimeEvaluate, map[string]any{"expression": "1"}, nil); !errors.As(err, &ended) {
				t.Errorf("a call says %v", err)
			}
		})
	}
}

// TestRefusedBeforeTheNextDocument: Chrome can refuse what was under way in a document before it
// tells that another one has come.
func TestRefusedBeforeTheNextDocument(t *testing.T) {
	t.Parallel()
	for _, words := range []string{"Execution context was destroyed.", "Inspected target navigated or closed", "Cannot find context with specified id"} {
		tab := Open(t, Pages{"/": `<p>one`, "/two": `<p>two`})
		main := tab.Frame("").FrameRef
		JS[any](tab, `void setTimeout(() => location = '/two', 100)`)
		var gone *page.DocumentGone
		if err := tab.Explain(tab.Ctx, main, &cdpclient.Error{Code: -32000, Message: words}); !errors.As(err, &gone) {
			t.Errorf("%s: who waits is told %v", words, err)
		}
	}
}
