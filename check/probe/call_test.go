package probe

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
)

// What comes of calls is told apart: answers, errors, what nobody catches, hanging, leaving
// the page, and a crash.
func TestCalls(t *testing.T) {
	b := aBrowser(t)
	tools := map[string]string{
		"answers": `"yes"`, "fails": `{ throw new TypeError("no"); }`, "moves": `{ location.hash = "#there"; return "moved"; }`,
		"leaks": `{ setTimeout(() => { throw new Error("late"); }); return "done"; }`,
		"hangs": `new Promise(() => {})`, "leaves": `{ location.href = "/other"; return "gone"; }`, "crashes": `Symbol("x")`,
	}
	var scripts []string
	for name, body := range tools {
		scripts = append(scripts, `document.modelContext.registerTool({ name: "`+name+`", description: "Is called `+name+`.", execute: () => `+body+` });`)
	}
	scripts = append(scripts, `let n = 0; setInterval(() => { throw new Error("an ad fails again, " + n++); }, 100);`) // no tool's fault
	address := serve(t, map[string]string{"/": page(scripts...), "/other": page()})
	open := func() *Tab {
		t.Helper()
		tab, p, err := b.Open(t.Context(), address+"/")
		if err != nil || len(p.Tools) != len(tools) {
			t.Fatalf("%d tools (%v)", len(p.Tools), err)
		}
		t.Cleanup(tab.Close)
		return tab
	}
	tab := open()
	if _, err := tab.Call(t.Context(), "none", 0, json.RawMessage(`{}`)); !errors.Is(err, ErrNoTool) {
		t.Errorf("a tool that isn't there: %v", err)
	}
	for _, c := range []struct{ tool, ending, says, thrown string }{
		{"answers", "", "yes", ""}, {"fails", "", "TypeError: no", ""}, {"moves", "", "moved", ""}, {"leaks", "", "done", "Error: late"},
		{"hangs", "timeout", "", ""}, {"leaves", "navigated", "", ""}, {"crashes", "crashed", "", ""},
	} {
		if c.tool == "crashes" {
			tab = open()
		}
		ctx, cancel := t.Context(), context.CancelFunc(func() {})
		if c.tool == "hangs" {
			ctx, cancel = context.WithTimeout(ctx, 50*time.Millisecond)
		}
		out, err := tab.Call(ctx, c.tool, 0, json.RawMessage(`{}`))
		cancel()
		if err != nil || out.Ending != c.ending || !strings.Contains(string(out.Result), c.says) || strings.Join(out.Thrown, ",") != c.thrown {
			t.Errorf("%s: got %+v (%v), result %s", c.tool, out, err, out.Result)
		}
		if c.tool == "fails" != (out.IsError && out.Ending == "") {
			t.Errorf("%s: error %v", c.tool, out.IsError)
		}
	}
}

// Pages that can't be checked say why.
func TestHindrances(t *testing.T) {
	b := aBrowser(t)
	address := serve(t, map[string]string{"/account": "-> /login", "/login": page(`<input type=password>`), "/to": page(`location.href = "/login"`)})
	for path, want := range map[string]string{"/account": "needs a login", "/to": "needs a login", "/missing": "404", "/basic": "needs a login"} {
		_, _, err := b.Open(t.Context(), address+path)
		if path == "/missing" && err != nil && strings.Contains(err.Error(), "ERR_HTTP_RESPONSE_CODE_FAILURE") {
			continue // its server sent no text
		}
		if !errors.Is(err, ErrLoad) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", path, err, want)
		}
	}
	tab, _, err := b.Open(t.Context(), address+"/login") // it was asked for, so it is meant
	if err != nil {
		t.Fatal(err)
	}
	tab.Close()
}
