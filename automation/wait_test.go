package automation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"webmcphub/automation/automationtest"
	"webmcphub/automation/page"
	"webmcphub/internal/browsertool"
	"webmcphub/registry"
	"webmcphub/registry/names"
)

// TestWhatCountsAsShown has one page with much, and asks what of it is shown.
func TestWhatCountsAsShown(t *testing.T) {
	r := openReal(t, automationtest.HTML(`<!DOCTYPE html>
		<p>Hello <b>wide</b>   world</p><table><tr><td>12</td><td>34</td></tr></table><div>ab</div><div>cd</div>
		<p style="display:none">never</p><p style="visibility:hidden">unseen <i style="visibility:visible">seen again</i></p><p style="opacity:0">glass</p>
		<p>one<span hidden>HIDDEN</span>piece</p><details><summary>closed</summary>inside</details>
		<p style="display:contents">without a box</p><button style="text-transform:uppercase">loud</button>
		<p>first<br>second</p><script>"in a script"</script><style>.in-a-style{}</style>
		<input value="typed"><input type=password value="hunter2"><input placeholder="Your name"><textarea>long text</textarea>
		<input type=submit value="Send it"><select><option>Red<option selected>Green</select><select multiple><option>North<option>South</select>
		<img alt="A cat"><button aria-label="Close window">×</button><span id=n hidden>By another</span><button aria-labelledby=n></button>
		<my-card>slotted words</my-card>
		<svg><text y=20>drawn text</text></svg><div contenteditable>edited</div>
		<iframe srcdoc="<p>in a frame" style="width:100px"></iframe><iframe srcdoc="<p>in a hidden frame" style="display:none"></iframe><iframe srcdoc="<p>in an unseen frame" style="visibility:hidden"></iframe>
		<p>straße İstanbul</p><p>tail</p>
		<style>
			.busy::before { content: "Load" "ing\2026" } .unit::after { content: " " attr(data-unit); text-transform: uppercase }
			.step::before { content: "Step " counter(step) ": " / "spoken" } .own::before { content: "own line"; display: block }
			.ghost::after { content: "ghost"; visibility: hidden } .off::after { content: "nothing there"; display: none } .boxless::before { content: "no room" }
		</style>
		<p class=busy></p><p>5<span class=unit data-unit=eur></span> each</p><p class=step>Pay</p><p>beside <b class=own>below</b></p><p>said <q>yes</q> then</p>
		<style>.card::after { content: ""; position: absolute } .bar::before { content: ""; float: left; display: block } .line::after { content: ""; display: block }</style>
		<form style="display:inline"><input name=matches hidden></form><p>Read <a class=card>more</a>. A <b class=bar>long</b>er word, and <i class=line>on</i>ly that</p>
		<p class=ghost></p><p class=off></p><input class=boxless>
		<script>
			customElements.define('my-card', class extends HTMLElement { connectedCallback() { this.attachShadow({mode: 'open'}).innerHTML = '<p>Card: <slot></slot> end</p><div>deep <b>shadow</b></div>' } })
		</script>`))
	for text, where := range map[string]string{
		"Hello wide world": "in <p>", "wide": "in <b>", "12": "in <td>", "12 34": "in <td>", "ab cd": "in <div>", "seen again": "in <i>",
		"onepiece": "in <p>", "closed": "in <summary>", "without a box": "in <p>", "LOUD": "in <button>", "loud": "in <button>", "first second": "in <p>",
		"typed": "as value of <input>", "Your name": "as placeholder of <input>", "long text": "as value of <textarea>", "Send it": "as value of <input>",
		"Green": "as value of <select>", "South": "as value of <select>", "A cat": "as label of <img>", "Close window": "as label of <button>", "By another": "as label of <button>",
		"Card: slotted words end": "in <p>", "deep shadow": "in <div>", "drawn text": "in <text>", "edited": "in <div>", "in a frame": "in the frame about:srcdoc",
		"Read more.": "in <p>", "A longer word": "in <p>", "only that": "in <i>", "on ly that": "in <i>",
		"Loading…": "in <p>", "5 EUR each": "in <p>", "5 each": "in <p>", "Step": "in <p>", "own line below": "in <b>", "said “yes” then": "in <p>", "said yes": "in <p>",
		"İstanbul": "in <p>", "tail": "in <p>", "  Hello\n wide": "in <p>",
	} {
		r.says("wait_for", fmt.Sprintf(`{"text":[%q],"timeout":20000}`, text), where)
	}
	var done sync.WaitGroup
	for _, text := range []string{"1234", "abcd", "never", "unseen", "glass", "HIDDEN", "inside", "firstsecond", "in a script", "in-a-style", "hunter2", "Red", "in a hidden frame", "in an unseen frame", "hello wide",
		"ghost", "nothing there", "spoken", "Step : Pay", "no room"} {
		r := real{r.another("of " + text), r.Tab}
		done.Go(func() {
			r.unmet(fmt.Sprintf(`{"text":[%q],"timeout":<limit>}`, text), fmt.Sprintf("shows no %q. take_snapshot shows what is there", text))
			r.says("wait_for", fmt.Sprintf(`{"textGone":[%q]}`, text), fmt.Sprintf("%q is not shown.", text))
		})
	}
	done.Wait()
}

// unmet has a wait end without what it waits for. On a busy machine a document may not have
// answered within <limit>, and the call says so: then it gets longer.
func (r real) unmet(args, says string) {
	r.t.Helper()
	for limit := 200 * time.Millisecond; ; limit *= 2 {
		got := r.call("wait_for", strings.ReplaceAll(args, "<limit>", strconv.FormatInt(limit.Milliseconds(), 10)))
		if got.IsError && strings.Contains(got.Text, "has not answered") && limit < time.Minute {
			continue
		}
		if want := strings.ReplaceAll(says, "<limit>", limit.String()); !got.IsError || !strings.Contains(got.Text, want) {
			r.t.Errorf("wait_for(%s) says %q (error: %v), want an error with %q", args, got.Text, got.IsError, want)
		}
		return
	}
}

// another is another client of the same service.
func (r real) another(id string) *agent {
	a := *r.agent
	a.client.ID = id
	return &a
}

// waits starts a call, has something done in the page once the call waits there, and wants an answer soon after that.
func (r real) waits(args, do, says string) {
	r.t.Helper()
	if took := r.waited(args, do, says); took > 5*time.Second {
		r.t.Errorf("%s: it took %v", do, took)
	}
}

// waited does the same as waits, but says how long the answer took instead of wanting it soon.
func (r real) waited(args, do, says string) (took time.Duration) {
	r.t.Helper()
	answer := make(chan *Result)
	go func() { answer <- r.call("wait_for", args) }()
	r.waiting(1)
	automationtest.JS[any](r.Tab, do)
	begun := time.Now()
	if got := <-answer; got.IsError || !strings.Contains(got.Text, says) {
		r.t.Errorf("%s, then %s: %q, want %q", args, do, got.Text, says)
	}
	return time.Since(begun)
}

// waiting returns once so many calls wait for the main document to change.
func (r real) waiting(calls int) {
	r.t.Helper()
	opened, err := r.service.tab(r.client.Current, "p0").open(r.Ctx, r.service)
	if err != nil {
		r.t.Fatal(err)
	}
	for n := 0; n < calls; {
		main, _ := opened.Main()
		if err := opened.Evaluate(r.Ctx, main.FrameRef, page.Isolated, `() => globalThis[Symbol.for('webmcp-hub-waiting')]?.size ?? 0`, nil, &n); err != nil {
			r.t.Fatal(err)
		}
	}
}

func TestWaitFor(t *testing.T) {
	r := openReal(t, automationtest.Pages{
		"/":      `<title>One</title><p id=p>Loading</p><input id=i><my-box></my-box><iframe id=f src="/inner?same"></iframe><iframe src="{{b}}/inner?other"></iframe>`,
		"/inner": `<p>inner</p>`,
		"/two":   `<p>Two at last</p>`,
		"/slow":  `<p id=p>Loading</p><script>onload = () => requestAnimationFrame(() => 0)</script>`,
	})
	r.waits(`{"text":["Ready"]}`, `p.textContent = "Ready now"`, `"Ready" is shown in <p>: "Ready now".`)
	r.waits(`{"textGone":["Ready"]}`, `p.style.display = "none"`, `"Ready" is not shown.`)
	r.waits(`{"text":["absent","Back"]}`, `(p.textContent = "Back", p.style.display = "")`, `"Back" is shown in <p>`)
	r.waits(`{"text":["set"]}`, `i.value = "set by a script"`, `"set" is shown as value of <input>: "set by a script"`)
	r.waits(`{"text":["deep"]}`, `document.querySelector("my-box").attachShadow({mode: "open"}).innerHTML = "<b>deep</b>"`, `in <b>`)
	r.waits(`{"text":["deeper"]}`, `document.querySelector("my-box").shadowRoot.querySelector("b").append("er")`, `in <b>`)
	r.waits(`{"text":["styled"]}`, `(p.outerHTML = "<p id=p class=x>styled</p><style id=s>.x {display: none}</style>", setTimeout(() => s.remove(), 50), 0)`, `in <p>`)
	r.waits(`{"text":["framed"]}`, `f.contentDocument.body.append("framed")`, `, in the frame `+r.Site.URL("a", "/inner?same"))
	r.waits(`{"text":["inner"],"textGone":["styled"],"urlContains":"#here"}`, `(location.hash = "here", p.remove())`, ".\n\"styled\" is not shown.\nThe page is at "+r.Site.URL("a", "/#here"))
	late := `(() => { const f = document.createElement("iframe"); f.src = "` + r.Site.URL("c", "/two") + `"; document.body.append(f) })()`
	r.waits(`{"text":["Two at last"]}`, late, `, in the frame `+r.Site.URL("c", "/two"))
	r.waits(`{"text":["Two at last"],"urlContains":"d.test"}`, `void (location = "`+r.Site.URL("d", "/two")+`")`, "\"Two at last\" is shown in <p>.\nThe page is at "+r.Site.URL("d", "/two"))
	r.waits(`{"urlContains":"/slow","text":["not this","Loading"]}`, `void (location = "`+r.Site.URL("a", "/slow")+`")`, `"Loading" is shown`)
	r.says("wait_for", `{"text":["Loading"],"includeSnapshot":true}`, "is shown in <p>.\npage "+r.Site.URL("a", "/slow"))
	r.fails("wait_for", `{}`, "give text, textGone or urlContains")
	r.fails("wait_for", `{"text":[" "]}`, "a text is empty")
	r.unmet(`{"text":["x"],"textGone":["Loading"],"urlContains":"/two","timeout":<limit>}`,
		"After <limit> the page at "+r.Site.URL("a", "/slow")+` shows no "x", and still shows "Loading", and is not at an address with "/two". take_snapshot`)
}

// TestWaitForInTheBackground has the text come in a tab that isn't drawn.
func TestWaitForInTheBackground(t *testing.T) {
	r := openReal(t, automationtest.HTML(`<p id=p>front`))
	behind := automationtest.NewBackgroundTab(t, r.Tab, r.Site.URL("a", "/"))
	behind.Attach()
	b := newFakeBrowser(r.Site.URL("a", "/"))
	s := New(Options{Browser: chromium{b, behind}, Categories: Categories()})
	t.Cleanup(s.Close)
	back := real{newAgent(t, s, b, "1"), behind}
	back.says("wait_for", `{"text":["front"]}`, "is shown")
	back.waits(`{"text":["behind"]}`, `p.textContent = "seen from behind"`, `"behind" is shown`)
}

// TestWaitForOnAPageThatNeverRests waits at a page that changes all the time, and leaves it
// most of that. The page pauses between its changes, which spares the processor.
func TestWaitForOnAPageThatNeverRests(t *testing.T) {
	r := openReal(t, automationtest.HTML(`<p id=p></p><script>
		var n = 0
		setInterval(() => { p.textContent = ++n }, 5)
	</script>`))
	ctx, cancel := context.WithCancelCause(t.Context())
	answer := make(chan *Result)
	begun, before := time.Now(), automationtest.JS[int](r.Tab, "n")
	go func() {
		answer <- r.service.Call(ctx, browsertool.Call{Tool: "wait_for", Args: json.RawMessage(`{"text":["never"]}`), Client: r.client, Progress: func(string) { cancel(errors.New("the client has cancelled it")) }, About: func(*registry.Tab) {}})
	}()
	got := <-answer // progress is told after five seconds
	if !got.IsError || !strings.Contains(got.Text, "the client has cancelled it") {
		t.Errorf("got %q", got.Text)
	}
	if took := time.Since(begun); took < 5*time.Second || took > 15*time.Second {
		t.Errorf("it took %v", took)
	}
	if n := automationtest.JS[int](r.Tab, "n") - before; n < 250 { // of 1,000, on a busy machine
		t.Errorf("the page came to %d changes only", n)
	}
}

// TestWaitForTwoAtOnce has two agents wait in one page for texts that come together.
func TestWaitForTwoAtOnce(t *testing.T) {
	r := openReal(t, automationtest.HTML(`<p id=p></p>`))
	answers := make(chan *Result, 2)
	for _, text := range []string{"one", "two"} {
		a := r.another("of " + text)
		go func() { answers <- a.call("wait_for", `{"text":["`+text+`"]}`) }()
	}
	r.waiting(2)
	automationtest.JS[any](r.Tab, `p.textContent = "one and two"`)
	for range 2 {
		if got := <-answers; got.IsError {
			t.Error(got.Text)
		}
	}
}

func TestWaitForMeetsADialog(t *testing.T) {
	r := openReal(t, automationtest.HTML(`<p>x</p>`))
	answer := make(chan *Result)
	go func() { answer <- r.call("wait_for", `{"text":["never"]}`) }()
	r.waiting(1)
	automationtest.JS[any](r.Tab, `void setTimeout(() => alert("stop"))`)
	if got := <-answer; !got.IsError || !strings.Contains(got.Text, "stop") {
		t.Errorf("got %q", got.Text)
	}
	r.says("handle_dialog", `{"action":"accept"}`, "was accepted")
}

// TestWaitForLeavesDeniedFramesAlone has a text in a frame that may not be read.
func TestWaitForLeavesDeniedFramesAlone(t *testing.T) {
	t.Parallel()
	tab := automationtest.Open(t, automationtest.Pages{"/": `<p>outer</p><iframe src="{{b}}/inner"></iframe>`, "/inner": `<p>secret</p>`})
	b := newFakeBrowser(tab.Site.URL("a", "/"))
	origins, err := names.ParseOrigins(nil, []string{strings.TrimSuffix(tab.Site.URL("b", ""), "/")})
	if err != nil {
		t.Fatal(err)
	}
	s := New(Options{Browser: chromium{b, tab}, Categories: Categories(), Origins: origins})
	t.Cleanup(s.Close)
	a := newAgent(t, s, b, "1")
	a.fails("wait_for", `{"text":["secret"],"timeout":300}`, `shows no "secret"`)
	a.says("wait_for", `{"text":["outer"],"textGone":["gone"]}`, `"outer" is shown`)
}

// TestWaitForEndsWithThePage closes the tab.
func TestWaitForEndsWithThePage(t *testing.T) {
	r := openReal(t, automationtest.HTML(`<p>x</p>`))
	answer := make(chan *Result)
	go func() { answer <- r.call("wait_for", `{"text":["never"]}`) }()
	r.waiting(1)
	if err := r.Conn.Call(r.Ctx, "", "Target.closeTarget", map[string]any{"targetId": r.Target}, nil); err != nil {
		t.Fatal(err)
	}
	if got := <-answer; !got.IsError || !strings.Contains(got.Text, "tab was closed") {
		t.Errorf("got %q", got.Text)
	}
}

// TestWaitForOnALargePage finds a text behind 30,000 elements, and sees it go. A look at them takes the page's thread
// 4 to 8 times as much processor time as a bare walk, also on a busy machine.
func TestWaitForOnALargePage(t *testing.T) {
	const lookPerWalk = 20 // at most
	r := openReal(t, automationtest.HTML(`<main></main><p id=p>the end</p><script>
		document.querySelector("main").innerHTML = Array.from({length: 15000}, (_, i) => "<div>row <b>" + i + "</b></div>").join("")
	</script>`))
	r.call("list_console_messages", `{}`) // opens the page
	walk := r.threadTime(func() {
		const boxes = `(() => { let n = 0; for (const e of document.querySelectorAll("body *"))
			if (getComputedStyle(e).display != "none") n += e.getClientRects().length; return n })()`
		if n := automationtest.JS[int](r.Tab, boxes); n < 30_000 {
			t.Errorf("the page has %d boxes", n)
		}
	})
	one := r.threadTime(func() { r.says("wait_for", `{"text":["the end"]}`, "is shown") })
	three := r.threadTime(func() { // two looks before the text goes
		r.waited(`{"textGone":["the end"]}`, `p.remove()`, "is not shown")
	})
	if one > lookPerWalk*walk || three > 3*lookPerWalk*walk {
		t.Errorf("a bare walk took %v, one look %v, three looks %v", walk, one, three)
	}
	t.Logf("a bare walk took %v, one look %v, three looks %v", walk, one, three)
}

// threadTime is the processor time of the page's thread that something takes.
func (r real) threadTime(do func()) time.Duration {
	r.t.Helper()
	r.Must("", "Performance.enable", nil, nil)
	seconds := func() float64 {
		var is struct {
			Metrics []struct {
				Name  string
				Value float64
			}
		}
		r.Must("", "Performance.getMetrics", nil, &is)
		for _, m := range is.Metrics {
			if m.Name == "ThreadTime" {
				return m.Value
			}
		}
		r.t.Fatal("Chrome doesn't tell the thread's time")
		return 0
	}
	before := seconds()
	do()
	return time.Duration((seconds() - before) * float64(time.Second))
}
