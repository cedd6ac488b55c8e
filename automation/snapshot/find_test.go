package snapshot

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"webmcphub/automation/automationtest"
	"webmcphub/automation/page"
)

// TestFindWhatWasShown finds every uid of the ten pages again, and those of a page of what
// has a name and hardly a role: nothing that stayed the same is called stale.
func TestFindWhatWasShown(t *testing.T) {
	const wrappers = `<div aria-label=Place>here</div><section aria-label=Part>a<b>b</b></section><div title=Hint>y</div><span aria-label=Short>z</span>
		<section>x</section><fieldset><legend>Set</legend><input></fieldset><details><summary>More</summary>z</details><dl><dt>T<dd>D</dl>
		<figure aria-label=Pictures><figcaption>One</figcaption></figure><ul aria-label=Things><li>a</ul><p aria-label=Words>w</p>`
	for _, name := range append([]string{""}, pages...) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			snaps := NewTab(0)
			var tab *automationtest.Tab
			if name == "" {
				tab = automationtest.Open(t, automationtest.HTML(wrappers))
			} else {
				tab = openPage(t, name)
			}
			for _, view := range []View{{}, {Verbose: true}} {
				s := take(t, tab, snaps, Options{Client: "me", View: view})
				step := max(1, len(s.Shown)/40)
				for i := 0; i < len(s.Shown); i += step {
					n := s.Shown[i]
					e, err := snaps.Find(tab.Ctx, tab.Page, "me", n.UID)
					if err != nil {
						t.Errorf("%s %s: %v", n.UID, usual.what(n), err)
					} else if e.Key != n.Key {
						t.Errorf("%s is %v, not %v", n.UID, e.Key, n.Key)
					}
				}
			}
		})
	}
}

func run(t testing.TB, tab *automationtest.Tab, script string) {
	t.Helper()
	f, _ := tab.Main()
	if err := tab.Evaluate(tab.Ctx, f.FrameRef, page.Main, "() => {"+script+"}", nil, nil); err != nil {
		t.Fatal(err)
	}
}

// uidOf finds the uid of a line in a snapshot.
func uidOf(t testing.TB, s *Snapshot, what string) string {
	t.Helper()
	for line := range strings.Lines(s.Text) {
		uid, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if strings.HasPrefix(rest, what) {
			return uid
		}
	}
	t.Fatalf("no %s in\n%s", what, s.Text)
	return ""
}

// TestStaleUIDs changes what a uid means in each way that pages do, and finds it refused.
func TestStaleUIDs(t *testing.T) {
	t.Parallel()
	const list = `<button id=save>Save</button><button>Save</button><ul><li><a href=/1 id=one>One</a><li><a href=/2>Two</a></ul>
		<div id=card onclick=0 style="cursor:pointer">Ada</div><iframe id=f srcdoc="<button>Inside</button>"></iframe>`
	for _, c := range []struct{ name, of, script, want string }{
		{"renamed in place", `button "Save"`, `save.textContent = "Delete"`, `it is now button "Delete". The last snapshots also showed `},
		{"of another role", `button "Save"`, `save.setAttribute("role", "checkbox")`, `it is now checkbox "Save"`},
		{"replaced by one of its name", `button "Save"`, `save.outerHTML = save.outerHTML`, "it was removed from the page"},
		{"taken out", `link "One"`, `one.remove()`, "it was removed from the page"},
		{"sorted anew", `link "One"`, `one.textContent = "Two"; document.links[1].textContent = "One"`, `it is now link "Two"`},
		{"text of what can be clicked", `clickable "Ada"`, `card.textContent = "Bob"`, `it is now clickable "Bob"`},
		{"frame taken out", `button "Inside"`, `f.remove()`, "its frame was removed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tab, snaps := automationtest.Open(t, automationtest.HTML(list)), NewTab(0)
			uid := uidOf(t, take(t, tab, snaps, Options{Client: "me"}), c.of)
			if _, err := snaps.Find(tab.Ctx, tab.Page, "me", uid); err != nil {
				t.Fatal(err)
			}
			run(t, tab, c.script)
			_, err := snaps.Find(tab.Ctx, tab.Page, "me", uid)
			stale := (*StaleError)(nil)
			if !errors.As(err, &stale) || !strings.Contains(err.Error(), fmt.Sprintf("uid %s was %s, but %s", uid, c.of, c.want)) {
				t.Fatalf("%v", err)
			}
			// Who has seen it as it is now may use it, if it is the same node.
			again := take(t, tab, snaps, Options{Client: "you"})
			if strings.Contains(again.Text, uid+" ") {
				if _, err := snaps.Find(tab.Ctx, tab.Page, "you", uid); err != nil {
					t.Errorf("shown anew: %v", err)
				}
			}
			if _, err := snaps.Find(tab.Ctx, tab.Page, "me", uid); err == nil {
				t.Error("another client's snapshot made my uid mean something else")
			}
		})
	}
}

func TestStaleAfterNavigation(t *testing.T) {
	t.Parallel()
	tab, snaps := openPage(t, "form"), NewTab(0)
	uid := uidOf(t, take(t, tab, snaps, Options{}), `button "Order"`)
	tab.Goto(tab.Site.URL("a", "/form.html"))
	for range 2 { // before and after another snapshot
		if _, err := snaps.Find(tab.Ctx, tab.Page, "", uid); err == nil || !strings.Contains(err.Error(), `was button "Order", but its document navigated away`) {
			t.Error(err)
		}
		if again := uidOf(t, take(t, tab, snaps, Options{}), `button "Order"`); again == uid {
			t.Error("the new document's button has the old one's uid")
		}
	}
}

// TestAttachedAnew closes the hub's way to the page and opens another: the page's nodes
// are the same, but what Chrome calls them by need not be.
func TestAttachedAnew(t *testing.T) {
	t.Parallel()
	tab, snaps := openPage(t, "form"), NewTab(0)
	uid := uidOf(t, take(t, tab, snaps, Options{}), `button "Order"`)
	tab.Close()
	tab.Attach()
	for range 2 {
		if _, err := snaps.Find(tab.Ctx, tab.Page, "", uid); err == nil || !strings.Contains(err.Error(), "but "+attachedAnew) {
			t.Error(err)
		}
		take(t, tab, snaps, Options{})
	}
}
