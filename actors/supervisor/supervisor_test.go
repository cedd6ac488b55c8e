package supervisor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/asynkron/protoactor-go/actor"

	"webmcphub/actors/tab"
	"webmcphub/internal/fakeclock"
	"webmcphub/registry"
)

// stage is a supervisor, and a place for everybody whom it speaks to. What each of them gets is
// noted as "name: message".
type stage struct {
	*testing.T
	Supervisor
	mu      sync.Mutex
	heard   []string
	spawned []*tab.Tab
	system  *actor.ActorSystem
}

func newStage(t *testing.T) *stage {
	s := &stage{T: t, system: actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return slog.New(slog.DiscardHandler) }))}
	h := Hub{
		Env:    &tab.Env{Switches: &tab.Switches{}, Root: s.system.Root, Registry: s.actor("registry"), Log: slog.New(slog.DiscardHandler)},
		Forget: func(page registry.PageID, _ *tab.Address) { s.note("forget %s", page) },
		GiveUp: func(what string) { s.note("give up %s", what) },
	}
	h.Spawn = func(t *tab.Tab) {
		s.spawned = append(s.spawned, t)
		t.To().PID = s.actor(fmt.Sprintf("tab%d", len(s.spawned)))
	}
	s.Supervisor = New(h, s.actor("supervisor"), "the list of browsers")
	return s
}

func (s *stage) note(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heard = append(s.heard, fmt.Sprintf(format, args...))
}

func (s *stage) actor(name string) *actor.PID {
	return s.system.Root.Spawn(actor.PropsFromFunc(func(c actor.Context) {
		switch m := c.Message().(type) {
		case *actor.Started, *actor.Stopping:
		case *actor.Stopped:
			s.note("%s stopped", name)
		case registry.PageOpened:
			s.note("%s: opened %s as %d", name, m.Page, m.Epoch)
		case registry.PageClosed:
			s.note("%s: closed %s", name, m.Page)
		case tab.End:
			s.note("%s: end, lives=%v, %s", name, m.Lives, m.Why("t").Ending)
		default:
			s.note("%s: %T", name, m)
		}
	}))
}

// wants fails unless just this was heard, in any order of the hearers.
func (s *stage) wants(want ...string) {
	s.Helper()
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	got := slices.Sorted(slices.Values(s.heard))
	slices.Sort(want)
	if !slices.Equal(got, want) {
		s.Errorf("heard %q, want %q", got, want)
	}
	s.heard = nil
}

// forget forgets what was heard.
func (s *stage) forget() {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heard = nil
}

// staged runs a test with a stage in a synctest bubble.
func staged(t *testing.T, play func(*stage)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		play(s)
		s.system.Shutdown()
		// A dead letter leaves a timer of the actor library behind, and the bubble waits for no timer once this
		// returns.
		fakeclock.Elapse(s.system.Config.DeadLetterThrottleInterval)
	})
}

// info is what the stage's browser says of a tab.
type info struct{ url string }

func (i info) Info() tab.Info { return tab.Info{URL: i.url} }

// open takes up a tab.
func (s *stage) open(ts *Tabs[info], page registry.PageID) *Tab[info] {
	return ts.Open(page, info{"https://" + string(page)}, func(b tab.Birth) *tab.Tab {
		if b.ID != page || b.Epoch == 0 || b.URL != "https://"+string(page) {
			s.Errorf("%s is born as %+v", page, b)
		}
		return tab.New(s.Env, b)
	})
}

func TestFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f Failures
		for range MaxFailures {
			if f.TooMany() {
				t.Fatal("as many as may be are too many")
			}
		}
		fakeclock.Elapse(FailureWindow)
		if !f.TooMany() {
			t.Error("one more in the window is not too many")
		}
		fakeclock.Elapse(FailureWindow + 1)
		if f.TooMany() || len(f) != 1 {
			t.Errorf("those before the window count: %d", len(f))
		}
	})
}

func TestOrders(t *testing.T) {
	staged(t, func(s *stage) {
		ended := make(chan struct{})
		root := s.system.Root
		takes := func(take func(*Order)) *actor.PID {
			return root.Spawn(actor.PropsFromFunc(func(c actor.Context) {
				if o, ok := c.Message().(*Order); ok {
					take(o)
				}
			}))
		}
		a, err := Order{Does: OpenTab, URL: "u"}.Send(s.Context(), root, takes(func(o *Order) {
			o.Give(Answer{Page: registry.PageID(o.Does) + ":" + registry.PageID(o.URL)})
			o.Give(Answer{Err: errors.New("a second answer")})
		}), ended, "late")
		if err != nil || a.Page != "open:u" {
			s.Errorf("answer %+v, %v", a, err)
		}
		_, err = Order{}.Send(s.Context(), root, takes(func(o *Order) {
			Answered{Orders: []*Order{o}, Answer: Answer{Err: ErrNoBrowser}}.Give()
		}), ended, "late")
		if !errors.Is(err, ErrNoBrowser) {
			s.Error(err)
		}
		mute := takes(func(*Order) {})
		ctx, cancel := context.WithTimeoutCause(s.Context(), 1, errors.New("time is up"))
		defer cancel()
		if _, err = (Order{}).Send(ctx, root, mute, ended, "late"); err == nil || err.Error() != "late (time is up)" {
			s.Error(err)
		}
		close(ended)
		if _, err = (Order{}).Send(s.Context(), root, mute, ended, "late"); !errors.Is(err, ErrStopped) {
			s.Error(err)
		}
	})
}

// TestStop: a supervisor ends when nothing that it began is left behind.
func TestStop(t *testing.T) {
	staged(t, func(s *stage) {
		ts := NewTabs[info](&s.Supervisor)
		s.open(ts, "a")
		s.open(ts, "b")
		s.Await("dialling")
		s.wants("registry: opened a as 1", "registry: opened b as 2")
		hold := make(chan struct{})
		s.CloseAfter(ts.CloseAll(registry.EndedByStop), func() { close(hold) })
		s.wants("registry: closed a", "registry: closed b", "forget a", "forget b", "tab1: end, lives=false, stopped", "tab2: end, lives=false, stopped")
		if s.Stop(); !s.Stopping() {
			s.Error("it isn't stopping")
		}
		s.StopAwaiting("dialling")
		s.wants() // the pages have yet to hear of their calls
		select {
		case <-hold:
			s.Error("the connection is closed before the pages have heard")
		default:
		}
		fakeclock.Elapse(tab.ReleaseTimeout)
		<-hold
		s.wants("supervisor: supervisor.ConnectionClosed")
		for closing := range s.awaited {
			s.StopAwaiting(ConnectionClosed{closing})
			s.StopAwaiting(ConnectionClosed{closing})
		}
		s.wants("supervisor stopped")
		s.Ended()
		s.Ended()
		<-s.Done()
	})
}

// TestMend: a supervisor goes on after a panic, unless it is to end, or fails too often.
func TestMend(t *testing.T) {
	staged(t, func(s *stage) {
		stops := 0
		mend := func(message any) bool { return s.Mend(message, func() { stops++ }) }
		for range MaxFailures {
			if !mend("anything") {
				s.Fatal("it doesn't go on")
			}
		}
		if mend("anything") {
			s.Error("it goes on for ever")
		}
		s.wants("give up the list of browsers")
		closing := new(byte)
		s.Await(closing)
		if mend(&actor.Stopping{}) || mend(&actor.Stopped{}) || stops != 0 {
			s.Error("it goes on after its end")
		}
		<-s.Done()
		if mend(Stop{}) || stops != 1 {
			s.Errorf("an order to stop is lost: %d", stops)
		}
		s.stopping = true
		if mend(ConnectionClosed{closing}) || s.Awaits(closing) || stops != 2 {
			s.Errorf("the end of a connection is lost: %d", stops)
		}
		s.wants("supervisor stopped")
	})
}

// TestTabs: a tab that fails is taken up again by another actor, until it fails too often.
func TestTabs(t *testing.T) {
	staged(t, func(s *stage) {
		ts := NewTabs[info](&s.Supervisor)
		first := s.open(ts, "a")
		s.open(ts, "b")
		s.wants("registry: opened a as 1", "registry: opened b as 2")
		ts.Resync()
		s.wants("registry: opened a as 1", "registry: opened b as 2", "tab1: tab.Resync", "tab2: tab.Resync")
		again := func(t *Tab[info]) { s.open(ts, t.ID) }
		fails := func(of *tab.Address) { ts.Replace(tab.ActorFailed{Page: "a", Of: of}, "it is closed", again) }
		fails(ts.Get("a").To)
		s.wants("forget a", "registry: closed a", "tab1: end, lives=true, failed", "registry: opened a as 3")
		fails(first.To) // another has taken the tab up already
		s.wants()
		for range MaxFailures {
			fails(ts.Get("a").To)
		}
		if ts.Get("a") != nil || !ts.LeftAlone("a") || ts.Len() != 1 {
			s.Error("the tab is taken up for ever")
		}
		s.forget()
		ts.Closed("a")
		ts.Closed("b")
		s.wants("forget b", "registry: closed b", "tab2: end, lives=false, closed")
		if ts.LeftAlone("a") || ts.Len() != 0 {
			s.Error("a tab that was closed is remembered")
		}
	})
}
