package snapshot

import (
	_ "embed"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"webmcphub/automation/automationtest"
	"webmcphub/automation/page"
	"webmcphub/automation/snapshot/tree"
)

// pages are the ten on which snapshots are measured.
var pages = []string{"form", "table", "article", "dashboard", "feed", "shop", "spa", "frames", "custom", "shadow"}

// openPage opens one of them in a tab of its own.
func openPage(t testing.TB, name string) *automationtest.Tab {
	t.Helper()
	site := automationtest.Serve(t, automationtest.Files(t, os.DirFS("testdata/pages")))
	return automationtest.OpenAt(t, site, site.URL("a", "/"+name+".html"))
}

func take(t testing.TB, tab *automationtest.Tab, snaps *Tab, o Options) *Snapshot {
	t.Helper()
	s, err := snaps.Take(tab.Ctx, tab.Page, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// seenControls finds by other means than a snapshot does what a person sees of a
// document and can act on.
//
//go:embed testdata/controls.js
var controlsScript string

// controlsIn are the backend ids of what a person can act on in a frame, with what they
// are called in messages.
func controlsIn(t testing.TB, tab *automationtest.Tab, f page.Frame) map[int]string {
	t.Helper()
	world, err := tab.World(tab.Ctx, f.FrameRef, page.Isolated)
	if err != nil {
		t.Fatal(err)
	}
	var array struct {
		Result struct {
			ObjectID string `json:"objectId"`
		} `json:"result"`
	}
	call := func(method string, params, result any) {
		t.Helper()
		if err := tab.Call(tab.Ctx, f.Session, method, params, result); err != nil {
			t.Fatal(method, err)
		}
	}
	call("Runtime.callFunctionOn", map[string]any{"functionDeclaration": controlsScript, "executionContextId": world}, &array)
	var members struct {
		Result []struct {
			Name  string `json:"name"`
			Value struct {
				ObjectID string `json:"objectId"`
			} `json:"value"`
		} `json:"result"`
	}
	call("Runtime.getProperties", map[string]any{"objectId": array.Result.ObjectID, "ownProperties": true}, &members)
	found := map[int]string{}
	for _, m := range members.Result {
		if m.Value.ObjectID == "" || strings.Trim(m.Name, "0123456789") != "" {
			continue
		}
		var node struct {
			Node struct {
				Backend    int      `json:"backendNodeId"`
				Name       string   `json:"nodeName"`
				Attributes []string `json:"attributes"`
			} `json:"node"`
		}
		call("DOM.describeNode", map[string]any{"objectId": m.Value.ObjectID}, &node)
		found[node.Node.Backend] = node.Node.Name + " " + fmt.Sprint(node.Node.Attributes)
	}
	return found
}

// TestEveryControlThatAPersonSees is the promise: of each of the ten pages, what is in
// the viewport and can be acted on has its line and its uid.
func TestEveryControlThatAPersonSees(t *testing.T) {
	atLeast := map[string]int{"form": 25, "table": 60, "article": 10, "dashboard": 25, "feed": 20, "shop": 30, "spa": 22, "frames": 10, "custom": 22, "shadow": 5}
	for _, name := range pages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tab := openPage(t, name)
			s := take(t, tab, NewTab(0), Options{})
			shown := map[tree.Key]bool{}
			for _, n := range s.Shown {
				shown[n.Key] = true
			}
			total := 0
			for _, f := range tab.Frames() {
				for backend, what := range controlsIn(t, tab, f) {
					total++
					if !shown[tree.Key{Session: string(f.Session), Frame: f.ID, Loader: f.Loader, Backend: backend}] {
						t.Errorf("%s isn't in the snapshot", what)
					}
				}
			}
			if total < atLeast[name] {
				t.Errorf("the test found %d controls, there are at least %d", total, atLeast[name])
			}
			if s.Tokens > DefaultTokens {
				t.Errorf("%d tokens", s.Tokens)
			}
			if t.Failed() {
				t.Log(s.Text)
			}
			t.Logf("%d controls in view, %d characters, %d tokens", total, len(s.Text), s.Tokens)
		})
	}
}

// TestShadowAndFrames looks at what other means don't reach: closed shadow roots, and
// frames in other processes, three deep.
func TestShadowAndFrames(t *testing.T) {
	for name, wanted := range map[string][]string{
		"shadow": {`button "Open Closed"`, `clickable "More on Closed"`, `button "Subscribe"`, `link "Slotted" /c`},
		"frames": {`iframe "Address" /address.html`, ` textbox "City" value="Lyon"`, `iframe "Card" //b.test`, `textbox "Number"`, `iframe "Security code" //c.test`,
			`textbox "Security code" password filled`, `button "What is this?"`, `clickable "Use another card"`, `link "Buy socks" https://ads.example/click?x=1`},
		"form": {`file "Attach customs papers" hidden`, `password filled`, `options="Fragile" (selected) | "Express" | "Signature" (selected) | "Drone" (disabled)`,
			`textbox "Post code" invalid ("Five figures, please")`, `combobox "Country" value="Germany"`, `button "Pay now" disabled`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := take(t, openPage(t, name), NewTab(0), Options{})
			for _, w := range wanted {
				if !strings.Contains(s.Text, w) {
					t.Errorf("no %s", w)
				}
			}
			for _, secret := range []string{"hunter2", "k3y"} {
				if strings.Contains(s.Text, secret) {
					t.Errorf("%s is shown", secret)
				}
			}
			if t.Failed() {
				t.Log(s.Text)
			}
			s.Tree.Root.Walk(0, func(n *tree.Node, _ int) bool {
				if n.Traits.Secret && n.Value != "" {
					t.Errorf("the tree has the value of %s", n.Name)
				}
				return true
			})
		})
	}
}

// TestSnapshotsAreStable keeps the order of processes out of the text: two snapshots of the same
// page are the same.
func TestSnapshotsAreStable(t *testing.T) {
	t.Parallel()
	tab := openPage(t, "frames")
	snaps := NewTab(0)
	first := take(t, tab, snaps, Options{Client: "a"})
	for range 3 {
		if again := take(t, tab, snaps, Options{Client: "b"}); again.Text != first.Text {
			t.Fatalf("first\n%s\nthen\n%s", first.Text, again.Text)
		}
	}
	uids := []string{}
	for _, n := range first.Shown {
		uids = append(uids, n.UID)
	}
	if slices.Sort(uids); len(slices.Compact(uids)) != len(first.Shown) {
		t.Error("two nodes share a uid")
	}
}
