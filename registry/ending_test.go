package registry

import (
	"encoding/json"
	"strings"
	"testing"

	"webmcphub/registry/sanitize"
)

// Every way in which a call can end says what happened, what that means and
// what to do, and is not deceived by the page.
func TestEndings(t *testing.T) {
	const tool = "pay\u202e\x1b" // what a hostile page may call its tool
	for _, c := range []struct {
		r    sanitize.Result
		want string
	}{
		{EndedByNavigation(tool, "https://a.example/\u202e"), `The page navigated to https://a.example/ while tool "pay" ran; whether it took effect is unknown. List the tools again: the page's tools have changed.`},
		{EndedByFrame(tool), `The frame of tool "pay" was removed or navigated while the tool ran; whether it took effect is unknown. List the tools again.`},
		{EndedByClose(tool), `The page of tool "pay" was closed; whether the call took effect is unknown. List the tools again.`},
		{EndedByCrash(tool), `The page crashed while tool "pay" ran. It has no tools until it is reloaded.`},
		{EndedByLoss(tool), `The connection to Chrome was lost while tool "pay" ran; whether it took effect is unknown. The tools come back once Chrome is reconnected.`},
		{EndedByExtension(tool), `The connection to the browser's extension was lost while tool "pay" ran; whether it took effect is unknown. The tools come back once the extension has connected again.`},
		{EndedByServer(tool), `The page's MCP server stopped while tool "pay" ran; whether it took effect is unknown. List the tools again.`},
		{EndedByTimeout(tool, "no result within 60 s"), `tool "pay" did not answer: no result within 60 s. It was told to stop; whether it took effect is unknown.`},
		{EndedByCancel(tool), `The call of tool "pay" was cancelled.`},
		{EndedByUser(tool), `The user stopped the call of tool "pay" on the hub's live page; whether it took effect is unknown. Ask the user before you call it again.`},
		{NotThere(tool, "its page was closed"), `tool "pay" could not be called: its page was closed. List the tools again.`},
		{PageFailure(tool, "TypeError: x"), `TypeError: x`},
		{PageFailure(tool, ""), `tool "pay" failed and gave no reason.`},
	} {
		if got := endingText(t, c.r); got != c.want || !c.r.IsError {
			t.Errorf("got %q (error %v)\nwant %q", got, c.r.IsError, c.want)
		}
		if own := strings.HasPrefix(c.want, "TypeError") || strings.Contains(c.want, "gave no reason"); own != (c.r.Ending == "") {
			t.Errorf("%q is the tool's own answer: %v; its ending is %q", c.want, own, c.r.Ending)
		} else if own == KnownEnding(c.r.Ending) {
			t.Errorf("%q is known as an ending: %v", c.r.Ending, !own)
		}
	}
}

// text gives the text of a result's only content block.
func endingText(t *testing.T, r sanitize.Result) string {
	t.Helper()
	var all struct{ Content []struct{ Text string } }
	if err := json.Unmarshal(r.JSON, &all); err != nil || len(all.Content) != 1 {
		t.Fatalf("want one content block: %s (%v)", r.JSON, err)
	}
	return all.Content[0].Text
}
