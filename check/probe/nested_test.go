package probe

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/cdpclient"
	"webmcphub/check/lint"
	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// Forms that wait for a person are sent in frames of frames too, with three sites in one page:
// one whose process is its own, one that is in the process of the frame around it, and one
// that is of the page's own site again.
func TestFormsInFramesOfOtherSites(t *testing.T) {
	b := aBrowser(t)
	form := waitingForm
	const books = `document.querySelector("form").onsubmit = (e) => {
		e.preventDefault(); e.respondWith(Promise.resolve("booked at " + location.host.split(".")[0] + location.pathname + " for " + e.target.guests.value));
	};`
	frame := func(at string) string { return `<iframe src="` + at + `" allow="tools"></iframe>` }
	address := serve(t, map[string]string{
		"/":       page(form("top"), books, frame("http://kiosk.localhost:PORT/kiosk"), frame("http://bar.localhost:PORT/bar")),
		"/kiosk":  page(frame("http://till.localhost:PORT/till"), frame("/beside"), frame("http://shop.localhost:PORT/again")),
		"/till":   page(form("till"), books),
		"/beside": page(form("beside"), books, frame("/within")),
		"/within": page(form("within"), books, `<div id="host"></div>`, `host.attachShadow({ mode: "open" }).innerHTML = '`+form("shadow")+`<form toolname="own" tooldescription="Sends itself." toolautosubmit><input name="guests" toolparamdescription="How many."><button>Go</button></form>';
			for (const f of host.shadowRoot.querySelectorAll("form")) f.onsubmit = document.querySelector("form").onsubmit;
			host.shadowRoot.querySelector("[toolname=own]").onsubmit = (e) => { e.preventDefault(); e.respondWith(Promise.resolve("sent by itself for " + ++window.times)); };
			window.times = 2;`),
		"/again": page(form("again"), books),
		"/bar":   page(form("bar"), books),
	})
	tab, p, err := b.Open(t.Context(), address+"/")
	if err != nil {
		t.Fatal(err)
	}
	defer tab.Close()
	if len(p.Tools) != 8 {
		t.Errorf("the page's tools: %+v", p.Tools)
	}
	for name, at := range map[string]string{"top": "shop/", "bar": "bar/bar", "till": "till/till", "beside": "kiosk/beside", "within": "kiosk/within", "shadow": "kiosk/within", "again": "shop/again", "own": ""} {
		for _, guests := range []string{"3", "4"} { // nothing is left of the first call that would hinder a second
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			out, err := tab.Call(ctx, name, 0, json.RawMessage(`{"guests":"`+guests+`"}`))
			cancel()
			want := "booked at " + at + " for " + guests
			if name == "own" { // once each time
				want = "sent by itself for " + guests
			}
			if err != nil || out.IsError || out.Ending != "" || !strings.Contains(string(out.Result), want) {
				t.Errorf("%s: got %+v (%v), result %s", name, out, err, out.Result)
			}
		}
	}
}

// waitingForm is a form that waits for a person.
func waitingForm(name string) string {
	return `<form toolname="` + name + `" tooldescription="Books a table."><input name="guests" toolparamdescription="How many."><button>Go</button></form>`
}

// Forms are sent when their frame has gone to another site and back, and when it came back from the back/forward cache,
// whose frames' tools Chrome doesn't announce again.
func TestFormsInFramesThatMove(t *testing.T) {
	b := aBrowser(t)
	const books = `document.querySelector("form").onsubmit = (e) => {
		e.preventDefault(); e.respondWith(Promise.resolve("booked at " + location.pathname));
	};`
	mover := func(name, does string) string {
		return `document.modelContext.registerTool({ name: "` + name + `", description: "Goes elsewhere.", execute: () => { ` + does + `; } });`
	}
	frame := func(at string) string { return page(waitingForm("book"), books, `<iframe src="`+at+`"></iframe>`) }
	inner := func(name string) string { return page(waitingForm(name), books) }
	address := serve(t, map[string]string{
		"/": page(waitingForm("top"), books, `<iframe id="f" src="http://kiosk.localhost:PORT/kiosk" allow="tools"></iframe>`, mover("leave", `location.href = "/other"`),
			mover("bar", `f.src = "http://bar.localhost:PORT/bar"`), mover("home", `f.src = "/home"`), mover("kiosk", `f.src = "http://kiosk.localhost:PORT/kiosk"`),
			`addEventListener("pageshow", (e) => { if (e.persisted) document.modelContext.registerTool({ name: "cached", description: "It was in the cache.", execute: () => 1 }); });`),
		"/kiosk": frame("/within-kiosk"), "/bar": frame("/within-bar"), "/home": frame("/within-home"),
		"/within-kiosk": inner("kiosk-in"), "/within-bar": inner("bar-in"), "/within-home": inner("home-in"),
		"/other": page(mover("back", `history.back()`)),
	})
	tab, _, err := b.Open(t.Context(), address+"/")
	if err != nil {
		t.Fatal(err)
	}
	defer tab.Close()
	at := "kiosk"
	for _, move := range []string{"", "bar", "home", "kiosk", "leave", "bar", "leave"} {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		do := func(tool string) string {
			t.Helper()
			if err := tab.Until(ctx, func([]lint.Tool) bool { return tab.find(tool, 0) != nil }); err != nil {
				t.Fatalf("after %q: %s: %v", move, tool, err)
			}
			out, err := tab.Call(ctx, tool, 0, json.RawMessage(`{}`))
			if err != nil || out.IsError {
				t.Errorf("after %q: %s: got %+v (%v), result %s", move, tool, out, err, out.Result)
			}
			return string(out.Result)
		}
		switch move {
		case "":
		case "leave":
			do(move)
			do("back")
			do("cached")
		default:
			do(move)
			at = move
		}
		// once the first is there, so are the others
		for _, c := range [][2]string{{at + "-in", "/within-" + at}, {"book", "/" + at}, {"top", "/"}} {
			if got := do(c[0]); !strings.Contains(got, "booked at "+c[1]+`"`) {
				t.Errorf("after %q: %s: got %s", move, c[0], got)
			}
		}
	}
}

// A tool that Chrome doesn't announce may be a form that waits, on which a call would seem to hang: that is said, after
// Chrome has had its time. One that has gone meanwhile is called, and the call says so.
func TestAToolThatIsNotAnnounced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tab := &Tab{browser: &Browser{catalogs: newCatalogs()}, page: "page", frames: newFrames(nil, newTape())}
		tool := &registry.PageTool{Frame: "nowhere", Doc: 1, Runtime: offer.Native, Name: "ghost"}
		state := registry.NewState(registry.Options{})
		for _, e := range []registry.Event{
			registry.PageOpened{Page: tab.page, URL: "http://shop.test/"},
			registry.Navigated{Page: tab.page, Gen: 1, URL: "http://shop.test/"},
			registry.ToolsReported{Page: tab.page, Gen: 1, Tools: []*registry.PageTool{tool}},
			registry.FlushDue{}, registry.FlushDue{},
		} {
			tab.browser.catalogs.Apply(state.Step(e))
		}
		there := tab.find("ghost", 0)
		if there == nil {
			t.Fatal("the tool isn't there")
		}
		if err := tab.waitsFor(t.Context(), there.Source()); !errors.Is(err, ErrFrameUnknown) {
			t.Errorf("a tool that isn't announced: %v", err)
		}
		gone := &registry.PageTool{Frame: "nowhere", Runtime: offer.Native, Name: "gone"}
		if err := tab.waitsFor(t.Context(), gone); err != nil {
			t.Errorf("a tool that has gone: %v", err)
		}
		said := make(chan error)
		go func() { said <- tab.waitsFor(t.Context(), there.Source()) }()
		synctest.Wait() // it waits
		tab.frames.frame(cdpclient.Event{Session: "other", Method: cdpclient.WebMCPToolsAdded,
			Params: json.RawMessage(`{"tools":[{"name":"ghost","frameId":"nowhere"}]}`)})
		if err := <-said; err != nil {
			t.Errorf("a tool that is announced late, and no form: %v", err)
		}
		tab.frames.frame(cdpclient.Event{Session: "before", Method: cdpclient.WebMCPToolsRemoved,
			Params: json.RawMessage(`{"tools":[{"name":"ghost","frameId":"nowhere"}]}`)})
		if _, known := tab.frames.announced(toolID{"nowhere", "ghost"}); !known {
			t.Error("the process that the frame has left withdrew the tool")
		}
		tab.frames = newFrames(nil, newTape())
		over, end := context.WithCancel(t.Context())
		end()
		if err := tab.waitsFor(over, there.Source()); err != nil {
			t.Errorf("a call that is over: %v", err) // which Call reports
		}
	})
}
