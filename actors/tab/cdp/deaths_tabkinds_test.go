package cdp_test

import (
	"slices"
	"testing"

	. "webmcphub/actors/hubtest"
	. "webmcphub/actors/tab/cdp"
)

// TestEveryMessageOfATabHasItsDeath reads the sources of tabs and of this link for what
// they handle: each kind of message needs a row in deaths.
func TestEveryMessageOfATabHasItsDeath(t *testing.T) {
	here := SourcesIn(t, ".")
	page := append(TabMessages(t, ".."), Cases(t, here, "Link", "Handle")...)
	page = ReplaceKind(t, page, "cdpclient.Event", Methods()...)
	page = ReplaceKind(t, page, "cdpclient.Reply", RepliesTo(t, here, "Link")...)
	page = ReplaceKind(t, page, "cdp.ServerMessage", slices.DeleteFunc(Receivers(here, "Handle"), func(kind string) bool { return kind == "cdp.Link" })...)
	WantRows(t, map[string][]string{"page": page}, tabDeaths())
}
