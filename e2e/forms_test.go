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

// formsPage opens the page of forms in a Chromium without WebMCP of its own.
func formsPage(t *testing.T, more ...string) (*hub, *tab) {
	t.Helper()
	c := plainChrome(t)
	h := attachHub(t, c)
	p := c.open(t, pages.url("forms.html", more...))
	h.waitTool(formName("find"))
	return h, p
}

// runtimeOf is what a listed tool says of how it is reached.
func runtimeOf(tool mcp.Tool) string {
	var meta map[string]struct{ Runtime string }
	b, _ := json.Marshal(tool.Meta)
	_ = json.Unmarshal(b, &meta)
	return meta["webmcp-hub/provenance"].Runtime
}

// TestFormsReadAlike lists the same page natively and from its DOM.
func TestFormsReadAlike(t *testing.T) {
	t.Parallel()
	listed := map[string]map[string]any{}
	for _, r := range []string{"native", "form"} {
		c := nativeChrome(t)
		if r == "form" {
			c = plainChrome(t)
		}
		h := attachHub(t, c)
		c.open(t, pages.url("forms.html"))
		tools := map[string]any{}
		for _, tool := range h.waitNames(formName("ask"), formName("book"), formName("find")) {
			if pageTool.MatchString(tool.Name) {
				if got := runtimeOf(tool); got != r {
					t.Errorf("%s is reached by %q, want %q", tool.Name, got, r)
				}
				tool.Meta = nil
				var plain any
				b, _ := json.Marshal(tool)
				_ = json.Unmarshal(b, &plain)
				tools[tool.Name] = plain
			}
		}
		listed[r] = tools
	}
	for name, want := range listed["native"] {
		if got := listed["form"][name]; !reflect.DeepEqual(got, want) {
			t.Errorf("%s is\n%s, natively\n%s", name, asJSON(got), asJSON(want))
		}
	}
}

func TestFormIsFilledAndSent(t *testing.T) {
	t.Parallel()
	h, p := formsPage(t)
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

func TestFormThatNavigates(t *testing.T) {
	t.Parallel()
	h, p := formsPage(t)
	wantText(t, h.call(formName("find"), map[string]any{"elements": "soup"}),
		"The form was submitted to "+pages.url("plain.html")+". If the page navigates, its tools may change: list them again.")
	h.waitNoPageTools()
	p.waitLoaded()
	if got := string(p.eval(`location.search`)); got != `"?elements=soup"` {
		t.Errorf("the page went to %s", got)
	}
}

func TestFormThatWaitsForItsUser(t *testing.T) {
	t.Parallel()
	begin := func(t *testing.T, ctx context.Context) (*hub, *tab, <-chan *mcp.CallToolResult) {
		h, p := formsPage(t)
		call := h.start(ctx, formName("ask"), map[string]any{"q": "the bill?"})
		p.happened("focused") // which comes after filling
		return h, p, call
	}
	t.Run("sent", func(t *testing.T) {
		h, p, call := begin(t, t.Context())
		p.eval(`forms.ask.querySelector('button').click()`)
		if got := textOf(h.await(call)); got != "The form was submitted to "+pages.url("plain.html")+". If the page navigates, its tools may change: list them again." {
			t.Error(got)
		}
	})
	t.Run("reset", func(t *testing.T) {
		h, p, call := begin(t, t.Context())
		p.eval(`forms.ask.reset()`)
		wantError(t, h.await(call), "Tool execution cancelled by a form reset")
	})
	t.Run("removed", func(t *testing.T) {
		h, p, call := begin(t, t.Context())
		p.eval(`forms.ask.remove()`)
		wantError(t, h.await(call), "Tool execution cancelled, since tool definition was updated")
		h.waitNames(formName("book"), formName("find"))
	})
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		h, p, call := begin(t, ctx)
		cancel()
		<-call
		again := h.start(t.Context(), formName("ask"), map[string]any{"q": "the menu?"})
		p.eval(`new Promise(done => (function look() { forms.ask.q.value === 'the menu?' ? done() : setTimeout(look, 10) })())`)
		p.eval(`forms.ask.requestSubmit()`)
		if got := h.await(again); got.IsError {
			t.Error(asJSON(got))
		}
	})
	t.Run("the page navigates", func(t *testing.T) {
		h, p, call := begin(t, t.Context())
		p.navigate(pages.url("plain.html"))
		wantError(t, h.await(call), "navigated")
	})
}

func TestFormsComeAndGo(t *testing.T) {
	t.Parallel()
	h, p := formsPage(t)
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
	c := plainChrome(t)
	h := attachHub(t, c)
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
