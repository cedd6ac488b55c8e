package automation

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/automation/automationtest"
	"webmcphub/internal/browsertool"
	"webmcphub/internal/fakeclock"
)

// TestStrangersWithoutSession: calls that can't be told to be one client's share nothing
// that only one client may have.
func TestStrangersWithoutSession(t *testing.T) {
	r := openReal(t, automationtest.HTML(`<button>Secret of one</button>`))
	r.client.ID = ""
	r.fails("performance_start_trace", `{"autoStop":false,"reload":false}`, "no session")
	r.fails("new_page", `{"url":"`+r.Site.URL("a", "/")+`","isolatedContext":"mine"}`, "no session")
	r.says("take_snapshot", `{}`, "Secret of one")
	r.says("take_snapshot", `{"diff":true}`, "Secret of one") // not against what another was shown
	r.fails("performance_stop_trace", `{}`, "recording no trace")
	if _, err := r.service.performance.Reserve("2", "two", (&Request{Call: browsertool.Call{Client: r.client}}).traceOf("p0")); err != nil {
		t.Errorf("left: %v", err)
	}
	r.service.mu.Lock()
	defer r.service.mu.Unlock()
	if len(r.service.present) > 0 || len(r.service.tabs["p0"].users) != 1 {
		t.Errorf("left: %v, %v", r.service.present, r.service.tabs["p0"].users)
	}
}

// TestStrangersAreToldWhatChanged: what an action changes is told without a session too, and only
// that: what changed before the call is not known to be news.
func TestStrangersAreToldWhatChanged(t *testing.T) {
	r := openReal(t, automationtest.HTML(`<button onclick="note.textContent = 'You have it'">Buy</button> <label>Name <input></label> <p id=note></p> <h2 id=other>Other</h2>`))
	r.client.ID = ""
	buy, name := r.uid(`"Buy"`), r.uid(`"Name"`)
	js[any](r, `other.textContent = 'meanwhile'`)
	got := r.call("click", `{"uid":"`+buy+`"}`)
	if got.IsError || !strings.Contains(got.Text, "What changed:\n") || !strings.Contains(got.Text, "You have it") || strings.Contains(got.Text, "meanwhile") {
		t.Errorf("click: %s", got.Text)
	}
	r.says("fill_form", `{"elements":[{"uid":"`+name+`","value":"Ada"}]}`, "What changed:")
	if again := r.call("click", `{"uid":"`+buy+`"}`); again.IsError || strings.Contains(again.Text, "You have it") {
		t.Errorf("what stays is told as news: %s", again.Text)
	}
	r.service.mu.Lock()
	defer r.service.mu.Unlock()
	if n := len(r.service.present); n > 0 {
		t.Errorf("%d calls are remembered", n)
	}
}

// TestStrangersTabsAreLetGo: a tab that was used without a session is not kept for ever.
func TestStrangersTabsAreLetGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newFakeBrowser("https://a.example/")
		s := newService(b)
		defer s.Close()
		newAgent(t, s, b, "").fails("take_snapshot", `{}`, "no debugging port")
		tab := s.tab(b.current, "p0")
		if !s.used(tab) {
			t.Error("the tab is let go of at once")
		}
		fakeclock.Elapse(anonymousKeep + time.Second)
		if s.used(tab) {
			t.Error("the tab is kept")
		}
	})
}
