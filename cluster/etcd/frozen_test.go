package etcd

import (
	"log/slog"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"webmcphub/cluster/etcd/etcdtest"
	"webmcphub/cluster/leases"
	"webmcphub/cluster/leases/leasetest"
)

// soon is less than what gRPC takes to notice by itself that a member is frozen.
const soon = pingAfter + pingFor - 5*time.Second

// part is a process whose watch and session are at one member of etcd, while it knows all of them.
type part struct {
	*backend
	store *leases.Store
}

// at makes a part; adopt lets it know the other members.
func at(t *testing.T, m *etcdtest.Etcd, client leases.Options) part {
	t.Helper()
	k, err := newBackend(Options{Endpoints: []string{m.URL}, Cluster: clusterOf(t), Logger: slog.New(slog.NewTextHandler(t.Output(), nil))})
	if err != nil {
		t.Fatal(err)
	}
	k.candidate = client.Candidate
	s := leases.Open(k, client, k.log)
	t.Cleanup(s.Close)
	return part{k, s}
}

func (p part) adopt(c *etcdtest.Cluster) { p.client.SetEndpoints(c.URLs()...) }

// split is a member of etcd that leads, or one that follows, and the others.
func split(t *testing.T, c *etcdtest.Cluster, leads bool) (one *etcdtest.Etcd, others *etcdtest.Cluster) {
	t.Helper()
	client, err := clientv3.New(clientv3.Config{Endpoints: c.URLs(), DialTimeout: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for i, m := range c.Members {
		s, err := client.Status(t.Context(), m.URL)
		if err != nil {
			t.Fatal(err)
		}
		if leads == (s.Leader == s.Header.MemberId) {
			return m, &etcdtest.Cluster{Members: slices.Delete(slices.Clone(c.Members), i, i+1)}
		}
	}
	t.Fatal("no member is so")
	return nil, nil
}

// A process whose watch is at a member that freezes learns of changes soon all the same, and gets a browser soon.
func TestWatchedMemberFrozen(t *testing.T) {
	for name, leads := range map[string]bool{"leader": true, "follower": false} {
		t.Run(name, func(t *testing.T) {
			c := etcdtest.Start(t, 3)
			one, others := split(t, c, leads)
			w := leasetest.NewWorld(t, opens(t, others, 0))
			n := w.Node("n1", 3)
			p := at(t, one, leases.Options{Name: "a", Candidate: true})
			w.Knows(p.store, 1)
			shrink := func(to int) {
				n.Change(func(m *leases.Member) { m.Browsers = m.Browsers[:to] })
				w.Until(p.store, "the change", func(p leases.Snapshot) bool { return len(p.Members) == 1 && len(p.Members[0].Browsers) == to })
			}
			shrink(2) // so the watch is there
			p.adopt(c)
			one.Freeze()
			began := time.Now()
			shrink(1)
			if took := time.Since(began); took > soon {
				t.Errorf("the change was told after %v", took)
			}
			w.Get(p.store, leases.Request{Tenant: "x"})
			if took := time.Since(began); took > soon {
				t.Errorf("the request was granted after %v", took)
			}
			t.Logf("all was there after %v", time.Since(began))
		})
	}
}

// A session whose member of etcd freezes is renewed at another one before it lapses: nobody sees its member go.
func TestRenewedMemberFrozen(t *testing.T) {
	c := etcdtest.Start(t, 3)
	one, others := split(t, c, false) // a new leader would prolong all leases
	w := leasetest.NewWorld(t, opens(t, others, 0))
	s := w.Gateway("a", nil)
	p := at(t, one, leases.Options{Name: "n1"})
	_, err := p.store.Join(t.Context(), leases.Member{Role: leases.Node, Name: "n1", Address: "127.0.0.1:1", Incarnation: "first"})
	if err != nil {
		t.Fatal(err)
	}
	w.Knows(s, 1)
	var gone atomic.Bool
	go s.Watch(t.Context(), func(p leases.Snapshot) { gone.Store(gone.Load() || len(p.Members) == 0) })
	lease := clientv3.LeaseID(p.session.Load())
	p.adopt(c)
	asks := at(t, others.Members[0], leases.Options{Name: "asks"})
	one.Freeze()
	poll := time.NewTicker(100 * time.Millisecond)
	defer poll.Stop()
	for last := int64(1000); ; <-poll.C {
		left, err := asks.client.TimeToLive(t.Context(), lease)
		if err != nil {
			t.Fatal(err)
		}
		if left.TTL < 0 || p.session.Load() != int64(lease) {
			t.Fatal("the session has lapsed")
		}
		if left.TTL > last {
			break
		}
		last = left.TTL
	}
	if gone.Load() {
		t.Error("the member was seen to go")
	}
}

// If no member answers, none is hung up on: the connection that stood goes on when etcd does.
func TestAllFrozen(t *testing.T) {
	c := etcdtest.Start(t, 1)
	k, err := newBackend(Options{Endpoints: c.URLs(), Cluster: clusterOf(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer k.client.Close()
	events := make(chan leases.Event)
	k.notify = func(e leases.Event) { events <- e }
	before := k.ask(t.Context())
	if before.err != nil || before.by.Addr == nil {
		t.Fatalf("%+v", before)
	}
	c.Members[0].Freeze()
	for told := (leases.OutOfTouch{}); told.Why == ""; { // it may still answer one that comes before its last thread has stopped
		go k.probeAll(t.Context(), hungUp{})
		told, _ = (<-events).(leases.OutOfTouch)
		if strings.Contains(told.Why, "rpc error") { // agents read it
			t.Errorf("it is said that %s", told.Why)
		}
	}
	c.Members[0].Thaw()
	if after := k.ask(t.Context()); after.err != nil || after.by.LocalAddr.String() != before.by.LocalAddr.String() {
		t.Errorf("asked by %v (%v) after %v", after.by.LocalAddr, after.err, before.by.LocalAddr)
	}
}

// A member that is known by two names, and freezes, is hung up on by both.
func TestFrozenByTwoNames(t *testing.T) {
	c := etcdtest.Start(t, 3)
	one, others := split(t, c, false)
	twice := []string{one.URL, strings.Replace(one.URL, "127.0.0.1", "localhost", 1), others.Members[0].URL}
	k, err := newBackend(Options{Endpoints: twice, Cluster: clusterOf(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer k.client.Close()
	k.notify = func(leases.Event) {}
	reaching := func() (conns []any) {
		k.open.Range(func(_, conn any) bool {
			if strings.HasSuffix(one.URL, conn.(net.Conn).RemoteAddr().String()) {
				conns = append(conns, conn)
			}
			return true
		})
		return conns
	}
	for late := time.Now().Add(20 * time.Second); len(reaching()) < 2; {
		if time.Now().After(late) {
			t.Fatalf("there are %d connections", len(reaching()))
		}
		k.probeAll(t.Context(), hungUp{})
	}
	before, began, hung := reaching(), time.Now(), hungUp{}
	one.Freeze()
	still := func(conn any) bool { return slices.Contains(reaching(), conn) } // others may have taken their place
	for slices.ContainsFunc(before, still) {
		if time.Since(began) > soon {
			t.Fatal("a connection to it is still there")
		}
		k.probeAll(t.Context(), hung)
	}
}
