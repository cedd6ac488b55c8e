package snapshot

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"webmcphub/automation/snapshot/tree"
)

func keyIn(session, frame, loader string, backend int) tree.Key {
	return tree.Key{Session: session, Frame: frame, Loader: loader, Backend: backend}
}

func key(backend int) tree.Key { return keyIn("s", "f", "l", backend) }

// TestUIDsMeanOneNode plays a long random life of a tab: whatever happens, a uid is
// never given to a second node, and one that is out of use finds nothing.
func TestUIDsMeanOneNode(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	table := NewTable(3)
	meant := map[string]tree.Key{} // all that were ever given
	gone := map[string]bool{}
	loaders := []string{"l0", "l1", "l2"}
	for range 6_000 {
		k := keyIn(fmt.Sprint("s", r.IntN(2)), fmt.Sprint("f", r.IntN(3)), loaders[r.IntN(3)], 1+r.IntN(200))
		if r.IntN(400) == 0 {
			i := r.IntN(3)
			old := loaders[i]
			loaders[i] = fmt.Sprint("l", r.Int())
			table.Retire("its document navigated away", func(k tree.Key) bool { return k.Loader == old })
			for uid, k := range meant {
				gone[uid] = gone[uid] || k.Loader == old
			}
			continue
		}
		uid := table.Assign(k, Label{"button", "B"}, false)
		if was, ok := meant[uid]; ok && was != k {
			t.Fatalf("%s was %v and is %v", uid, was, k)
		}
		if gone[uid] {
			t.Fatalf("%s was given again", uid)
		}
		meant[uid] = k
	}
	for uid, k := range meant {
		known, err := table.Lookup("c", uid)
		if gone[uid] != (err != nil) {
			t.Fatalf("%s: gone %v, error %v", uid, gone[uid], err)
		}
		if err == nil && known.Key != k {
			t.Fatalf("%s finds %v, was given to %v", uid, known.Key, k)
		}
	}
}

func TestUIDOfAnotherTabMeansNothing(t *testing.T) {
	a, b := NewTable(0), NewTable(1)
	for i := range 50 {
		ua, ub := a.Assign(key(i+1), Label{"link", "x"}, false), b.Assign(key(i+1), Label{"link", "x"}, false)
		if _, err := b.Lookup("c", ua); err == nil {
			t.Fatalf("the second tab takes %s, which is the first's", ua)
		}
		if ua == ub {
			t.Fatalf("two tabs have %s", ua)
		}
	}
}

func TestPrefixesAreOfOneTab(t *testing.T) {
	seen := map[string]int{}
	for n := range 2000 {
		p := NewTable(n).prefix
		if was, ok := seen[p]; ok {
			t.Fatalf("tabs %d and %d share the prefix %s", was, n, p)
		}
		seen[p] = n
	}
}

// TestLookup says for each way in which a uid can go stale what its user reads.
func TestLookup(t *testing.T) {
	table := NewTable(0)
	show := func(client string, backend int, l Label) string {
		uid := table.Assign(key(backend), l, false)
		table.show(client, uid, seenAs{label: l})
		return uid
	}
	save := show("me", 1, Label{"button", "Save"})
	show("me", 2, Label{"button", "Save"})
	show("me", 3, Label{"button", "Save as"})
	other := keyIn("s", "f", "l2", 9)
	far := table.Assign(other, Label{"link", "Far"}, false)
	table.show("me", far, seenAs{label: Label{"link", "Far"}})

	// Another client sees the node renamed. What it is to me is what I was shown.
	show("you", 1, Label{"button", "Delete"})
	for client, name := range map[string]string{"me": "Save", "you": "Delete"} {
		if known, err := table.Lookup(client, save); err != nil || known.Label.Name != name {
			t.Errorf("to %s it is %s, %v", client, known.Label, err)
		}
	}
	table.Retire("its document navigated away", func(k tree.Key) bool { return k.Loader == "l2" })
	for _, c := range []struct {
		name, uid string
		want      string
	}{
		{"navigated", far, `uid a4 was link "Far", but its document navigated away. Nothing was done. Take a new snapshot`},
		{"of chrome-devtools-mcp", "1_23", `there is no uid "1_23" on this page: it is not one of this hub's. Take a snapshot of the page, and use the uids that it shows`},
		{"of another tab", "c7", `there is no uid "c7" on this page: it is of another page, or none like it has been given. Take a snapshot of the page, and use the uids that it shows`},
		{"not given yet", "a99", `there is no uid "a99" on this page: none like it has been given. Take a snapshot of the page, and use the uids that it shows`},
		{"empty", "", `there is no uid "" on this page: it is empty. Take a snapshot of the page, and use the uids that it shows`},
		{"a forgery", "a1\nuid a2 \"", `there is no uid "a1\nuid a2 \"" on this page: it is not one of this hub's. Take a snapshot of the page, and use the uids that it shows`},
	} {
		_, err := table.Lookup("me", c.uid)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s:\n got %v\nwant %s", c.name, err, c.want)
		}
		var stale *StaleError
		if errors.As(err, &stale) != strings.Contains(c.want, "Nothing was done") {
			t.Errorf("%s: %T", c.name, err)
		}
	}
}

func TestTableIsBounded(t *testing.T) {
	table := NewTable(0)
	for round := range 4 {
		for i := range maxUIDs {
			table.Assign(keyIn("s", "f", fmt.Sprint(round), i+1), Label{"link", "x"}, false)
		}
		table.Retire("", func(tree.Key) bool { return false })
	}
	if len(table.byUID) > maxUIDs || len(table.byKey) != len(table.byUID) || len(table.retired) > maxRetired || len(table.order) != len(table.retired) {
		t.Errorf("%d in use, %d by key, %d retired, %d in order", len(table.byUID), len(table.byKey), len(table.retired), len(table.order))
	}
	if _, err := table.Lookup("c", "a1"); err == nil || !strings.Contains(err.Error(), "gone for long") {
		t.Errorf("the first uid: %v", err)
	}
}

// TestNoPrefixIsAWord: no uid can be read as a role at the beginning of a line, h1 as a heading say.
func TestNoPrefixIsAWord(t *testing.T) {
	words := map[string]bool{"h": true, "row": true, "tab": true, "log": true, "img": true, "math": true, "note": true, "page": true, "text": true, "cell": true, "item": true, "list": true}
	for role := range tree.Acted {
		words[role] = true
	}
	for role := range tree.Landmarks {
		words[role] = true
	}
	for n := range 200_000 {
		if p := NewTable(n).prefix; words[p] {
			t.Fatalf("tab %d has the prefix %s", n, p)
		}
	}
}
