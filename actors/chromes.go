package actors

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/asynkron/protoactor-go/actor"

	"webmcphub/actors/browser"
	"webmcphub/actors/supervisor"
	"webmcphub/registry"

	"webmcphub/registry/names"
)

// Browser is one of several browsers on debugging ports.
type Browser struct {
	registry.NamedBrowser
	Reach
	// Key tells what the browser is reached by, and its Origins. One whose Key is another
	// one than before is reached anew, see [Hub.SetBrowsers].
	Key string
	// Origins are the rules for its documents instead of those in [registry.Options]; nil is
	// those.
	Origins *names.Origins
}

// chrome is an actor that keeps a browser on a debugging port.
type chrome struct {
	Browser
	pid  *actor.PID
	done <-chan struct{} // closed when the actor has ended
}

// chromes are those that there are. A hub that was told of no names has one, without a name.
type chromes struct {
	all      atomic.Pointer[[]*chrome] // in their order; not modified
	stopping chan struct{}             // closed when the hub stops
	stopped  chan struct{}             // closed when it has and all have ended

	mu      sync.Mutex // held to change all
	leaving []*chrome  // those that were taken away
	spawned int
}

// list are all, in their order.
func (c *chromes) list() []*chrome { return *c.all.Load() }

// startChromes spawns the first ones; lone is the hub's one browser, nil where they have
// names.
func (h *Hub) startChromes(lone *actor.PID) {
	none := []*chrome{}
	h.chromes.all.Store(&none)
	if lone == nil {
		h.SetBrowsers(h.options.Browsers)
		return
	}
	one := []*chrome{h.spawnChrome(Browser{Reach: h.options.Reach}, lone, h.options.Registry.Before)}
	h.chromes.all.Store(&one)
}

func (h *Hub) spawnChrome(b Browser, pid *actor.PID, before registry.TabsBefore) *chrome {
	keeps := h.keeps(b.Name, h.extBrowsers)
	if b.Origins != nil {
		env := *h.tabs
		env.Origins, keeps.Env = b.Origins, &env
	}
	a := browser.New(keeps, pid, b.Reach, before)
	h.spawn(pid, a)
	return &chrome{b, pid, a.Done()}
}

// SetBrowsers says which browsers on debugging ports there are from now on, in their
// order. Those that are no longer among them are let go of, which takes their pages alone;
// new ones are reached. It returns when that has begun, and those that went are gone, or when
// the hub stops. A dial that is under way keeps nobody. It is for a hub that was started with
// Options.Browsers, and for one goroutine at a time.
func (h *Hub) SetBrowsers(now []Browser) {
	c := &h.chromes
	gone, begun := c.retire(now, &h.stopping)
	if !begun {
		return
	}
	named := make([]registry.NamedBrowser, len(now))
	for i, b := range now {
		named[i] = b.NamedBrowser
	}
	for _, it := range gone {
		h.root.Send(it.pid, supervisor.Stop{Removed: true})
	}
	for _, it := range gone { // its tabs are gone before another browser of its name has any
		select {
		case <-it.done:
		case <-c.stopping: // which waits for it, and for no longer than it may
			return
		}
	}
	h.root.Send(h.registry, registry.BrowsersNamed{Browsers: named})
	c.mu.Lock()
	defer c.mu.Unlock()
	c.leaving = nil
	if h.stopping.Load() {
		return
	}
	all := make([]*chrome, len(now))
	for i, b := range now {
		if there := c.find(b.Name); there != nil {
			all[i] = &chrome{b, there.pid, there.done}
		} else {
			c.spawned++
			all[i] = h.spawnChrome(b, h.root.ActorSystem().NewLocalPID("browser"+strconv.Itoa(c.spawned)),
				registry.TabsBefore{})
		}
	}
	c.all.Store(&all)
}

// retire takes away those that aren't wanted any more, unless the hub stops.
func (c *chromes) retire(now []Browser, stopping *atomic.Bool) (gone []*chrome, begun bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if stopping.Load() {
		return nil, false
	}
	var stay []*chrome
	for _, it := range c.list() {
		if slices.ContainsFunc(now, func(b Browser) bool { return b.Name == it.Name && b.Key == it.Key }) {
			stay = append(stay, it)
		} else {
			gone = append(gone, it)
		}
	}
	c.leaving = gone
	c.all.Store(&stay)
	return gone, true
}

// find finds one by its name, or returns nil.
func (c *chromes) find(name string) *chrome {
	all := c.list()
	if i := slices.IndexFunc(all, func(it *chrome) bool { return it.Name == name }); i >= 0 {
		return all[i]
	}
	return nil
}

// stop ends all; stopped is closed when they have ended. It is called once.
func (c *chromes) stop(root *actor.RootContext) {
	close(c.stopping)
	c.mu.Lock()
	all := slices.Concat(c.list(), c.leaving)
	c.mu.Unlock()
	for _, it := range all {
		root.Send(it.pid, supervisor.Stop{})
	}
	go func() {
		for _, it := range all {
			<-it.done
		}
		close(c.stopped)
	}()
}

// among are those of these names that there are, in the order of the names; without names
// they are all.
func (c *chromes) among(names []string) []*chrome {
	if names == nil {
		return c.list()
	}
	var found []*chrome
	for _, name := range names {
		if it := c.find(name); it != nil {
			found = append(found, it)
		}
	}
	return found
}

// says puts the browser's name before what went wrong there.
func (c *chrome) says(err error) error {
	if err == nil || c.Name == "" {
		return err
	}
	if errors.Is(err, supervisor.ErrNoBrowser) {
		return notConnected{c.Name}
	}
	return fmt.Errorf("%s: %w", c.Name, err)
}

// notConnected is [supervisor.ErrNoBrowser] of one browser.
type notConnected struct{ name string }

func (e notConnected) Error() string { return "the browser " + e.name + " is not connected" }
func (notConnected) Unwrap() error   { return supervisor.ErrNoBrowser }

// tellers are those who tell a fresh registry everything. Each browser's supervisor has the
// extension's tell it, too.
func (h *Hub) tellers() []*actor.PID {
	var all []*actor.PID
	for _, c := range h.chromes.list() {
		all = append(all, c.pid)
	}
	if all == nil {
		all = append(all, h.extBrowsers)
	}
	return all
}
