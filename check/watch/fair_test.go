package watch

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"webmcphub/check/seen"
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
	if i := slices.IndexFunc(p.Registrations, func(r seen.Registration) bool { return r.Name == "lost" }); i < 0 || p.Registrations[i].After >= 0 {
		t.Errorf("the time of registrations is the page's: %+v", p.Registrations)
	}
}
