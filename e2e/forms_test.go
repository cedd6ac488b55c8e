package e2e

import (
	"context"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
)

// Declarative tools where Chrome's own WebMCP is off: the hub reads and fills
// the forms itself.

func formName(tool string) string { return toolName("0", tool) }

// TestForms: forms are read as Chrome reads them, filled, sent and followed, over each way in.
func TestForms(t *testing.T) {
	t.Parallel()
	c := nativeChrome(t)
	h := attachHub(t, c)
	c.open(t, pages.url("forms.html"))
	native := readForms(t, h, "native")
	everyWay(t, false, nil, func(t *testing.T, h *hub, c *chrome) {
		p := c.open(t, pages.url("forms.html"))
		formsReadAlike(t, native, readForms(t, h, "form"))
		for _, test := range []func(*testing.T, *hub, *tab){formIsFilledAndSent, formThatNavigates, formsComeAndGo, formThatWaitsForItsUser} {
			openForms(h, p)
			test(t, h, p)
		}
	})
}

// openForms opens the page of forms anew.
func openForms(h *hub, p *tab) {
	h.t.Helper()
	p.navigate(pages.url("plain.html", "between="))
	h.waitNoPageTools()
	p.navigate(pages.url("forms.html"))
	h.waitNames(formName("ask"), formName("book"), formName("find"))
}

// runtimeOf is what a listed tool says of how it is reached.
func runtimeOf(tool mcp.Tool) string {
	var meta map[string]struct{ Runtime string }
	b, _ := json.Marshal(tool.Meta)
	_ = json.Unmarshal(b, &meta)
	return meta["webmcp-hub/provenance"].Runtime
}

// readForms lists the page's tools.
func readForms(t *testing.T, h *hub, runtime string) map[string]any {
	t.Helper()
	tools := map[string]any{}
	for _, tool := range h.waitNames(formName("ask"), formName("book"), formName("find")) {
		if pageTool.MatchString(tool.Name) {
			if got := runtimeOf(tool); got != runtime {
				t.Errorf("%s is reached by %q, want %q", tool.Name, got, runtime)
			}
			tool.Meta = nil
			var plain any
			b, _ := json.Marshal(tool)
			_ = json.Unmarshal(b, &plain)
			tools[tool.Name] = plain
		}
	}
	return tools
}

func formsReadAlike(t *testing.T, native, formed map[string]any) {
	t.Helper()
	for name, want := range native {
		if got := formed[name]; !reflect.DeepEqual(got, want) {
			t.Errorf("%s is\n%s, natively\n%s", name, asJSON(got), asJSON(want))
		}
	}
}

func formIsFilledAndSent(t *testing.T, h *hub, p *tab) {
	got := h.call(formName("book"), map[string]any{
		"who": "Zoe", "guests": 4, "place": "out", "diet": []string{"halal"}, "hour": "20", "day": "2026-12-24", "news": true,
	})
	wantText(t, got, "The form was submitted, and the page handled that by itself. What came of it is to be seen in the page.")
	const want = `"who=Zoe guests=4 mail= place=out diet=halal hour=20 day=2026-12-24 news=on pin=never told token=never told"`
	if got := string(p.happened("sent")); got != want {
		t.Errorf("the page got %s, want %s", got, want)
	}
	var heard []string
	p.must(json.Unmarshal(p.eval(`heard`), &heard))
	if len(heard) != 14 || heard[0] != "input who" && heard[0] != "input day" {
		t.Errorf("the page heard %q", heard)
	}
	wantError(t, h.call(formName("book"), map[string]any{"who": "x", "mail": "nobody"}), "Form validation failed: mail: ", "'@'")
	wantError(t, h.call(formName("book"), map[string]any{"who": "x", "guests": 10}), "guests")
	wantError(t, h.call(formName("book"), map[string]any{"guests": 1}), "who")
}

func formThatNavigates(t *testing.T, h *hub, p *tab) {
	wantText(t, h.call(formName("find"), map[string]any{"elements": "soup"}),
		"The form was submitted to "+pages.url("plain.html")+". If the page navigates, its tools may change: list them again.")
	h.waitNoPageTools()
	p.waitLoaded()
	if got := string(p.eval(`location.search`)); got != `"?elements=soup"` {
		t.Errorf("the page went to %s", got)
	}
}

func formThatWaitsForItsUser(t *testing.T, h *hub, p *tab) {
	begun := false
	run := func(name string, test func(call <-chan *mcp.CallToolResult, cancel func())) {
		t.Log(name)
		if begun {
			openForms(h, p)
		}
		begun = true
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		call := h.start(ctx, formName("ask"), map[string]any{"q": "the bill?"})
		p.happened("focused") // which comes after filling
		test(call, cancel)
	}
	run("sent", func(call <-chan *mcp.CallToolResult, _ func()) {
		p.eval(`forms.ask.querySelector('button').click()`)
		if got := textOf(h.await(call)); got != "The form was submitted to "+pages.url("plain.html")+". If the page navigates, its tools may change: list them again." {
			t.Error(got)
		}
	})
	run("reset", func(call <-chan *mcp.CallToolResult, _ func()) {
		p.eval(`forms.ask.reset()`)
		wantError(t, h.await(call), "Tool execution cancelled by a form reset")
	})
	run("removed", func(call <-chan *mcp.CallToolResult, _ func()) {
		p.eval(`forms.ask.remove()`)
		wantError(t, h.await(call), "Tool execution cancelled, since tool definition was updated")
		h.waitNames(formName("book"), formName("find"))
	})
	run("cancelled", func(call <-chan *mcp.CallToolResult, cancel func()) {
		cancel()
		<-call
		again := h.start(t.Context(), formName("ask"), map[string]any{"q": "the menu?"})
		p.eval(`new Promise(done => (function look() { forms.ask.q.value === 'the menu?' ? done() : setTimeout(look, 10) })())`)
		p.eval(`forms.ask.requestSubmit()`)
		if got := h.await(again); got.IsError {
			t.Error(asJSON(got))
		}
	})
	run("the page navigates", func(call <-chan *mcp.CallToolResult, _ func()) {
		p.navigate(pages.url("plain.html"))
		wantError(t, h.await(call), "navigated")
	})
}

func formsComeAndGo(t *testing.T, h *hub, p *tab) {
	names := []string{formName("ask"), formName("book"), formName("find")}
	p.eval(`addForm('late')`)
	tools := h.waitNames(append(names, formName("late"))...)
	if find(tools, formName("late")).InputSchema.Properties["b"] != nil {
		t.Error("b is there before its time")
	}
	p.eval(`forms.late.insertAdjacentHTML('beforeend', '<label>Bee<input name=b required></label>')`)
	h.waitTools("b", func(tools toolList) bool {
		late := find(tools, formName("late"))
		return late != nil && late.InputSchema.Properties["b"] != nil && len(late.InputSchema.Required) == 1
	})
	p.eval(`forms.late.setAttribute('toolname', 'later')`)
	h.waitNames(append(names, formName("later"))...)
	p.eval(`forms.late.remove()`)
	h.waitNames(names...)
	// Another form of a name that is taken is no tool until the first has gone.
	p.eval(`addForm('ask', '<input name=second>')`)
	p.eval(`document.querySelector('[toolname=ask]').remove()`)
	h.waitTools("the second form", func(tools toolList) bool {
		ask := find(tools, formName("ask"))
		return ask != nil && ask.InputSchema.Properties["second"] != nil
	})
}

func TestFormsInFrames(t *testing.T) {
	t.Parallel()
	everyWay(t, false, nil, testFormsInFrames)
}

func testFormsInFrames(t *testing.T, h *hub, c *chrome) {
	p := c.open(t, pages.url("plain.html"))
	h.waitNoPageTools()
	p.eval(`new Promise(done => {
		let left = 3;
		for (const src of ['/forms.html', '` + pages.otherSite("forms.html") + `', '']) {
			const f = document.createElement('iframe');
			f.allow = 'tools *';
			f.onload = () => f.contentDocument?.URL === 'about:blank' || --left || done();
			if (src) Promise.resolve().then(() => { f.src = src; });
			else f.srcdoc = '<form toolname="written" tooldescription="d" toolautosubmit onsubmit="return false"><input name="a"></form>';
			document.body.append(f);
			f.contentDocument.body.append('this document goes, its window stays');
		}
	})`)
	h.waitNames(formName("ask"), formName("book"), formName("find"), formName("written"))
	wantText(t, h.call(formName("written"), nil), "The form was submitted, and the page handled that by itself. What came of it is to be seen in the page.")
	p.eval(`document.querySelector('iframe').remove()`)
	h.waitNames(formName("written"))
}
