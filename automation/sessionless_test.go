package automation

import (
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/automation/automationtest"
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
	r.service.mu.Lock()
	defer r.service.mu.Unlock()
	if r.service.leases.Len() > 0 || len(r.service.present) > 0 || len(r.service.tabs["p0"].users) != 1 {
		t.Errorf("left: %v, %v, %v", r.service.leases.Len(), r.service.present, r.service.tabs["p0"].users)
	}
}

// TestStrangersTabsAreLetGo: a tab that was used without a session is not kept for ever.
func TestStrangersTabsAreLetGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newFakeBrowser("https://a.example/")
		s := newService(b)
		defer s.Close()
		newAgent(t, s, b, "").fails("take_snapshot", `{}`, "no debugging port")
		tab := s.tab(b.catalog(t.Context()), "p0")
		if !s.used(tab) {
			t.Error("the tab is let go of at once")
		}
		fakeclock.Elapse(strangersKeep + time.Second)
		if s.used(tab) {
			t.Error("the tab is kept")
		}
	})
}
