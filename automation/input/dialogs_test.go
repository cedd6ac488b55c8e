package input

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"webmcphub/automation/page"
)

// TestDialogsBeforeTheAction: what a dialog comes before was not done, whatever it would have been;
// and what opened the dialog itself was.
func TestDialogsBeforeTheAction(t *testing.T) {
	t.Parallel()
	const late = `setTimeout(() => alert('late'), 250)`
	// undone acts while a dialog is on its way, and wants expression to keep its value.
	undone := func(expression, value string, act func(s *scene) (*Outcome, error)) func(s *scene) {
		return func(s *scene) {
			out, err := act(s)
			switch {
			case err != nil && !errors.As(err, new(*page.DialogOpen)):
				s.Error(err)
			case err == nil && (out.Delivered || out.Dialog == nil):
				s.Errorf("got %+v", out)
			}
			s.answer(true)
			s.is(expression, value)
		}
	}
	fill := func(value string) func(s *scene) (*Outcome, error) {
		return func(s *scene) (*Outcome, error) {
			n := s.node("#b")
			soon(s, late)
			return s.tab.Fill(s.in.Ctx, n, []string{value}, Limits{})
		}
	}
	play(t, []row{
		{"a list that is disabled", `<select id=b disabled><option>S<option>M</select>`, undone("b.value", "S", fill("M"))},
		{"a date that is disabled", `<input type=date id=b disabled>`, undone("b.value", "", fill("2026-01-31"))},
		{"a press that was stopped", `<button id=b onclick="log.push('clicked')">Save</button><div id=over hidden style="position:fixed;inset:0"></div><script>b.onpointermove = () => { if (over.hidden) { over.hidden = false; ` + late + ` } }</script>`,
			undone("log.join()", "", func(s *scene) (*Outcome, error) { return s.tryClick("#b") })},
		{"files for a field", `<input type=file id=b>`, func(s *scene) {
			file := filepath.Join(s.TempDir(), "a.txt")
			if err := os.WriteFile(file, nil, 0o600); err != nil {
				s.Fatal(err)
			}
			n := s.node("#b")
			soon(s, "setTimeout(() => alert('soon'))")
			out, err := s.tab.Upload(s.in.Ctx, n, []string{file}, Limits{})
			if err != nil && !errors.As(err, new(*page.DialogOpen)) {
				s.Fatal(err)
			}
			s.answer(true)
			if held := s.js("b.files.length"); (held == "1") != (err == nil && out.Delivered) {
				s.Errorf("the field has %s files, and the outcome is %+v, %v", held, out, err)
			}
		}},
	})
}

// TestWent: what was stopped before it was sent, and what a dialog was there before, did not go out.
func TestWent(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err  error
		went bool
	}{
		"well":                              {nil, true},
		"a dialog that it opened":           {&page.DialogOpen{Opened: true}, true},
		"a dialog that was open":            {&page.DialogOpen{}, false},
		"another document":                  {&unsent{&page.DocumentGone{}}, false},
		"a dialog while frames were shut":   {fmt.Errorf("fill: %w", before{&page.DialogOpen{Opened: true}}), false},
		"what kept the focus out of frames": {before{errors.New("no")}, false},
		"a dialog after some keys":          {&partly{4, 5, before{&page.DialogOpen{}}}, true},
	} {
		if got := went(c.err); got != c.went {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestAnOptionThatOpensADialog: it was chosen, and the dialog is its answer.
func TestAnOptionThatOpensADialog(t *testing.T) {
	t.Parallel()
	play(t, []row{
		{"a list of one", `<select id=s onchange="alert('changed')"><option>One<option id=b>Two</select>`, chosenWithDialog("s.value", "Two")},
		{"a list of several", `<select id=s multiple size=1 onchange="alert('changed')"><option selected>One<option id=b>Two</select>`, chosenWithDialog("s.selectedOptions.length", "2")},
		{"a date", `<input id=b type=date onchange="alert('changed')">`, func(s *scene) {
			if out, err := s.tryFill("#b", "2026-01-31"); err != nil || !out.Delivered || out.Dialog == nil {
				s.Errorf("got %+v, %v", out, err)
			}
			s.answer(true)
			s.is("b.value", "2026-01-31")
		}},
	})
}

func chosenWithDialog(expression, value string) func(s *scene) {
	return func(s *scene) {
		n := s.node("#b")
		n.Role = "option"
		out, err := s.tab.Click(s.in.Ctx, n, ClickOptions{})
		if err != nil || !out.Delivered || out.Dialog == nil {
			s.Errorf("got %+v, %v", out, err)
		}
		s.answer(true)
		s.is(expression, value)
	}
}

// soon runs a script of the page's, and waits for nothing.
func soon(s *scene, script string) {
	s.in.Send(s.in.Ctx, "", "Runtime.evaluate", map[string]any{"expression": script})
}

// TestADialogRightBeforeAChoice: one that the page shows just as a choice is sent isn't the choice's, which
// the browser makes when the dialog is answered.
func TestADialogRightBeforeAChoice(t *testing.T) {
	t.Parallel()
	play(t, []row{{"a list", `<select id=b><option>S<option>M</select>`, func(s *scene) {
		release, err := s.tab.turn(s.in.Ctx, Limits{})
		if err != nil {
			s.Fatal(err)
		}
		defer release()
		e, err := s.tab.find(s.in.Ctx, s.node("#b"))
		if err != nil {
			s.Fatal(err)
		}
		var is choice
		soon(s, "alert('first')")
		out := &Outcome{}
		err = e.changing(s.in.Ctx, out, &is, "choose", []string{"M"})
		var open *page.DialogOpen
		if !errors.As(err, &open) || out.Delivered || open.Opened != (out.unsure != nil) {
			s.Errorf("changed %v, later %v, %v", out.Delivered, out.unsure, err)
		}
		if out, err := out.unless(err); err != nil || out.Undone() == nil {
			s.Error("it is told as done")
		}
		s.answer(true)
		if open != nil && open.Opened {
			s.is("b.value", "M")
		}
	}}})
}
