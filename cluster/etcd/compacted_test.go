package etcd

import (
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"webmcphub/cluster/etcd/etcdtest"
	"webmcphub/cluster/leases"
	"webmcphub/cluster/leases/leasetest"
	"webmcphub/internal/proxytest"
)

// lines keeps what is logged.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// What has changed while the watch was cut is learnt also if etcd has compacted it away: by a list, of which
// there is one, not a hot loop.
func TestCompacted(t *testing.T) {
	c := etcdtest.Start(t, 1)
	open := opens(t, c, time.Minute)
	w := leasetest.NewWorld(t, open)
	other, n := w.Gateway("a", nil), w.Node("n1", 2)
	proxy, said := proxied(t, c.Members[0]), &lines{}
	opts := Options{Endpoints: []string{"http://" + proxy.Addr()}, Cluster: clusterOf(t), ttl: time.Minute, Logger: slog.New(slog.NewTextHandler(said, nil))}
	s, err := Open(opts, leases.Options{Name: "cut", Candidate: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	w.Knows(other, 1)
	w.Knows(s, 1)
	proxy.Set(proxytest.Refused)
	stale(w, s)
	n.Change(func(m *leases.Member) { m.Browsers = m.Browsers[:1] })
	w.Until(other, "the change", func(p leases.Snapshot) bool { return len(p.Members[0].Browsers) == 1 })
	held := w.Get(other, leases.Request{Tenant: "x"})
	k, err := newBackend(opts)
	if err != nil {
		t.Fatal(err)
	}
	defer k.client.Close()
	k.client.SetEndpoints(c.URLs()...)
	at, err := k.get(t.Context(), k.prefix)
	if err == nil {
		_, err = k.client.Compact(t.Context(), at.Header.Revision)
	}
	if err != nil {
		t.Fatal(err)
	}
	proxy.Set(proxytest.Open)
	w.Until(s, "all that it missed", func(p leases.Snapshot) bool {
		return p.Stale == "" && len(p.Members[0].Browsers) == 1 && len(p.Leases) == 1 && p.Leases[0].Handle == held.Handle
	})
	if text := said.String(); strings.Count(text, "compacted") != 1 {
		t.Errorf("logged: %s", text)
	}
	if err := s.Release(t.Context(), "x", held.Handle); err != nil {
		t.Error(err)
	}
}
