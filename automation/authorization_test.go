package automation

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"webmcphub/automation/automationtest"
	"webmcphub/internal/browsertool"

	"webmcphub/registry"
)

// trusted is an agent whose calls are judged: nothing is done, or told, at host b.
type trusted struct {
	real
	mu      sync.Mutex
	actions []browsertool.Action
	reads   []string
	stage   browsertool.Stage // from which on host b is refused
}

func openTrusted(t *testing.T, pages automationtest.Pages) *trusted {
	return &trusted{real: openReal(t, pages)}
}

func (r *trusted) judge(_ context.Context, d browsertool.Action) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.actions = append(r.actions, d)
	at := append([]string{d.Frame}, d.Around...)
	if d.Frame == "" && d.Tab != nil {
		at = append(at, d.Tab.Origin)
	}
	if slices.Contains(at, r.Site.URL("b", "")) && d.Stage >= r.stage {
		return errors.New("b is denied")
	}
	return nil
}

// judged calls a tool, and gives the actions that were judged.
func (r *trusted) judged(tool, args string, set ...func(*browsertool.Call)) (*Result, []browsertool.Action) {
	c := browsertool.Call{Tool: tool, Args: json.RawMessage(args), Client: r.client, Progress: func(string) {}, About: func(*registry.Tab) {}, Judge: r.judge,
		Reads: func(o []string) { r.reads = o }}
	for _, f := range set {
		f(&c)
	}
	r.mu.Lock()
	r.actions, r.reads = nil, nil
	r.mu.Unlock()
	got := r.service.Call(r.Ctx, c)
	r.mu.Lock()
	defer r.mu.Unlock()
	return got, r.actions
}

// uid is that of the first element whose line in a snapshot has a text.
func (r *trusted) uid(text string) string {
	r.t.Helper()
	for line := range strings.SplitSeq(r.call("take_snapshot", `{}`).Text, "\n") {
		if strings.Contains(line, text) {
			return strings.Fields(line)[0]
		}
	}
	r.t.Fatalf("no element %q", text)
	return ""
}

func (r *trusted) hidden(got *Result, what string) {
	r.t.Helper()
	if strings.Contains(got.Text, "x4711") {
		r.t.Errorf("%s tells of b: %s", what, got.Text)
	}
	if slices.Contains(r.reads, r.Site.URL("b", "")) {
		r.t.Errorf("%s is said to have told of b: %v", what, r.reads)
	}
}

// A script that was judged for one document doesn't run in another, though the tab shows that
// when it comes to it.
func TestScriptsRunInTheJudgedDocument(t *testing.T) {
	r := openTrusted(t, automationtest.Pages{"/": `<p>a`, "/bank": `<p>x4711`})
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/s.js", []byte(`() => { document.title = "ran"; return document.body.innerText }`), 0o600); err != nil {
		t.Fatal(err)
	}
	got, _ := r.judged("evaluate_script", `{"sourcePath":"`+dir+`/s.js"}`, func(c *browsertool.Call) {
		c.Roots = func(context.Context) ([]string, error) { // the tab navigates while the client is asked
			r.call("navigate_page", `{"url":"`+r.Site.URL("b", "/bank")+`"}`)
			return []string{"file://" + dir}, nil
		}
	})
	r.hidden(got, "the script")
	if !got.IsError || !strings.Contains(got.Text, "has navigated to "+r.Site.URL("b", "/bank")) || js[string](r.real, "document.title") == "ran" {
		t.Errorf("got %q", got.Text)
	}
}

// Scripts for new documents run at the site that was judged, and nowhere that its address or
// its frames lead to.
func TestInitScriptsRunAtTheJudgedSite(t *testing.T) {
	r := openTrusted(t, automationtest.Pages{
		"/":      `<p>x`,
		"/frame": `<script>parent.postMessage(typeof early, "*")</script>`,
		"/leads": `<script>onmessage = e => said = e.data; var said; var own = typeof early</script><iframe src="{{b}}/frame"></iframe>`,
		"/moves": `<script>location = "{{b}}/told"</script>`,
		"/told":  `<script>document.title = typeof early</script>`,
	})
	r.stage = browsertool.StageRead + 1
	if got, _ := r.judged("navigate_page", `{"url":"`+r.Site.URL("a", "/leads")+`","initScript":"var early = 7"}`); got.IsError {
		t.Fatal(got.Text)
	}
	if own, said := js[string](r.real, "own"), js[string](r.real, "new Promise(done => { const look = () => said ? done(said) : setTimeout(look, 10); look() })"); own != "number" || said != "undefined" {
		t.Errorf("the page's %s, the frame's %s", own, said)
	}
	if got, _ := r.judged("navigate_page", `{"url":"about:blank","initScript":"var early = 7"}`); !strings.Contains(got.Text, "initScript did not run") {
		t.Error(got.Text)
	}
	r.judged("navigate_page", `{"url":"`+r.Site.URL("a", "/moves")+`","initScript":"var early = 7"}`)
	r.says("wait_for", `{"urlContains":"/told"}`, "/told")
	if got := js[string](r.real, "document.title"); got != "undefined" {
		t.Errorf("where the address led it is a %s", got)
	}
}

// What an action led to is told only where the client may look, and so is what was recorded of
// the documents before.
func TestOtherSitesAreNotTold(t *testing.T) {
	r := openTrusted(t, automationtest.Pages{"/": `<a href="{{b}}/bank">go</a>`, "/bank": `<h1>the bank's x4711</h1><script>console.log("bank says x4711")</script>`, "/after": `<p>shop`})
	got, actions := r.judged("click", `{"uid":"`+r.uid(`link "go"`)+`","includeSnapshot":true}`)
	r.hidden(got, "the click")
	if !strings.Contains(got.Text, "b is denied") || !slices.ContainsFunc(actions, func(d browsertool.Action) bool { return d.Stage == browsertool.StageAct }) {
		t.Errorf("got %q after %+v", got.Text, actions)
	}
	r.call("navigate_page", `{"url":"`+r.Site.URL("a", "/after")+`"}`)
	got, _ = r.judged("list_console_messages", `{"includePreservedMessages":true}`)
	r.hidden(got, "the console")
	if !strings.Contains(got.Text, "of other sites left out") {
		t.Errorf("got %q", got.Text)
	}
	all, _ := r.judged("list_network_requests", `{"includePreservedRequests":true}`)
	if strings.Contains(all.Text, "/bank") {
		t.Errorf("got %q", all.Text)
	}
	listed := r.call("list_network_requests", `{"includePreservedRequests":true}`).Text
	id := regexp.MustCompile(`reqid=(\d+) GET \S*/bank `).FindStringSubmatch(listed)
	if id == nil {
		t.Fatal(listed)
	}
	got, _ = r.judged("get_network_request", `{"reqid":`+id[1]+`}`)
	r.hidden(got, "the request")
	if !got.IsError || !strings.Contains(got.Text, "b is denied") {
		t.Errorf("got %q", got.Text)
	}
	r.stage = browsertool.StageRead + 1
	if got, _ := r.judged("list_console_messages", `{"includePreservedMessages":true}`); !strings.Contains(got.Text, "x4711") || !slices.Contains(r.reads, r.Site.URL("b", "")) {
		t.Errorf("where b may be read: %q, reads %v", got.Text, r.reads)
	}
}

// Frames where nothing may be looked at are left out of what is told of the page around them,
// whose data: frames count as its own.
func TestFramesAreNotTold(t *testing.T) {
	r := openTrusted(t, automationtest.Pages{
		"/":     `<p>shop</p><iframe src="{{b}}/bank"></iframe><iframe srcdoc="<p>own 12</p>" sandbox></iframe>`,
		"/bank": `<p>x4711</p><iframe sandbox srcdoc="<p>also x4711</p>"></iframe>`,
	})
	r.says("wait_for", `{"text":["also x4711"]}`, "also x4711")
	got, _ := r.judged("take_snapshot", `{}`)
	r.hidden(got, "the snapshot")
	if !strings.Contains(got.Text, "own 12") || !strings.Contains(got.Text, "b is denied") {
		t.Errorf("got %s", got.Text)
	}
	if got, _ := r.judged("wait_for", `{"text":["x4711"],"timeout":1500}`); !got.IsError {
		t.Errorf("found %q", got.Text)
	}
	if got, _ := r.judged("take_screenshot", `{}`); !strings.Contains(got.Text, "1 frames are left out") {
		t.Errorf("got %q", got.Text)
	}
}

// A sandbox takes a document's origin away, by the frame's attribute or by the document's own header. It is
// still a document of its address's site.
func TestSandboxedFramesAreNotTold(t *testing.T) {
	const bank = `<p>x4711</p><button onclick="fetch('/pressed')">Pay</button><script>console.log('x4711')</script>`
	r := openTrusted(t, automationtest.Pages{
		"/":     `<p>shop</p><iframe sandbox="allow-scripts" src="{{b}}/bank"></iframe><iframe src="{{b}}/csp"></iframe>`,
		"/bank": bank,
		"/csp":  "", // answered below
	})
	pressed := make(chan struct{}, 1)
	r.Site.Handle(func(w http.ResponseWriter, q *http.Request) bool {
		switch q.URL.Path {
		case "/csp":
			w.Header().Set("Content-Security-Policy", "sandbox allow-scripts")
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, bank)
			return true
		case "/pressed":
			pressed <- struct{}{}
			return true
		}
		return false
	})
	r.says("navigate_page", `{"type":"reload"}`, "The page is at")
	r.says("wait_for", `{"text":["x4711"]}`, "x4711")
	buttons := regexp.MustCompile(`(\w+) button "Pay"`).FindAllStringSubmatch(r.call("take_snapshot", `{}`).Text, -1)
	if len(buttons) != 2 {
		t.Fatalf("%d buttons", len(buttons))
	}
	got, _ := r.judged("take_snapshot", `{}`)
	r.hidden(got, "the snapshot")
	got, _ = r.judged("list_console_messages", `{}`)
	r.hidden(got, "the console")
	if got, _ := r.judged("wait_for", `{"text":["x4711"],"timeout":1500}`); !got.IsError {
		t.Errorf("found %q", got.Text)
	}
	if got, _ := r.judged("take_screenshot", `{}`); !strings.Contains(got.Text, "2 frames are left out") {
		t.Errorf("got %q", got.Text)
	}
	for i, path := range []string{"/bank", "/csp"} {
		if got, _ := r.judged("evaluate_script", `{"function":"() => document.body.innerText","frame":"`+path+`"}`); !got.IsError || strings.Contains(got.Text, "x4711") {
			t.Errorf("a script in %s gives %q", path, got.Text)
		}
		if got, _ := r.judged("click", `{"uid":"`+buttons[i][1]+`"}`); !got.IsError || !strings.Contains(got.Text, "is denied") {
			t.Errorf("a click in %s says %q", path, got.Text)
		}
	}
	select {
	case <-pressed:
		t.Error("the denied site got a request")
	default:
	}
}

// Whoever presses later than the call was judged asks again.
func TestActsAskAgainBeforeTheyPress(t *testing.T) {
	r := openTrusted(t, automationtest.Pages{"/": `<button disabled onclick="document.title='approved'">Approve</button><script>setTimeout(() => document.querySelector("button").disabled = false, 700)</script><input>`})
	uid := r.uid("Approve")
	no := func(c *browsertool.Call) {
		c.Judge = func(ctx context.Context, d browsertool.Action) error {
			if d.Stage == browsertool.StageAct {
				return errors.New("the user is being asked")
			}
			return r.judge(ctx, d)
		}
	}
	for tool, args := range map[string]string{"click": `{"uid":"` + uid + `","timeout":8000}`, "press_key": `{"key":"x"}`, "fill": `{"uid":"` + r.uid("textbox") + `","value":"x"}`} {
		got, _ := r.judged(tool, args, no)
		if is := js[string](r.real, "document.title + document.querySelector('input').value"); !got.IsError || !strings.Contains(got.Text, "The user is being asked") || is != "" {
			t.Errorf("%s: %q, the page has %q", tool, got.Text, is)
		}
	}
}

// fill_form is judged for each frame once, before the first field; what is refused for one
// leaves all as they are.
func TestFormsAreJudgedBeforeTheyAreFilled(t *testing.T) {
	r := openTrusted(t, automationtest.Pages{"/": `<input aria-label="own"><iframe src="{{b}}/frame"></iframe>`, "/frame": `<input aria-label="one"><input aria-label="two">`})
	r.stage = browsertool.StageRead + 1
	r.says("wait_for", `{"text":["one"]}`, "one")
	fields := `{"elements":[{"uid":"` + r.uid(`"own"`) + `","value":"1"},{"uid":"` + r.uid(`"one"`) + `","value":"1"},{"uid":"` + r.uid(`"two"`) + `","value":"1"}]}`
	got, actions := r.judged("fill_form", fields)
	enters := slices.DeleteFunc(actions, func(d browsertool.Action) bool { return d.Stage != browsertool.StageEnter })
	if got.IsError || len(enters) != 1 || enters[0].Frame != r.Site.URL("b", "") {
		t.Errorf("%q, judged %+v", got.Text, enters)
	}
	r.call("navigate_page", `{"type":"reload"}`)
	r.says("wait_for", `{"text":["one"]}`, "one")
	fields = `{"elements":[{"uid":"` + r.uid(`"own"`) + `","value":"1"},{"uid":"` + r.uid(`"one"`) + `","value":"1"}]}`
	r.stage = browsertool.StageBegin
	if got, _ := r.judged("fill_form", fields); !got.IsError || js[string](r.real, "document.querySelector('input').value") != "" {
		t.Errorf("%q", got.Text)
	}
}

// A question about a click says what is clicked, as the agent was shown it; if the page, or a
// snapshot, calls it otherwise by then, nothing is clicked.
func TestElementsAreNamedToTheJudge(t *testing.T) {
	r := openTrusted(t, automationtest.Pages{"/": `<button id=b onclick="n++">Cancel</button><input aria-label="Sum"><script>n = 0</script>`})
	button := r.uid("Cancel")
	field := r.uid("Sum")
	got, actions := r.judged("click", `{"uid":"`+button+`"}`)
	if got.IsError || len(actions) == 0 || actions[0].On != button+`: button "Cancel"` {
		t.Errorf("%s: %+v", got.Text, actions)
	}
	if got, actions := r.judged("fill_form", `{"elements":[{"uid":"`+field+`","value":"1"}]}`); got.IsError || len(actions) == 0 || actions[0].On != field+`: textbox "Sum"` {
		t.Errorf("%s: %+v", got.Text, actions)
	}
	relabel := func(c *browsertool.Call) {
		c.Judge = func(ctx context.Context, d browsertool.Action) error {
			if d.Stage == browsertool.StageBegin {
				js[any](r.real, `b.textContent = "Pay all"`)
			}
			return r.judge(ctx, d)
		}
	}
	if got, _ := r.judged("click", `{"uid":"`+button+`"}`, relabel); !got.IsError || !strings.Contains(got.Text, "Pay all") {
		t.Errorf("it was relabelled meanwhile: %s", got.Text)
	}
	js[any](r.real, `b.textContent = "Cancel"`)
	shown := func(c *browsertool.Call) {
		c.Judge = func(ctx context.Context, d browsertool.Action) error {
			if d.Stage == browsertool.StageBegin {
				js[any](r.real, `b.textContent = "Pay all"`)
				r.uid("Pay all")
			}
			return r.judge(ctx, d)
		}
	}
	r.uid("Cancel")
	if got, _ := r.judged("click", `{"uid":"`+button+`"}`, shown); !got.IsError || !strings.Contains(got.Text, "name has changed") {
		t.Errorf("the agent was shown another name meanwhile: %s", got.Text)
	}
	if n := js[int](r.real, "n"); n != 1 {
		t.Errorf("it was clicked %d times", n)
	}
}

// Headers and a user agent go along to whatever site the tab goes to next, so they are told
// to any; a size is told to the page alone.
func TestWhatGoesAlongIsToldAnywhere(t *testing.T) {
	r := openTrusted(t, automationtest.Pages{"/": `<p>a`})
	for args, anywhere := range map[string]bool{
		`{"extraHttpHeaders":"{\"X-Secret\":\"x4711\"}"}`: true,
		`{"userAgent":"x4711"}`:                           true,
		`{"colorScheme":"dark"}`:                          false,
		`{"userAgent":""}`:                                false,
	} {
		got, actions := r.judged("emulate", args)
		if got.IsError || len(actions) == 0 || slices.ContainsFunc(actions, func(d browsertool.Action) bool { return d.Anywhere != anywhere }) {
			t.Errorf("%s: %s, %+v", args, got.Text, actions)
		}
	}
}
