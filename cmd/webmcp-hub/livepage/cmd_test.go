package livepage

import (
	"strings"
	"testing"
)

// TestTheRightPage: where several pages are served, that of a hub is meant rather than one that
// webmcp-hub inspect serves.
func TestTheRightPage(t *testing.T) {
	hub, other := Running{PID: 3, Link: "hub"}, Running{PID: 4, Link: "other"}
	one, two := Running{PID: 1, Link: "one", About: "http://a.test/"}, Running{PID: 2, Link: "two", About: "http://b.test/\x1b[2J"}
	for _, c := range []struct {
		all   []Running
		pid   int
		link  string
		fails string
	}{
		{[]Running{hub}, 0, "hub", ""},
		{[]Running{one, two, hub}, 0, "hub", ""},
		{[]Running{one}, 0, "one", ""},
		{[]Running{two}, 2, "two", ""},
		{nil, 0, "", "start one with --ui"},
		{nil, 7, "", "process 7"},
		{[]Running{one, hub, other}, 0, "", "choose one:\n  --hub=3\n  --hub=4"},
		{[]Running{one, two}, 0, "", "choose one:\n  --hub=1  inspect \"http://a.test/\"\n  --hub=2  inspect \"http://b.test/\\x1b[2J\""},
	} {
		got, err := choose(c.all, c.pid)
		if got.Link != c.link || (err == nil) != (c.fails == "") || err != nil && !strings.Contains(err.Error(), c.fails) {
			t.Errorf("of %v, for %d: %v, %v", c.all, c.pid, got, err)
		}
	}
}
