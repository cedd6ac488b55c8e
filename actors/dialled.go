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

// BrowserOptions describe one of several browsers that the hub dials.
type BrowserOptions struct {
	registry.NamedBrowser
	ConnectOptions
	// Key stands for how the hub reaches the browser, and for its Origins. If the Key changes, the hub drops the
	// browser and reaches it anew; see [Hub.SetBrowsers].
	Key string
	// Origins are the rules for the browser's documents; nil means the rules in [registry.Options].
	Origins *names.Origins
}

// dialledBrowser is a browser that the hub dials, with the actor that keeps it.
type dialledBrowser struct {
	BrowserOptions
	pid  *actor.PID
	done <-chan struct{} // closed when the actor has ended
}

// dialledBrowsers are the browsers that the hub dials: all but those with the extension. A hub without Options.Browsers
// has one, without a name.
type dialledBrowsers struct {
	all      atomic.Pointer[[]*dialledBrowser] // in order; the slice is immutable
	stopping chan struct{}                     // closed when the hub stops
	stopped  chan struct{}                     // closed when the hub has stopped and all actors have ended

	mu      sync.Mutex        // held to replace all
	leaving []*dialledBrowser // browsers that are being removed
	spawned int
}

// list returns all browsers, in order.
func (c *dialledBrowsers) list() []*dialledBrowser { return *c.all.Load() }

// startDialled spawns the first actors.
func (h *Hub) startDialled() {
	none := []*dialledBrowser{}
	h.dialled.all.Store(&none)
	if h.options.Browsers != nil {
		h.SetBrowsers(h.options.Browsers)
		return
	}
	only := BrowserOptions{ConnectOptions: h.options.ConnectOptions}
	one := []*dialledBrowser{h.spawnDialled(only, "browser", h.options.Registry.Before)}
	h.dialled.all.Store(&one)
}

// spawnDialled spawns the actor of a browser under the given name.
func (h *Hub) spawnDialled(b BrowserOptions, name string, before registry.TabsBefore) *dialledBrowser {
	pid, keeps := h.root.ActorSystem().NewLocalPID(name), h.keeps(b.Name)
	if b.Origins != nil {
		env := *h.tabs
		env.Origins, keeps.Env = b.Origins, &env
	}
	a := browser.New(keeps, pid, b.ConnectOptions, before)
	h.spawn(pid, a)
	return &dialledBrowser{b, pid, a.Done()}
}

// SetBrowsers sets which browsers on debugging ports there are, and in which order. The hub removes a browser that is
// not in the list, with its pages only, and begins to reach each new one. SetBrowsers returns when this is done, or
// when the hub stops. It doesn't wait for a dial that is under way. It may be called only for a hub that was started
// with Options.Browsers, and only by one goroutine at a time.
func (h *Hub) SetBrowsers(now []BrowserOptions) {
	c := &h.dialled
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
	for _, it := range gone { // its tabs must be gone before the next browser of that name reports any
		select {
		case <-it.done:
		case <-c.stopping: // dialledBrowsers.stop then waits for it
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
	all := make([]*dialledBrowser, len(now))
	for i, b := range now {
		if there := c.find(b.Name); there != nil {
			all[i] = &dialledBrowser{b, there.pid, there.done}
		} else {
			c.spawned++
			all[i] = h.spawnDialled(b, "browser"+strconv.Itoa(c.spawned), registry.TabsBefore{})
		}
	}
	c.all.Store(&all)
}

// retire removes the browsers that are not in now or have another Key there. It does nothing if the hub stops.
func (c *dialledBrowsers) retire(now []BrowserOptions, stopping *atomic.Bool) (gone []*dialledBrowser, begun bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if stopping.Load() {
		return nil, false
	}
	var stay []*dialledBrowser
	for _, it := range c.list() {
		if slices.ContainsFunc(now, func(b BrowserOptions) bool { return b.Name == it.Name && b.Key == it.Key }) {
			stay = append(stay, it)
		} else {
			gone = append(gone, it)
		}
	}
	c.leaving = gone
	c.all.Store(&stay)
	return gone, true
}

// find returns the browser of a name, or nil.
func (c *dialledBrowsers) find(name string) *dialledBrowser {
	all := c.list()
	if i := slices.IndexFunc(all, func(it *dialledBrowser) bool { return it.Name == name }); i >= 0 {
		return all[i]
	}
	return nil
}

// stop ends all actors; stopped is closed when they have ended. It is called once.
func (c *dialledBrowsers) stop(root *actor.RootContext) {
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

// among returns the browsers of these names that exist, in the order of the names; if names is nil, all browsers.
func (c *dialledBrowsers) among(names []string) []*dialledBrowser {
	if names == nil {
		return c.list()
	}
	var found []*dialledBrowser
	for _, name := range names {
		if it := c.find(name); it != nil {
			found = append(found, it)
		}
	}
	return found
}

// wrap puts the browser's name before an error.
func (c *dialledBrowser) wrap(err error) error {
	if err == nil || c.Name == "" {
		return err
	}
	if errors.Is(err, supervisor.ErrNoBrowser) {
		return notConnected{c.Name}
	}
	return fmt.Errorf("%s: %w", c.Name, err)
}

// notConnected is [supervisor.ErrNoBrowser] for one browser.
type notConnected struct{ name string }

func (e notConnected) Error() string { return "the browser " + e.name + " is not connected" }
func (notConnected) Unwrap() error   { return supervisor.ErrNoBrowser }

// supervisors returns all supervisors of tabs.
func (h *Hub) supervisors() []*actor.PID {
	all := []*actor.PID{h.extBrowsers}
	for _, c := range h.dialled.list() {
		all = append(all, c.pid)
	}
	return all
}
