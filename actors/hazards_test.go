package actors

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/internal/fakeclock"

	"github.com/asynkron/protoactor-go/actor"
)

// What protoactor gets wrong, and why it can't happen here.
//
//	P1  a panic while stopping hangs the stop        props' guard: TestPanicWhileStopping, TestDeaths
//	P2  messages still come while it stops           only with children, which our actors don't have;
//	                                                 the phase gone is a second bolt, which no test needs
//	P3  messages behind a stop are dropped silently  Address.Gone answers: TestWrongCalls "… actor has just ended"
//	P4  SetReceiveTimeout races                      not used: timers send messages; TestHazards
//	P5  the scheduler's repetitions race             not used
//	P6  a future wakes one of its waiters            not used: callers have channels of their own
//	P7  futures race with their timeouts             not used
//	P8  a restart's continuation sees the old state  nothing restarts, nothing continues
//	P9  continuations overtake messages              not used: what goroutines bring is a message
//	P10 Stash is last in, first out                  not used
//	P11 bounded mailboxes block or drop              mailboxes are unbounded; their senders are bounded: TestBacklogs
//	P12 Shutdown stops no actor, twice panics        not used: TestStop
//	P13 blocking in Receive blocks the actor         nothing waits there: TestDocuments "a hung page delays nobody", TestNoSleep in the module's root
//	P14 root-spawned actors have no supervisor       props' guard takes the panic: TestDeaths, TestTooManyFailures
//	P15 PoisonFuture waits 10 s at most              not used: Hub.Stop waits for its own channel
var banned = map[string]string{
	"SetReceiveTimeout":       "P4",
	"protoactor-go/scheduler": "P5",
	"Future(":                 "P6, P7, P15",
	"ReenterAfter":            "P8, P9",
	"PipeTo":                  "P9",
	"Stash(":                  "P10",
	"Bounded":                 "P11",
	".Shutdown()":             "P12",
	"WithSupervisor":          "P14",
	"os.Stdout":               "stdout is the protocol's",
	"fmt.Print":               "stdout is the protocol's",
}

func TestHazards(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for text, why := range banned {
			if strings.Contains(string(source), text) {
				t.Errorf("%s has %s: hazard %s", name, text, why)
			}
		}
	}
}

// fragile panics at every message, those of its own end included.
type fragile struct{ seen chan string }

func (f fragile) Receive(ctx actor.Context) {
	f.seen <- typeName(ctx.Message())
	panic("a test's panic")
}

func (f fragile) Failed(actor.Context, any) {}

func TestPanicWhileStopping(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t)
		f := fragile{make(chan string, 10)}
		pid := h.root.Spawn(props(h.Hub, f))
		h.root.Send(pid, "hello")
		synctest.Wait()
		h.root.Stop(pid)
		synctest.Wait()
		close(f.seen)
		var seen []string
		for s := range f.seen {
			seen = append(seen, s)
		}
		if got := strings.Join(seen, " "); got != "*actor.Started string *actor.Stopping *actor.Stopped" {
			t.Errorf("it saw %s", got)
		}
	})
	t.Run("a page's", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer(newSlow().tool("wait"), newSlow().tool("wait2"))
			c, c2 := h.begin("shop_test_page0_wait", `{}`), h.begin("shop_test_page0_wait2", `{}`)
			var ended func() bool
			h.inActor(p, func(a *cdpLink) {
				for call := range a.Calls {
					call.Flight.Stop = func() { panic("a test's panic") }
				}
				ended = func() bool { return a.ctx.Err() != nil }
			})
			synctest.Wait()
			p.Close()
			c.fails("was closed")
			c2.fails("was closed")
			if !ended() {
				t.Error("the page's goroutines are not told to end")
			}
			fakeclock.Elapse(time.Second)
			h.want()
		})
	})
}
