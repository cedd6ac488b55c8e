package input

import (
	"strings"
	"testing"

	"webmcphub/automation/automationtest"
	"webmcphub/automation/input/keys"
	"webmcphub/automation/page"

	"webmcphub/cdpclient"
)

// counting is a frame that counts what its keyboard gives it.
const counting = `<!doctype html><input id=i><script>var taken = 0
	for (const type of ['keydown', 'keyup', 'beforeinput', 'input']) addEventListener(type, () => taken++, true)</script>`

// TestWhereKeysGo holds what the hub can promise about frames that are kept out to what Chrome does.
// Keys on the tab's session go to what has the focus when they come, and an inert frame can take it;
// those on a frame's own session stay in it.
func TestWhereKeysGo(t *testing.T) {
	t.Parallel()
	tab := automationtest.Open(t, automationtest.Pages{
		"/": `<!doctype html><input id=first autofocus><iframe inert id=b src="{{b}}/frame"></iframe><iframe id=c src="{{c}}/other"></iframe>`, "/frame": counting, "/other": counting,
	})
	s := &scene{T: t, in: tab}
	tab.Must("", "Emulation.setFocusEmulationEnabled", map[string]any{"enabled": true}, nil)
	b, c := tab.Frame("/frame"), tab.Frame("/other")
	x, _ := keys.Named("x")
	press := func(session cdpclient.SessionID) {
		tab.Must(session, "Input.dispatchKeyEvent", keys.Chord{Key: x}.Events(1, false)[0], nil)
	}
	for _, c := range []struct {
		name, does string
		in         page.Frame
	}{
		{"an inert frame's field takes the focus", "i.focus()", b},
		{"an inert frame's window takes the focus", "window.focus()", b},
		{"the page gives the focus to an inert frame's window", "b.contentWindow.focus()", tab.Frame("")},
	} {
		automationtest.JS[any](tab, "first.focus()")
		s.focus(b, false)
		s.do(c.in, c.does)
		s.focus(b, true)
		before := s.took(b)
		press("")
		if s.took(b) == before {
			t.Errorf("%s, and a key on the tab's session doesn't arrive there: then less can reach it than the hub tells", c.name)
		}
	}
	before := s.took(b)
	press(c.Session)
	if s.took(b) != before || s.took(c) == 0 {
		t.Errorf("a key on a frame's session, while another has the focus: %d went there, %d to the frame", s.took(b)-before, s.took(c))
	}
}

// TestKeysOfAFrameStayThere: what is meant for an element in a frame goes to no frame that is kept
// out, though that takes the focus when all has been looked at.
func TestKeysOfAFrameStayThere(t *testing.T) {
	t.Parallel()
	for _, text := range []bool{false, true} {
		tab := automationtest.Open(t, automationtest.Pages{
			"/": `<!doctype html><iframe src="{{b}}/frame"></iframe><iframe src="{{c}}/other"></iframe>`, "/frame": counting, "/other": counting,
		})
		acting, err := page.Open(tab.Ctx, tab.Conn, tab.Target, page.Options{
			Helper: page.ActingScript(), Permits: func(is string) bool { return !strings.Contains(is, "//b.test") },
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(acting.Close)
		s := &scene{T: t, tab: New(acting, false), in: tab}
		b, c := tab.Frame("/frame"), tab.Frame("/other")
		release, err := s.tab.turn(tab.Ctx, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		s.do(c, "i.focus()")
		s.focus(c, true)
		past, goOn, err := s.tab.aside(tab.Ctx)
		if err != nil {
			t.Fatal(err)
		}
		s.do(b, "i.focus()")
		s.focus(b, true)
		x, _ := keys.Named("x")
		events := keyCommands(keys.Chord{Key: x}.Events(1, false))
		if text {
			events = []page.Command{{Method: "Input.insertText", Params: map[string]any{"text": "secret"}}}
		}
		for _, f := range acting.Frames() {
			if f.ID == c.ID {
				s.tab.meant = []page.Frame{f}
			}
		}
		err = s.tab.enter(tab.Ctx, past, s.tab.keysTo(past), events...)
		if err == nil || !strings.Contains(err.Error(), "took the focus") {
			t.Errorf("it says %v", err)
		}
		if n := s.took(b); n != 0 {
			t.Errorf("the frame that is kept out got %d events", n)
		}
		goOn()
		release()
	}
}

func (s *scene) do(f page.Frame, does string) {
	s.Helper()
	if err := s.in.Evaluate(s.in.Ctx, f.FrameRef, page.Main, "() => {"+does+"}", nil, nil); err != nil {
		s.Fatal(err)
	}
}

// took is how many events a frame got.
func (s *scene) took(f page.Frame) (n int) {
	s.Helper()
	if err := s.in.Evaluate(s.in.Ctx, f.FrameRef, page.Main, "() => taken", nil, &n); err != nil {
		s.Fatal(err)
	}
	return n
}

// focus waits until the page and the frame itself say whether it has the focus.
func (s *scene) focus(f page.Frame, is bool) {
	s.Helper()
	looking := New(s.in.Page, false)
	for {
		has, err := looking.hasFocus(s.in.Ctx, f)
		if err != nil {
			s.Fatal(err)
		}
		var says bool
		if err := s.in.Evaluate(s.in.Ctx, f.FrameRef, page.Main, "() => document.hasFocus()", nil, &says); err != nil {
			s.Fatal(err)
		}
		if has == is && says == is {
			return
		}
	}
}
