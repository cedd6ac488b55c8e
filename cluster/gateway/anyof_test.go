package gateway_test

import (
	"testing"
	"time"
)

// A node's name, as browser, means any browser of the node.
func TestOpenTabAtANode(t *testing.T) {
	one, two := startNode(t, "one"), startNode(t, "two")
	a := connect(t, startGateway(t, "gate", []*site{one, two}), "")
	one.open("http://a.test/", tool("x", says("a")))
	two.open("http://b.test/", tool("y", says("b")))
	a.seesPages(2)
	before := len(two.chrome.Pages())
	a.opens("http://new.test/", "two")
	if now := len(two.chrome.Pages()); now != before+1 {
		t.Errorf("the node has %d tabs, and had %d", now, before)
	}
}

// seesPages waits until so many tools of pages are listed, whatever their names.
func (a *agent) seesPages(n int) {
	a.t.Helper()
	late := time.After(patience)
	for len(a.pageTools()) != n {
		select {
		case <-a.changed:
		case <-late:
			a.t.Fatalf("the tools are %q", a.pageTools())
		}
	}
}
