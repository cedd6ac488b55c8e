package e2e

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

// What Chromium 156 can't carry over the debugging port arrives all the same:
// results whose letters are of U+0080 to U+00FF alone (it gives them as strings),
// and arguments with names outside ASCII (it refuses them).

func TestResultsInLatin1(t *testing.T) {
	t.Parallel()
	everyWay(t, true, nil, testResultsInLatin1)
}

func testResultsInLatin1(t *testing.T, h *hub, c *chrome) {
	p := c.open(t, pages.url("plain.html"))
	for _, r := range []struct{ name, returns, want string }{
		{"price", `({content: [{type: 'text', text: '£5, é'}], structuredContent: {price: '£5'}})`, `{"content":[{"type":"text","text":"£5, é"}],"structuredContent":{"price":"£5"}}`},
		{"sold", `({content: [{type: 'text', text: 'épuisé'}], isError: true})`, `{"content":[{"type":"text","text":"épuisé"}],"isError":true}`},
		{"size", `({größe: 3})`, `{"content":[{"type":"text","text":"{\"größe\":3}"}],"structuredContent":{"größe":3}}`},
		{"sizes", `['ö']`, `{"content":[{"type":"text","text":"[\"ö\"]"}],"structuredContent":{"result":["ö"]}}`},
		{"text", `'{ é'`, `{"content":[{"type":"text","text":"{ é"}]}`},
		{"euro", `({content: [{type: 'text', text: '€ é'}], isError: true})`, `{"content":[{"type":"text","text":"€ é"}],"isError":true}`},
		// A string that is JSON is what it says, with these letters as with any others.
		{"encoded", `JSON.stringify({a: 'é'})`, `{"content":[{"type":"text","text":"{\"a\":\"é\"}"}],"structuredContent":{"a":"é"}}`},
		{"ascii", `JSON.stringify({a: 'e'})`, `{"content":[{"type":"text","text":"{\"a\":\"e\"}"}],"structuredContent":{"a":"e"}}`},
	} {
		p.eval(`void document.modelContext.registerTool({name: '` + r.name + `', description: 'd', execute: () => (` + r.returns + `)})`)
		h.waitTool(toolName("0", r.name))
		got := h.call(toolName("0", r.name), nil)
		got.Meta = nil
		if got := asJSON(got); !sameJSON(t, got, r.want) {
			t.Errorf("%s gives\n%s, want\n%s", r.name, got, r.want)
		}
	}
	p.eval(`void document.modelContext.registerTool({name: 'throws', description: 'é', execute() { throw new Error('fermé') }})`)
	if tool := h.waitTool(toolName("0", "throws")); !strings.HasSuffix(tool.Description, "] é") {
		t.Errorf("the description is %q", tool.Description)
	}
}

func TestArgumentsOutsideASCII(t *testing.T) {
	t.Parallel()
	everyWay(t, true, nil, testArgumentsOutsideASCII)
}

func testArgumentsOutsideASCII(t *testing.T, h *hub, c *chrome) {
	p := c.open(t, pages.url("frames.html", "src=/plain.html"))
	p.eval(`
		const inputSchema = {type: 'object', properties: {'größe': {type: 'number'}, '尺寸': {type: 'string'}, plain: {type: 'object'}}};
		document.modelContext.registerTool({name: 'fit', description: 'd', inputSchema, execute: (a) => ({size: a['größe'], cn: a['尺寸'], plain: a.plain})});
		document.modelContext.registerTool({name: 'refuse', description: 'd', inputSchema, execute() { throw new Error('sold out') }});
		document.querySelector('iframe').contentWindow.eval("document.modelContext.registerTool({name: 'within', description: 'd', execute: (a) => Object.keys(a).join()})");
		document.body.insertAdjacentHTML('beforeend', '<form toolname=order tooldescription=d toolautosubmit onsubmit="event.preventDefault(); event.respondWith(Promise.resolve(this.elements[0].value))"><input name="größe"><button>Go</button></form>');
		void 0`)
	for _, name := range []string{"fit", "refuse", "within", "order"} {
		h.waitTool(toolName("0", name))
	}
	h.waitTools("the form's field", func(tools toolList) bool {
		order := find(tools, toolName("0", "order"))
		return order != nil && order.InputSchema.Properties["gr__e"] != nil
	})
	got := h.call(toolName("0", "fit"), map[string]any{"gr__e": 3, "arg": "L", "plain": map[string]any{"é": []any{map[string]any{"ö": 1}}}})
	if got.IsError || !sameJSON(t, asJSON(got.StructuredContent), `{"size":3,"cn":"L","plain":{"é":[{"ö":1}]}}`) {
		t.Errorf("fit gives %s", asJSON(got))
	}
	wantText(t, h.call(toolName("0", "within"), map[string]any{"größe": 3}), "größe")
	wantText(t, h.call(toolName("0", "order"), map[string]any{"gr__e": "XL"}), "XL")
	if got := h.call(toolName("0", "refuse"), map[string]any{"gr__e": 3}); !got.IsError {
		t.Errorf("refuse gives %s", asJSON(got))
	}
}

// TestThrowWithArgumentsOutsideASCII: Chrome's API hides what a tool threw, its events do not.
func TestThrowWithArgumentsOutsideASCII(t *testing.T) {
	t.Parallel()
	c := nativeChrome(t)
	h := attachHub(t, c)
	p := c.open(t, pages.url("plain.html"))
	p.eval(`void document.modelContext.registerTool({name: 'refuse', description: 'd', execute() { throw new Error('sold out') }})`)
	h.waitTool(toolName("0", "refuse"))
	wantError(t, h.call(toolName("0", "refuse"), map[string]any{"größe": 3}), "sold out")
}

// sameJSON says whether two texts are the same value.
func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	var x, y any
	if err := errors.Join(json.Unmarshal([]byte(a), &x), json.Unmarshal([]byte(b), &y)); err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(x, y)
}
