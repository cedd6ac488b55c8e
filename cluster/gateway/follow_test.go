package gateway

import (
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/cluster/leases"
	"webmcphub/cluster/mailbox"
	"webmcphub/internal/fakeclock"
)

// following is a follower of a gateway that is a member, and its session with a node, which nothing runs.
func following(t *testing.T) (*follower, *nodeSession) {
	g := &Gateway{log: slog.New(slog.DiscardHandler), ctx: t.Context()}
	g.directory = newDirectory(g)
	s := &nodeSession{Gateway: g, node: "one", box: mailbox.New[func()](maxWaiting), over: make(chan struct{}),
		stop: make(chan error, 1)}
	s.why.Store(new("it has not answered yet"))
	g.nodes = map[string]*nodeSession{"one": s}
	return &follower{Gateway: g, away: map[string]time.Time{}, joined: true}, s
}

// A node whose membership ends is kept to for a while. If it is a member again by then, as after etcd lost its data, it
// stays; if not, it is let go of as one that is lost.
func TestMembershipEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const bound = DefaultDeparture
		f, s := following(t)
		why := make(chan error, 1)
		go func() { // as run
			select {
			case lost := <-s.stop:
				close(s.over)
				why <- lost
			case <-t.Context().Done():
			}
		}()
		with := leases.Snapshot{Members: []leases.Member{{Role: leases.Node, Name: "one", Address: "127.0.0.1:1"}}}
		none := leases.Snapshot{}
		stays := func(when string) {
			t.Helper()
			if f.letsGo(time.Now(), bound); f.sessionWith("one") != s {
				t.Fatalf("it is let go of %s", when)
			}
		}
		f.takes(with)
		f.takes(none)
		stays("at once")
		fakeclock.Elapse(bound - time.Second)
		f.takes(with)
		fakeclock.Elapse(bound)
		stays("though it was a member again in time")

		f.takes(none)
		fakeclock.Elapse(bound - time.Second)
		f.takes(none) // this begins no new time
		stays("before the bound")
		fakeclock.Elapse(time.Second)
		if f.letsGo(time.Now(), bound); f.sessionWith("one") != nil {
			t.Fatal("it isn't let go of")
		}
		if err := <-why; err != errNoMember {
			t.Errorf("it is let go of for %v", err)
		}
	})
}
