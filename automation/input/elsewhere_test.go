package input

import (
	"context"
	"testing"
	"time"

	"webmcphub/automation/input/keys"
)

// TestKeysElsewhere: what is said of keys and texts is where they came, though the page moves the focus
// between its arrival and theirs.
func TestKeysElsewhere(t *testing.T) {
	t.Parallel()
	const watched = `<input id=one value=1><input id=two value=2><iframe id=f srcdoc="<input id=three>"></iframe><script>
		for (const type of ['keydown', 'keypress', 'beforeinput', 'input', 'keyup']) two.addEventListener(type, e => log.push(type));
	</script>`
	const thief = watched + `<script>one.onfocus = () => queueMicrotask(() => two.focus())</script>`
	limits := Limits{Ready: 100 * time.Millisecond}
	// meanwhile sends x after a script has run that comes just before it.
	meanwhile := func(script string, want State, by, note string) func(*scene) {
		return func(s *scene) {
			_, err := s.tab.onElement(s.in.Ctx, s.node("#one"), limits, func(ctx context.Context, e *element) (*Outcome, error) {
				out := &Outcome{}
				o, err := s.tab.keysAt(ctx, e, "toEnd", out, func(ctx context.Context) error {
					s.js(script)
					return s.tab.keys(ctx, keys.Chord{Key: keys.Key{Code: "KeyX", Name: "x", Text: "x", VK: 88}}, 1)
				})
				if o.State != want || o.By != by || out.Note != note || out.Delivered != (want == Arrived) {
					s.Errorf("%+v, %+v", o, out)
				}
				return out, err
			})
			if err != nil {
				s.Error(err)
			}
		}
	}
	play(t, []row{
		{"a key, and the focus just before it", watched, func(s *scene) {
			meanwhile("two.focus()", Elsewhere, `<input id="two">`, "")(s)
			s.is("one.value + two.value + log", "12")
		}},
		{"a key, and the focus with it", watched + `<script>one.onkeydown = () => two.focus()</script>`, func(s *scene) {
			meanwhile("0", Arrived, "", `The page moved the focus: what followed the keydown came to <input id="two">.`)(s)
			s.is("one.value + '|' + two.value", "1|x2")
		}},
		{"a key, and the focus in a frame", watched, func(s *scene) {
			meanwhile("f.contentDocument.getElementById('three').focus()", Arrived, "", "No key was seen there, and the focus is in another document of the page now: what was sent may have come to that one.")(s)
			s.is("one.value + f.contentDocument.getElementById('three').value", "1x")
		}},
		{"a key that the page keeps to itself", watched + `<script>addEventListener('keydown', e => { e.stopImmediatePropagation(); e.preventDefault() }, true)</script>`,
			meanwhile("0", Arrived, "", "")},
		{"a press", thief, func(s *scene) {
			n := s.node("#one")
			_, err := s.tab.Press(s.in.Ctx, "x", PressOptions{Node: &n, Limits: limits})
			s.refuses(err, `#one" lost the focus to <input id="two"> before the keys came`)
			s.is("one.value + two.value + log", "12")
		}},
		{"a text that is typed", thief, func(s *scene) {
			n := s.node("#one")
			_, err := s.tab.Type(s.in.Ctx, "xyz", TypeOptions{Node: &n, Limits: limits})
			s.refuses(err, "lost the focus")
			s.is("one.value + two.value + log", "12")
		}},
		{"a text that is filled in", thief, func(s *scene) {
			s.limit = limits.Ready
			for _, text := range []string{"secret", ""} {
				_, err := s.tryFill("#one", text)
				s.refuses(err, "lost the focus")
				s.is("one.value + two.value + log", "12")
			}
		}},
		{"a focus that is moved once only", watched + `<script>one.onfocus = () => { one.onfocus = null; queueMicrotask(() => two.focus()) }</script>`, func(s *scene) {
			s.fill("#one", "text")
			s.is("one.value + two.value + log", "text2")
		}},
		{"fields that hand the focus on", `<input id=one maxlength=1 oninput="two.focus()"><input id=two maxlength=1>`, func(s *scene) {
			n := s.node("#one")
			out, err := s.tab.Type(s.in.Ctx, "12", TypeOptions{Node: &n})
			if err != nil {
				s.Fatal(err)
			}
			if want := `The page moved the focus: what followed the beforeinput came to <input id="two">.`; out.Note != want {
				s.Errorf("the note is %q", out.Note)
			}
			s.is("one.value + two.value", "12")
		}},
		{"Tab, which moves the focus itself", watched, func(s *scene) {
			n := s.node("#one")
			out, err := s.tab.Press(s.in.Ctx, "Tab", PressOptions{Node: &n, Repeat: 2})
			if err != nil || out.Note != "" {
				s.Errorf("%+v, %v", out, err)
			}
		}},
		{"a field in a closed shadow root", `<div id=h></div><script>var root = h.attachShadow({mode: 'closed'}); root.innerHTML = '<input>'</script>`, func(s *scene) {
			n := s.object("root.querySelector('input')")
			out, err := s.tab.Fill(s.in.Ctx, n, []string{"x"}, Limits{})
			if err != nil || out.Value != "x" || out.Note != "" {
				s.Errorf("%+v, %v", out, err)
			}
		}},
	})
}
