package automation

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"webmcphub/automation/automationtest"
	"webmcphub/internal/browsertool"

	"webmcphub/automation/page"
)

// untilDialog waits until the service sees a dialog that it didn't see before.
func (r real) untilDialog(after int) page.Dialog {
	r.t.Helper()
	p, err := r.service.tab(r.client.Current, "p0").open(r.Ctx, r.service)
	if err != nil {
		r.t.Fatal(err)
	}
	watch := p.Watch()
	defer watch.Close()
	var d page.Dialog
	if err := watch.Wait(r.Ctx, func(page.Happened) (open bool) { d, open = p.Dialog(); return open && d.Number > after }); err != nil {
		r.t.Fatal(err)
	}
	return d
}

var framesAsks = automationtest.Pages{
	"/":      `<iframe src="{{b}}/frame"></iframe>`,
	"/frame": `<script>onmessage = () => { window.said = confirm("secret x4711") }</script>`,
}

const hasFrameAsk = `{"function":"async () => { frames[0].postMessage(1, '*'); await new Promise(() => {}) }"}`

// Of a dialog of a frame that the rules keep out nothing is told but whose it is, and it can only be
// dismissed.
func TestDialogsOfFramesKeptOut(t *testing.T) {
	r := openRuled(t, framesAsks)
	r.Frame("/frame")
	js[any](r, `frames[0].postMessage(1, "*")`)
	r.untilDialog(0)
	for _, c := range []struct {
		tool, args string
		fails      bool
	}{
		{"take_snapshot", `{}`, true},
		{"handle_dialog", `{"action":"accept"}`, true},
		{"handle_dialog", `{"action":"dismiss"}`, false},
		{"evaluate_script", hasFrameAsk, true},
		{"handle_dialog", `{"action":"dismiss"}`, false},
	} {
		got := r.call(c.tool, c.args)
		if got.IsError != c.fails || strings.Contains(got.Text, "x4711") || !strings.Contains(got.Text, "kept out by the user's rules") {
			t.Errorf("%s(%s): %s", c.tool, c.args, got.Text)
		}
	}
}

// A script answers no dialog of a document that its call wasn't judged for.
func TestScriptsAnswerJudgedDialogs(t *testing.T) {
	r := openTrusted(t, framesAsks)
	r.Frame("/frame")
	got, _ := r.judged("evaluate_script", hasFrameAsk)
	r.hidden(got, "evaluate_script")
	if !got.IsError || !strings.Contains(got.Text, "handle_dialog") {
		t.Errorf("got %s", got.Text)
	}
	r.says("handle_dialog", `{"action":"dismiss"}`, "dismissed")
	var said bool
	if err := r.Evaluate(r.Ctx, r.Frame("/frame").FrameRef, page.Main, "() => window.said || false", nil, &said); err != nil || said {
		t.Errorf("a dialog of b was accepted (%v)", err)
	}
}

// What the page says in a dialog that opens while its DOM is waited for is not told of a frame that the call may not
// read.
func TestStableDOMTellsNoHiddenDialog(t *testing.T) {
	r := openTrusted(t, framesAsks)
	r.Frame("/frame")
	got, _ := r.judged("evaluate_script", `{"function":"() => { setInterval(() => document.title += 'x', 20); setTimeout(() => frames[0].postMessage('ask', '*'), 400); return 1 }","waitForStableDom":true}`)
	r.hidden(got, "evaluate_script")
	if !strings.Contains(got.Text, "Whether the DOM has become stable is not known: a dialog is open in the page") {
		t.Errorf("got %s", got.Text)
	}
	r.says("handle_dialog", `{"action":"dismiss"}`, "dismissed")
}

// A script leaves the dialog alone that another client's click has opened.
func TestScriptsLeaveOthersDialogs(t *testing.T) {
	r := openReal(t, automationtest.HTML(`<button onclick="window.ok = confirm('Delete all?')">Del</button>`))
	del := r.uid("Del")
	done := make(chan *Result, 1)
	go func() {
		done <- r.call("evaluate_script", `{"function":"() => new Promise(d => window.finish = d)"}`)
	}()
	js[bool](r, "new Promise(done => { const look = () => window.finish ? done(true) : setTimeout(look, 10); look() })")
	r.says("click", `{"uid":"`+del+`"}`, "Delete all?")
	r.says("handle_dialog", `{"action":"dismiss"}`, "dismissed")
	js[any](r, "finish(1)")
	if script := <-done; script.IsError || strings.Contains(script.Text, "Delete") || js[bool](r, "window.ok") {
		t.Errorf("the script says %s", script.Text)
	}
}

// The dialog of a script is answered while another client's click waits for its element; the click then
// goes on.
func TestAScriptsDialogWhileAClickWaits(t *testing.T) {
	r := openReal(t, automationtest.HTML(`<button id=b disabled onclick="window.n = 1">Save</button>`))
	uid := r.uid("Save")
	other := &agent{t: t, service: r.service, client: r.client}
	other.client.ID, other.client.Name = "2", "agent 2"
	p, err := r.service.tab(r.client.Current, "p0").open(r.Ctx, r.service)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan *Result, 1)
	go func() { done <- r.call("click", `{"uid":"`+uid+`","timeout":60000}`) }()
	for waiting := false; !waiting && r.Ctx.Err() == nil; { // until the click has its turn
		ctx, cancel := context.WithTimeout(r.Ctx, 50*time.Millisecond)
		release, err := p.Input(ctx)
		if cancel(); err == nil {
			release()
		}
		waiting = err != nil
	}
	for range 3 {
		other.says("evaluate_script", `{"function":"() => confirm('own?')"}`, "true")
	}
	js[any](r, "b.disabled = false")
	if got := <-done; got.IsError || js[int](r, "window.n || 0") != 1 {
		t.Errorf("the click says %s", got.Text)
	}
}

// An action that a dialog came before says once what is to be done with it.
func TestADialogIsToldOnce(t *testing.T) {
	r := openReal(t, automationtest.HTML(`<button id=b disabled>Save</button>`))
	args := `{"uid":"` + r.uid("Save") + `","timeout":60000}`
	js[any](r, "void setTimeout(() => alert('hi'), 300)")
	if got := r.call("click", args); !got.IsError || strings.Count(got.Text, "handle_dialog") > 1 || !strings.Contains(got.Text, "hi") {
		t.Errorf("got %s", got.Text)
	}
	r.says("handle_dialog", `{"action":"accept"}`, "accepted")
}

// While it is decided whether a dialog may be answered, that is answered and another one opens, which
// is left alone.
func TestTheJudgedDialogIsAnswered(t *testing.T) {
	r := openTrusted(t, automationtest.HTML(`<button onclick="alert('Saved.'); window.ok = confirm('Delete all?')">Go</button>`))
	r.says("click", `{"uid":"`+r.uid("Go")+`"}`, "Saved.")
	first := r.untilDialog(0)
	var stages []browsertool.Stage
	got, _ := r.judged("handle_dialog", `{"action":"accept"}`, func(c *browsertool.Call) {
		c.Judge = func(_ context.Context, d browsertool.Action) error {
			if stages = append(stages, d.Stage); len(stages) == 1 {
				r.says("handle_dialog", `{"action":"accept"}`, "Saved.")
				r.untilDialog(first.Number)
			}
			return nil
		}
	})
	if !got.IsError || !strings.Contains(got.Text, `another one is open now: confirm, "Delete all?"`) || !slices.Contains(stages, browsertool.StageBegin) {
		t.Errorf("%v: %s", stages, got.Text)
	}
	r.says("handle_dialog", `{"action":"dismiss"}`, "dismissed")
}

// A script answers no dialog of another site's frame, though nobody judges calls.
func TestScriptsAnswerTheirOwnSitesDialogs(t *testing.T) {
	r := openReal(t, framesAsks)
	r.Frame("/frame")
	r.fails("evaluate_script", hasFrameAsk, "a script answers only dialogs of its own site")
	r.says("handle_dialog", `{"action":"dismiss"}`, "dismissed")
	r.says("evaluate_script", `{"function":"() => confirm('own?')"}`, "true")
}

// A page that keeps its events to itself answers a click with a dialog: nobody says that nothing was done.
func TestAClickThatThePageKeepsToItself(t *testing.T) {
	r := openReal(t, automationtest.HTML(`<button style="width:200px;height:50px">Delete</button><script>done = 0
		for (const type of ['pointerdown','mousedown','pointerup','mouseup','click']) addEventListener(type, e => { e.stopImmediatePropagation(); if (type === 'click') { done++; setTimeout(() => alert('Deleted.')) } }, true)</script>`))
	got := r.call("click", `{"uid":"`+r.uid("Delete")+`"}`)
	if got.IsError && !strings.Contains(got.Text, "It may have been pressed all the same") || strings.Contains(got.Text, "othing was done") {
		t.Error(got.Text)
	}
	r.says("handle_dialog", `{"action":"accept"}`, "accepted")
	if n := js[int](r, "done"); n != 1 {
		t.Errorf("it was clicked %d times", n)
	}
}

// A judge isn't asked about a dialog that isn't there.
func TestNobodyIsAskedAboutNoDialog(t *testing.T) {
	r := openTrusted(t, automationtest.HTML(`<p>x`))
	if got, actions := r.judged("handle_dialog", `{"action":"accept"}`); !got.IsError || len(actions) > 0 {
		t.Errorf("%s: %+v", got.Text, actions)
	}
}

// Of keys that were pressed until a dialog opened, the answer says how many.
func TestKeysUntilADialogAreCounted(t *testing.T) {
	r := openTrusted(t, automationtest.Pages{"/": `<input id=own><iframe src="{{a}}/f"></iframe><script>n = 0; onkeydown = () => { if (++n === 3) alert('hi') }</script>`, "/f": "x"})
	js[any](r.real, `own.focus()`)
	got, _ := r.judged("press_key", `{"key":"x","repeat":20}`)
	if got.IsError || !strings.Contains(got.Text, "3 of 20 keys were pressed before the dialog opened") {
		t.Errorf("got %s", got.Text)
	}
	r.says("handle_dialog", `{"action":"accept"}`, "accepted")
	if n := js[int](r.real, "n"); n != 3 {
		t.Errorf("%d keys were pressed", n)
	}
}
