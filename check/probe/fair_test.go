package probe

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"webmcphub/cdpclient"
	"webmcphub/check/lint"
)

// A page is looked at as it is: with fake timers, clocks and promises of its own, with
// rejections that nobody catches, with tools of one name in two frames, and with a form that
// waits for its user.
func TestAPageThatIsSetInItsWays(t *testing.T) {
	b := aBrowser(t)
	const twin = `document.modelContext.registerTool({ name: "twin", description: "Is there twice.", execute: () => "FRAME" });`
	address := serve(t, map[string]string{
		"/inner": page(strings.Replace(twin, "FRAME", "inner", 1)),
		"/": page(
			`window.lost = []; addEventListener("unhandledrejection", (e) => lost.push(e.reason.name));
			window.real = { Promise };
			document.modelContext.registerTool({ name: "a", description: "", execute: () => 1 });
			document.modelContext.registerTool({ name: "b", description: "", execute: () => 1 }).catch(() => {});
			document.modelContext.registerTool({ name: "lost", description: "Says what nobody caught.", execute: () => "[" + lost + "]" });
			window.setTimeout = () => 0; performance.now = () => 0; performance.getEntriesByType = () => [];
			window.Promise = function () { throw new Error("fake") };`,
			strings.Replace(twin, "FRAME", "outer", 1),
			`<iframe src="/inner" allow="webmcp"></iframe>`,
			`<form toolname="book" tooldescription="Books a table."><input name="guests" toolparamdescription="How many."><button>Go</button></form>`,
			`document.querySelector("form").onsubmit = (e) => { e.preventDefault(); e.respondWith(real.Promise.resolve("booked for " + e.target.guests.value + ", by an agent: " + e.agentInvoked)); };`,
		),
	})
	tab, p, err := b.Open(t.Context(), address+"/")
	if err != nil {
		t.Fatal(err)
	}
	defer tab.Close()
	for _, c := range []struct {
		tool string
		nth  int
		args string
		says string
	}{
		{"twin", 0, `{}`, "outer"}, {"twin", 1, `{}`, "inner"},
		{"lost", 0, `{}`, "[InvalidStateError]"}, // the one that the page doesn't catch itself
		{"book", 0, `{"guests":"3"}`, "booked for 3, by an agent: true"},
		{"book", 0, `{"guests":"4"}`, "booked for 4, by an agent: true"},
	} {
		out, err := tab.Call(t.Context(), c.tool, c.nth, json.RawMessage(c.args))
		if err != nil || out.IsError || out.Ending != "" || !strings.Contains(string(out.Result), c.says) {
			t.Errorf("%s, number %d: got %+v (%v), result %s", c.tool, c.nth, out, err, out.Result)
		}
	}
	if i := slices.IndexFunc(p.Registrations, func(r lint.Registration) bool { return r.Name == "lost" }); i < 0 || p.Registrations[i].After >= 0 {
		t.Errorf("the time of registrations is the page's: %+v", p.Registrations)
	}
}

// Forms that wait for a person are sent wherever they are: in the page, in its frames, of its
// own site and of others, and in shadow roots; whatever names the page's elements have; and
// although another frame has a tool of the same name that isn't a form. What the page is like
// can be told of one with such names, too.
func TestFormsThatAreHardToReach(t *testing.T) {
	b := aBrowser(t)
	form := func(name, more string) string {
		return `<form toolname="` + name + `" tooldescription="Books a table."><input name="guests" toolparamdescription="How many.">` + more + `<button>Go</button></form>`
	}
	const books = `(document.querySelector("form[toolname]") ?? host.shadowRoot.querySelector("form")).addEventListener("submit", (e) => {
		e.preventDefault(); e.respondWith(Promise.resolve("booked at " + location.pathname + " for " + e.target.guests.value));
	});`
	address := serve(t, map[string]string{
		"/": page(`<div id="sending">Sending…</div><img name="modelContext"><form name="title"></form><form name="querySelectorAll"></form>`,
			form("book", `<input name="requestSubmit"><input name="querySelector"><input name="elements"><input type="password" name="getAttribute">`), books,
			`<iframe src="/inner"></iframe><iframe src="http://kiosk.localhost:PORT/kiosk" allow="tools"></iframe><iframe src="/shadow"></iframe>`),
		"/inner":  page(form("inner", ""), books, `document.modelContext.registerTool({ name: "book", description: "Is no form.", execute: () => "told" });`),
		"/kiosk":  page(form("kiosk", ""), books), // another site
		"/shadow": page(`<div id="host"></div>`, `host.attachShadow({ mode: "open" }).innerHTML = '`+form("shadow", "")+`';`, books),
	})
	tab, p, err := b.Open(t.Context(), address+"/")
	if err != nil {
		t.Fatal(err)
	}
	defer tab.Close()
	if p.Title != "Test" || !p.Password || len(p.Forms) != 1 || p.Forms[0].Tool != "book" || !slices.Equal(p.Forms[0].Sensitive, []string{"getAttribute"}) {
		t.Errorf("the page is seen as %q, password field %v, forms %+v", p.Title, p.Password, p.Forms)
	}
	var forms []string
	for _, tool := range p.Tools {
		if tool.Form {
			forms = append(forms, tool.Name)
		}
	}
	if slices.Sort(forms); !slices.Equal(forms, []string{"book", "inner", "shadow"}) {
		t.Errorf("forms: %q", forms)
	}
	for _, tool := range []string{"book", "inner", "kiosk", "shadow"} {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		out, err := tab.Call(ctx, tool, 0, json.RawMessage(`{"guests":"3"}`))
		cancel()
		if err != nil || out.IsError || !strings.Contains(string(out.Result), "for 3") {
			t.Errorf("%s: got %+v (%v), result %s", tool, out, err, out.Result)
		}
	}
	if out, err := tab.Call(t.Context(), "book", 1, json.RawMessage(`{}`)); err != nil || !strings.Contains(string(out.Result), "told") {
		t.Errorf("the tool with a form's name: %+v (%v), result %s", out, err, out.Result)
	}
	// its element is gone, and what is there now isn't announced yet
	gone := `{"tools":[{"name":"inner","frameId":"` + tab.idOf(tab.find("inner", 0).Source()).frame + `","backendNodeId":999999999}]}`
	tab.frames.page(cdpclient.Event{Session: tab.session, Method: cdpclient.WebMCPToolsAdded,
		Params: json.RawMessage(gone)})
	if out, err := tab.Call(t.Context(), "inner", 0, json.RawMessage(`{}`)); !errors.Is(err, ErrUnsent) {
		t.Errorf("a form that can't be sent: %+v (%v)", out, err)
	}
}
