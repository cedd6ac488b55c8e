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
	"webmcphub/cluster/leases"
	"webmcphub/cluster/mailbox"
	"webmcphub/registry"
)

const (
	// DefaultHealth is how often each browser is asked whether it answers. A browser that hangs is started again after
	// maxUnanswered intervals, which takes 15 to 20 s.
	DefaultHealth = 5 * time.Second
	// maxUnanswered is after how many unanswered checks in a row a browser is started again.
	maxUnanswered = 3
	// extension is the name of browsers that connect by their extension. A node has none.
	extension = registry.ExtensionBrowser
)

// Browser is one of a node's browsers.
type Browser struct {
	actors.BrowserOptions
	// Own says that the browser and all that it holds end with its connection, and that its dialer starts a fresh
	// browser. So the browser may be lent.
	Own bool
}

// chromes has the methods of the hub that the browserPool needs.
type chromes interface {
	// Ping asks a browser whether it answers.
	Ping(ctx context.Context, browser string) error
	// SetBrowsers replaces the hub's browsers.
	SetBrowsers(all []actors.BrowserOptions)
}

// browserPool keeps a node's browsers. One goroutine (run) tells the hub which browsers there are.
type browserPool struct {
	*Node
	chromes chromes              // the hub
	box     *mailbox.Box[func()] // for run
	// wanted is how many browsers the node should have, and own how many of them are the node's own.
	wanted, own atomic.Int64
	over        chan struct{} // closed when run has ended
	lives       lives

	// What follows belongs to run.
	all      []Browser
	changed  bool                // the hub doesn't know the browsers yet
	renewed  map[string]int      // how often renew was called for each browser
	renewing map[string]bool     // the browsers that will start afresh, but haven't yet
	update   func(leases.Member) // tells the store; nil without a store
	reported leases.Member
	leaves   bool            // the node leaves
	silence  map[string]int  // how often in a row each browser didn't answer
	pinged   map[string]bool // the browsers that have been asked and haven't answered yet

	following sync.WaitGroup
}

func newBrowserPool(n *Node, all []Browser) *browserPool {
	k := &browserPool{Node: n, box: mailbox.New[func()](maxWaiting), over: make(chan struct{}), renewed: map[string]int{},
		silence: map[string]int{}, pinged: map[string]bool{},
		lives: lives{incarnation: n.incarnation, starts: map[string]int{}}, renewing: map[string]bool{}}
	k.has(all)
	return k
}

// has sets the browsers. It adds the node's labels to each, and counts the starts of the node's own browsers.
func (k *browserPool) has(all []Browser) {
	var labels []string
	for label, value := range k.options.Labels {
		labels = append(labels, label+"="+value)
	}
	slices.Sort(labels)
	k.all = slices.Clone(all)
	own := 0
	for i, b := range all {
		k.all[i].Labels = slices.Concat(b.Labels, labels)
		if b.Own {
			own++
			k.all[i].Dialer = startsDialer{b.Dialer, func() {
				k.lives.began(b.Name)
				k.box.Must(func() { delete(k.renewing, b.Name) })
			}}
		}
	}
	k.wanted.Store(int64(len(all)))
	k.own.Store(int64(own))
}

// SetBrowsers replaces the node's browsers. It returns at once.
func (n *Node) SetBrowsers(all []Browser) {
	k := n.browsers
	k.box.Must(func() {
		k.has(all)
		k.changed = true
	})
}

func (k *browserPool) run() {
	defer close(k.over)
	defer k.following.Wait()
	k.following.Go(func() {
		every := time.NewTicker(k.options.Health)
		defer every.Stop()
		for {
			select {
			case <-k.life.ctx.Done():
				return
			case <-every.C:
				k.box.Must(k.ask)
			}
		}
	})
	mailbox.Run(k.box, k.life.ctx.Done(), k.settle)
}

// settle tells the hub and the store what has changed. run calls it once for all messages that waited, because ending
// several browsers together takes no longer than ending one.
func (k *browserPool) settle() {
	if k.changed {
		k.changed = false
		k.chromes.SetBrowsers(k.now())
	}
	k.report()
}

// now returns the browsers for the hub. A browser that must start afresh gets a new key.
func (k *browserPool) now() []actors.BrowserOptions {
	all := make([]actors.BrowserOptions, len(k.all))
	for i, b := range k.all {
		all[i] = b.BrowserOptions
		if n := k.renewed[b.Name]; n > 0 {
			all[i].Key += "\x00start " + strconv.Itoa(n)
		}
	}
	return all
}

// renew makes a browser start afresh, if it is the node's own.
func (k *browserPool) renew(name string) error {
	i := slices.IndexFunc(k.all, func(b Browser) bool { return b.Name == name })
	switch {
	case i < 0:
		return fmt.Errorf("the node %s has no browser %q", k.options.Name, name)
	case !k.all[i].Own:
		return fmt.Errorf("the browser %s of the node %s belongs to its user, whose data can't be cleared, so it "+
			"isn't lent", name, k.options.Name)
	}
	k.renewed[name]++
	k.renewing[name] = true
	k.changed = true
	delete(k.silence, name)
	return nil
}

// ask asks each browser whether it lives, unless the browser still has to answer an earlier check. A browser has a
// little less than an interval to answer. So a browser that hangs misses every check, and delays no other's check.
func (k *browserPool) ask() {
	for _, b := range k.all {
		if k.pinged[b.Name] {
			continue
		}
		k.pinged[b.Name] = true
		go func(name string, renewed int) {
			ctx, cancel := context.WithTimeout(k.life.ctx, k.options.Health*9/10)
			defer cancel()
			err := k.chromes.Ping(ctx, name)
			k.box.Must(func() { k.heardOf(name, renewed, err) })
		}(b.Name, k.renewed[b.Name])
	}
}

// heardOf counts how often in a row a browser didn't answer. It makes the browser start afresh if the browser is the
// node's own and was silent for too long. renewed is k.renewed of the browser when it was asked.
func (k *browserPool) heardOf(name string, renewed int, err error) {
	delete(k.pinged, name)
	switch {
	case renewed != k.renewed[name]: // the browser was started afresh meanwhile
		return
	case err == nil, errors.Is(err, actors.ErrNoBrowser): // the hub reconnects to a lost browser by itself
		delete(k.silence, name)
		return
	}
	k.silence[name]++
	k.log.Warn("a browser doesn't answer", "browser", name, "times", k.silence[name], "err", err)
	if k.silence[name] >= maxUnanswered && k.renew(name) == nil {
		k.log.Warn("a browser that doesn't answer is started afresh", "browser", name)
	}
}
