package actors_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/asynkron/protoactor-go/actor"

	. "webmcphub/actors"
	. "webmcphub/actors/hubtest"
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
	f.seen <- TypeName(ctx.Message())
	panic("a test's panic")
}

func (f fragile) Failed(actor.Context, any) {}

func TestPanicWhileStopping(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := NewHub(t)
		f := fragile{make(chan string, 10)}
		pid := h.Root().Spawn(Props(h.Hub, f))
		h.Root().Send(pid, "hello")
		synctest.Wait()
		h.Root().Stop(pid)
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
}
