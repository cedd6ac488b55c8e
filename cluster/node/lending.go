package node

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"webmcphub/actors"
	"webmcphub/cdpclient"
	"webmcphub/cluster/allot"
	"webmcphub/registry/browsers"
)

// A node lends its own browsers by a store ([Options].Store), which is told each one's life: another
// one after each start of the browser, whyever. A browser whose lease has ended is started afresh,
// and by its next life the store knows.

// What comes into the keeper's box besides.
type (
	// began says that a browser of the node's own was started.
	began struct{ browser string }
	// stood says that the browsers stand otherwise than before.
	stood struct{}
	// used are browsers whose lease has ended, and in which life.
	used struct{ of map[string]string }
	// departs says that the node takes no new work.
	departs struct{}
)

// lends is what the keeper knows of that. It belongs to the keeper's run.
type lends struct {
	membership allot.Membership // nil without a store
	told       allot.Member
	starts     map[string]int  // of browsers
	renewing   map[string]bool // until the browser is started
	leaving    bool
}

// startsDialer counts the starts of a browser.
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

// counted are browsers whose starts the keeper hears of.
func (k *keeper) counted(all []Browser) []Browser {
	all = slices.Clone(all)
	for i, b := range all {
		if b.Own {
			all[i].Dialer = startsDialer{b.Dialer, func() { k.box.Must(began{b.Name}) }}
		}
	}
	return all
}

// join makes the node a member, and follows which of its browsers are used.
func (k *keeper) join() error {
	store := k.options.Store
	if store == nil {
		return nil
	}
	m := k.member()
	var err error
	if k.lends.membership, err = store.Join(k.life.ctx, m); err != nil {
		return fmt.Errorf("the node can't become a member of the cluster: %w", err)
	}
	k.lends.told = m
	k.following.Go(func() {
		store.Watch(k.life.ctx, func(p allot.Picture) {
			of := map[string]string{}
			for _, u := range p.Used {
				if u.Node == k.options.Name {
					of[u.Browser] = u.Life
				}
			}
			if len(of) > 0 {
				k.box.Must(used{of})
			}
		})
	})
	return nil
}

// member is what the node says of itself.
func (k *keeper) member() allot.Member {
	m := allot.Member{Role: allot.Node, Name: k.options.Name, Address: k.Addr(), Incarnation: k.incarnation, Labels: k.options.Labels, Leaving: k.lends.leaving}
	if k.options.Advertise != "" {
		m.Address = k.options.Advertise
	}
	stand := k.current.Load().Browsers()
	for _, b := range k.all {
		if !b.Own {
			continue
		}
		lent := allot.Browser{Name: b.Name, Labels: slices.Concat(b.Labels, labelsOf(k.options.Labels)), Condition: allot.Unfit, Life: k.lifeOf(b.Name)}
		if !k.lends.renewing[b.Name] && slices.ContainsFunc(stand, func(s browsers.Browser) bool { return s.Name == b.Name && s.Status == "" }) {
			lent.Condition = allot.Ready
		}
		m.Browsers = append(m.Browsers, lent)
	}
	return m
}

func (k *keeper) lifeOf(browser string) string {
	return fmt.Sprintf("%s.%d", k.incarnation, k.lends.starts[browser])
}

// say tells the store what the node is now, if that is another than it was told.
func (k *keeper) say() {
	if k.lends.membership == nil {
		return
	}
	if m := k.member(); !reflect.DeepEqual(m, k.lends.told) {
		k.lends.told = m
		k.lends.membership.Update(m)
	}
}

// ends has browsers started afresh whose lease has ended, unless they have been since.
func (k *keeper) ends(of map[string]string) (changed bool) {
	for name, life := range of {
		if life != k.lifeOf(name) || k.lends.renewing[name] {
			continue
		}
		if err := k.renew(name); err != nil {
			k.log.Error("a browser can't be started afresh", "browser", name, "err", err)
			continue
		}
		changed = true
	}
	return changed
}
