package automation

import (
	"bytes"
	"image"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"webmcphub/automation/automationtest"
)

// openOne is a service with one agent, which has a page.
func openOne(t *testing.T, pages automationtest.Pages, handle ...func(http.ResponseWriter, *http.Request) bool) *one {
	t.Helper()
	b := newManyTabs(t, pages)
	for _, h := range handle {
		b.site.Handle(h)
	}
	s := New(Options{Browser: b, Categories: Categories()})
	t.Cleanup(s.Close)
	return b.open(s, "1", "/")
}

// ends wants the tab to work, and nothing to be attached to it once the service is closed.
func (o *one) ends() {
	o.t.Helper()
	o.usable()
	o.service.Close()
	o.detached()
}

const saveButton = `<button onclick="document.title = 'saved'">Save</button>`

// gigabyte streams as much, unless it is asked to stop after a piece of it.
func gigabyte(w http.ResponseWriter, r *http.Request) bool {
	const size = 1 << 30
	if r.URL.Path != "/gigabyte" && r.URL.Path != "/stalls" {
		return false
	}
	w.Header().Set("Content-Length", strconv.Itoa(size))
	w.Header().Set("Content-Type", "text/plain")
	piece := bytes.Repeat([]byte("0123456789abcde\n"), 1<<16)
	for sent := 0; sent < size; sent += len(piece) {
		if _, err := w.Write(piece); err != nil {
			return true
		}
		if r.URL.Path == "/stalls" && sent >= 4<<20 {
			<-r.Context().Done()
			return true
		}
	}
	return true
}

// allocated is what this process has allocated so far.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// TestBodyOfAGigabyte: of a response of 1 GB that a page reads in pieces, of one that it
// doesn't read, and of one that stalls, nothing is held here, and what is asked about them
// is answered. It runs alone, since it looks at the process's memory.
func TestBodyOfAGigabyte(t *testing.T) {
	if testing.Short() {
		t.Skip()
	}
	o := openOne(t, automationtest.HTML(`<title>One</title>`+saveButton), gigabyte)
	o.look()
	before := allocated()
	begun := time.Now()
	// A busy machine takes longer than one script may.
	o.says("evaluate_script", `{"function":"() => { whole = fetch('/gigabyte').then(async f => { const r = f.body.getReader(); let n = 0; for (let i = 1;; i++) { const {done, value} = await r.read(); if (done) return n; n += value.length; if (i % 100 == 0) await new Promise(turn => setTimeout(turn)) } }) }"}`, "undefined")
	read := `"not yet"`
	for read == `"not yet"` {
		read = o.call("evaluate_script", `{"function":"() => Promise.race([whole, new Promise(done => setTimeout(done, 5000, 'not yet'))])"}`).Text
	}
	if read != "1073741824" {
		t.Fatalf("the page read %s", read)
	}
	t.Logf("the page read it in %v", time.Since(begun))
	o.says("evaluate_script", `{"function":"() => { fetch('/gigabyte?unread').then(r => { unread = r }); fetch('/stalls').then(async r => { stalls = r.body.getReader(); for (;;) await stalls.read() }) }"}`, "undefined")
	o.says("wait_for", `{"text":["Save"]}`, "Save")
	var list string
	for o.b.ctx.Err() == nil {
		if list = o.call("list_network_requests", `{"resourceTypes":["fetch"]}`).Text; strings.Count(list, "reqid=") == 3 && strings.Count(list, "200") >= 3 {
			break
		}
	}
	ids := regexp.MustCompile(`reqid=(\d+) .*/(gigabyte\?unread|gigabyte|stalls)`).FindAllStringSubmatch(list, -1)
	if len(ids) != 3 {
		t.Fatalf("the list has %d:\n%s", len(ids), list)
	}
	for _, id := range ids {
		says := map[string]string{"gigabyte": "not fetched: it has 1073741824 bytes", "gigabyte?unread": "not complete yet", "stalls": "not complete yet"}[id[2]]
		o.says("get_network_request", `{"reqid":`+id[1]+`}`, says)
		o.says("get_network_request", `{"reqid":`+id[1]+`,"offset":1000000000}`, says)
		file := filepath.Join(t.TempDir(), "body")
		o.says("get_network_request", `{"reqid":`+id[1]+`,"responseFilePath":"`+file+`"}`, says)
		if files, _ := filepath.Glob(file + "*"); len(files) > 0 {
			t.Errorf("a file was saved: %s", files)
		}
	}
	if more := allocated() - before; more > 400<<20 {
		t.Errorf("%d MB were allocated", more>>20)
	} else {
		t.Logf("%d MB were allocated", more>>20)
	}
	o.ends()
}

// TestPageOf100000Nodes: a page of 100,000 nodes is told of in bounded time and text, and
// an element behind them all is found and clicked.
func TestPageOf100000Nodes(t *testing.T) {
	t.Parallel()
	o := openOne(t, automationtest.HTML(`<title>One</title><main></main>`+saveButton+`<p id=p>the end</p><script>
		document.querySelector('main').innerHTML = Array.from({length: 25000}, (_, i) => '<div><b>row ' + i + '</b></div>').join('')</script>`))
	if nodes := o.call("evaluate_script", `{"function":"() => { let n = 0; for (const w = document.createTreeWalker(document); w.nextNode();) n++; return n > 75000 ? 'many' : n }"}`); nodes.Text != `"many"` {
		t.Fatalf("the page has %s nodes", nodes.Text)
	}
	o.look()
	for _, c := range []struct{ tool, args, says string }{
		{"click", `{"uid":"<Save>"}`, "Clicked button \"Save\".\nWhat changed is not shown, because the page is large"},
		{"wait_for", `{"text":["the end"]}`, "is shown"},
		{"take_screenshot", `{"uid":"<Save>"}`, "A picture of"},
		{"evaluate_script", `{"function":"() => [...document.querySelectorAll('b')]"}`, "The result is longer than"},
	} {
		begun := time.Now()
		got := o.within(time.Minute, c.tool, c.args)
		if got.IsError || !strings.Contains(got.Text, c.says) || len(got.Text) > 40_000 {
			t.Errorf("%s(%s): %d bytes: %.500s", c.tool, c.args, len(got.Text), got.Text)
		}
		t.Logf("%s(%s): %v, %d bytes", c.tool, c.args, time.Since(begun), len(got.Text))
	}
	o.service.Close()
	o.detached()
}

// TestPictureOf30000Pixels: a page that is longer than Chrome can draw is captured as far
// as that goes, told of, and left as it was.
func TestPictureOf30000Pixels(t *testing.T) {
	t.Parallel()
	o := openOne(t, automationtest.HTML(`<title>One</title><body style="margin:0">`+saveButton+`<div style="height:30000px;background:linear-gradient(red, blue)"></div>`))
	size := o.call("evaluate_script", `{"function":"() => [innerWidth, innerHeight, scrollY]"}`).Text
	file := filepath.Join(t.TempDir(), "long.png")
	for _, c := range []struct{ args, says string }{
		{`{"fullPage":true}`, "CSS pixels of the page are left out"},
		{`{"fullPage":true,"format":"jpeg","quality":50,"maxSize":800}`, "×800 pixels, scaled to 3 %"},
		{`{"fullPage":true,"format":"webp"}`, "CSS pixels of the page are left out"},
		{`{"fullPage":true,"maxSize":0,"filePath":"` + file + `"}`, "It was saved to " + file},
		{`{}`, "what the page shows"},
	} {
		begun := time.Now()
		got := o.within(20*time.Second, "take_screenshot", c.args)
		if got.IsError || !strings.Contains(got.Text, c.says) {
			t.Errorf("%s: %s", c.args, got.Text)
		}
		for _, i := range got.Images {
			if len(i.Data) > maxImage {
				t.Errorf("%s: a picture of %d bytes", c.args, len(i.Data))
			}
		}
		t.Logf("%s: %v, %s", c.args, time.Since(begun), got.Text)
	}
	saved, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer saved.Close()
	if is, _, err := image.DecodeConfig(saved); err != nil || is.Height > 16384 || is.Height < 8000 {
		t.Errorf("the file has %dx%d pixels (%v)", is.Width, is.Height, err)
	}
	if now := o.call("evaluate_script", `{"function":"() => [innerWidth, innerHeight, scrollY]"}`).Text; now != size {
		t.Errorf("the page was %s and is %s", size, now)
	}
	o.ends()
}

// TestConsoleStorm: a page that logs 10,000 lines a second is clicked, listed and left.
func TestConsoleStorm(t *testing.T) {
	t.Parallel()
	o := openOne(t, automationtest.HTML(`<title>One</title>`+saveButton+`<script>
		let n = 0
		const storm = setInterval(() => { for (let i = 0; i < 100; i++) console.log('line ' + n++, {n}) }, 10)
		</script>`))
	o.must("Runtime.disable", nil) // the hub's session alone is told
	o.look()
	clicks, begun := 0, time.Now()
	for ; time.Since(begun) < 2*time.Second || clicks < 5; clicks++ {
		if got := o.within(30*time.Second, "click", `{"uid":"<Save>"}`); got.IsError {
			t.Fatalf("click %d: %s", clicks, got.Text)
		}
	}
	for range 3 {
		list := o.within(10*time.Second, "list_console_messages", `{}`)
		if list.IsError || len(list.Text) > 40_000 || !strings.Contains(list.Text, "line ") {
			t.Errorf("the list has %d bytes: %.500s", len(list.Text), list.Text)
		}
	}
	o.says("list_console_messages", `{"textContains":"what nobody logged"}`, "")
	first := regexp.MustCompile(`msgid=(\d+)`).FindStringSubmatch(o.call("list_console_messages", `{"pageSize":1}`).Text)
	if first == nil {
		t.Fatal("no message has an id")
	}
	if got := o.call("get_console_message", `{"msgid":`+first[1]+`}`); !got.IsError && !strings.Contains(got.Text, "line ") || got.IsError && !strings.Contains(got.Text, "no longer kept") {
		t.Errorf("message %s: %s", first[1], got.Text)
	}
	logged := o.call("evaluate_script", `{"function":"() => { clearInterval(storm); return n }"}`)
	lines, err := strconv.Atoi(logged.Text)
	if err != nil || lines < 2000 {
		t.Errorf("the page has logged %s lines (%v)", logged.Text, err)
	}
	t.Logf("%d clicks, %d lines in %v", clicks, lines, time.Since(begun))
	o.ends()
}

// TestScriptsThatMakeTrouble: what scripts return that has no JSON, and scripts that don't
// end. Each has an answer, and the next call another.
func TestScriptsThatMakeTrouble(t *testing.T) {
	t.Parallel()
	o := openOne(t, automationtest.HTML(`<title>One</title>`+saveButton+`<p id=p>x</p>`))
	o.look()
	for _, c := range []struct{ script, says string }{
		{"() => { for (const end = Date.now() + 3000; Date.now() < end;) alert('again') }", "the script still goes on, since it waits for its dialog"},
		{"() => { const a = {n: 1}; a.self = a; a.list = [a, [a]]; return a }", "seen before"},
		{"() => { const m = new Map(); m.set(m, m); return m }", ""},
		{"() => { let a = {}; for (let i = 0; i < 100000; i++) a = {a}; return a }", "too deep"},
		{"() => { let a = []; for (let i = 0; i < 1000; i++) a = [a]; return a }", "too deep"},
		{"() => document", "[document]"},
		{"() => window", ""},
		{"() => document.body", "<body>"},
		{"() => document.querySelectorAll('p')", `<p id=`},
		{"() => document.createElement('template').content", ""},
		{"() => 2n ** 70n", "1180591620717411303424n"},
		{"() => ({big: [1n, -0, NaN, Infinity]})", `{"big":["1n","[-0]","[NaN]","[Infinity]"]}`},
		{"() => Symbol('s')", "[symbol]"},
		{"() => () => 1", "() => 1"},
		{"() => ({get x() { for (;;); }})", "was stopped"},
		{"() => ({toJSON() { for (;;); }})", ""},
		{"() => new Proxy({}, {get() { for (;;); }, ownKeys() { for (;;); }})", "was stopped"},
		{"() => 'x'.repeat(2 ** 24)", "The result is longer than"},
		{"() => ({a: ['x'.repeat(2 ** 24)], b: 1})", "The result is longer than"},
		{"() => new Map([['k', Array(2 ** 30)]])", "The result is longer than"},
		{"() => Object.fromEntries(Array.from({length: 1e5}, (_, i) => ['key' + i, i]))", "The result is longer than"},
		{"() => 2n ** (2n ** 16n)", "bigint: too long"},
		{"() => { const e = document.createElement('img'); e.src = 'data:' + 'x'.repeat(2 ** 20); return [e] }", "The result is longer than"},
		{"() => { throw 'x'.repeat(2 ** 24) }", "failed: threw"},
		{"() => { throw new Error('x'.repeat(2 ** 20)) }", "failed: threw"},
		{"() => new Error('x'.repeat(2 ** 20))", "The result is longer than"},
		{"() => new Uint8Array(2 ** 28)", ""},
		{"() => Array.from({length: 1e6}, (_, i) => i)", "The result is longer than"},
		{"() => '\\ud800 \\u0000 \\u202e'", ""},
		{"() => { throw {toString() { for (;;); }} }", "failed"},
		{"() => { const e = new Error('no'); Object.defineProperty(e, 'message', {get() { for (;;); }}); throw e }", "failed"},
		{"() => Promise.reject()", "failed"},
		{"() => ({then() {}})", "has not ended within 400ms"},
		{"() => { for (;;); }", "was stopped"},
		{"() => { while (true) try { for (;;); } catch {} finally { continue } }", "was stopped"},
		{"async () => { for (;;) await 0 }", "was stopped"},
		{"() => { const again = () => Promise.resolve().then(again); return again() }", "was stopped"},
		{"() => new Promise(() => {})", "may still go on"},
		{"() => { const f = () => f() + 1; return f() }", "Maximum call stack"},
		{"() => /(a+)+$/.test('a'.repeat(40) + 'b')", "was stopped"},
		{"() => { setTimeout(() => { for (;;); }); return 'later' }", "later"},
		{"() => 1; }); while (true); (() => {", "was stopped"},
		{"](", "failed"},
	} {
		limit := "" // the usual
		if strings.Contains(c.says, "stopped") || strings.Contains(c.says, " on") || strings.Contains(c.says, "within 400ms") {
			limit = `,"timeout":400`
		}
		begun := time.Now()
		got := o.within(40*time.Second, "evaluate_script", `{"function":`+strconv.Quote(c.script)+limit+`}`)
		took := time.Since(begun)
		if !strings.Contains(strings.ToLower(got.Text), strings.ToLower(c.says)) || got.Text == "" || len(got.Text) > 40_000 {
			t.Errorf("%s: %.500s", c.script, got.Text)
		}
		t.Logf("%s: %v, %v: %.200s", c.script, took, got.IsError, got.Text)
		for strings.Contains(c.script, "alert") && o.b.ctx.Err() == nil { // until it has been asked often enough
			_ = o.call("handle_dialog", `{"action":"accept"}`) // the next one may not be there yet
			if !o.within(time.Second, "take_snapshot", `{}`).IsError {
				break
			}
		}
		if strings.Contains(c.script, "setTimeout") { // which keeps the page busy from now on
			got = o.within(10*time.Second, "evaluate_script", `{"function":"() => 1","timeout":1000}`)
			t.Logf("%s", got.Text)
			o.post("Runtime.terminateExecution", nil)
		}
		if got := o.within(10*time.Second, "evaluate_script", `{"function":"() => 'well'"}`); got.Text != `"well"` {
			t.Errorf("after %s: %.500s", c.script, got.Text)
		}
	}
	o.ends()
}
