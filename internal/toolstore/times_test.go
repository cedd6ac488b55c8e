package toolstore

import (
	"fmt"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/internal/fakeclock"
	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// apply passes on the last catalog that the registry serves, so that one look
// sees it all, and lets no time pass.
func (s *stored) apply(events ...registry.Event) {
	var last registry.Effect
	for _, e := range append(events, registry.FlushDue{}, registry.FlushDue{}) {
		for _, effect := range s.state.Step(e) {
			if _, ok := effect.(registry.SetCatalog); ok {
				last = effect
			}
		}
	}
	s.Apply([]registry.Effect{last})
	synctest.Wait()
}

// offering is a page that offers one tool that may be cached.
func offering(id, url, name, description string) []registry.Event {
	yes := true
	return []registry.Event{registry.PageOpened{Page: registry.PageID(id), URL: url}, registry.Navigated{Page: registry.PageID(id), Gen: 1, URL: url},
		registry.ToolsReported{Page: registry.PageID(id), Gen: 1, Tools: []*registry.PageTool{{Name: name, Description: description, Frame: "F", Doc: 1, Annotations: offer.Annotations{Cache: &yes}}}}}
}

func TestAnHourIsAnHour(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := start(t, "")
		s.page("A", "https://a.test/", "x!")
		s.apply(registry.PageClosed{Page: "A"})
		fakeclock.Elapse(4 * time.Minute)
		s.apply(offering("B", "https://b.test/", "y", "")...) // something else happens meanwhile
		fakeclock.Elapse(56*time.Minute - 1)
		synctest.Wait()
		s.want("https://a.test x https://a.test/ https://b.test y https://b.test/")
		fakeclock.Elapse(1)
		synctest.Wait()
		s.want("https://b.test y https://b.test/")
		s.Close()
	})
}

func TestTheHourOfAnOpenTabsToolBeginsWithTheEndOfTheHub(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	bubble(t, func(t *testing.T) {
		s := start(t, path)
		s.page("A", "https://a.test/", "x!")
		fakeclock.Elapse(3 * time.Minute)
		s.Close()
		f, all, _ := opened(t, path)
		if e := all[key{"https://a.test", "x"}]; e == nil || !e.seen.Equal(time.Now()) {
			t.Errorf("the file has %+v", e)
		}
		f.close()
		f.db = nil
		fakeclock.Elapse(Keep - 1)
		s = start(t, path)
		s.want("https://a.test x https://a.test/")
		s.Close()
		fakeclock.Elapse(1)
		s = start(t, path)
		s.want("")
		s.Close()
	})
}

// Nothing is lost at the end, and the end does not wait.
func TestWhatComesJustBeforeTheEnd(t *testing.T) {
	for range 40 { // which of two ready channels it takes is chance
		bubble(t, func(t *testing.T) {
			s := start(t, "")
			began := time.Now()
			s.apply(offering("A", "https://a.test/", "x", "")...)
			s.apply(offering("B", "https://b.test/", "y", "")...) // the store rests
			s.want("https://a.test x https://a.test/")
			s.Close()
			s.want("https://a.test x https://a.test/ https://b.test y https://b.test/")
			if took := time.Since(began); took != 0 {
				t.Errorf("it took %v", took)
			}
		})
	}
}

func TestLooksKeepTheirPace(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := start(t, "")
		s.apply(offering("A", "https://a.test/", "x", "")...)
		fakeclock.Elapse(pace - 1)
		s.apply(offering("B", "https://b.test/", "y", "")...)
		s.want("https://a.test x https://a.test/")
		fakeclock.Elapse(1)
		synctest.Wait()
		s.want("https://a.test x https://a.test/ https://b.test y https://b.test/")
		s.Close()
	})
}

func TestTheNewestCatalogsWait(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	s := Open(Options{Path: path})
	state := registry.NewState(registry.Options{})
	var served []*registry.Catalog
	for i := range maxPending + 50 {
		for _, e := range append(state.Step(registry.BrowserChanged{Status: fmt.Sprint(i)}), state.Step(registry.FlushDue{})...) {
			if c, ok := e.(registry.SetCatalog); ok {
				served = append(served, c.Catalog)
			}
			s.Apply([]registry.Effect{e})
		}
	}
	if len(served) <= maxPending || len(s.pending) != maxPending || s.pending[0] != served[0] || s.pending[maxPending-1] != served[len(served)-1] {
		t.Errorf("%d of %d wait", len(s.pending), len(served))
	}
	s.Close() // never started
	if f, _, said := opened(t, path); f.db == nil {
		t.Errorf("the file is still open: %s", said)
	}
}

func TestToolsThatChange(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := start(t, "")
		s.step(offering("A", "https://a.test/1", "x", "one")...)
		s.step(offering("B", "https://a.test/2", "x", "one")...) // the first tab's counts
		s.want("https://a.test x https://a.test/1")
		if s.times != 2 { // at the start, and then
			t.Errorf("told %d times", s.times)
		}
		s.step(registry.PageClosed{Page: "A"})
		s.want("https://a.test x https://a.test/2")
		s.step(registry.PageClosed{Page: "B"})
		s.step(offering("C", "https://a.test/2", "x", "another")...)
		s.want("https://a.test x https://a.test/2")
		if got := s.told[0].Tool.Description; got != "another" {
			t.Errorf("it is described as %q", got)
		}
		s.Close()
	})
}
