package live

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"testing"

	"webmcphub/mcpserver"
	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
)

func TestPauses(t *testing.T) {
	hub := &pausedHub{sessions: []string{"stdio-1", "stdio-2"}}
	s := &Server{store: newStore(), hub: hub}
	defer s.store.close()
	action := calls.Action{Who: calls.Who{Session: "stdio-1"}, Where: calls.Where{Tab: 3}}
	want := func(what, says string) {
		t.Helper()
		if why := s.Paused(action); (why == "") != (says == "") || !strings.Contains(why, says) {
			t.Errorf("%s: %q, want %q", what, why, says)
		}
	}
	want("at first", "")
	client := func(session string, on bool) { s.pause(func(p *paused) { p.client(session, on) }) }
	tab := func(id registry.TabID, on bool) { s.pause(func(p *paused) { p.tab(id, on) }) }
	client("stdio-2", true)
	tab(4, true)
	want("while others are paused", "")
	client("stdio-1", true)
	want("a paused client", "paused this client")
	client("stdio-1", false)
	want("that goes on", "")
	tab(3, true)
	want("a paused tab", "paused tab 3")
	tab(3, false)
	want("that is free again", "")
	s.PauseAll(true)
	want("while all agents are paused", "paused all agents")
	action.Session = PersonSession + "-1"
	want("a person", "")
	action.Session = "stdio-1"
	s.PauseAll(false)
	want("when agents go on", "")
	client("stdio-1", true)
	hub.sessions = []string{"stdio-1"}
	if all, now := s.clients(); len(all) != 1 || !now.sessions["stdio-1"] {
		t.Errorf("%+v, %+v", all, now)
	}
	if now := s.paused(); len(now.sessions) != 1 || !now.sessions["stdio-1"] || len(now.tabs) != 1 {
		t.Errorf("once a paused client has gone, %+v are paused", now)
	}
	want("one that stays", "paused this client")
}

// pausedHub is one with clients that come and go.
type pausedHub struct {
	fakeHub
	sessions []string
}

func (h *pausedHub) Clients() (all []mcpserver.ClientState) {
	for _, session := range h.sessions {
		all = append(all, mcpserver.ClientState{Session: session})
	}
	return all
}

// TestPausesOfClosedTabs: a tab that comes back is as paused as before; one that is closed
// for good isn't kept for ever.
func TestPausesOfClosedTabs(t *testing.T) {
	s := &Server{store: newStore(), hub: &pausedHub{}}
	defer s.store.close()
	r := registry.NewState(registry.Options{})
	step := func(events ...registry.Event) {
		for _, e := range append(events, registry.FlushDue{}) {
			s.Apply(r.Step(e))
		}
		s.store.ask(func(*store) {}) // it has taken them
	}
	step(registry.PageOpened{Page: "A", URL: "https://a.example/"}, registry.PageOpened{Page: "B", URL: "https://b.example/"})
	for _, id := range []registry.TabID{1, 2} {
		if problem := s.pause(func(p *paused) { p.tab(id, true) }); problem != "" {
			t.Fatal(problem)
		}
	}
	step(registry.PageClosed{Page: "A"})
	step(registry.PageOpened{Page: "A", URL: "https://a.example/"})
	if now := s.paused(); !now.tabs[1] || !now.tabs[2] {
		t.Errorf("once a tab is back, %+v are paused", now.tabs)
	}
	step(registry.PageClosed{Page: "A"})
	for i := range MaxClosed {
		id := registry.PageID(fmt.Sprint("C", i))
		step(registry.PageOpened{Page: id, URL: "https://c.example/"})
		step(registry.PageClosed{Page: id})
	}
	if now := s.paused(); len(now.tabs) != 1 || !now.tabs[2] {
		t.Errorf("long after a tab was closed, %+v are paused", now.tabs)
	}
}

// TestPausesOfSites: on a paused site nothing is done in its tabs, in its frames in other tabs, and no tab is led
// there; on others all is.
func TestPausesOfSites(t *testing.T) {
	var p Pauses
	var told int
	p.Follow(func() { told++ })
	if err := p.PauseSite("https://Shop.example:443", true); err != nil {
		t.Fatal(err)
	}
	for _, origin := range []string{"", "null", "about:blank"} {
		if p.PauseSite(origin, true) == nil {
			t.Errorf("%q is paused", origin)
		}
	}
	for _, c := range []struct {
		where  calls.Where
		paused bool
	}{
		{calls.Where{Origin: "https://shop.example", Top: "https://shop.example"}, true},
		{calls.Where{Origin: "https://widget.example", Top: "https://shop.example"}, true},
		{calls.Where{Origin: "https://shop.example", Top: "https://news.example"}, true},
		{calls.Where{Origin: "https://news.example", Top: "https://news.example", To: "https://shop.example/cart"}, true},
		{calls.Where{Origin: "null", Address: "https://shop.example/x", Top: "null"}, true},
		{calls.Where{Origin: "null", Around: []string{"https://shop.example"}}, true},
		{calls.Where{Origin: "https://www.shop.example", Top: "https://www.shop.example"}, false},
		{calls.Where{Origin: "http://shop.example", Top: "http://shop.example"}, false},
		{calls.Where{}, false},
		{calls.Where{To: "about:blank"}, false},
	} {
		if why := p.Paused(calls.Action{Where: c.where}); (why != "") != c.paused || c.paused && !strings.Contains(why, "https://shop.example") {
			t.Errorf("%+v: %q", c.where, why)
		}
	}
	if why := p.Paused(calls.Action{Where: calls.Where{To: "https://me@shop.example/"}}); !strings.Contains(why, "where this address leads") {
		t.Errorf("an address that hides its host: %q", why)
	}
	if all, sites, _ := p.PausedNow(); all || len(sites) != 1 || sites[0] != "https://shop.example" {
		t.Errorf("paused are %v, %q", all, sites)
	}
	if err := p.PauseSite("https://shop.example", false); err != nil || p.Paused(calls.Action{Where: calls.Where{Origin: "https://shop.example"}}) != "" {
		t.Errorf("agents go on, but: %v", err)
	}
	if told != 2 {
		t.Errorf("followers were told %d times", told)
	}
}

// permitting is a hub in which permissions for sites were chosen.
type permitting struct {
	fakeHub
	chosen map[string]string
}

func (h *permitting) Permissions() map[string]string { return h.chosen }
func (h *permitting) Permit(origin, permission string) error {
	if permission != "" {
		return errors.New("it can only be taken back here")
	}
	delete(h.chosen, origin)
	return nil
}

// TestStanding: what was set in the extension's popup is on the page, with a button that ends it.
func TestStanding(t *testing.T) {
	hub := &permitting{chosen: map[string]string{"https://bank.example": "never"}}
	s := NewPages(Options{Listener: noListener{}, Logger: slog.New(slog.DiscardHandler)}).Page("")
	defer s.Close()
	s.hub = hub
	r := registry.NewState(registry.Options{})
	for _, e := range []registry.Event{registry.PageOpened{Page: "A", URL: "https://shop.example/"}, registry.PageOpened{Page: "B", URL: "https://news.example/"}, registry.FlushDue{}} {
		s.Apply(r.Step(e))
	}
	texts := func() string {
		t.Helper()
		p := s.page(Filter{}, "session")
		all := []string{}
		for _, one := range p.Settings {
			all = append(all, one.Text+" ["+one.Label+"]")
		}
		var b bytes.Buffer
		if err := Render(&b, "tabs", p); err != nil {
			t.Fatal(err)
		}
		return strings.Join(all, " ") + fmt.Sprintf(" %d paused", strings.Count(b.String(), ">paused<"))
	}
	do := func(what, of string) {
		t.Helper()
		if problem := s.act(t.Context(), what, of, nil); problem != "" {
			t.Error(problem)
		}
	}
	if err := s.PauseSite("https://shop.example", true); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ do, of, want string }{
		{"", "", " [Pause all agents] Agents are paused on https://shop.example. [Let agents go on there] https://bank.example: agents may do nothing. [Take back] 1 paused"},
		{"resume-site", "https://shop.example", " [Pause all agents] https://bank.example: agents may do nothing. [Take back] 0 paused"},
		{"permit", "https://bank.example", " [Pause all agents] 0 paused"},
		{"pause-all", "", "All agents are paused. [Let agents go on] 2 paused"},
		{"resume-all", "", " [Pause all agents] 0 paused"},
	} {
		if c.do != "" {
			do(c.do, c.of)
		}
		if got := texts(); got != c.want {
			t.Errorf("after %s the page says\n\t%s, want\n\t%s", c.do, got, c.want)
		}
	}
}

// noListener listens nowhere.
type noListener struct{ net.Listener }

func (noListener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }
func (noListener) Close() error   { return nil }
