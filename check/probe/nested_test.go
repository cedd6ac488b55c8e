package probe

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// Forms that wait for a person are sent in frames of frames too, with three sites in one page:
// one whose process is its own, one that is in the process of the frame around it, and one
// that is of the page's own site again.
func TestFormsInFramesOfOtherSites(t *testing.T) {
	b := aBrowser(t)
	form := func(name string) string {
		return `<form toolname="` + name + `" tooldescription="Books a table."><input name="guests" toolparamdescription="How many."><button>Go</button></form>`
	}
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

// A tool of a frame that can't be looked into may be a form that waits, on which a call would seem
// to hang: that is said. One that has gone meanwhile is called, and the call says so.
func TestAFrameThatCannotBeLookedInto(t *testing.T) {
	b := aBrowser(t)
	address := serve(t, map[string]string{"/": page(`<iframe src="http://kiosk.localhost:PORT/kiosk"></iframe>`), "/kiosk": page(`<p>`)})
	real, _, err := b.Open(t.Context(), address+"/")
	if err != nil {
		t.Fatal(err)
	}
	defer real.Close()
	tab := &Tab{browser: &Browser{conn: b.conn, catalogs: newCatalogs()}, page: real.page, session: real.session, tape: real.tape}
	tool := &registry.PageTool{Frame: "nowhere", Doc: 1, Runtime: offer.Native, Name: "ghost"}
	state := registry.NewState(registry.Options{})
	for _, e := range []registry.Event{
		registry.PageOpened{Page: tab.page, URL: address},
		registry.Navigated{Page: tab.page, Gen: 1, URL: address},
		registry.ToolsReported{Page: tab.page, Gen: 1, Tools: []*registry.PageTool{tool}},
		registry.FlushDue{}, registry.FlushDue{},
	} {
		tab.browser.catalogs.Apply(state.Step(e))
	}
	there := tab.find("ghost", 0)
	if there == nil {
		t.Fatal("the tool isn't there")
	}
	if _, err := tab.waitsFor(t.Context(), there.Source()); !errors.Is(err, ErrFrameUnknown) {
		t.Errorf("a tool whose frame isn't found: %v", err)
	}
	over, err := tab.waitsFor(t.Context(), &registry.PageTool{Frame: "nowhere", Runtime: offer.Native, Name: "gone"})
	if err != nil {
		t.Fatalf("a tool that has gone: %v", err)
	}
	over()
}
