package registry

import (
	"slices"
	"testing"
)

func TestUserSwitched(t *testing.T) {
	h := newHub(t, Options{})
	for _, id := range []PageID{"a", "b", "c"} {
		h.open(id, "https://"+string(id)+".example")
	}
	h.flush()
	for _, x := range []struct {
		why   string
		event Event
		told  PageID
	}{
		{"a page that is not there was found", FoundInFront{"x"}, ""},
		{"the first is where the user was all along", PageInFront{"a"}, ""},
		{"a new document of the same tab", PageInFront{"a"}, ""},
		{"a switch", PageInFront{"b"}, "b"},
		{"the hub will bring it to the front", ActivatedByHub{Page: "c"}, ""},
		{"which has come there", PageInFront{"c"}, ""},
		{"the user switches back", PageInFront{"b"}, "b"},
		{"the hub closes another", ActivatedByHub{"c", true}, ""},
		{"a page that is not there", PageInFront{"x"}, ""},
		{"a switch still", PageInFront{"a"}, "a"},
		{"the hub closes the one at the front", ActivatedByHub{"a", true}, ""},
		{"so another comes there", PageInFront{"b"}, ""},
		{"a browser is found, which changes nothing", FoundInFront{"a"}, ""},
		{"a switch again", PageInFront{"c"}, "c"},
		{"the user closes the one at the front", PageClosed{"c"}, ""},
		{"another browser is found", FoundInFront{"a"}, ""},
		{"the user switches", PageInFront{"b"}, "b"},
	} {
		var told PageID
		for _, e := range h.state.Step(x.event) {
			if u, ok := e.(UserSwitched); ok {
				told = u.Page
			}
		}
		if told != x.told {
			t.Errorf("%s: told %q, want %q", x.why, told, x.told)
		}
	}
	anew := h.state.Recover(h.state.Catalog())
	anew.Step(PageOpened{Page: "a"})
	if got := anew.Step(PageInFront{"a"}); !slices.Contains(got, Effect(UserSwitched{"a"})) {
		t.Errorf("a fresh state does not know where the user was: %v", got)
	}
}
