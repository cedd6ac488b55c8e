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
		{"a page that is not there was found", FrontFound{"x"}, ""},
		{"the first is where the user was all along", PageShown{"a"}, ""},
		{"a new document of the same tab", PageShown{"a"}, ""},
		{"a switch", PageShown{"b"}, "b"},
		{"the hub will bring it to the front", FrontTaken{Page: "c"}, ""},
		{"which has come there", PageShown{"c"}, ""},
		{"the user switches back", PageShown{"b"}, "b"},
		{"the hub closes another", FrontTaken{"c", true}, ""},
		{"a page that is not there", PageShown{"x"}, ""},
		{"a switch still", PageShown{"a"}, "a"},
		{"the hub closes the one at the front", FrontTaken{"a", true}, ""},
		{"so another comes there", PageShown{"b"}, ""},
		{"a browser is found, which changes nothing", FrontFound{"a"}, ""},
		{"a switch again", PageShown{"c"}, "c"},
		{"the user closes the one at the front", PageClosed{"c"}, ""},
		{"another browser is found", FrontFound{"a"}, ""},
		{"the user switches", PageShown{"b"}, "b"},
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
	if got := anew.Step(PageShown{"a"}); !slices.Contains(got, Effect(UserSwitched{"a"})) {
		t.Errorf("a fresh state does not know where the user was: %v", got)
	}
}
