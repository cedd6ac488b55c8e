package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// laidOut is an expression for what of a page's layout is wrong: what sticks out of the page or, in a cell, over the
// next one, cells without room, and words of up to 20 characters that are broken. A name is as many
// words as it has parts between "_", "." and "-".
const laidOut = `(() => {
	const wrong = [];
	for (const e of document.querySelectorAll('body *')) {
		const box = e.getBoundingClientRect();
		if (e.matches('td') && e.checkVisibility() && box.width < 40 && e.scrollWidth > e.clientWidth) wrong.push('no room: ' + e.outerHTML.slice(0, 200));
		if (!box.width || e.closest('.scroll, pre, svg')) continue;
		if (box.right > innerWidth + 1) wrong.push('sticks out: ' + e.outerHTML.slice(0, 200));
		if (e.matches('th, td') && getComputedStyle(e).overflowX === 'visible' && e.scrollWidth > e.clientWidth + 1) wrong.push('over the next cell: ' + e.outerHTML.slice(0, 200));
	}
	const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), range = document.createRange();
	while (texts.nextNode()) {
		const text = texts.currentNode;
		if (!text.parentElement.checkVisibility() || text.parentElement.closest('script, style, pre, option, textarea')) continue;
		for (const word of text.data.matchAll(/\S+/gu)) for (const part of word[0].matchAll(/^[\w.-]+$/.test(word[0]) ? /[^_.-]+[_.-]*/g : /.+/gu)) {
			if (part[0].length < 2 || part[0].length > 20) continue;
			range.setStart(text, word.index + part.index);
			range.setEnd(text, word.index + part.index + part[0].length);
			const lines = [...range.getClientRects()].filter((r) => r.width > 0);
			if (new Set(lines.map((r) => Math.round(r.top))).size > 1) wrong.push('broken: ' + part[0] + ' in ' + text.parentElement.outerHTML.slice(0, 200));
		}
	}
	return wrong;
})()`

// views runs axe on what the live page shows, at the widths of a computer, a tablet and a phone, and looks for what
// isn't laid out well.
func (h *liveHub) views(what string) {
	h.t.Helper()
	for _, as := range []struct {
		scheme string
		width  int
	}{{"light", 1440}, {"light", 1280}, {"light", 1100}, {"light", 900}, {"dark", 360}} {
		h.live.page("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]any{{"name": "prefers-color-scheme", "value": as.scheme}}}, nil)
		h.live.page("Emulation.setDeviceMetricsOverride", map[string]any{"width": as.width, "height": 800, "deviceScaleFactor": 1, "mobile": false}, nil)
		if text := string(h.live.eval("matchMedia('(prefers-color-scheme: " + as.scheme + ")').matches && innerWidth")); text != fmt.Sprint(as.width) {
			h.t.Fatalf("the page isn't %s and %d wide: %s", as.scheme, as.width, text)
		}
		if found := h.live.axe(); found != "[true]" {
			h.t.Errorf("%s, %s, %d wide: axe finds %s", what, as.scheme, as.width, found)
		}
		if below := string(h.live.eval("innerWidth >= 1440 && document.querySelector('aside')?.getBoundingClientRect().top >= document.getElementById('history')?.getBoundingClientRect().bottom")); below != "false" {
			h.t.Errorf("%s, %d wide: the tabs and clients are below the calls", what, as.width)
		}
		if wrong := string(h.live.eval(laidOut)); wrong != "[]" {
			h.t.Errorf("%s, %d wide: %s", what, as.width, wrong)
		}
	}
	h.live.page("Emulation.clearDeviceMetricsOverride", nil, nil)
	h.live.page("Emulation.setEmulatedMedia", map[string]any{"features": []any{}}, nil)
}

// axe returns what axe finds wrong with a page, after "true".
func (p *tab) axe() string {
	p.t.Helper()
	if string(p.eval("!window.axe")) == "true" {
		p.bringInAxe()
	}
	// It needn't say where the elements are, nor name all of those that are as they should be.
	return string(p.eval(`axe.run({ rules: { 'target-size': { enabled: true } }, resultTypes: ['violations'], selectors: false }).then((r) => [r.passes.length > 10, ...r.violations.map((v) => v.id + ': ' + v.help + ': ' + v.nodes.map((n) => n.html + ' ' + n.failureSummary).join('; '))])`))
}

func (p *tab) bringInAxe() {
	p.t.Helper()
	needNPM(p.t)
	source, err := os.ReadFile(filepath.Join("node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := p.evaluate("(() => {" + string(source) + "\n})(), 0"); err != nil {
		p.t.Fatalf("axe can't be brought in: %.200s", strings.TrimPrefix(err.Error(), string(source)))
	}
}

// tabKeys presses the tab key until the focus is back at the page's beginning, and
// returns what of the page's functions never had it.
func (h *liveHub) tabKeys() (missed string) {
	h.t.Helper()
	h.live.page("Emulation.setFocusEmulationEnabled", map[string]any{"enabled": true}, nil)
	most := h.live.eval(`(() => {
		const one = (e) => e.type !== 'radio' || e === document.querySelector('[name="' + e.name + '"]');
		window.wanted = new Set([...document.querySelectorAll('a, button, input, select, textarea, summary, .scroll, pre')].filter((e) => e.type !== 'hidden' && e.checkVisibility() && one(e)));
		addEventListener('focusin', (e) => wanted.delete(e.target));
		document.activeElement.blur();
		return wanted.size;
	})()`)
	for range 2 * number(string(most)) {
		h.key("Tab", 9, "")
	}
	return string(h.live.eval("[...wanted].map((e) => e.outerHTML.slice(0, 200))"))
}

// key presses a key in the live page.
func (h *liveHub) key(name string, code int, text string) {
	h.t.Helper()
	h.live.key(name, code, text)
}

// key presses a key in a page.
func (p *tab) key(name string, code int, text string) {
	p.t.Helper()
	for _, kind := range []string{"keyDown", "keyUp"} {
		p.page("Input.dispatchKeyEvent", map[string]any{"type": kind, "key": name, "code": name, "windowsVirtualKeyCode": code, "text": text}, nil)
	}
}

// harSchema is that of HTTP archives, version 1.2.
func harSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	needNPM(t)
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	const base = "https://har.example/"
	files, err := filepath.Glob(filepath.Join("node_modules", "har-schema", "lib", "*.json"))
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files of the schema, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		delete(value.(map[string]any), "$id") // relative to nothing
		if err := c.AddResource(base+filepath.Base(file), value); err != nil {
			t.Fatal(err)
		}
	}
	schema, err := c.Compile(base + "har.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// holdsToHAR fails unless a text is an HTTP archive with so many calls at least.
func holdsToHAR(t *testing.T, text json.RawMessage, calls int) {
	t.Helper()
	schema := harSchema(t)
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(value); err != nil {
		t.Errorf("%v in %s", err, text)
	}
	entries, _ := value.(map[string]any)["log"].(map[string]any)["entries"].([]any)
	if len(entries) < calls {
		t.Errorf("%d calls in %s", len(entries), text)
	}
	if len(entries) > 0 {
		delete(entries[0].(map[string]any), "response")
	}
	if err := schema.Validate(value); err == nil || !strings.Contains(err.Error(), "response") {
		t.Errorf("the schema takes an entry without a response: %v", err)
	}
}
