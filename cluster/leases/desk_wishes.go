package leases

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// wish is a wish of this desk that isn't answered, or was given up lately.
type wish struct {
	Request
	ticket string
	since  time.Time
	// put says that its ticket hangs on the current session, placing that this is under way.
	put, placing bool
	trying       bool      // a transaction is under way that gives it a browser
	judged       bool      // it was admitted where all others see it
	over         time.Time // when nobody waited for it any more
	told         *Waiting
}

// returning is a lease that is to end.
type returning struct {
	tenant, handle string
	since          time.Time
	seen           bool // the lease was there
}

// wish takes up a wish, or refuses it at once, without a ticket, if it can be seen that it can't wait.
func (d *Client) wish(now time.Time, e Requested) {
	w := &wish{Request: e.Wish, ticket: fmt.Sprintf("%s-%08d", d.opts.Name, e.ID), since: now}
	if no := tooLarge(e.Wish); no != nil {
		d.do(Answered{ID: e.ID, Err: no})
		return
	}
	if d.isEvicted(e.Wish.Tenant) {
		d.do(Answered{ID: e.ID, Err: noTenant()})
		return
	}
	if d.listed && d.trouble == "" {
		if no := d.state.admit(e.Wish, d.waiting(e.Wish.Tenant), d.lately(now)); no != nil {
			d.do(Answered{ID: e.ID, Err: no})
			return
		}
	}
	d.wishes[e.ID] = w
}

// waiting is how many of a tenant wait, with those whose ticket isn't known yet.
func (d *Client) waiting(tenant string) int {
	n := d.state.waiting[tenant]
	for _, w := range d.wishes {
		if _, known := d.state.tickets[w.ticket]; !known && w.Tenant == tenant && w.over.IsZero() {
			n++
		}
	}
	return n
}

func (d *Client) giveUp(now time.Time, id uint64) {
	if w := d.wishes[id]; w != nil {
		w.over = now
	}
	delete(d.returns, id)
}

// refuse ends a wish. Its ticket goes; if the wish is served meanwhile all the same, the lease goes
// back.
func (d *Client) refuse(now time.Time, id uint64, why *Refusal) {
	d.wishes[id].over = now
	d.do(Answered{ID: id, Err: why})
}

// tickets puts those that aren't there, and takes out those that nobody waits for.
func (d *Client) tickets(now time.Time) (tx Tx) {
	for _, id := range slices.Sorted(maps.Keys(d.wishes)) {
		w := d.wishes[id]
		at, there := d.state.tickets[w.ticket]
		waits := w.Wait > 0 && w.over.IsZero() && !w.trying
		if !waits || there && w.put || len(tx.Put) == MaxOps/2 {
			continue
		}
		t := d.newTicket(w)
		if there {
			t.Turn = at.value.Turn
		}
		w.placing = true
		tx.Put = append(tx.Put, Put{Key: ticketsAt + w.ticket, Value: encode(t), Session: true})
	}
	alive := map[string]bool{}
	for _, w := range d.wishes {
		alive[w.ticket] = w.over.IsZero()
	}
	for _, id := range d.state.line {
		if d.mine(id) && !alive[id] && len(tx.Delete) < MaxOps/2 {
			tx.Delete = append(tx.Delete, ticketsAt+id)
		}
	}
	return tx
}

func (d *Client) newTicket(w *wish) ticket {
	return ticket{ID: w.ticket, Tenant: w.Tenant, Labels: w.Labels, Profile: w.Profile, Turn: d.state.turns.value.Turn}
}

// fresh are the tickets of wishes that came just now: one that can be served at once never waits in
// line.
func (d *Client) fresh() (all []ticket) {
	for _, id := range slices.Sorted(maps.Keys(d.wishes)) {
		w := d.wishes[id]
		if _, there := d.state.tickets[w.ticket]; !there && !w.put && !w.placing && w.over.IsZero() {
			all = append(all, d.newTicket(w))
		}
	}
	return all
}

// mine says whether a ticket is of this desk.
func (d *Client) mine(ticket string) bool {
	return strings.HasPrefix(ticket, d.opts.Name+"-") && len(ticket) == len(d.opts.Name)+9
}

// announced takes up what came of what was put on the session.
func (d *Client) announced(done bool) {
	for _, m := range d.own {
		if m.placing {
			m.placing, m.put, m.placed = false, done, m.placed || done
		}
	}
	for _, w := range d.wishes {
		if w.placing {
			w.placing, w.put = false, done
		}
	}
}

// answer answers what is seen to be done.
func (d *Client) answer(now time.Time) {
	for id, w := range d.wishes {
		if handle, ok := d.state.given[w.ticket]; ok && w.over.IsZero() {
			r, _ := d.state.lease(handle)
			d.do(Answered{ID: id, Lease: *r.value.Lease})
			delete(d.wishes, id)
		}
	}
	for id, r := range d.returns {
		l, there := d.state.lease(r.handle)
		switch {
		case there && l.value.Lease.Tenant == r.tenant:
			r.seen = true
			continue
		case r.seen:
			d.do(Answered{ID: id})
		case there || d.listed && d.trouble == "" && now.Sub(r.since) >= grace:
			d.do(Answered{ID: id, Err: ErrNoLease})
		default:
			continue
		}
		delete(d.returns, id)
	}
}

// judge refuses those of this desk's wishes that can't wait, as is seen once their tickets have their
// places in the line.
func (d *Client) judge(now time.Time) {
	ahead := d.ahead()
	for id, w := range d.wishes {
		before, known := ahead[w.ticket]
		if w.judged || !known || !w.over.IsZero() {
			continue
		}
		w.judged = true
		if no := d.state.admit(w.Request, before, d.lately(now)); no != nil {
			d.refuse(now, id, no)
		}
	}
}

// ahead is how many of the same tenant are before each ticket of this desk.
func (d *Client) ahead() map[string]int {
	ahead, of := map[string]int{}, map[string]int{}
	if len(d.wishes) == 0 {
		return nil
	}
	for _, id := range d.state.line {
		tenant := d.state.tickets[id].value.Tenant
		if d.mine(id) {
			ahead[id] = of[tenant]
		}
		of[tenant]++
	}
	return ahead
}

// notNow refuses wishes that don't wait, and aren't served now.
func (d *Client) notNow(now time.Time, served map[string]bool) {
	for id, w := range d.wishes {
		if w.Wait <= 0 && w.over.IsZero() && !served[w.ticket] {
			d.refuse(now, id, noneFree(0, 0, d.state.after()))
		}
	}
}

// expire ends what has waited for as long as it may, and forgets what was given up long ago.
func (d *Client) expire(now time.Time) {
	var ahead map[string]int
	for id, w := range d.wishes {
		waited := now.Sub(w.since)
		switch {
		case !w.over.IsZero():
			if now.Sub(w.over) >= remember {
				delete(d.wishes, id)
			}
		case d.trouble != "" && waited >= w.Wait:
			d.refuse(now, id, outOfTouch(waited, d.trouble))
		case w.Wait > 0 && waited >= w.Wait:
			if ahead == nil {
				ahead = d.ahead()
			}
			d.refuse(now, id, noneFree(waited, ahead[w.ticket], d.state.after()))
		}
	}
}

// tell tells how wishes stand, where that has changed.
func (d *Client) tell() {
	ahead := d.ahead()
	for id, w := range d.wishes {
		if !w.over.IsZero() {
			continue
		}
		at, known := ahead[w.ticket]
		if !known {
			at = d.state.waiting[w.Tenant]
			if w.told != nil { // its ticket is on its way to where it was
				at = w.told.Ahead
			}
		}
		if told := (Waiting{Ahead: at, Since: w.since, Trouble: d.trouble}); w.told == nil || *w.told != told {
			w.told = &told
			d.do(Progressed{id, told})
		}
	}
}
