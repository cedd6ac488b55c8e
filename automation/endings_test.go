package automation

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"webmcphub/automation/automationtest"
	"webmcphub/cdpclient"
	"webmcphub/registry"
)

// inTheMiddle says how each tool is called so that something can come between: where
// possible, so that it would wait for longer than the test does. <Name> stands for a uid.
var inTheMiddle = map[string]struct {
	args  string
	waits bool // the call can't be answered before its ending
	stays bool // it goes on when the page navigates
	alone bool // while it goes on, Chrome carries out nothing else in the tab
	trace bool // it needs the browser's only trace
}{
	"click":                       {args: `{"uid":"<Never>","timeout":60000}`, waits: true},
	"hover":                       {args: `{"uid":"<Turning>","timeout":60000}`, waits: true},
	"drag":                        {args: `{"from_uid":"<Save>","to_uid":"<Turning>","timeout":60000}`, waits: true},
	"fill":                        {args: `{"uid":"<Shut>","value":"x","timeout":60000}`, waits: true},
	"fill_form":                   {args: `{"elements":[{"uid":"<Shut>","value":"x"}],"timeout":60000}`, waits: true},
	"press_key":                   {args: `{"key":"a","uid":"<Save>","repeat":100}`},
	"upload_file":                 {args: `{"uid":"<Never>","filePaths":["<path>"],"timeout":60000}`, waits: true},
	"handle_dialog":               {args: `{"action":"accept"}`},
	"list_pages":                  {args: `{}`},
	"select_page":                 {args: `{"pageId":<tab>}`},
	"new_page":                    {args: `{"url":"<a>/hangs","timeout":500}`, waits: true},
	"close_page":                  {args: `{"pageId":<tab>}`},
	"navigate_page":               {args: `{"url":"<a>/hangs","timeout":1000,"initScript":"window.early = 1"}`, waits: true, alone: true},
	"wait_for":                    {args: `{"text":["what never comes"],"timeout":60000}`, waits: true, stays: true},
	"emulate":                     {args: `{"networkConditions":"Fast 4G","cpuThrottlingRate":2,"geolocation":"1,2","colorScheme":"dark","viewport":"500x400x1"}`},
	"resize_page":                 {args: `{"width":500,"height":400}`},
	"performance_start_trace":     {args: `{"reload":false}`, trace: true},
	"performance_stop_trace":      {args: `{}`},
	"performance_analyze_insight": {args: `{"insightSetId":"NAVIGATION_0","insightName":"LCPBreakdown"}`},
	"list_network_requests":       {args: `{}`},
	"get_network_request":         {args: `{"reqid":1}`},
	"take_snapshot":               {args: `{}`},
	"take_screenshot":             {args: `{"fullPage":true}`},
	"evaluate_script":             {args: `{"function":"() => new Promise(() => {})"}`, waits: true},
	"list_console_messages":       {args: `{}`},
	"get_console_message":         {args: `{"msgid":1}`},
}

const onePage = `<!doctype html><title>One</title><button onclick="document.title = 'saved'">Save</button> <button disabled>Never</button>
	<label>Name <input></label> <label>Shut <input disabled></label> <label>File <input type=file></label>`

// aPage has something to wait for for every tool.
var aPage = automationtest.Pages{
	"/rests": onePage,
	"/":      onePage + `<style>@keyframes turn { to { transform: translateX(300px) } }</style> <button style="animation: turn 1s linear infinite">Turning</button>`,
	"/two":   `<title>Two</title><h1>Second</h1>`,
}

// pathFor is where a page has what a tool's arguments name. Chrome draws all the time for what turns.
func pathFor(tool string) string {
	if strings.Contains(inTheMiddle[tool].args, "<Turning>") {
		return "/"
	}
	return "/rests"
}

// An ending is what comes between.
type ending struct {
	name  string
	comes func(o *one)
	undo  func(o *one) // nil if the tab can't be used any more
	says  string       // what errors tell, a regular expression
	early bool         // it is there before the call
	soon  bool         // the call ends within a second
	only  []string     // the tools that it is played with; nil means all
}

// busy is what errors tell of a page whose script doesn't end.
const busy = `keeps it busy|keeping it busy|kept the page busy|is still loading|has not loaded`

var endings = []ending{
	{name: "closed", says: `was closed|is gone|no page`, comes: func(o *one) { _ = o.b.CloseTab(o.b.ctx, o.tab) }},
	{name: "crashed", says: `crashed`, comes: func(o *one) { o.post("Page.crash", nil); o.until(o.crashes) }},
	{
		name: "navigated away", says: `its frame now shows|navigat|another document`,
		comes: func(o *one) { o.begin(`location = '/two'`); o.until(o.moved) },
		undo:  func(o *one) {},
	},
	{
		name: "a dialog", says: `dialog`,
		comes: func(o *one) { o.begin(`alert('Well?')`); o.until(o.dialogs) },
		undo: func(o *one) {
			o.post(cdpclient.PageHandleJavaScriptDialog, cdpclient.HandleJavaScriptDialogParams{Accept: true})
		},
	},
	{
		name: "the client cancels", says: `the client has cancelled`, soon: true,
		comes: func(o *one) { o.cancel(errCancelled) },
		undo:  func(o *one) {},
	},
	{
		name: "blocks for ever", says: busy, early: true,
		comes: func(o *one) { o.begin(automationtest.Stalls); o.until(o.b.stalls) },
		undo:  func(o *one) { o.b.goOn() },
	},
	{
		name: "loops for ever", says: busy, early: true,
		only:  []string{"click", "fill", "press_key", "take_snapshot", "take_screenshot", "evaluate_script"},
		comes: func(o *one) { o.begin(`console.log('looping'); for (;;);`); o.until(o.looping) },
		undo:  func(o *one) { o.post("Runtime.terminateExecution", nil) },
	},
	{
		name: "frozen", says: `given up|the call took too long|has not loaded`, early: true,
		comes: func(o *one) { o.must("Page.setWebLifecycleState", map[string]any{"state": "frozen"}) },
		undo:  func(o *one) { o.must("Page.setWebLifecycleState", map[string]any{"state": "active"}) },
	},
}

var errCancelled = errors.New("the client has cancelled")

// unconcerned are tools that don't ask the page: they answer as if nothing were.
var unconcerned = []string{
	"list_pages", "select_page", "close_page", "new_page", "list_network_requests", "list_console_messages", "handle_dialog",
	"performance_stop_trace", "performance_analyze_insight", "get_console_message", "get_network_request",
}

// answersAtOnce says that a tool waits for nothing.
func answersAtOnce(tool string) bool {
	return slices.Contains(unconcerned, tool) && !inTheMiddle[tool].waits && tool != "close_page"
}

// tracing is held by tests that record traces: the browser records one at a time.
var tracing = make(chan struct{}, 1)

func trace() (release func()) {
	tracing <- struct{}{}
	return func() { <-tracing }
}

// TestEachToolAndEachEnding: whatever becomes of a tab in the middle of any tool, the call
// ends soon with an answer or says what happened, the tab works afterwards, and nothing
// stays attached to it.
func TestEachToolAndEachEnding(t *testing.T) {
	t.Parallel()
	all := Table(Categories(), false)
	for _, tool := range all {
		if _, there := inTheMiddle[tool.Name]; !there {
			t.Errorf("%s is in no row: say how it is called", tool.Name)
		}
	}
	if len(inTheMiddle) != len(all) {
		t.Errorf("%d rows for %d tools", len(inTheMiddle), len(all))
	}
	for _, e := range endings {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			var b *manyTabs // with the tab that the ending leaves usable
			if e.undo != nil {
				b = openEnding(t)
			}
			var tab registry.PageID
			var atOnce []*Tool
			for _, tool := range all {
				if e.only != nil && !slices.Contains(e.only, tool.Name) {
					continue
				}
				if answersAtOnce(tool.Name) {
					atOnce = append(atOnce, tool)
					continue
				}
				t.Run(tool.Name, func(t *testing.T) {
					if e.undo == nil {
						t.Parallel()
						b := openEnding(t)
						e.meets(t, tool, b, "")
						return
					}
					b.ctx = automationtest.Context(t)
					tab = e.meets(t, tool, b, tab)
				})
			}
			if e.early && len(atOnce) > 0 { // they would answer before any other comes
				b.ctx = automationtest.Context(t)
				e.precedes(t, atOnce, b)
			}
		})
	}
}

func openEnding(t testing.TB) *manyTabs {
	b := newManyTabs(t, aPage)
	b.site.Handle(hangs)
	b.stalls, b.goOn = b.site.Stall()
	b.behind = true
	return b
}

// meets has an ending come in the middle of a tool, in a tab, or a new one if that is "". It
// gives the tab back if that can be used for the next tool.
func (e ending) meets(t *testing.T, tool *Tool, b *manyTabs, tab registry.PageID) registry.PageID {
	row := inTheMiddle[tool.Name]
	s := New(Options{Browser: b, Categories: Categories()})
	defer s.Close()
	if tab == "" {
		var err error
		// Tabs that are lost are opened behind another: that takes half of what a window takes.
		if tab, err = b.OpenTab(b.ctx, registry.NewTab{URL: b.site.URL("a", "/"), Background: e.undo == nil}); err != nil {
			t.Fatal(err)
		}
	}
	o := b.use(t, s, "1", tab, pathFor(tool.Name))
	if row.trace {
		defer trace()()
	}
	o.look()
	limit := 5 * time.Second
	switch {
	case row.trace:
		limit = 90 * time.Second // a busy machine is slow to record a trace and to open Chrome's engine
	case row.stays && e.name == "navigated away", tool.Name == "evaluate_script" && e.name == "a dialog":
		limit = 2 * time.Second // nothing else ends it
	}
	o.in, o.cancel = context.WithCancelCause(o.b.ctx)
	defer o.cancel(nil)
	came := make(chan struct{})
	var at time.Time // it came
	come := func() { at = time.Now(); e.comes(o); close(came) }
	switch {
	case e.early:
		limit = afterwards
		come()
	case row.alone && !e.soon:
	default:
		time.AfterFunc(150*time.Millisecond, come)
	}
	begun := time.Now()
	result := o.within(limit, tool.Name, row.args)
	ended := time.Now()
	o.in = nil
	if row.alone && !e.early && !e.soon {
		come()
	}
	if took := time.Since(begun); took > limit+patient {
		t.Errorf("it took %v", took)
	}
	own := slices.Contains(unconcerned, tool.Name)
	switch {
	case result.IsError && row.stays && e.name == "navigated away" && strings.Contains(result.Text, errTooLong.Error()):
	case result.IsError && row.alone && strings.Contains(result.Text, "has not loaded within"):
	case result.IsError && !own && !regexp.MustCompile(e.says).MatchString(result.Text):
		t.Errorf("it says: %s", result.Text)
	case !result.IsError && row.waits && !own:
		t.Errorf("it went well: %s", result.Text)
	case result.Text == "":
		t.Error("it says nothing")
	default:
		t.Logf("%v %v: %.200s", time.Since(begun).Round(time.Millisecond), result.IsError, result.Text)
	}
	<-came
	if late := ended.Sub(at); e.soon && late > time.Second+patient {
		t.Errorf("it ended %v after it was cancelled", late)
	}
	e.after(t, o, tool.Name)
	s.Close()
	o.detached()
	if t.Failed() || tool.Name == "close_page" {
		return ""
	}
	return tab
}

// precedes has an ending come, once for all, before tools that answer at once are called one after another.
func (e ending) precedes(t *testing.T, tools []*Tool, b *manyTabs) {
	s := New(Options{Browser: b, Categories: Categories()})
	defer s.Close()
	o := b.open(s, "1", "/rests")
	o.look()
	e.comes(o)
	for _, tool := range tools {
		t.Run(tool.Name, func(t *testing.T) {
			begun := time.Now()
			result := o.within(afterwards, tool.Name, inTheMiddle[tool.Name].args)
			if took := time.Since(begun); took > afterwards+patient {
				t.Errorf("it took %v", took)
			}
			if result.Text == "" {
				t.Error("it says nothing")
			}
			t.Logf("%v %v: %.200s", time.Since(begun).Round(time.Millisecond), result.IsError, result.Text)
		})
	}
	e.after(t, o, "")
	s.Close()
	o.detached()
}

// afterwards is the limit of calls that begin when their ending has come.
const afterwards = 300 * time.Millisecond

// patient is what a call may take beyond its time on a busy machine: one that hangs takes for ever.
const patient = 15 * time.Second

// after looks whether the tab still works, or whether all tools say that it is gone.
func (e ending) after(t *testing.T, o *one, tool string) {
	o.service.selects(&o.client, o.tab)
	if e.undo == nil || tool == "close_page" {
		if again := o.within(20*time.Second, "evaluate_script", `{"function":"() => 1"}`); !again.IsError {
			t.Errorf("afterwards a script says: %s", again.Text)
		}
		return
	}
	e.undo(o)
	for _, c := range []struct{ tool, args, says string }{
		{"navigate_page", `{"url":"<a>/rests"}`, "The page is at"},
		{"evaluate_script", `{"function":"() => window.early || 'none'"}`, "none"},
	} {
		got := o.within(20*time.Second, c.tool, c.args)
		if got.IsError || !regexp.MustCompile(c.says).MatchString(got.Text) {
			t.Errorf("afterwards %s says: %s", c.tool, got.Text)
		}
	}
	o.look() // takes a snapshot, in which the click finds its button
	if got := o.within(20*time.Second, "click", `{"uid":"<Save>"}`); got.IsError {
		t.Errorf("afterwards a click says: %s", got.Text)
	}
	if got := o.within(20*time.Second, "evaluate_script", `{"function":"() => document.title"}`); got.Text != `"saved"` {
		t.Errorf("after the click the title is: %s", got.Text)
	}
}

// detached wants nothing to be attached to the tab any more but the test.
func (o *one) detached() {
	o.b.t.Helper()
	var is struct{ TargetInfo struct{ Attached bool } }
	// If the tab is gone, this session is too.
	_ = o.b.conn.Call(o.b.ctx, "", cdpclient.TargetDetachFromTarget, cdpclient.SessionParams{SessionID: o.session}, nil)
	err := o.b.conn.Call(o.b.ctx, "", "Target.getTargetInfo", map[string]any{"targetId": string(o.tab)}, &is)
	if err == nil && is.TargetInfo.Attached {
		o.t.Error("something is still attached to the tab")
	}
}

// TestNavigateLeavesAPageThatLoops: navigate_page leads away from a page whose script runs for ever, also to another page
// of its site, which Chrome would load in the same process. Other tools say so.
func TestNavigateLeavesAPageThatLoops(t *testing.T) {
	b := newManyTabs(t, automationtest.Pages{"/": `<title>One</title>`, "/two": `<title>Two</title>`})
	s := New(Options{Browser: b, Categories: Categories()})
	o := b.open(s, "1", "/")
	o.says("take_snapshot", `{}`, "One")
	for args, at := range map[string]string{
		`{"url":"` + b.site.URL("a", "/two") + `"}`:                           "/two",
		`{"url":"` + b.site.URL("a", "/two?init") + `","initScript":"i = 7"}`: "/two?init",
		`{"type":"reload"}`: "http://a.test",
	} {
		o.begin(`console.log('looping'); for (;;);`)
		o.until(o.looping)
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		if got := o.callIn(ctx, "evaluate_script", `{"function":"() => 1"}`); !got.IsError ||
			!strings.Contains(got.Text, "navigate_page leaves it, close_page closes it") {
			t.Errorf("a script in the page that loops: %s", got.Text)
		}
		cancel()
		o.says("navigate_page", args, at)
		o.says("evaluate_script", `{"function":"() => 6*7"}`, "42")
	}
}
