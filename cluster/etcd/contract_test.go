package etcd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"webmcphub/cluster/etcd/etcdtest"
	"webmcphub/cluster/leases"
	"webmcphub/cluster/leases/leasetest"
)

// TestContract: a store promises the same over etcd and over leasetest.Memory, by which others test.
func TestContract(t *testing.T) {
	t.Run("memory", func(t *testing.T) {
		contract(t, func(t *testing.T) func(leases.Options) *leases.Store {
			c := leasetest.NewMemory()
			return func(opts leases.Options) *leases.Store { return c.Open(opts, slog.New(slog.DiscardHandler)) }
		})
	})
	t.Run("etcd", func(t *testing.T) {
		c := etcdtest.Start(t, 1)
		contract(t, func(t *testing.T) func(leases.Options) *leases.Store { return opens(t, c, 0) })
	})
}

// contract holds stores to what they promise. begin begins a cluster, and returns what opens its stores.
func contract(t *testing.T, begin func(t *testing.T) func(leases.Options) *leases.Store) {
	for name, test := range map[string]func(*testing.T, *leasetest.World){
		"given and released":  givenAndReleased,
		"labels and profiles": labelsAndProfiles,
		"conditions":          conditions,
		"first come":          firstCome,
		"quota":               quota,
		"large request":       largeRequest,
		"queue":               queue,
		"age":                 age,
		"leaving":             leaving,
		"lost browser":        lostBrowser,
		"lost node":           lostNode,
		"given up":            givenUp,
		"lost gateway":        lostGateway,
		"lost leader":         lostLeader,
		"idle":                idle,
		"same name":           sameName,
		"evicted":             evicted,
		"race":                race,
	} {
		t.Run(name, func(t *testing.T) { test(t, leasetest.NewWorld(t, begin(t))) })
	}
}

func refused(t *testing.T, err error, reason leases.Reason) *leases.Refusal {
	t.Helper()
	var no *leases.Refusal
	if !errors.As(err, &no) || no.Reason != reason {
		t.Fatalf("the error is %v, not a refusal for %q", err, reason)
	}
	return no
}

func givenAndReleased(t *testing.T, w *leasetest.World) {
	a, b, n := w.Gateway("a", nil), w.Gateway("b", nil), w.Node("n1", 1)
	w.Knows(a, 1)
	w.Knows(b, 1)
	l := w.Get(a, leases.Request{Tenant: "x", Wait: time.Minute})
	if node, browser, ok := leases.ParseHandle(l.Handle); !ok || node != "n1" || browser != "b0" ||
		l.Name() != "n1/b0" || l.Tenant != "x" || l.Life != "0" {
		t.Errorf("got %+v", l)
	}
	if age := l.Until.Sub(l.Since); age != leases.DefaultAge {
		t.Errorf("it is for %v", age)
	}
	for _, s := range []*leases.Store{a, b, n.Store} {
		w.Until(s, "all see the lease",
			func(p leases.Snapshot) bool { return len(p.Leases) == 1 && p.Leases[0].Handle == l.Handle })
	}
	if err := b.Release(t.Context(), "y", l.Handle); !errors.Is(err, leases.ErrNoLease) {
		t.Errorf("another tenant's release: %v", err)
	}
	if err := b.Release(t.Context(), "x", l.Handle); err != nil {
		t.Fatal(err)
	}
	w.Until(a, "it has ended there too", func(p leases.Snapshot) bool { return len(p.Leases) == 0 })
	if err := a.Release(t.Context(), "x", l.Handle); !errors.Is(err, leases.ErrNoLease) {
		t.Errorf("the second release: %v", err)
	}
	w.Until(a, "the browser is used", func(p leases.Snapshot) bool {
		return slices.Equal(p.Spent, []leases.Spent{{Node: "n1", Browser: "b0", Life: "0"}})
	})
	_, err := a.Acquire(t.Context(), leases.Request{Tenant: "x"}, nil)
	refused(t, err, leases.NoneFree)
	w.Until(a, "its request is gone", func(p leases.Snapshot) bool { return len(p.WaitingCount) == 0 })
	next := w.Wait(a, leases.Request{Tenant: "y", Wait: time.Minute})
	n.Change(func(m *leases.Member) { m.Browsers[0].Life = "1" })
	if l := next.Lease(); l.Life != "1" {
		t.Errorf("got %+v", l)
	}
}

func labelsAndProfiles(t *testing.T, w *leasetest.World) {
	s := w.Gateway("a", nil)
	w.Join(leases.Member{Role: leases.Node, Name: "n1", Incarnation: "i", Browsers: []leases.Browser{
		{Name: "big", Labels: []string{"de", "gpu"}, Condition: leases.Ready, Life: "1"},
		{Name: "plain", Labels: []string{"de"}, Condition: leases.Ready, Life: "1"},
		{Name: "mine", Labels: []string{"de"}, Profile: "shop", Condition: leases.Ready, Life: "1"},
	}})
	w.Knows(s, 1)
	_, err := s.Acquire(t.Context(), leases.Request{Tenant: "x", Labels: []string{"fr"}, Wait: time.Minute}, nil)
	if no := refused(t, err, leases.NoSuchLabels); !slices.Equal(no.Exist, []string{"de", "gpu"}) ||
		!strings.Contains(no.Text, "fr") {
		t.Errorf("refused by %+v", no)
	}
	_, err = s.Acquire(t.Context(), leases.Request{Tenant: "x", Labels: []string{"gpu"}, Profile: "shop",
		Wait: time.Minute}, nil)
	refused(t, err, leases.NoSuchLabels)
	for _, want := range []struct {
		request leases.Request
		get     string
	}{
		{leases.Request{Tenant: "x", Labels: []string{"de"}}, "plain"},
		{leases.Request{Tenant: "x", Labels: []string{"gpu", "de"}}, "big"},
		{leases.Request{Tenant: "x", Profile: "shop"}, "mine"},
	} {
		if l := w.Get(s, want.request); l.Browser != want.get {
			t.Errorf("%+v got %s", want.request, l.Browser)
		}
	}
}

func conditions(t *testing.T, w *leasetest.World) {
	s := w.Gateway("a", nil)
	n := w.Join(leases.Member{Role: leases.Node, Name: "n1", Incarnation: "i", Browsers: []leases.Browser{
		{Name: "a", Condition: leases.Unfit, Life: "1"}, {Name: "b", Condition: leases.Ready, Life: "1"},
	}})
	w.Knows(s, 1)
	if l := w.Get(s, leases.Request{Tenant: "x"}); l.Browser != "b" {
		t.Errorf("got %s", l.Browser)
	}
	_, err := s.Acquire(t.Context(), leases.Request{Tenant: "x"}, nil)
	refused(t, err, leases.NoneFree)
	w.Until(s, "its request is gone", func(p leases.Snapshot) bool { return len(p.WaitingCount) == 0 })
	next := w.Wait(s, leases.Request{Tenant: "x", Wait: time.Minute})
	n.Change(func(m *leases.Member) { m.Browsers[0].Condition = leases.Ready })
	if l := next.Lease(); l.Browser != "a" {
		t.Errorf("got %s", l.Browser)
	}
}

func firstCome(t *testing.T, w *leasetest.World) {
	a, b, n := w.Gateway("a", nil), w.Gateway("b", nil), w.Node("n1", 1)
	w.Knows(a, 1)
	w.Knows(b, 1)
	go n.Refresh(t.Context())
	held := w.Get(a, leases.Request{Tenant: "x"})
	w.Until(b, "the lease", func(p leases.Snapshot) bool { return len(p.Leases) == 1 })
	var line []*leasetest.Pending
	for i := range 6 {
		s := []*leases.Store{a, b}[i%2]
		w.Until(s, "those before", func(p leases.Snapshot) bool { return p.WaitingCount["x"] == i })
		line = append(line, w.Wait(s, leases.Request{Tenant: "x", Wait: time.Minute}))
	}
	for i, p := range line {
		if err := a.Release(t.Context(), "x", held.Handle); err != nil {
			t.Fatal(err)
		}
		held = p.Lease()
		for _, later := range line[i+1:] {
			if later.Granted() {
				t.Fatal("a later one got a browser")
			}
		}
	}
}

func quota(t *testing.T, w *leasetest.World) {
	s := w.Gateway("a", &leases.Limits{Tenants: map[string]leases.Quota{"x": {Browsers: 2}}})
	b := w.Gateway("b", nil) // has no limits of its own, and keeps to a's
	w.Node("n1", 4)
	w.Knows(s, 1)
	w.Knows(b, 1)
	one, two := w.Get(s, leases.Request{Tenant: "x"}), w.Get(s, leases.Request{Tenant: "x"})
	for _, s := range []*leases.Store{s, b} {
		w.Until(s, "the leases", func(p leases.Snapshot) bool { return len(p.Leases) == 2 })
		_, err := s.Acquire(t.Context(), leases.Request{Tenant: "x", Wait: time.Minute}, nil)
		no := refused(t, err, leases.OverQuota)
		if len(no.Held) != 2 || !slices.Contains(no.Held, one.Handle) || !strings.Contains(no.Text, two.Handle) {
			t.Errorf("refused by %+v", no)
		}
	}
	w.Get(s, leases.Request{Tenant: "y"})
	if err := b.Release(t.Context(), "x", one.Handle); err != nil {
		t.Fatal(err)
	}
	w.Get(b, leases.Request{Tenant: "x"})
	b.Limit(leases.Limits{Tenants: map[string]leases.Quota{"x": {Browsers: 3}}})
	w.Until(s, "the quota", func(leases.Snapshot) bool {
		_, err := s.Acquire(t.Context(), leases.Request{Tenant: "x"}, nil)
		return isNoneFree(err) // and no longer for the quota
	})
}

func isNoneFree(err error) bool {
	why := new(leases.Refusal)
	return errors.As(err, &why) && why.Reason == leases.NoneFree
}

// A request of any size is refused by itself: the others of its gateway are carried out.
func largeRequest(t *testing.T, w *leasetest.World) {
	s := w.Gateway("a", nil)
	w.Node("n1", 2, "de")
	w.Knows(s, 1)
	many := strings.Split(strings.Repeat("de,", 1<<20)+"de", ",") // two megabytes and more, and a browser has them all
	_, err := s.Acquire(t.Context(), leases.Request{Tenant: "x", Labels: many, Wait: time.Second}, nil)
	refused(t, err, leases.TooLarge)
	w.Get(s, leases.Request{Tenant: "y", Labels: []string{"de"}, Wait: time.Minute})
}

func queue(t *testing.T, w *leasetest.World) {
	s := w.Gateway("a", &leases.Limits{Default: leases.Quota{Waiting: 2}})
	w.Node("n1", 1)
	w.Knows(s, 1)
	w.Get(s, leases.Request{Tenant: "x"})
	w.Wait(s, leases.Request{Tenant: "x", Wait: time.Minute})
	told := make(chan leases.Progress, 10)
	short := make(chan error, 1)
	go func() {
		_, err := s.Acquire(t.Context(), leases.Request{Tenant: "x", Wait: time.Second},
			func(w leases.Progress) { told <- w })
		short <- err
	}()
	for at := range told {
		if at.Trouble != "" {
			t.Errorf("told %+v", at)
		}
		if at.Ahead == 1 {
			break
		}
	}
	w.Until(s, "both wait", func(p leases.Snapshot) bool { return p.WaitingCount["x"] == 2 })
	_, err := s.Acquire(t.Context(), leases.Request{Tenant: "x", Wait: time.Minute}, nil)
	if no := refused(t, err, leases.QueueFull); no.After < time.Second {
		t.Errorf("refused by %+v", no)
	}
	w.Wait(s, leases.Request{Tenant: "y", Wait: time.Minute}) // has a line of its own
	refused(t, <-short, leases.NoneFree)
	w.Until(s, "its request is gone", func(p leases.Snapshot) bool { return p.WaitingCount["x"] == 1 })
}

func age(t *testing.T, w *leasetest.World) {
	s := w.Gateway("a", &leases.Limits{Default: leases.Quota{Age: 100 * time.Millisecond}})
	n := w.Node("n1", 1)
	w.Knows(s, 1)
	w.Until(s, "a snapshot", func(leases.Snapshot) bool { return true })
	w.Get(s, leases.Request{Tenant: "x"})
	w.Until(s, "the lease has ended by itself",
		func(p leases.Snapshot) bool { return len(p.Leases) == 0 && len(p.Spent) == 1 })
	n.Change(func(m *leases.Member) { m.Browsers[0].Life = "1" })
	w.Get(s, leases.Request{Tenant: "x", Wait: time.Minute})
}

func leaving(t *testing.T, w *leasetest.World) {
	s, n := w.Gateway("a", nil), w.Node("n1", 2)
	w.Knows(s, 1)
	held := w.Get(s, leases.Request{Tenant: "x"})
	n.Change(func(m *leases.Member) { m.Leaving = true })
	w.Until(s, "it leaves", func(p leases.Snapshot) bool { return p.Members[0].Leaving })
	_, err := s.Acquire(t.Context(), leases.Request{Tenant: "x"}, nil)
	refused(t, err, leases.NoneFree)
	p := w.Until(s, "the lease holds", func(p leases.Snapshot) bool { return len(p.Leases) == 1 && len(p.WaitingCount) == 0 })
	if p.Leases[0].Handle != held.Handle {
		t.Errorf("the leases are %+v", p.Leases)
	}
	next := w.Wait(s, leases.Request{Tenant: "x", Wait: time.Minute})
	w.Node("n2", 1)
	if l := next.Lease(); l.Node != "n2" {
		t.Errorf("got %+v", l)
	}
}

func lostBrowser(t *testing.T, w *leasetest.World) {
	s, n := w.Gateway("a", nil), w.Node("n1", 2)
	w.Knows(s, 1)
	w.Get(s, leases.Request{Tenant: "x"})
	w.Get(s, leases.Request{Tenant: "x"})
	n.Change(func(m *leases.Member) { m.Browsers[0].Life = "1" }) // it has crashed, and runs again
	w.Until(s, "its lease has ended",
		func(p leases.Snapshot) bool { return len(p.Leases) == 1 && p.Leases[0].Browser == "b1" })
	if l := w.Get(s, leases.Request{Tenant: "y", Wait: time.Minute}); l.Browser != "b0" {
		t.Errorf("got %+v", l)
	}
	n.Change(func(m *leases.Member) { m.Browsers = m.Browsers[:1] })
	w.Until(s, "its lease has ended",
		func(p leases.Snapshot) bool { return len(p.Leases) == 1 && p.Leases[0].Tenant == "y" })
}

func lostNode(t *testing.T, w *leasetest.World) {
	s := w.Gateway("a", &leases.Limits{Absence: 300 * time.Millisecond})
	n := w.Node("n1", 1)
	w.Knows(s, 1)
	held := w.Get(s, leases.Request{Tenant: "x"})
	n.Close()
	w.Knows(s, 0)
	p := w.Until(s, "the lease", func(leases.Snapshot) bool { return true })
	if len(p.Leases) == 1 && p.Leases[0].Handle != held.Handle { // it holds for a while
		t.Errorf("the leases are %+v", p.Leases)
	}
	w.Until(s, "its lease has ended", func(p leases.Snapshot) bool { return len(p.Leases) == 0 })
	// It was only cut off: its browser still is in the life that it had, with what x left in it.
	n = w.Node("n1", 1)
	w.Until(s, "it has come again, and its browser is used", func(p leases.Snapshot) bool {
		return len(p.Members) == 1 && slices.Equal(p.Spent, []leases.Spent{{Node: "n1", Browser: "b0", Life: "0"}})
	})
	_, err := s.Acquire(t.Context(), leases.Request{Tenant: "y"}, nil)
	refused(t, err, leases.NoneFree)
	n.Change(func(m *leases.Member) { m.Browsers[0].Life = "1" })
	if l := w.Get(s, leases.Request{Tenant: "y", Wait: time.Minute}); l.Life != "1" {
		t.Errorf("got %+v", l)
	}
}

func givenUp(t *testing.T, w *leasetest.World) {
	s, n := w.Gateway("a", nil), w.Node("n1", 1)
	w.Knows(s, 1)
	go n.Refresh(t.Context())
	held := w.Get(s, leases.Request{Tenant: "x"})
	first, second := w.Wait(s, leases.Request{Tenant: "x", Wait: time.Minute}),
		w.Wait(s, leases.Request{Tenant: "x", Wait: time.Minute})
	first.Cancel()
	if err := first.Err(); !errors.Is(err, context.Canceled) {
		t.Errorf("the request ended by %v", err)
	}
	if err := s.Release(t.Context(), "x", held.Handle); err != nil {
		t.Fatal(err)
	}
	second.Lease()
	w.Until(s, "nobody waits", func(p leases.Snapshot) bool { return len(p.WaitingCount) == 0 && len(p.Leases) == 1 })
}

func lostGateway(t *testing.T, w *leasetest.World) {
	s, n := w.Gateway("a", nil), w.Node("n1", 1)
	gone := w.Open(leases.Options{Name: "gone", Candidate: true})
	w.Knows(s, 1)
	w.Knows(gone, 1)
	go n.Refresh(t.Context())
	held := w.Get(gone, leases.Request{Tenant: "x"})
	w.Wait(gone, leases.Request{Tenant: "x", Wait: time.Minute})
	w.Until(s, "all see it wait", func(p leases.Snapshot) bool { return p.WaitingCount["x"] == 1 && len(p.Leases) == 1 })
	next := w.Wait(s, leases.Request{Tenant: "x", Wait: time.Minute})
	gone.Close()
	w.Until(s, "its request goes, and the lease stays",
		func(p leases.Snapshot) bool { return p.WaitingCount["x"] == 1 && len(p.Leases) == 1 })
	if err := s.Release(t.Context(), "x", held.Handle); err != nil {
		t.Fatal(err)
	}
	next.Lease()
}

// Requests outlive the leader.
func lostLeader(t *testing.T, w *leasetest.World) {
	leader := w.Open(leases.Options{Name: "leader", Candidate: true})
	n := w.Node("n1", 1)
	w.Knows(leader, 1)
	held := w.Get(leader, leases.Request{Tenant: "x"})
	s := w.Gateway("a", nil)
	w.Knows(s, 1)
	first := w.Wait(s, leases.Request{Tenant: "x", Wait: time.Minute})
	second := w.Wait(s, leases.Request{Tenant: "x", Wait: time.Minute})
	leader.Close()
	go n.Refresh(t.Context())
	if err := s.Release(t.Context(), "x", held.Handle); err != nil {
		t.Fatal(err)
	}
	if err := s.Release(t.Context(), "x", first.Lease().Handle); err != nil {
		t.Fatal(err)
	}
	second.Lease()
}

// A lease ends that nobody uses, and holds while somebody does.
func idle(t *testing.T, w *leasetest.World) {
	s := w.Gateway("a", &leases.Limits{Idle: 500 * time.Millisecond})
	w.Node("n1", 2)
	w.Knows(s, 1)
	used := w.Get(s, leases.Request{Tenant: "used"})
	w.Get(s, leases.Request{Tenant: "idle"})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for tick := time.NewTicker(20 * time.Millisecond); ctx.Err() == nil; <-tick.C {
			s.Use([]string{"used"})
		}
	}()
	w.Until(s, "the other's lease has ended, and this one has been renewed", func(p leases.Snapshot) bool {
		return len(p.Leases) == 1 && p.Leases[0].Handle == used.Handle && !p.Leases[0].Used.IsZero()
	})
	cancel()
	w.Until(s, "it is used no longer, and has ended", func(p leases.Snapshot) bool { return len(p.Leases) == 0 })
}

// A process waits while another one lives under its name, and has it when that one is gone.
func sameName(t *testing.T, w *leasetest.World) {
	s := w.Gateway("a", nil)
	first := w.Node("n1", 1)
	w.Knows(s, 1)
	held := w.Get(s, leases.Request{Tenant: "x"})
	second := w.Join(leases.Member{Role: leases.Node, Name: "n1", Incarnation: "second",
		Browsers: []leases.Browser{{Name: "b0", Condition: leases.Ready, Life: "second-0"}}})
	w.Until(second.Store, "the second knows the first", func(p leases.Snapshot) bool { return len(p.Members) > 0 })
	first.Change(func(m *leases.Member) { m.Address = "127.0.0.1:2" })
	w.Until(s, "the first has its name, and its lease, as before", func(p leases.Snapshot) bool {
		return len(p.Members) == 1 && p.Members[0].Incarnation == "first" && p.Members[0].Address == "127.0.0.1:2" &&
			len(p.Leases) == 1
	})
	first.Close()
	w.Until(s, "the second has the name, and the lease of the first has ended", func(p leases.Snapshot) bool {
		return len(p.Members) == 1 && p.Members[0].Incarnation == "second" && len(p.Leases) == 0
	})
	if l := w.Get(s, leases.Request{Tenant: "x", Wait: time.Minute}); l.Life != "second-0" || l.Handle == held.Handle {
		t.Errorf("got %+v", l)
	}
}

func race(t *testing.T, w *leasetest.World) {
	const gateways, browsers, each = 3, 5, 8
	var stores []*leases.Store
	for i := range gateways {
		stores = append(stores, w.Gateway(fmt.Sprintf("g%d", i), nil))
	}
	n := w.Node("n1", browsers)
	go n.Refresh(t.Context())
	r := newReferee()
	errs := make(chan error, gateways*each)
	for i, s := range stores {
		w.Knows(s, 1)
		for k := range each {
			go func() {
				tenant := fmt.Sprintf("t%d", (i+k)%4)
				l, err := s.Acquire(t.Context(), leases.Request{Tenant: tenant, Wait: time.Minute}, nil)
				if err == nil {
					err = r.holds(l)
				}
				if err == nil {
					r.ends(l)
					err = stores[(i+1)%gateways].Release(t.Context(), tenant, l.Handle)
				}
				errs <- err
			}()
		}
	}
	for range gateways * each {
		select {
		case err := <-errs:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(20 * time.Second):
			t.Fatal("some wait for ever")
		}
	}
}

// evicted: a removed tenant loses its leases, whoever granted them, and its place in line; others lose
// nothing, and another gateway's evictions are its own affair.
func evicted(t *testing.T, w *leasetest.World) {
	a, b, n := w.Gateway("a", nil), w.Gateway("b", nil), w.Node("n1", 3)
	w.Knows(a, 1)
	w.Knows(b, 1)
	w.Get(a, leases.Request{Tenant: "x"})
	w.Get(b, leases.Request{Tenant: "x"})
	y := w.Get(a, leases.Request{Tenant: "y"})
	waits := w.Wait(a, leases.Request{Tenant: "x", Wait: time.Minute})
	a.RevokeRemoved([]string{"x", "nobody"})
	refused(t, waits.Err(), leases.NoTenant)
	for _, s := range []*leases.Store{a, b} {
		w.Until(s, "y alone has something", func(p leases.Snapshot) bool {
			return len(p.Leases) == 1 && p.Leases[0].Handle == y.Handle && len(p.WaitingCount) == 0 && len(p.Spent) == 2
		})
	}
	_, err := a.Acquire(t.Context(), leases.Request{Tenant: "x", Wait: time.Minute}, nil)
	refused(t, err, leases.NoTenant)
	go n.Refresh(t.Context())
	later := w.Get(b, leases.Request{Tenant: "x"}) // b hasn't been told
	a.RevokeRemoved([]string{"x", "z"})
	a.RevokeRemoved([]string{"z"})
	again := w.Get(a, leases.Request{Tenant: "x"}) // it is a tenant again
	if err := a.Release(t.Context(), "y", y.Handle); err != nil {
		t.Fatal(err)
	}
	w.Until(a, "x keeps what it has got since", func(p leases.Snapshot) bool {
		return len(p.Leases) == 2 && slices.ContainsFunc(p.Leases,
			func(l leases.Lease) bool { return l.Handle == later.Handle }) &&
			slices.ContainsFunc(p.Leases, func(l leases.Lease) bool { return l.Handle == again.Handle })
	})
}

// referee sees that no browser has two holders.
type referee struct {
	mu    sync.Mutex
	held  map[string]leases.Lease // by browser
	lives map[string]bool         // that were given
}

func newReferee() *referee {
	return &referee{held: map[string]leases.Lease{}, lives: map[string]bool{}}
}

// holds takes up that a lease was given.
func (r *referee) holds(l leases.Lease) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if other, double := r.held[l.Name()]; double {
		return fmt.Errorf("%s was given, while it is %s's by %s", l.Handle, other.Tenant, other.Handle)
	}
	if life := l.Name() + " " + l.Life; r.lives[life] {
		return fmt.Errorf("%s was given, which was not begun afresh since the last lease", l.Handle)
	} else {
		r.lives[life] = true
	}
	r.held[l.Name()] = l
	return nil
}

// ends takes up that a lease is about to end.
func (r *referee) ends(l leases.Lease) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.held, l.Name())
}
