package leases

import (
	"time"
)

// Desk is one process's part in the allocation: it knows what is kept, adds its own members and
// wishes, and gives these wishes what [state.decide] says is theirs. All desks know the same and
// decide the same, but none relies on that: each transaction has its conditions.
//
// One goroutine at a time may call its methods.
type Client struct {
	opts    Options
	state   *state
	listed  bool
	trouble string // why it is out of touch; "" while it is in touch

	own     map[string]*membership // by key
	wishes  map[uint64]*wish
	returns map[uint64]*returning
	// lost are the records that the store has lost, until they are put back or their browsers are in
	// another life.
	lost map[string]record
	tenancy

	slots   [2]slot
	absent  map[string]time.Time // nodes that have records and aren't members, and since when that is known
	missed  map[string]missed    // nodes that were there lately, by name
	turn    map[string]time.Time // tickets of others that could be served, and since when
	armed   time.Time
	effects []Effect
}

// Options are what a desk is made with.
type Options struct {
	// Name is of this desk alone, also after a restart: [a-z0-9-]+.
	Name string
	// Allots says that it ends what must end, as gateways do. Nodes leave that to them.
	Allots bool
	// Limits are set for all desks, if not nil.
	Limits *Limits
	// Refused, if not nil, is told that a member of this process can't join, because another living process has its
	// name. It must not block.
	Refused func(error)
}

// tenancy is what a desk was told of tenants.
type tenancy struct {
	limitsSet bool                 // the limits are those that this desk was told
	evicted   map[string]bool      // who is no tenant any more, and whether leases are to end for that
	unserved  map[string]time.Time // who has leases and is served by no gateway, and since when that is known
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

// How long a desk waits for what.
const (
	// settle is how long it waits to see the change that forestalled its transaction before it tries
	// again: mostly it sees that at once.
	settle = 50 * time.Millisecond
	// passAfter is how long another desk has to serve a wish of its own whose turn has come. Then
	// others go before it.
	passAfter = 2 * time.Second
	// grace is how long a lease that isn't known is waited for: it may have been given elsewhere just
	// now.
	grace = 300 * time.Millisecond
	// remember is how long a wish that was given up is remembered, so that what it gets late goes back.
	remember = time.Minute

	// forgetAfter is how long a used browser is remembered that its node doesn't list, or whose node is
	// gone. A node that lives on without the store for longer must be started anew.
	forgetAfter = 24 * time.Hour

	backoffFirst = 100 * time.Millisecond
	backoffMost  = 5 * time.Second
)

// NewDesk makes a desk that knows nothing yet.
func NewClient(opts Options) *Client {
	return &Client{
		opts: opts, state: newState(), trouble: "the cluster's state is not known yet",
		own: map[string]*membership{}, wishes: map[uint64]*wish{}, returns: map[uint64]*returning{},
		absent: map[string]time.Time{}, missed: map[string]missed{}, turn: map[string]time.Time{},
		tenancy: tenancy{unserved: map[string]time.Time{}},
	}
}

// Step takes an event, and says what is to be done. now never goes back.
func (d *Client) Step(now time.Time, e Event) []Effect {
	d.effects = nil
	d.take(now, e)
	d.answer(now)
	d.expire(now)
	if d.listed && d.trouble == "" {
		d.allot(now)
		d.announce(now) // tickets of wishes that were just refused go
	}
	d.tell()
	d.arm(now)
	return d.effects
}

func (d *Client) take(now time.Time, e Event) {
	switch e := e.(type) {
	case Listed:
		d.list(now, e)
	case Changed:
		for _, key := range e.Delete {
			d.miss(now, d.state.members[key].value)
			d.state.remove(key)
		}
		for _, entry := range e.Put {
			d.state.put(entry)
		}
		d.state.revision = max(d.state.revision, e.Revision)
		d.do(Updated{})
	case OutOfTouch:
		if d.trouble != e.Why {
			d.trouble = e.Why
			d.do(Updated{})
		}
	case InTouch:
		if d.listed {
			d.inTouch()
		}
	case SessionBegan:
		for _, m := range d.own {
			m.put, m.placing = false, false
		}
		for _, w := range d.wishes {
			w.put, w.placing = false, false
		}
	case Committed:
		d.committed(now, e)
	case Joined:
		d.join(e.Member)
	case Left:
		d.leave(memberKey(Member{Role: e.Role, Name: e.Name}))
	case Requested:
		d.wish(now, e)
	case Canceled:
		d.giveUp(now, e.ID)
	case Released:
		d.returns[e.ID] = &returning{tenant: e.Tenant, handle: e.Handle, since: now}
	case LimitsSet:
		d.opts.Limits, d.limitsSet = &e.Limits, false
	case Closing:
		for id, w := range d.wishes {
			if w.over.IsZero() {
				d.giveUp(now, id)
			}
		}
	case Evicted:
		d.evict(now, e.Tenants)
	case TimerFired:
		d.armed = time.Time{}
	}
}

// list takes up all that is kept, in place of what was known.
func (d *Client) list(now time.Time, all Listed) {
	before := d.state
	d.state = newState()
	for _, e := range all.Entries {
		d.state.put(e)
	}
	d.state.revision, d.state.epoch = all.Revision, all.Epoch
	for key, m := range before.members {
		if _, there := d.state.members[key]; !there {
			d.miss(now, m.value)
		}
	}
	if all.Lost && d.listed {
		d.recall(before)
	}
	for _, w := range d.wishes { // what it was given may have come and gone
		w.trying = false
	}
	for i := range d.slots { // revisions may have begun anew
		d.slots[i].await = 0
	}
	d.listed = true
	d.inTouch()
	d.do(Updated{})
}

func (d *Client) inTouch() {
	if d.trouble == "" {
		return
	}
	// Nodes and gateways may have been gone for want of the store alone: their time begins anew.
	d.trouble = ""
	clear(d.absent)
	clear(d.unserved)
	clear(d.turn)
	for _, m := range d.own {
		m.taken = taken{}
	}
	for i := range d.slots {
		d.slots[i].backoff, d.slots[i].until = 0, time.Time{}
	}
	d.do(Updated{})
}

func (d *Client) committed(now time.Time, c Committed) {
	s := &d.slots[c.Slot]
	s.busy, s.until = false, time.Time{}
	if c.Slot == Announcing {
		d.announced(c.Done && c.Err == nil)
	} else if !c.Done {
		for _, w := range d.wishes {
			w.trying = false
		}
	}
	switch {
	case c.Err != nil:
		s.backoff = min(max(2*s.backoff, backoffFirst), backoffMost)
		s.await, s.until = 0, now.Add(s.backoff)
	case !c.Done:
		s.backoff, s.await, s.until = 0, c.Revision, now.Add(settle)
	default:
		s.backoff, s.await, s.until = 0, c.Revision, now.Add(20*settle)
	}
}

// open says whether a slot can take a transaction.
func (d *Client) open(which Slot, now time.Time) bool {
	s := &d.slots[which]
	if s.busy {
		return false
	}
	known := s.await > 0 && d.state.revision >= s.await
	return known || !now.Before(s.until)
}

func (d *Client) commit(which Slot, tx Tx) {
	d.slots[which].busy = true
	tx.Epoch = d.state.epoch
	d.do(Commit{which, tx})
}

func (d *Client) do(e Effect) {
	if _, again := e.(Updated); again {
		for _, before := range d.effects {
			if before == e {
				return
			}
		}
	}
	d.effects = append(d.effects, e)
}
