package storm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"webmcphub/bench/storm/hubs"
	"webmcphub/internal/gctuning"
)

// Options say where a scenario is run. The zero value is a fake Chrome and this
// project's hub, in one process.
type Options struct {
	Runtime Runtime // default Fake
	// Bare has a client of Chrome that serves nobody and makes the calls itself in the place of hub and clients: what
	// Chrome itself takes.
	Bare bool
	// Apart gives the hub a process of its own. A real Chrome's always has one, a
	// bare client never.
	Apart          bool
	NotifyInterval time.Duration // the hub's flush interval; 0 is its default
	hubs.Profiles
	// Progress is called a few times a second by a goroutine, if it is not nil.
	Progress func(Progress)
}

// Progress is how far a run is.
type Progress struct {
	Scenario string
	Phase    string // what is being done
	Changes  int64
	Notices  int64
	RSS      int64
}

// converge is how long it may take until all lists are right.
const converge = 90 * time.Second

// restful is how long nothing may come before clients count as at rest. Tests wait less, since they run many scenarios.
var restful = 500 * time.Millisecond

// OwnProcess says whether what is measured has a process of its own.
func (o Options) OwnProcess() bool {
	return o.Apart || o.Runtime != Fake && o.Runtime != "" && !o.Bare
}

// check fills in defaults and finds what can't be.
func (o *Options) check(s Scenario) error {
	if o.Runtime == "" {
		o.Runtime = Fake
	}
	o.Apart = o.OwnProcess()
	switch {
	case o.Bare && o.Apart:
		return errors.New("a bare client is part of the process that measures and can't be apart: leave that out")
	case o.Bare && (o.Runtime == MCPB || o.Runtime == Extension):
		return fmt.Errorf("a bare client knows Chrome's own WebMCP only, not %s: take the runtime %s or %s", o.Runtime,
			Native, Fake)
	case o.Bare && s.sessions() > 1:
		return errors.New("a bare client serves nobody: leave scenarios with clients that are slow or deaf out")
	case s.Listless && s.Rate == 0 && o.Apart:
		return errors.New("as fast as changes are taken in, by a hub in another process: only clients that list can " +
			"tell how fast that is; give a rate, or let them list")
	}
	return nil
}

// Run runs one scenario. It fails if it could not be run; what was found wrong
// with the hub is in Result.Failures.
func Run(ctx context.Context, s Scenario, o Options) (*Result, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	if err := o.check(s); err != nil {
		return nil, err
	}
	defer gctuning.Start()() // as webmcp-hub serve does
	r := &run{s: s, o: o, known: newKnown(), result: newResult(s, o)}
	r.phase.Store("opening pages")
	stop := r.watch()
	defer stop()
	if err := r.start(ctx); err != nil {
		r.end()
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	err := r.blow(ctx)
	if e := r.end(); err == nil && e != nil {
		r.result.fail("%v", e)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	return r.result, nil
}

// start opens the pages and the hub, and waits until every tool is known.
func (r *run) start(ctx context.Context) (err error) {
	if r.o.Runtime == Fake {
		r.driver = newFakeDriver(r.s, r.known, r.o.Apart)
	} else {
		d, err := newChromeDriver(ctx, r.s, r.known, r.o)
		if err != nil {
			return err // and no driver, rather than one that is nil
		}
		r.driver = d
	}
	begun := time.Now()
	if r.o.Bare {
		err = r.startBare(ctx)
	} else {
		err = r.startHub(ctx)
	}
	r.result.ReadyMS = millis(time.Since(begun))
	return err
}

// startBare has a bare client instead of hub and clients.
func (r *run) startBare(ctx context.Context) error {
	b, err := startBare(r.driver.browser().Dial, r.s.Pages, r.known.byHub)
	if err != nil {
		return err
	}
	r.hub, r.callee = b.running(), b
	r.phase.Store("waiting for the tools")
	r.names, err = b.names(ctx)
	return err
}

func (r *run) startHub(ctx context.Context) (err error) {
	if r.o.Apart {
		r.hub, err = hubs.Apart(r.driver.browser(), r.o.NotifyInterval, r.s.sessions(), r.o.Profiles)
	} else {
		r.hub, err = hubs.Here(r.driver.browser(), r.o.NotifyInterval, r.s.sessions(), r.known.byHub)
	}
	if err != nil {
		return err
	}
	r.phase.Store("waiting for the tools")
	for i, m := range r.manners() {
		var seen func([]byte, time.Time)
		if i == 0 {
			seen = r.known.byClient
		}
		r.addClient(newClient(m, r.hub.Ends[i], seen))
	}
	for _, c := range r.clients {
		if err := c.greet(); err != nil {
			return err
		}
	}
	r.callee = r.clients[0]
	return r.listed(ctx)
}

// manners lists what the clients are; the first one is watched.
func (r *run) manners() []manner {
	first := reader
	if r.s.Listless {
		first = idle
	}
	return slices.Concat([]manner{first}, slices.Repeat([]manner{slow}, r.s.Slow),
		slices.Repeat([]manner{deaf}, r.s.Deaf))
}

// listed waits until the first client's list is right.
func (r *run) listed(ctx context.Context) error {
	truth, err := r.driver.truth()
	if err != nil {
		return err
	}
	var which []string
	for deadline := time.Now().Add(converge); time.Now().Before(deadline) && ctx.Err() == nil; {
		if r.clients[0].manner == idle {
			if err := r.clients[0].ask(); err != nil {
				return err
			}
		}
		if line, _ := r.clients[0].last(); line != nil {
			list, names, err := pageTools(line)
			if err != nil {
				return err
			}
			n := 0
			if n, which = wrong(list, truth); n == 0 {
				r.names = names
				return r.reached(line)
			}
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-r.clients[0].ended:
			return fmt.Errorf("the hub hung up: %w", r.clients[0].err)
		}
	}
	return errors.Join(ctx.Err(), fmt.Errorf("before the storm the list was not right in %v: %s", converge,
		strings.Join(which, ", ")))
}

// reached makes sure that the tools come the way they should: the hub says of
// each which runtime it is from.
func (r *run) reached(list []byte) error {
	if r.o.Runtime != Fake && !bytes.Contains(list, fmt.Appendf(nil, `"runtime":%q`, r.o.Runtime)) {
		return fmt.Errorf("the pages' tools are not those of the runtime %s: %.600s", r.o.Runtime, list)
	}
	return nil
}

// blow makes the storm and measures it.
func (r *run) blow(ctx context.Context) error {
	caller := r.caller()
	if caller != nil {
		r.phase.Store("calls in quiet")
		caller.until(ctx, quietCalls/10) // to warm up
		caller.take()
		caller.until(ctx, quietCalls)
		r.result.quiet(caller.take())
	}
	before, err := r.hub.Usage(true)
	if err != nil {
		return err
	}
	made := len(r.driver.stamps())
	changes := r.driver.changes()
	r.zero()
	browser := r.driver.cpu()
	begun := time.Now()
	ended, err := r.storm(ctx, caller)
	if err != nil {
		return err
	}
	r.phase.Store("waiting for the right list")
	truth, err := r.driver.truth()
	if err != nil {
		return err
	}
	right, err := r.converge(ctx, truth, ended)
	if err != nil {
		return err
	}
	after, err := r.hub.Usage(false)
	if err != nil {
		return err
	}
	browser = r.driver.cpu() - browser
	if caller != nil {
		r.result.stormy(caller.take(), caller)
	}
	r.result.count(r.driver.changes()-changes, right.Sub(begun), right.Sub(ended))
	r.result.use(before, after, r.peak.Load(), browser)
	r.result.delays(r.known, r.driver.stamps()[made:])
	r.result.hear(r.clients, r.interval(), ended.Sub(begun))
	if fresh, err := r.hub.Usage(true); err == nil {
		r.result.rest(before, fresh)
	}
	return nil
}

// storm has the pages change, while the caller calls, and gives when the last
// change was made.
func (r *run) storm(ctx context.Context, caller *caller) (ended time.Time, err error) {
	for _, c := range r.clients {
		if c.manner == deaf {
			if err := c.deafen(); err != nil {
				return ended, err
			}
		}
	}
	r.phase.Store("storm")
	storm, over := context.WithTimeout(ctx, r.s.Duration)
	defer over()
	calling := make(chan struct{})
	go func() {
		defer close(calling)
		if caller != nil {
			caller.until(storm, 0)
		}
	}()
	ended, err = r.driver.storm(storm)
	over()
	<-calling
	return ended, err
}

// caller calls the echoing tools of the pages that the scenario names.
func (r *run) caller() *caller {
	if r.s.Calls == NoCalls {
		return nil
	}
	from, to := 0, r.s.Stormy
	if r.s.Calls == QuietPages {
		from, to = r.s.Stormy, r.s.Pages
	}
	k := &caller{by: r.callee}
	for page := from; page < to; page++ {
		k.names = append(k.names, r.names[toolName(int64(page), 0)])
	}
	return k
}
