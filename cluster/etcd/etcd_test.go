package etcd

import (
	"fmt"
	"hash/fnv"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"webmcphub/cluster/etcd/etcdtest"
	"webmcphub/cluster/leases"
	"webmcphub/cluster/leases/leasetest"
	"webmcphub/internal/proxytest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// clusterOf is the cluster of a test: tests share an etcd.
func clusterOf(t testing.TB) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(t.Name()))
	return fmt.Sprintf("c%x", h.Sum64())
}

// opens is what opens stores of the test's cluster.
func opens(t testing.TB, c *etcdtest.Cluster, ttl time.Duration) func(leases.Options) *leases.Store {
	return func(client leases.Options) *leases.Store {
		s, err := Open(Options{Endpoints: c.URLs(), Cluster: clusterOf(t), ttl: ttl, Logger: slog.New(slog.NewTextHandler(t.Output(), nil))}, client)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
}

// proxied is a way to an etcd that can be cut.
func proxied(t *testing.T, e *etcdtest.Etcd) *proxytest.Proxy {
	t.Helper()
	p, err := proxytest.Listen("", strings.TrimPrefix(e.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// stale waits until a store says that it is out of touch.
func stale(w *leasetest.World, s *leases.Store) {
	w.Until(s, "it is out of touch", func(p leases.Snapshot) bool { return strings.Contains(p.Stale, "etcd") })
}

// A frozen etcd ends nothing, also if it is frozen for longer than its leases last. What is requested meanwhile waits,
// says so, and is given afterwards. Nobody is shut out.
func TestFrozen(t *testing.T) {
	c := etcdtest.Start(t, 1)
	w := leasetest.NewWorld(t, opens(t, c, time.Second))
	s, n := w.Gateway("a", nil), w.Node("n1", 2)
	w.Knows(s, 1)
	held := w.Get(s, leases.Request{Tenant: "x"})
	c.Members[0].Freeze()
	frozen := time.Now()
	stale(w, s)
	stale(w, n.Store)
	p := w.Until(s, "the last picture", func(leases.Snapshot) bool { return true })
	if len(p.Members) != 1 || len(p.Leases) != 1 {
		t.Errorf("the picture is %+v", p)
	}
	_, err := s.Acquire(t.Context(), leases.Request{Tenant: "x", Wait: 10 * time.Millisecond}, nil)
	if err == nil || !strings.Contains(err.Error(), "etcd") {
		t.Errorf("the short request ended by %v", err)
	}
	told, got := make(chan string, 10), make(chan error, 1)
	go func() {
		_, err := s.Acquire(t.Context(), leases.Request{Tenant: "x", Wait: time.Minute}, func(w leases.Progress) { told <- w.Trouble })
		got <- err
	}()
	if trouble := <-told; !strings.Contains(trouble, "etcd") {
		t.Errorf("told %q", trouble)
	}
	<-time.After(time.Until(frozen.Add(4 * time.Second))) // etcd's leases lapse meanwhile: this time is what is tested
	c.Members[0].Thaw()
	if err := <-got; err != nil {
		t.Fatal(err)
	}
	p = w.Until(s, "both leases", func(p leases.Snapshot) bool { return p.Stale == "" && len(p.Members) == 1 && len(p.Leases) == 2 })
	if p.Leases[0].Handle != held.Handle && p.Leases[1].Handle != held.Handle {
		t.Errorf("the leases are %+v", p.Leases)
	}
}

// After kill -9 and a restart with its data, all goes on. Without them, nodes and leases are put back.
func TestKilled(t *testing.T) {
	c := etcdtest.Start(t, 1)
	w := leasetest.NewWorld(t, opens(t, c, time.Second))
	s, other, n := w.Gateway("a", &leases.Limits{Default: leases.Quota{Browsers: 7}}), w.Gateway("b", nil), w.Node("n1", 3)
	go n.Refresh(t.Context())
	w.Knows(s, 1)
	w.Knows(other, 1)
	first := w.Get(s, leases.Request{Tenant: "x"})
	for i, wiped := range []bool{false, true, true} {
		c.Members[0].Kill()
		stale(w, s)
		stale(w, other)
		if wiped {
			c.Members[0].Wipe()
		}
		c.Members[0].Start()
		for _, s := range []*leases.Store{s, other} {
			p := w.Until(s, "all as before", func(p leases.Snapshot) bool { return p.Stale == "" && len(p.Members) == 1 && len(p.Leases) == i+1 })
			if p.Leases[0].Handle != first.Handle && i == 0 {
				t.Errorf("the leases are %+v", p.Leases)
			}
		}
		if i < 2 {
			w.Get(other, leases.Request{Tenant: "x", Wait: time.Minute})
			for _, s := range []*leases.Store{s, other, n.Store} { // also that it is confirmed: what only etcd has seen is forgotten
				w.Until(s, "all know it", func(p leases.Snapshot) bool { return len(p.Leases) == i+2 && len(p.WaitingCount) == 0 })
			}
		}
	}
	if err := other.Release(t.Context(), "x", first.Handle); err != nil {
		t.Error(err)
	}
}

// Of three members, one may die: neither members nor leases notice.
func TestOneOfThree(t *testing.T) {
	c := etcdtest.Start(t, 3)
	w := leasetest.NewWorld(t, opens(t, c, 2*time.Second))
	s, n := w.Gateway("a", nil), w.Node("n1", 2)
	w.Knows(s, 1)
	held := w.Get(s, leases.Request{Tenant: "x"})
	c.Members[0].Kill()
	w.Get(s, leases.Request{Tenant: "x", Wait: time.Minute})
	p := w.Until(n.Store, "both leases", func(p leases.Snapshot) bool { return len(p.Leases) == 2 && len(p.Members) == 1 })
	if p.Leases[0].Handle != held.Handle && p.Leases[1].Handle != held.Handle {
		t.Errorf("the leases are %+v", p.Leases)
	}
	if err := s.Release(t.Context(), "x", held.Handle); err != nil {
		t.Error(err)
	}
}

// An etcd that is away is tried again every two seconds or so, however long it has been away.
func TestTriedAgain(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	tries := make(chan struct{})
	go func() {
		defer close(tries)
		for range 9 { // by gRPC's own measure this takes more than a minute
			c, err := l.Accept()
			if err != nil {
				return
			}
			_ = c.Close()
			tries <- struct{}{}
		}
	}()
	k, err := newBackend(Options{Endpoints: []string{"http://" + l.Addr().String()}, Cluster: clusterOf(t)})
	if err != nil {
		t.Fatal(err)
	}
	s := leases.Open(k, leases.Options{Name: "a"}, k.log)
	defer s.Close()
	bound := time.After(20 * time.Second)
	for n := 0; ; n++ {
		select {
		case _, more := <-tries:
			if !more {
				return
			}
		case <-bound:
			t.Errorf("it was tried %d times in 20 s", n)
			_ = l.Close()
			<-tries // the goroutine ends
			return
		}
	}
}
