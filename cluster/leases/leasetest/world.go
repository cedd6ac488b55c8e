package leasetest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"webmcphub/cluster/leases"
)

// patience is how long anything may take on a busy machine. No test waits for it to pass.
const patience = 20 * time.Second

// World is stores of one cluster.
type World struct {
	t testing.TB
	// Open opens one more store; the test closes it.
	Open func(leases.Options) *leases.Store
}

// NewWorld is a cluster; open opens its stores.
func NewWorld(t testing.TB, open func(leases.Options) *leases.Store) *World { return &World{t, open} }

// Gateway opens a gateway's store, closed at the end of the test.
func (w *World) Gateway(name string, limits *leases.Limits) *leases.Store {
	s := w.Open(leases.Options{Name: name, Candidate: true, Limits: limits})
	w.t.Cleanup(s.Close)
	return s
}

// Node is a node that begins its browsers afresh when they are used.
type Node struct {
	*leases.Store
	update func(leases.Member)

	mu     sync.Mutex
	member leases.Member
	lives  int
}

// Node opens a node's store, with so many browsers of these labels that are ready.
func (w *World) Node(name string, browsers int, labels ...string) *Node {
	m := leases.Member{Role: leases.Node, Name: name, Address: "127.0.0.1:1", Incarnation: "first"}
	for i := range browsers {
		m.Browsers = append(m.Browsers,
			leases.Browser{Name: fmt.Sprintf("b%d", i), Labels: labels, Condition: leases.Ready, Life: "0"})
	}
	return w.Join(m)
}

// Join opens a node's store.
func (w *World) Join(m leases.Member) *Node {
	n := &Node{Store: w.Open(leases.Options{Name: m.Name + "-" + m.Incarnation}), member: m}
	w.t.Cleanup(n.Close)
	var err error
	if n.update, err = n.Store.Join(w.t.Context(), m); err != nil {
		w.t.Fatal(err)
	}
	return n
}

// Change changes what the node says of itself.
func (n *Node) Change(change func(*leases.Member)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.member.Browsers = append([]leases.Browser(nil), n.member.Browsers...)
	change(&n.member)
	n.update(n.member)
}

// Refresh begins all browsers that are used afresh, whenever there are any, until ctx ends.
func (n *Node) Refresh(ctx context.Context) {
	n.Watch(ctx, func(p leases.Snapshot) {
		if len(p.Spent) == 0 {
			return
		}
		n.Change(func(m *leases.Member) {
			for i, b := range m.Browsers {
				for _, used := range p.Spent {
					if used == (leases.Spent{Node: m.Name, Browser: b.Name, Life: b.Life}) {
						n.lives++
						m.Browsers[i].Life = fmt.Sprint(n.lives)
					}
				}
			}
		})
	})
}

// Until waits until a store's picture is as wanted.
func (w *World) Until(s *leases.Store, what string, as func(leases.Snapshot) bool) leases.Snapshot {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	var last leases.Snapshot
	ok := false
	s.Watch(ctx, func(p leases.Snapshot) {
		if last = p; as(p) {
			ok = true
			cancel()
		}
	})
	if !ok {
		w.t.Fatalf("never was so: %s; last: %+v", what, last)
	}
	return last
}

// Knows waits until a store knows so many nodes.
func (w *World) Knows(s *leases.Store, nodes int) {
	w.t.Helper()
	w.Until(s, fmt.Sprintf("%d nodes are known", nodes), func(p leases.Snapshot) bool {
		return len(p.Members) == nodes &&
			p.Stale == ""
	})
}

// Get acquires a browser, or fails.
func (w *World) Get(s *leases.Store, r leases.Request) leases.Lease {
	if r.Wait == 0 { // limits may be on their way, before which nothing is given
		r.Wait = time.Minute
	}
	w.t.Helper()
	l, err := s.Acquire(w.t.Context(), r, nil)
	if err != nil {
		w.t.Fatalf("%+v: %v", r, err)
	}
	return l
}

// Pending is a request that waits.
type Pending struct {
	w      *World
	lease  chan leases.Lease
	err    chan error
	Cancel context.CancelFunc
}

// Wait acquires in the background, and returns once the request is known to wait.
func (w *World) Wait(s *leases.Store, r leases.Request) *Pending {
	w.t.Helper()
	before := 0
	w.Until(s, "a snapshot", func(p leases.Snapshot) bool { before = p.WaitingCount[r.Tenant]; return true })
	ctx, cancel := context.WithCancel(w.t.Context())
	p := &Pending{w: w, lease: make(chan leases.Lease, 1), err: make(chan error, 1), Cancel: cancel}
	go func() {
		l, err := s.Acquire(ctx, r, nil)
		if err != nil {
			p.err <- err
			return
		}
		p.lease <- l
	}()
	w.Until(s, "the request waits", func(p leases.Snapshot) bool { return p.WaitingCount[r.Tenant] > before })
	return p
}

// Granted says whether the request has got a browser by now.
func (p *Pending) Granted() bool { return len(p.lease) > 0 }

// Lease is what the request got.
func (p *Pending) Lease() leases.Lease {
	p.w.t.Helper()
	select {
	case l := <-p.lease:
		return l
	case err := <-p.err:
		p.w.t.Fatal(err)
	case <-time.After(patience):
		p.w.t.Fatal("the request is still waiting")
	}
	return leases.Lease{}
}

// Err is why the request got nothing.
func (p *Pending) Err() error {
	p.w.t.Helper()
	select {
	case l := <-p.lease:
		p.w.t.Fatalf("the request got %+v", l)
	case err := <-p.err:
		return err
	case <-time.After(patience):
		p.w.t.Fatal("the request is still waiting")
	}
	return nil
}
