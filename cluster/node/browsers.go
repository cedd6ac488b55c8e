package node

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"webmcphub/actors"
	"webmcphub/cluster/mailbox"
	"webmcphub/registry"
)

const (
	// DefaultHealth is how often each browser is asked whether it lives.
	DefaultHealth = 5 * time.Second
	// maxUnanswered is how often in a row it may not answer.
	maxUnanswered = 3
	// extension is what browsers are called that come by their extension; a node has none.
	extension = registry.ExtensionBrowser
)

// Browser is one of a node's browsers.
type Browser struct {
	actors.Browser
	// Own says that the browser ends with its connection, with all that it holds, and that its
	// dialer starts a fresh one: it may be lent.
	Own bool
}

// named are browsers as the hub is told of them, each with the node's labels.
func named(all []Browser, labels map[string]string) []actors.Browser {
	list := make([]actors.Browser, len(all))
	for i, b := range all {
		list[i] = b.Browser
		list[i].Labels = slices.Concat(b.Labels, labelsOf(labels))
	}
	return list
}

func labelsOf(labels map[string]string) (all []string) {
	for k, v := range labels {
		all = append(all, k+"="+v)
	}
	slices.Sort(all)
	return all
}

// keeper keeps a node's browsers. One goroutine (run) tells the hub which there are.
type keeper struct {
	*Node
	box *mailbox.Box[any]
	// wanted is how many browsers there are to be, and own how many of them are the node's own.
	wanted, own atomic.Int64
	over        chan struct{} // closed when run has ended
	lives       lives

	// What follows belongs to run.
	all     []Browser
	renewed map[string]int // how often each was to be started afresh
	lends   lends
	silence map[string]int // how often in a row each didn't answer
	asking  bool

	following sync.WaitGroup
}

func newKeeper(n *Node, all []Browser) *keeper {
	k := &keeper{Node: n, box: mailbox.New[any](maxWaiting), over: make(chan struct{}), renewed: map[string]int{},
		silence: map[string]int{},
		lives:   lives{incarnation: n.incarnation, starts: map[string]int{}}, lends: lends{renewing: map[string]bool{}}}
	k.has(all)
	return k
}

// has takes the browsers that there are from now on.
func (k *keeper) has(all []Browser) {
	k.all = k.counted(all)
	own := 0
	for _, b := range all {
		if b.Own {
			own++
		}
	}
	k.wanted.Store(int64(len(all)))
	k.own.Store(int64(own))
}

// What comes into its box.
type (
	// replaced gives the browsers that there are from now on.
	replaced struct{ all []Browser }
	// answers are those of the browsers that were asked, nil for each that lives.
	answers struct{ of map[string]error }
)

// SetBrowsers says which browsers there are from now on. It returns at once.
func (n *Node) SetBrowsers(all []Browser) { n.browsers.box.Must(replaced{all}) }

func (k *keeper) run() {
	defer close(k.over)
	defer k.following.Wait()
	every := time.NewTicker(k.options.Health)
	defer every.Stop()
	for {
		select {
		case <-k.life.ctx.Done():
			return
		case <-every.C:
			k.ask()
		case <-k.box.Ready():
			k.handle(k.box.Take())
		}
	}
}

// handle takes all that waits together: ending browsers takes a moment, for however many.
func (k *keeper) handle(all []any) {
	changed := false
	for _, m := range all {
		switch m := m.(type) {
		case replaced:
			k.has(m.all)
			changed = true
		case answers:
			changed = k.heardOf(m.of) || changed
		case began:
			delete(k.lends.renewing, m.browser)
		case used:
			changed = k.ends(m.of) || changed
		case departs:
			k.lends.leaving = true
		}
	}
	if changed {
		k.hub.SetBrowsers(k.now())
	}
	k.say()
}

// now are the browsers as the hub is to have them. One that is started afresh has another key
// than before.
func (k *keeper) now() []actors.Browser {
	all := named(k.all, k.options.Labels)
	for i := range all {
		if n := k.renewed[all[i].Name]; n > 0 {
			all[i].Key += "\x00start " + strconv.Itoa(n)
		}
	}
	return all
}

// renew has a browser started afresh, if it is the node's own.
func (k *keeper) renew(name string) error {
	i := slices.IndexFunc(k.all, func(b Browser) bool { return b.Name == name })
	switch {
	case i < 0:
		return fmt.Errorf("the node %s has no browser %q", k.options.Name, name)
	case !k.all[i].Own:
		return fmt.Errorf("the browser %s of the node %s is not its own: what its user has in it can't be cleared, "+
			"so it isn't lent", name, k.options.Name)
	}
	k.renewed[name]++
	k.lends.renewing[name] = true
	delete(k.silence, name)
	return nil
}

// ask asks all browsers whether they live, unless the last answers are still awaited.
func (k *keeper) ask() {
	if k.asking {
		return
	}
	k.asking = true
	limit := k.options.Health
	var names []string
	for _, b := range k.all {
		names = append(names, b.Name)
	}
	go func() {
		ctx, cancel := context.WithTimeout(k.life.ctx, limit)
		defer cancel()
		type one struct {
			name string
			err  error
		}
		each := make(chan one, len(names))
		for _, name := range names {
			go func() { each <- one{name, k.hub.Lives(ctx, name)} }()
		}
		all := map[string]error{}
		for range names {
			o := <-each
			all[o.name] = o.err
		}
		k.box.Must(answers{all})
	}()
}

// heardOf counts who didn't answer, and starts those of the node's own afresh that are silent
// for too long. It says whether it did.
func (k *keeper) heardOf(all map[string]error) (changed bool) {
	k.asking = false
	for name, err := range all {
		if err == nil || errors.Is(err, actors.ErrNoBrowser) { // which the hub reaches again by itself
			delete(k.silence, name)
			continue
		}
		k.silence[name]++
		k.log.Warn("a browser doesn't answer", "browser", name, "times", k.silence[name], "err", err)
		if k.silence[name] >= maxUnanswered && k.renew(name) == nil {
			k.log.Warn("a browser that doesn't answer is started afresh", "browser", name)
			changed = true
		}
	}
	return changed
}
