package registry

import (
	"fmt"
	"strings"
	"testing"
	"webmcphub/registry/offer"
)

// A page that is lost and comes back, as all of a browser's do whose connection
// was cut, is the same tab: its names under --naming=mcpb don't change.
func TestATabThatComesBackIsTheSame(t *testing.T) {
	h := newHub(t, Options{Naming: offer.MCPBNames})
	for _, p := range []PageID{"a", "b", "c"} {
		h.open(p, "https://shop.test/"+string(p))
		h.report(p, "x")
	}
	before := fmt.Sprint(h.names())
	for _, p := range []PageID{"a", "b", "c"} {
		h.step(PageClosed{p})
	}
	h.flush()
	for _, p := range []PageID{"c", "a", "b"} { // in the order in which they are found again
		h.open(p, "https://shop.test/"+string(p))
		h.report(p, "x")
	}
	if after := fmt.Sprint(h.names()); after != before || !strings.Contains(after, "_tab3_x") {
		t.Errorf("the tools were %s and are %s", before, after)
	}
	h.step(PageClosed{"b"})
	h.open("d", "https://shop.test/d")
	if id := h.state.pages["d"].Tab; id != 4 {
		t.Errorf("another tab is %d", id)
	}
}

func TestTabsThatAreGoneAreRememberedWithinBounds(t *testing.T) {
	var n tabNumbers
	for i := range 3 * maxGone {
		page := PageID(fmt.Sprint(i))
		n.closed(page, n.opened(page))
	}
	if all := len(n.recent) + len(n.earlier); all > 2*maxGone {
		t.Errorf("%d are remembered", all)
	}
	if id := n.opened(PageID(fmt.Sprint(2 * maxGone))).Tab; id != 2*maxGone+1 {
		t.Errorf("of the newest %d one has become tab %d", maxGone, id)
	}
	if id := n.opened("0").Tab; id != 3*maxGone+1 {
		t.Errorf("the oldest is tab %d", id)
	}
}
