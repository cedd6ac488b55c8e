package leases

import (
	"maps"
	"slices"
	"time"
)

// Client is one process's part in the leases, without any I/O. It follows the entries, keeps the members of its
// process among them, and puts the process's requests and releases. While its process leads, it also decides for all
// processes: see leader.go.
//
// One goroutine at a time may call its methods.
type Client struct {
	opts    Options
	state   *state
	listed  bool
	trouble string // why it is out of touch; "" while it is in touch
	session int64  // the newest

	members  map[string]*membership // by key
	requests map[uint64]*request
	releases map[uint64]*release
	inUse    map[string]bool // tenants whose leases are to be renewed
	// removed are the removed tenants, and whether their leases have still to be ended.
	removed   map[string]bool
	limitsSet bool // the limits are those of this process
	// lost are the records of this process's browsers that the store has lost, until they are put back.
	lost map[string]record

	fence   If                   // that this process leads; its Key is "" while it doesn't
	absent  map[string]time.Time // nodes that have records and aren't members, and since when that is known
	missed  map[string]missed    // nodes that were there lately, by name
	slots   [2]slot
	timer   time.Time
	effects []Effect
}

// Options are fixed for the life of a [Client].
type Options struct {
	// Name belongs to this client alone, also after a restart: [a-z0-9-]+.
	Name string
	// Candidate says that the process can be elected leader, as gateways can.
	Candidate bool
	// Limits, if not nil, are set for all gateways.
	Limits *Limits
	// Refused, if not nil, is called when a member of this process can't join, because another living process has its
	// name. It must not block.
	Refused func(error)
}

// slot is a transaction under way, or what must come before the next one.
type slot struct {
	busy bool
	// await is the revision that must be known before another transaction is worth trying; until is
	// when it is tried all the same.
	await   int64
	until   time.Time
	backoff time.Duration
}

// How long a client waits for what.
const (
	// settle is how long it waits to see the change that made its transaction fail before it tries again: mostly it
	// sees that at once.
	settle = 50 * time.Millisecond
	// grace is how long a lease that isn't known is waited for: it may have been granted just now.
	grace = 300 * time.Millisecond
	// remember is how long a request that is over is remembered, so that what it gets late goes back.
	remember = time.Minute
	// undecided is how long a request that doesn't wait for a browser waits for the leader's decision.
	undecided = 3 * time.Second

	backoffFirst = 100 * time.Millisecond
	backoffMost  = 5 * time.Second
)

// NewClient returns a Client that knows nothing yet.
func NewClient(opts Options) *Client {
	return &Client{
		opts: opts, state: newState(), trouble: "the cluster's state is not known yet",
		members: map[string]*membership{}, requests: map[uint64]*request{}, releases: map[uint64]*release{},
		absent: map[string]time.Time{}, missed: map[string]missed{},
	}
}

// Step takes an event, and returns what is to be done. now never goes back.
func (c *Client) Step(now time.Time, e Event) []Effect {
	c.effects = nil
	c.take(now, e)
	c.answer(now)
	c.expire(now)
	if c.listed && c.trouble == "" {
		c.lead(now)
		c.put(now)
	}
	c.progress()
	c.arm(now)
	return c.effects
}

func (c *Client) take(now time.Time, e Event) {
	switch e := e.(type) {
	case Listed:
		c.list(now, e)
	case Changed:
		for _, key := range e.Delete {
			c.miss(now, c.state.members[key].value)
			c.state.remove(key)
		}
		for _, entry := range e.Put {
			c.state.put(entry)
			c.noticePlaced(entry.Key)
		}
		c.state.revision = max(c.state.revision, e.Revision)
		c.do(Updated{})
	case OutOfTouch:
		if c.trouble != e.Why {
			c.trouble = e.Why
			c.do(Updated{})
		}
	case InTouch:
		if c.listed {
			c.inTouch()
		}
	case SessionBegan:
		c.session = e.Session
	case Elected:
		c.fence = e.Fence
	case Committed:
		c.committed(now, e)
	case Joined:
		c.join(e.Member)
	case Left:
		if m := c.members[memberKey(Member{Role: e.Role, Name: e.Name})]; m != nil {
			m.gone = true
		}
	case Requested:
		c.request(now, e)
	case Canceled:
		c.cancel(now, e.ID)
	case Released:
		c.releases[e.ID] = &release{tenant: e.Tenant, handle: e.Handle, since: now}
	case InUse:
		c.inUse = map[string]bool{}
		for _, tenant := range e.Tenants {
			c.inUse[tenant] = true
		}
	case LimitsSet:
		c.opts.Limits, c.limitsSet = &e.Limits, false
	case Closing:
		for id := range c.requests {
			c.cancel(now, id)
		}
	case TenantsRemoved:
		c.revokeRemoved(now, e.Tenants)
	case TimerFired:
		c.timer = time.Time{}
	}
}

// list takes up all that is kept, in place of what was known.
func (c *Client) list(now time.Time, all Listed) {
	before := c.state
	c.state = newState()
	for _, e := range all.Entries {
		c.state.put(e)
		c.noticePlaced(e.Key)
	}
	c.state.revision, c.state.epoch, c.state.ends = all.Revision, all.Epoch, before.ends
	for key, m := range before.members {
		if _, there := c.state.members[key]; !there {
			c.miss(now, m.value)
		}
	}
	if all.Lost && c.listed {
		c.recall(before)
	}
	for i := range c.slots { // revisions may have begun anew
		c.slots[i].await = 0
	}
	c.listed = true
	c.inTouch()
	c.do(Updated{})
}

func (c *Client) inTouch() {
	if c.trouble == "" {
		return
	}
	// Nodes may have been gone for want of the store alone: their time begins anew.
	c.trouble = ""
	clear(c.absent)
	for _, m := range c.members {
		m.taken = taken{}
	}
	for i := range c.slots {
		c.slots[i].backoff, c.slots[i].until = 0, time.Time{}
	}
	c.do(Updated{})
}

func (c *Client) committed(now time.Time, e Committed) {
	s := &c.slots[e.Slot]
	s.busy, s.until = false, time.Time{}
	switch {
	case e.Err != nil:
		s.backoff = min(max(2*s.backoff, backoffFirst), backoffMost)
		s.await, s.until = 0, now.Add(s.backoff)
	case !e.Done:
		s.backoff, s.await, s.until = 0, e.Revision, now.Add(settle)
	default:
		s.backoff, s.await, s.until = 0, e.Revision, now.Add(20*settle)
	}
}

// open says whether a slot can take a transaction.
func (c *Client) open(which Slot, now time.Time) bool {
	s := &c.slots[which]
	if s.busy {
		return false
	}
	known := s.await > 0 && c.state.revision >= s.await
	return known || !now.Before(s.until)
}

// commit has a transaction carried out; false if there is nothing in it.
func (c *Client) commit(which Slot, tx Tx) bool {
	if len(tx.Put)+len(tx.Delete) == 0 {
		return false
	}
	c.slots[which].busy = true
	tx.Epoch = c.state.epoch
	c.do(Commit{which, tx})
	return true
}

func (c *Client) do(e Effect) {
	if _, again := e.(Updated); again && slices.Contains(c.effects, e) {
		return
	}
	c.effects = append(c.effects, e)
}

// put puts what is this process's own: a member, the limits, or its requests and releases.
func (c *Client) put(now time.Time) {
	if !c.open(Own, now) {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(c.members)) {
		if tx, ok := c.place(now, key, c.members[key]); ok && c.commit(Own, tx) {
			return
		}
	}
	if !c.commit(Own, c.setLimits()) {
		c.commit(Own, c.putRequests(now))
	}
}

// arm asks to be told when something is due.
func (c *Client) arm(now time.Time) {
	var next time.Time
	due := func(at time.Time) {
		if at.After(now) && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	for _, r := range c.requests {
		if r.over.IsZero() {
			due(r.since.Add(r.bound()))
			due(r.since.Add(r.Wait))
		} else {
			due(r.over.Add(remember))
		}
	}
	for _, r := range c.releases {
		due(r.since.Add(grace))
	}
	for _, m := range c.members {
		if m.taken.by != "" {
			due(m.taken.since.Add(takenFor))
		}
	}
	for i := range c.slots {
		if !c.slots[i].busy {
			due(c.slots[i].until)
		}
	}
	if c.leads() {
		for _, since := range c.absent {
			due(since.Add(c.state.limits.value.absence()))
		}
		for _, r := range c.state.records {
			if l := r.value.Lease; l != nil {
				due(l.Until)
				due(l.used().Add(c.state.limits.value.unused()))
			}
		}
	}
	if !next.IsZero() && !next.Equal(c.timer) {
		c.timer = next
		c.do(SetTimer{next})
	}
}
