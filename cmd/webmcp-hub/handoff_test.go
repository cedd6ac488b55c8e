package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/live"
	"webmcphub/mcpserver/view"
	"webmcphub/registry"
)

// TestHandoffState: the pages that are open are opened again, in their order, and nothing
// but pages is.
func TestHandoffState(t *testing.T) {
	told := 0
	k := &Handoff{Changed: func() { told++ }}
	if got := TabsToReopen(k.State()); got != nil {
		t.Errorf("before anything is open: %q", got)
	}
	state := registry.NewState(registry.Options{})
	for i, address := range []string{"https://a.example/?q=1#x", "chrome://settings/", "http://localhost:1/", "about:blank", "file:///a", "javascript:alert(1)", "--renderer-cmd-prefix=x", "https://" + strings.Repeat("x", maxReopenedURL)} {
		k.Apply(state.Step(registry.PageOpened{Page: registry.PageID(fmt.Sprint(i)), URL: address}))
		k.Apply(state.Step(registry.FlushDue{}))
	}
	want := []string{"https://a.example/?q=1#x", "http://localhost:1/", "file:///a"}
	if got := TabsToReopen(k.State()); !slices.Equal(got, want) || told == 0 {
		t.Errorf("got %q, told %d times", got, told)
	}
	if got := Reopening([]string{"--lang=de", "https://start.example/"}, want); !slices.Equal(got, append([]string{"--lang=de"}, want...)) {
		t.Errorf("Chrome's arguments are %q", got)
	}
	for _, bad := range []string{``, `null`, `{"tabs":3}`, `{"tabs":["--x","javascript:1",""]}`} {
		if got := TabsToReopen([]byte(bad)); got != nil {
			t.Errorf("%s: %q", bad, got)
		}
	}
}

// TestStateHasThePauses: what the user has paused is paused at the next hub, too, and the one after that.
func TestStateHasThePauses(t *testing.T) {
	told := 0
	first, second := &Handoff{Changed: func() { told++ }}, &Handoff{Changed: func() {}}
	paused := &live.Pauses{}
	first.Pauses(paused, nil)
	paused.PauseAll(true)
	if err := paused.PauseSite("https://shop.example", true); err != nil || told != 2 {
		t.Errorf("told %d times, %v", told, err)
	}
	second.Pauses(&live.Pauses{}, first.State())
	next := &live.Pauses{}
	(&Handoff{Changed: func() {}}).Pauses(next, second.State())
	if all, sites, _ := next.PausedNow(); !all || !slices.Equal(sites, []string{"https://shop.example"}) {
		t.Errorf("all: %v, sites: %q", all, sites)
	}
	paused.PauseAll(false)
	_ = paused.PauseSite("https://shop.example", false)
	next = &live.Pauses{}
	second.Pauses(next, first.State())
	if all, sites, _ := next.PausedNow(); all || len(sites) > 0 {
		t.Errorf("after the pauses ended: all: %v, sites: %q", all, sites)
	}
}

// TestStateOfAHubThatTookOver: what the hub before left counts until this one knows better.
func TestStateOfAHubThatTookOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		previous := []byte(`{"tabs":["https://a.example/"],"before":{"last":7,"tabs":[{"page":"P","id":5}]},"kept":["P","Q"],"http":{"Listen":"x"}}`)
		k := &Handoff{Changed: func() {}}
		k.Restore(previous, true)
		state := registry.NewState(registry.Options{})
		k.Apply([]registry.Effect{registry.SetCatalog{Catalog: state.Catalog()}}) // the browser has announced nothing yet
		before := TabsBefore(k.State())
		if got := TabsToReopen(k.State()); !slices.Equal(got, []string{"https://a.example/"}) || before.Last != 7 || len(before.Tabs) != 1 {
			t.Errorf("at first it leaves %q, %+v", got, before)
		}
		if got := KeptTabs(k.State()); !slices.Equal(got, []registry.PageID{"P", "Q"}) || string(ServedOverHTTP(k.State())) != `{"Listen":"x"}` {
			t.Errorf("at first it leaves %q, %s", got, ServedOverHTTP(k.State()))
		}
		k.Keeps(1, "P") // its client has come back
		k.Keeps(1, "")  // and lets go of it
		if got := KeptTabs(k.State()); !slices.Equal(got, []registry.PageID{"Q"}) {
			t.Errorf("then it keeps %q", got)
		}
		<-time.After(view.ResumesWithin)
		if got := KeptTabs(k.State()); len(got) > 0 {
			t.Errorf("at last it keeps %q", got)
		}
		k.Apply(state.Step(registry.PageOpened{Page: "R", URL: "https://b.example/"}))
		k.Apply(state.Step(registry.FlushDue{}))
		k.Serves([]byte(`{"Listen":"y"}`))
		if got := TabsToReopen(k.State()); !slices.Equal(got, []string{"https://b.example/"}) || string(ServedOverHTTP(k.State())) != `{"Listen":"y"}` {
			t.Errorf("at last it leaves %q, %s", got, ServedOverHTTP(k.State()))
		}
		k.Serves(nil)
		if got := ServedOverHTTP(k.State()); got != nil {
			t.Errorf("when it doesn't serve HTTP any more, it leaves %s", got)
		}
		ends := &Handoff{Changed: func() {}}
		ends.Restore(previous, true)
		ends.Serves(nil)
		if got := ServedOverHTTP(ends.State()); got != nil {
			t.Errorf("when it never served HTTP, it leaves %s", got)
		}
		other := &Handoff{Changed: func() {}}
		other.Restore(previous, false)
		if before := TabsBefore(other.State()); before.Last != 0 || len(before.Tabs) > 0 {
			t.Errorf("another Chrome's tabs have the numbers %+v", before)
		}
	})
}
