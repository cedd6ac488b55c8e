package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"webmcphub/bench/cluster/agent"
)

// leased is a browser that a client has acquired.
type leased struct {
	Browser string // the handle: NODE/BROWSER~LEASE
	Node    string
}

// name is the browser's, without the lease.
func (l leased) name() string {
	name, _, _ := strings.Cut(l.Browser, "~")
	return name
}

// turnedDown is why a client got no browser.
type turnedDown struct {
	Text   string  `json:"error"`
	Reason string  `json:"reason"`
	After  float64 `json:"tryAgainAfterSeconds"` // seconds
}

func (t *turnedDown) Error() string { return t.Reason + ": " + t.Text }

// acquire asks for a browser, and waits for so long at most. A refusal is a [turnedDown].
func acquire(ctx context.Context, a *agent.Agent, wait time.Duration) (l leased, err error) {
	text, err := a.Call(ctx, "acquire_browser", map[string]any{"wait": wait.Seconds()})
	if failed, ok := errors.AsType[*agent.ToolFailed](err); ok {
		down := &turnedDown{}
		if json.Unmarshal([]byte(failed.Text), down) == nil && down.Reason != "" {
			return l, down
		}
	}
	if err != nil {
		return l, err
	}
	if err := json.Unmarshal([]byte(text), &l); err != nil || l.Browser == "" {
		return l, fmt.Errorf("acquire_browser answered %.200q", text)
	}
	return l, nil
}

func release(ctx context.Context, a *agent.Agent, l leased) error {
	_, err := a.Call(ctx, "release_browser", map[string]any{"browser": l.Browser})
	return err
}

// ledger knows who holds what, as the clients were told.
type ledger struct {
	mu    sync.Mutex
	held  map[string]leased // by browser
	ended map[string]bool   // handles of those whose node was lost
	down  map[string]bool   // nodes that are lost: the cluster may not know yet, and lend their browsers
	given int
	twice int // browsers that were given while somebody had them
}

func newLedger() *ledger {
	return &ledger{held: map[string]leased{}, ended: map[string]bool{}, down: map[string]bool{}}
}

// gave notes a lease. The error is that somebody else has the browser.
func (l *ledger) gave(one leased) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.given++
	if other, there := l.held[one.name()]; there {
		l.twice++
		return fmt.Errorf("%s was given as %s while %s was held", one.name(), one.Browser, other.Browser)
	}
	l.held[one.name()] = one
	return nil
}

// takes notes that a holder is about to give its browser back: it may be given again from now on.
// lost says that its lease has ended before, with its node.
func (l *ledger) takes(one leased) (lost bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held[one.name()] == one {
		delete(l.held, one.name())
	}
	return l.ended[one.Browser] || l.down[one.Node]
}

// nodeLost notes that the leases of a node's browsers end, and those that are given while it is
// lost; nodeBack that it is there again.
func (l *ledger) nodeLost(node string) { l.node(node, true) }
func (l *ledger) nodeBack(node string) { l.node(node, false) }

func (l *ledger) node(node string, down bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down[node] = down
	for name, one := range l.held {
		if one.Node == node {
			l.ended[one.Browser] = true
			delete(l.held, name)
		}
	}
}

// leasesBefore acquires a browser by each gateway, if there are any to be lent.
func (r *run) leasesBefore(ctx context.Context, c *Cluster) (all []leased, err error) {
	if c.Own == 0 {
		return nil, nil
	}
	for i := range c.GatewayList {
		a := c.agent(i, 0)
		one, err := acquire(ctx, a, 20*time.Second)
		a.Close()
		if err != nil {
			return nil, fmt.Errorf("a browser to lend at the start: %w", err)
		}
		all = append(all, one)
	}
	return all, nil
}

// leasesAfter gives them back, each by another gateway than it came by.
func (r *run) leasesAfter(ctx context.Context, c *Cluster, all []leased) {
	for i, one := range all {
		a := c.agent((i+1)%len(c.GatewayList), 0)
		if err := release(ctx, a, one); err != nil {
			r.Fail("the lease %s is lost: %v", one.Browser, err)
		}
		a.Close()
	}
	if len(all) > 0 {
		r.Figure("leases that lasted through it", "%d, each given back by another gateway", len(all))
	}
}

// agent is a client of a gateway, of a tenant.
func (c *Cluster) agent(gateway, tenant int) *agent.Agent {
	return agent.New("http://"+c.GatewayList[gateway].Address, c.token(tenant), agent.Modern)
}

// meanwhile looks whether a browser can be acquired while etcd, or a part of it, is frozen. Where
// all of it is, it must be said that etcd is what is waited for.
func (r *run) meanwhile(ctx context.Context, c *Cluster, whole bool) error {
	begun := time.Now()
	end := begun.Add(time.Duration(r.seconds) * time.Second)
	if c.Own == 0 {
		return sleep(ctx, time.Until(end))
	}
	a := c.agent(0, 0)
	defer a.Close()
	wait := max(time.Duration(r.seconds)*time.Second*2/3, time.Second)
	one, err := acquire(ctx, a, wait)
	took := time.Since(begun)
	var down *turnedDown
	switch {
	case whole && err == nil:
		r.Fail("a browser was given while etcd was frozen: %s", one.Browser)
	case whole && (!errors.As(err, &down) || down.Reason != "trouble"):
		r.Fail("it wasn't said that etcd is what is waited for, but %v", err)
	case whole:
		r.Figure("a wish for a browser meanwhile", "waited %s, then: %s", short(took), down.Text)
	case err != nil:
		r.Fail("no browser was given although most of etcd is there: %v", err)
	default:
		r.Figure("a wish for a browser meanwhile", "fulfilled after %s", short(took))
		r.Check("giving it back", release(ctx, a, one))
	}
	return sleep(ctx, time.Until(end))
}

// requestAcross begins to wait for a browser while all of etcd is frozen, and returns a function that
// checks that it was given once etcd was back.
func (r *run) requestAcross(ctx context.Context, c *Cluster, whole bool) (check func()) {
	if c.Own == 0 || !whole {
		return func() {}
	}
	var one leased
	ended := make(chan error, 1)
	a := c.agent(len(c.GatewayList)-1, 0)
	begun := time.Now()
	go func() {
		var err error
		one, err = acquire(ctx, a, 2*time.Minute)
		ended <- err
	}()
	return func() {
		defer a.Close()
		if err := <-ended; err != nil {
			r.Fail("a wish that waited for etcd was not fulfilled when it was back: %v", err)
			return
		}
		r.Figure("a wish that waited for etcd to come back", "fulfilled; it had begun %s before all was checked",
			short(time.Since(begun)))
		r.Check("giving it back", release(ctx, a, one))
	}
}

// noneShutOut acquires all browsers that nodes lend, which are of all nodes if each is a member.
func (r *run) noneShutOut(ctx context.Context, c *Cluster) {
	a := c.agent(0, 0)
	defer a.Close()
	nodes := map[string]int{}
	var all []leased
	for range c.Own * c.Nodes {
		one, err := acquire(ctx, a, backBound)
		if err != nil {
			r.Fail("of %d browsers to lend only %d are: %v", c.Own*c.Nodes, len(all), err)
			break
		}
		all = append(all, one)
		nodes[one.Node]++
	}
	for _, n := range c.NodeList {
		if nodes[n.Name] != c.Own {
			r.Fail("%s lends %d browsers, and has %d", n.Name, nodes[n.Name], c.Own)
		}
	}
	for _, one := range all {
		r.Check("giving back", release(ctx, a, one))
	}
	if c.Own > 0 {
		r.Figure("browsers that are lent afterwards", "%d of %d nodes", len(all), len(nodes))
	}
}
