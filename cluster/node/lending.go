package node

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"webmcphub/actors"
	"webmcphub/cdpclient"
	"webmcphub/cluster/leases"
	"webmcphub/registry"
)

// A node lends its own browsers through a store ([Options].Store). The node tells the store the life of each browser;
// every start of a browser begins a new life. A browser whose lease has ended is started afresh, and its new life
// tells the store so.

// lives are the lives of a node's own browsers. Any goroutine may use it.
type lives struct {
	incarnation string
	mu          sync.Mutex
	starts      map[string]int // of browsers, by name
}

// began counts another start of a browser.
func (l *lives) began(browser string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.starts[browser]++
}

// of returns the life that a browser is in.
func (l *lives) of(browser string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.named(l.starts[browser])
}

func (l *lives) named(start int) string { return fmt.Sprintf("%s.%d", l.incarnation, start) }

// all returns the lives of all browsers that were started.
func (l *lives) all() map[string]string {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := map[string]string{}
	for name, n := range l.starts {
		all[name] = l.named(n)
	}
	return all
}

// still returns the browsers in in that are in the wanted life. A browser without a wanted life may be in any.
func (l *lives) still(in []string, wanted map[string]string) ([]string, error) {
	var left []string
	for _, name := range in {
		if life := wanted[name]; life == "" || life == l.of(name) {
			left = append(left, name)
		}
	}
	if len(in) > 0 && len(left) == 0 {
		return nil, errors.New("the browser was started afresh, so its lease has ended: acquire another browser")
	}
	return left, nil
}

// may returns a function that returns an error if a browser is no longer in the wanted life. A new life is counted
// before the browser can get any request in it.
func (l *lives) may(wanted map[string]string) func(browser string) error {
	return func(browser string) error {
		_, err := l.still([]string{browser}, wanted)
		return err
	}
}

// startsDialer counts the starts of a browser, before anybody can use the started browser.
type startsDialer struct {
	actors.Dialer
	began func()
}

// Dial starts the browser.
func (d startsDialer) Dial(ctx context.Context) (cdpclient.Wire, error) {
	w, err := d.Dialer.Dial(ctx)
	if err == nil {
		d.began()
	}
	return w, err
}

// join makes the node a member of the cluster, and restarts browsers whose lease has ended.
func (k *browserPool) join() error {
	store := k.options.Store
	if store == nil {
		return nil
	}
	m := k.member()
	var err error
	if k.update, err = store.Join(k.life.ctx, m); err != nil {
		return fmt.Errorf("the node can't become a member of the cluster: %w", err)
	}
	k.reported = m
	k.following.Go(func() {
		store.Watch(k.life.ctx, func(p leases.Snapshot) {
			k.snapshot(p)
			of := map[string]string{}
			for _, u := range p.Spent {
				if u.Node == k.options.Name {
					of[u.Browser] = u.Life
				}
			}
			if len(of) > 0 {
				k.box.Must(func() { k.ends(of) })
			}
		})
	})
	return nil
}

// member returns what the node reports to the store about itself.
func (k *browserPool) member() leases.Member {
	m := leases.Member{Role: leases.Node, Name: k.options.Name, Address: k.Addr(), Incarnation: k.incarnation,
		Leaving: k.leaves}
	if k.options.Advertise != "" {
		m.Address = k.options.Advertise
	}
	stand := k.current.Load().Browsers()
	for _, b := range k.all {
		if !b.Own {
			continue
		}
		lent := leases.Browser{Name: b.Name, Labels: b.Labels, Condition: leases.Unfit, Life: k.lives.of(b.Name)}
		if !k.renewing[b.Name] &&
			slices.ContainsFunc(stand, func(s registry.Browser) bool { return s.Name == b.Name && s.Status == "" }) {
			lent.Condition = leases.Ready
		}
		m.Browsers = append(m.Browsers, lent)
	}
	return m
}

// report reports the node to the store, if its member has changed since the last report.
func (k *browserPool) report() {
	if k.update == nil {
		return
	}
	if m := k.member(); !reflect.DeepEqual(m, k.reported) {
		k.reported = m
		k.update(m)
	}
}

// ends makes browsers start afresh if the lives in of, whose leases have ended, are still their current ones.
func (k *browserPool) ends(of map[string]string) {
	for name, life := range of {
		if life != k.lives.of(name) || k.renewing[name] {
			continue
		}
		if err := k.renew(name); err != nil {
			k.log.Error("a browser can't be started afresh", "browser", name, "err", err)
		}
	}
}
