package leases

import (
	"maps"
	"slices"
	"time"
)

// Client is one process's part in the leases, without any I/O. It follows the entries, keeps an entry for each member
// of its process, and puts the process's requests and releases. While its process is the leader, it also decides for
// all processes: see leader.go.
//
// One goroutine at a time may call its methods.
type Client struct {
	opts    Options
	state   *state
	listed  bool
	trouble string // why the client is out of touch with the entries; "" while it is in touch
	session int64  // the newest session

	members  map[string]*membership // by key
	requests map[uint64]*request
	releases map[uint64]*release
	inUse    map[string]bool // tenants whose leases are to be renewed
	// removed has the removed tenants. The value says whether the tenant's leases have still to be ended.
	removed   map[string]bool
	limitsSet bool // the entry with the limits has this process's limits
	// lost has the records of this process's browsers that the store has lost, until they are put back.
	lost map[string]record

	fence   If                   // the condition that this process is the leader; Key is "" if it isn't elected
	absent  map[string]time.Time // nodes that have records but aren't members, and when the client noticed it
	missed  map[string]missed    // nodes that were members until recently, by name
	slots   [2]slot
	timer   time.Time
	effects []Effect
}

// Options configure a [Client]. They never change.
type Options struct {
	// Name is [a-z0-9-]+. No other client has it, not even after a restart.
	Name string
	// Candidate says that the process can be elected leader, as gateways can.
	Candidate bool
	// Limits, if not nil, are put as the limits for all gateways.
	Limits *Limits
	// Refused, if not nil, is called when a member of this process can't join because another living process has its
	// name. It must not block.
	Refused func(error)
}

// slot is the state of one kind of transactions: whether one is under way, and when the next one may begin.
type slot struct {
	busy bool
	// await is the revision that the client must know before the next transaction can succeed. At until, the client
	// tries one even without knowing that revision.
	await   int64
	until   time.Time
	backoff time.Duration
}

// How long a client waits.
const (
	// settle is how long the client waits for the change that made its transaction fail, before it tries again. Mostly
	// the change arrives at once.
	settle = 50 * time.Millisecond
	// grace is how long a release waits for a lease that the client doesn't know: it may have just been granted.
	grace = 300 * time.Millisecond
	// remember is how long the client remembers a request that is over, so that it can return a lease granted late.
	remember = time.Minute
	// undecided is how long a request that doesn't wait for a browser waits for the leader's decision.
	undecided = 3 * time.Second

	backoffFirst = 100 * time.Millisecond
	backoffMost  = 5 * time.Second
)

// NewClient returns a Client that doesn't know any entries yet.
func NewClient(opts Options) *Client {
	return &Client{
		opts: opts, state: newState(), trouble: "the cluster's state is not known yet",
		members: map[string]*membership{}, requests: map[uint64]*request{}, releases: map[uint64]*release{},
		absent: map[string]time.Time{}, missed: map[string]missed{},
	}
}

// Step handles an event, and returns the effects to carry out. now never goes back.
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
	c.setTimer(now)
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

// list replaces all entries that the client knows.
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
	for i := range c.slots { // revisions may have begun again
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
	// Perhaps the nodes were only out of touch with the store. So the client measures their absence from now on.
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

// open says whether a slot can begin a transaction.
func (c *Client) open(which Slot, now time.Time) bool {
	s := &c.slots[which]
	if s.busy {
		return false
	}
	known := s.await > 0 && c.state.revision >= s.await
	return known || !now.Before(s.until)
}

// commit asks for a transaction. It returns false if the transaction changes nothing.
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

// put puts this process's own entries: a member, the limits, or its requests and releases.
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

// setTimer sets the timer for the time at which the next thing is due.
func (c *Client) setTimer(now time.Time) {
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
