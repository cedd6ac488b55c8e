package etcd

import (
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"webmcphub/cluster/etcd/etcdtest"
	"webmcphub/cluster/leases"
	"webmcphub/cluster/leases/leasetest"
	"webmcphub/internal/proxytest"
)

// A leader that is cut off from etcd while requests wait is followed by another, which serves them. What the first one
// still writes as the leader is refused, and it has its part again once it is back. It is followed long before it
// counts as gone.
func TestLeaderCutOff(t *testing.T) {
	c := etcdtest.Start(t, 1)
	w := leasetest.NewWorld(t, opens(t, c, 0))
	proxy := proxied(t, c.Members[0])
	leads, err := newBackend(Options{Endpoints: []string{"http://" + proxy.Addr()}, Cluster: clusterOf(t)})
	if err != nil {
		t.Fatal(err)
	}
	leads.candidate = true
	first := leases.Open(leads, leases.Options{Name: "first", Candidate: true}, leads.log)
	t.Cleanup(first.Close)
	n := w.Node("n1", 1)
	w.Knows(first, 1)
	held := w.Get(first, leases.Request{Tenant: "x"})
	k, err := newBackend(Options{Endpoints: c.URLs(), Cluster: clusterOf(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer k.client.Close()
	kept, err := k.get(t.Context(), k.prefix, clientv3.WithPrefix())
	if err != nil {
		t.Fatal(err)
	}
	tx := leases.Tx{Put: []leases.Put{{Key: "turns", Value: []byte(`{"Turn":1000}`)}}}
	for _, kv := range kept.Kvs {
		if e := k.entry(kv); e.Key == epochAt {
			tx.Epoch = string(e.Value)
		} else if len(e.Key) > len(leases.ElectionAt) && e.Key[:len(leases.ElectionAt)] == leases.ElectionAt {
			tx.If = append(tx.If, leases.If{Key: e.Key, Version: e.Version})
		}
	}
	if len(tx.If) != 1 {
		t.Fatalf("the candidates are %v", tx.If)
	}
	s := w.Gateway("second", nil)
	w.Knows(s, 1)
	next := w.Wait(s, leases.Request{Tenant: "y", Wait: time.Minute})
	proxy.Set(proxytest.Refused)
	if err := s.Release(t.Context(), "x", held.Handle); err != nil {
		t.Fatal(err)
	}
	go n.Refresh(t.Context())
	l := next.Lease()
	left, err := k.client.TimeToLive(t.Context(), clientv3.LeaseID(leads.session.Load()))
	if err != nil || left.TTL <= 0 {
		t.Errorf("the session of the first lasts %d s when the second leads (%v)", left.TTL, err)
	}
	if done, _, err := k.Commit(t.Context(), tx); done || err != nil {
		t.Errorf("the deposed leader's transaction is carried out (%v)", err)
	}
	proxy.Set(proxytest.Open)
	w.Until(first, "the first knows the lease", func(p leases.Snapshot) bool {
		return p.Stale == "" && len(p.Leases) == 1 && p.Leases[0].Handle == l.Handle
	})
	again := w.Wait(first, leases.Request{Tenant: "x", Wait: time.Minute})
	if err := first.Release(t.Context(), "y", l.Handle); err != nil {
		t.Fatal(err)
	}
	again.Lease()
}
