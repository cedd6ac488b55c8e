package automation

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"webmcphub/automation/automationtest"
	"webmcphub/internal/browsertool"

	"webmcphub/automation/page"
	"webmcphub/registry"
)

// What a uid was shown as is looked at again after a wait: pages may call the same element
// something else by then.
func TestRenamedWhileACallWaits(t *testing.T) {
	t.Run("for the element", func(t *testing.T) {
		r := openReal(t, automationtest.HTML(`<button id=b disabled>Save</button>`))
		uid := r.uid(`button "Save"`)
		js[int](r, `setTimeout(() => { b.textContent = "Delete all"; b.disabled = false; b.onclick = () => window.deleted = true }, 300)`)
		r.fails("click", `{"uid":"`+uid+`"}`, `"Delete all"`)
		if js[bool](r, "window.deleted || false") {
			t.Error("a uid that was shown as Save has pressed Delete all")
		}
	})
	t.Run("for its turn", func(t *testing.T) {
		r := openReal(t, automationtest.HTML(`<button id=slow disabled>Slow</button><button id=b>Page 1</button><script>slow.onclick = () => { b.textContent = "Delete"; b.onclick = () => window.deleted = true }</script>`))
		slow, b := r.uid(`button "Slow"`), r.uid(`button "Page 1"`)
		done := make(chan *Result, 1)
		go func() { done <- r.call("click", `{"uid":"`+slow+`"}`) }()
		js[int](r, `setTimeout(() => slow.disabled = false, 300)`)
		got := r.call("click", `{"uid":"`+b+`"}`)
		<-done
		if js[bool](r, "window.deleted || false") {
			t.Errorf("a uid that was shown as Page 1 has pressed Delete: %s", got.Text)
		}
	})
	t.Run("while the form is filled", func(t *testing.T) {
		r := openReal(t, automationtest.HTML(`<label>Kind <input oninput="w.textContent = 'Password hint (public)'"></label><label><span id=w>Password</span> <input id=p></label>`))
		r.fails("fill_form", `{"elements":[{"uid":"`+r.uid("Kind")+`","value":"x"},{"uid":"`+r.uid(`"Password"`)+`","value":"s3cret"}]}`, "Password hint (public)")
		if got := js[string](r, "p.value"); got != "" {
			t.Errorf("the field was filled with %q", got)
		}
	})
}

// What is done without the mouse is judged right before it is done, too.
func TestActsWithoutAPressAskAgain(t *testing.T) {
	r := openTrusted(t, automationtest.HTML(`<label>File <input type=file id=f></label><select id=q aria-label=Q><option>One<option>Two</select>`))
	dir := t.TempDir()
	r.client.Roots = roots(dir)
	if err := os.WriteFile(dir+"/a.txt", []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for tool, c := range map[string]struct{ args, done string }{
		"upload_file":     {`{"uid":"` + r.uid("File") + `","filePaths":["` + dir + `/a.txt"]}`, "f.files.length > 0"},
		"click":           {`{"uid":"` + r.called("Two") + `"}`, "q.value == 'Two'"},
		"evaluate_script": {`{"function":"() => { window.ran = true }"}`, "window.ran || false"},
	} {
		got, _ := r.judged(tool, c.args, func(call *browsertool.Call) {
			call.Judge = func(_ context.Context, d browsertool.Action) error {
				if d.Stage == browsertool.StageAct {
					return errors.New("the rules deny it now")
				}
				return nil
			}
		})
		if !got.IsError || !strings.Contains(got.Text, "he rules deny it now") || js[bool](r.real, c.done) {
			t.Errorf("%s: %s", tool, got.Text)
		}
	}
}

// Keys without a uid go to the document that the call was judged for, whatever takes the focus while
// it waits.
func TestKeysGoToTheJudgedDocument(t *testing.T) {
	t.Run("the page goes elsewhere", func(t *testing.T) {
		r := openTrusted(t, automationtest.Pages{"/": `<input autofocus>`, "/bank": `<input id=i autofocus>`})
		r.stage = browsertool.StageRead + 1
		moved := false
		got, _ := r.judged("press_key", `{"key":"x"}`, func(c *browsertool.Call) {
			c.Judge = func(ctx context.Context, d browsertool.Action) error {
				if d.Stage == browsertool.StageAct && !moved {
					moved = true
					r.call("navigate_page", `{"url":"`+r.Site.URL("b", "/bank")+`"}`)
					js[bool](r.real, "(i.focus(), true)")
				}
				return nil
			}
		})
		if v := js[string](r.real, "i.value"); !moved || v != "" || !got.IsError {
			t.Errorf("%q came to b: %s", v, got.Text)
		}
	})
	frames := automationtest.Pages{
		"/":      `<input id=own><button id=slow disabled onclick="document.querySelector('iframe').focus()">Slow</button><iframe src="{{b}}/frame"></iframe>`,
		"/frame": `<input id=i autofocus><script>window.pressed = ''; onkeydown = e => pressed += e.key</script>`,
	}
	readOnly := func(r *trusted) func(*browsertool.Call) {
		return func(c *browsertool.Call) {
			c.Judge = func(_ context.Context, d browsertool.Action) error {
				if slices.Contains(append([]string{d.Frame}, d.Around...), r.Site.URL("b", "")) && d.Stage != browsertool.StageRead {
					return errors.New("b is read only")
				}
				return nil
			}
		}
	}
	nothing := func(r *trusted, got *Result) {
		r.t.Helper()
		var pressed string
		if err := r.Evaluate(r.Ctx, r.Frame("/frame").FrameRef, page.Main, "() => window.pressed", nil, &pressed); err != nil || pressed != "" {
			r.t.Errorf("pressed %q in the frame of b (%v): %s", pressed, err, got.Text)
		}
	}
	t.Run("the keys move the focus where they may go, too", func(t *testing.T) {
		r := openTrusted(t, frames)
		r.stage = browsertool.StageFollow + 1
		js[bool](r.real, "(own.focus(), true)")
		got, actions := r.judged("press_key", `{"key":"Tab","repeat":2}`)
		var pressed string
		if err := r.Evaluate(r.Ctx, r.Frame("/frame").FrameRef, page.Main, "() => window.pressed", nil, &pressed); err != nil || pressed != "Tab" || got.IsError {
			t.Errorf("pressed %q in the frame of b (%v): %s", pressed, err, got.Text)
		}
		if !slices.ContainsFunc(actions, func(d browsertool.Action) bool {
			return d.Stage == browsertool.StageFollow && d.Frame == r.Site.URL("b", "")
		}) {
			t.Errorf("nobody decided about b: %+v", actions)
		}
	})
	t.Run("a frame takes the focus while it waits for its turn", func(t *testing.T) {
		r := openTrusted(t, frames)
		slow := r.uid("Slow")
		js[bool](r.real, "(own.focus(), true)")
		done := make(chan *Result, 1)
		go func() { done <- r.call("click", `{"uid":"`+slow+`"}`) }()
		js[int](r.real, `setTimeout(() => slow.disabled = false, 300)`)
		got, _ := r.judged("press_key", `{"key":"x"}`, readOnly(r))
		<-done
		nothing(r, got)
	})
	for name, spin := range map[string]int{"the keys themselves move the focus there": 0, "and that takes a while": 500} {
		t.Run(name, func(t *testing.T) {
			r := openTrusted(t, frames)
			inner, rules := r.Frame("/frame").FrameRef, readOnly(r)
			js[bool](r.real, "(slow.disabled = false, slow.focus(), true)")
			got, _ := r.judged("press_key", `{"key":"Tab","repeat":4}`, func(c *browsertool.Call) {
				rules(c)
				decide := c.Judge
				c.Judge = func(ctx context.Context, d browsertool.Action) error {
					const busy = "(ms) => { setTimeout(() => { for (const end = Date.now() + ms; Date.now() < end;); }) }"
					if d.Stage == browsertool.StageAct {
						if err := r.Evaluate(ctx, inner, page.Main, busy, []any{spin}, nil); err != nil {
							t.Error(err)
						}
					}
					return decide(ctx, d)
				}
			})
			if !got.IsError || !strings.Contains(got.Text, "1 of 4 keys were pressed: the focus has moved") {
				t.Errorf("got %s", got.Text)
			}
			nothing(r, got)
		})
	}
}

// A tab that another client came to keep while a call waited is left alone.
func TestKeptWhileACallWaits(t *testing.T) {
	pressed := "window.pressed || false"
	button := automationtest.HTML(`<button onclick="window.pressed = true">Save</button>`)
	t.Run("by focus_tab exclusive", func(t *testing.T) {
		r := openReal(t, button)
		uid := r.uid("Save")
		asked := 0
		r.client.Refusal = func(*registry.Tab) string {
			if asked++; asked == 1 { // when the call begins
				return ""
			}
			return "tab 1 is kept by another client"
		}
		if r.fails("click", `{"uid":"`+uid+`"}`, "Tab 1 is kept by another client"); js[bool](r, pressed) {
			t.Error("it was pressed")
		}
	})
	t.Run("with --exclusive-tabs", func(t *testing.T) {
		r := openTrusted(t, button)
		r.service.options.ExclusiveTabs = true
		uid := r.uid("Save")
		other := *r.agent
		other.client.ID, other.client.Name = "2", "agent 2"
		got, _ := r.judged("click", `{"uid":"`+uid+`"}`, func(c *browsertool.Call) {
			c.Judge = func(_ context.Context, d browsertool.Action) error {
				if d.Stage == browsertool.StageBegin {
					other.says("select_page", `{"pageId":1}`, "")
				}
				return nil
			}
		})
		if !got.IsError || !strings.Contains(got.Text, "belongs to another client, agent 2") || js[bool](r.real, pressed) {
			t.Errorf("got %s", got.Text)
		}
	})
}
