package automation

import (
	"os"
	"strings"
	"testing"
	"time"

	"webmcphub/automation/automationtest"
	"webmcphub/automation/page"
)

// TestASavedResultThatIsCut says so: its file doesn't have all that the script returned.
func TestASavedResultThatIsCut(t *testing.T) {
	r := openReal(t, automationtest.HTML(`x`))
	dir := t.TempDir()
	r.client.Roots = roots(dir)
	r.says("evaluate_script", `{"function":"() => Array(15).fill('x'.repeat(100000))","filePath":"`+dir+`/all.json"}`, "longer than 1048576 bytes, the most that is saved")
	r.says("evaluate_script", `{"function":"() => Array(5).fill('x'.repeat(100000))","filePath":"`+dir+`/half.json"}`, "(500016 bytes)")
	if saved, err := os.ReadFile(dir + "/half.json"); err != nil || len(saved) != 500016 {
		t.Errorf("%d bytes were saved, %v", len(saved), err)
	}
}

// TestADropThatNobodyTook is told of, since Chrome gives no drop to a target that doesn't ask for it.
func TestADropThatNobodyTook(t *testing.T) {
	r := openReal(t, automationtest.HTML(`<div id=a draggable=true role=button aria-label=From style="width:100px;height:50px;background:#ccc"></div>
		<div id=b role=button aria-label=To style="width:100px;height:50px;background:#eee"></div>
		<div id=over hidden style="position:fixed;inset:0"></div><script>ondrop = e => window.dropped = e.target.id</script>`))
	drag := `{"from_uid":"` + r.uid("From") + `","to_uid":"` + r.uid("To") + `"}`
	r.says("drag", drag, `No drop was seen at button "To"`)
	js[bool](r, `(b.ondragover = e => e.preventDefault(), true)`)
	if got := r.call("drag", drag); got.IsError || strings.Contains(got.Text, "drop") || js[string](r, "window.dropped") != "b" {
		t.Errorf("got %s", got.Text)
	}
	js[bool](r, `(b.ondragover = () => { over.hidden = false }, over.ondragover = e => e.preventDefault(), true)`)
	r.says("drag", drag, `The drop came to <div id="over">, which lay above button "To" then.`)
}

// TestADragThatChangesNothing says so, whichever way the page would have shown that it took the drag.
func TestADragThatChangesNothing(t *testing.T) {
	r := openReal(t, automationtest.HTML(`<div id=a role=button aria-label=From style="width:100px;height:50px;background:#ccc"></div>
		<div id=b role=button aria-label=To style="width:100px;height:50px;background:#eee"></div><x-board id=board></x-board>
		<input type=range id=range aria-label=Size max=1000 style="width:300px"><script>
		board.attachShadow({mode: "open"}).innerHTML = "<div id=c role=button aria-label=Column style='width:100px;height:50px'></div>"</script>`))
	const nothing = "The hub saw nothing change"
	drag := func(to string) string { return `{"from_uid":"` + r.uid("From") + `","to_uid":"` + r.uid(to) + `"}` }
	r.says("drag", drag("To"), nothing)
	for _, c := range []struct{ takes, to string }{
		{"a.onmousemove = () => a.style.left = '1px'", "To"},
		{"a.onmousemove = null, b.onmouseup = () => requestAnimationFrame(() => b.append('taken'))", "To"},
		{"board.shadowRoot.firstChild.onmouseup = e => e.target.append('taken')", "Column"},
	} {
		js[bool](r, "("+c.takes+", true)")
		if got := r.call("drag", drag(c.to)); got.IsError || strings.Contains(got.Text, nothing) {
			t.Errorf("%s: %s", c.takes, got.Text)
		}
	}
	slide := `{"from_uid":"` + r.uid("Size") + `","x":80,"y":0}`
	if got := r.call("drag", slide); got.IsError || strings.Contains(got.Text, nothing) {
		t.Errorf("a slider: %s", got.Text)
	}
	js[bool](r, `(b.onmouseup = null, document.body.append(document.createElement("canvas")), true)`)
	if got := r.call("drag", drag("To")); got.IsError || strings.Contains(got.Text, nothing) { // it may have drawn there
		t.Errorf("beside a canvas: %s", got.Text)
	}
}

// TestALongTextIsReadBack whole, so that it is told from one that the page has changed.
func TestALongTextIsReadBack(t *testing.T) {
	r := openReal(t, automationtest.HTML(`<label>Text <textarea id=a></textarea></label>`))
	uid := r.uid("Text")
	long := strings.Repeat("abcdefghi ", 3000)
	for _, text := range []string{long, long + "and more"} { // the second begins as the first
		got := r.call("fill", `{"uid":"`+uid+`","value":"`+text+`"}`)
		if n := js[int](r, "a.value.length"); n != len(text) || got.IsError || strings.Contains(got.Text, "changed it") {
			t.Errorf("the field holds %d of %d: %.300s", n, len(text), got.Text)
		}
	}
	js[bool](r, `(a.oninput = () => a.value = a.value.slice(0, 25000), true)`)
	r.says("fill", `{"uid":"`+uid+`","value":"`+long+`"}`, "the page changed it")
	js[bool](r, `(a.onbeforeinput = e => e.preventDefault(), true)`)
	r.fails("fill", `{"uid":"`+uid+`","value":"`+long+`"}`, "did not take the text")
}

// TestATimeoutInTheQueue: a call's own timeout holds while it waits for its turn.
func TestATimeoutInTheQueue(t *testing.T) {
	r := openReal(t, automationtest.HTML(`<button id=b>Go</button>`))
	b := r.uid("Go")
	p, err := r.service.tab(r.client.Current, "p0").open(r.Ctx, r.service)
	if err != nil {
		t.Fatal(err)
	}
	release, err := p.Input(r.Ctx) // another action goes on
	if err != nil {
		t.Fatal(err)
	}
	r.fails("click", `{"uid":"`+b+`","timeout":200}`, "another action in this tab has not ended within 200ms")
	r.fails("fill_form", `{"elements":[{"uid":"`+b+`","value":"x"}],"timeout":200}`, "another action in this tab has not ended within 200ms")
	release()
	r.says("click", `{"uid":"`+b+`","timeout":20000}`, "Clicked")
	js[any](r, `b.disabled = true`)
	if release, err = p.Input(r.Ctx); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(500*time.Millisecond, release)
	r.fails("click", `{"uid":"`+b+`","timeout":3000}`, "for another action in this tab, as they take turns")
}

// TestAClickThatGoesBack: one that goes back in the page's history says where it led, also to a page that
// Chrome has kept as it was.
func TestAClickThatGoesBack(t *testing.T) {
	r := openReal(t, automationtest.Pages{
		"/": `<p>one`, "/two": `<button onclick="history.back()">Back</button>`,
		"/unkept": `<script>addEventListener('unload', () => {})</script>`, // Chrome keeps no such page to go back to
	})
	for _, from := range []string{"/", "/unkept"} {
		r.says("navigate_page", `{"url":"`+r.Site.URL("a", from)+`"}`, from)
		r.says("navigate_page", `{"url":"`+r.Site.URL("a", "/two")+`"}`, "/two")
		r.says("click", `{"uid":"`+r.uid("Back")+`"}`, "The page went to "+r.Site.URL("a", from)+".")
	}
}

// TestWaitsLeaveNothingBehind in documents that don't change any more.
func TestWaitsLeaveNothingBehind(t *testing.T) {
	r := openReal(t, automationtest.HTML(`x`))
	r.fails("wait_for", `{"text":["what never comes"],"timeout":200}`, "what never comes")
	p, err := r.service.tab(r.client.Current, "p0").open(r.Ctx, r.service)
	if err != nil {
		t.Fatal(err)
	}
	main, _ := p.Main()
	left := -1
	if err := p.Evaluate(r.Ctx, main.FrameRef, page.Isolated, "() => globalThis[Symbol.for('webmcp-hub-waiting')].size", nil, &left); err != nil || left != 0 {
		t.Errorf("%d waits are left, %v", left, err)
	}
}

// TestUploadWaitsForItsField until that is enabled.
func TestUploadWaitsForItsField(t *testing.T) {
	r := openReal(t, automationtest.HTML(`<label>File <input type=file id=f disabled></label>`))
	dir := t.TempDir()
	r.client.Roots = roots(dir)
	if err := os.WriteFile(dir+"/a.txt", []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	args := `{"uid":"` + r.uid("File") + `","filePaths":["` + dir + `/a.txt"],"timeout":`
	r.fails("upload_file", args+`200}`, "disabled")
	js[int](r, `setTimeout(() => f.disabled = false, 200)`)
	r.says("upload_file", args+`20000}`, "Gave the files to")
	if held := js[int](r, "f.files.length"); held != 1 {
		t.Errorf("it holds %d files", held)
	}
}
