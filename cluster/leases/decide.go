package leases

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"
)

// grant is a browser for a ticket.
type grant struct {
	ticket string
	lease  Lease
}

// decide says which ticket gets which browser, until none is left that fits. It takes the tenant
// that holds least, of those the one whose turn is longest ago; of its tickets the first that a
// free browser fits. Tickets that are passed over count as if they weren't there; fresh are tickets
// that come after all that are kept.
func (s *state) decide(now time.Time, passed map[string]bool, fresh ...ticket) (grants []grant) {
	if len(s.line)+len(fresh) == 0 {
		return nil
	}
	pool := s.pool()
	if len(pool.free) == 0 {
		return nil
	}
	r := s.round(passed, fresh)
	for {
		tenant, t, ok := r.next(pool)
		if !ok {
			return grants
		}
		c := pool.take(t)
		r.serve(tenant)
		grants = append(grants, grant{t.ID, Lease{
			Handle: c.node + "/" + c.browser.Name + "~" + t.ID, Tenant: tenant, Node: c.node, Browser: c.browser.Name,
			Life:  c.browser.Life,
			Since: now, Until: now.Add(s.limits.value.Of(tenant).Age), Ticket: t.ID,
		}})
	}
}

// round is the tenants that wait, and what they may still have.
type round struct {
	tenants []*standing
	turn    uint64
}

// standing is how a tenant stands among the others.
type standing struct {
	tenant    string
	held, may int
	last      uint64
	line      []ticket
}

func (s *state) round(passed map[string]bool, fresh []ticket) *round {
	r := &round{turn: s.turns.value.Turn}
	line := make([]ticket, 0, len(s.line)+len(fresh))
	for _, id := range s.line {
		if !passed[id] {
			line = append(line, s.tickets[id].value)
		}
	}
	by := map[string]*standing{}
	for _, t := range append(line, fresh...) {
		of := by[t.Tenant]
		if of == nil {
			of = &standing{tenant: t.Tenant, held: s.held[t.Tenant], may: s.limits.value.Of(t.Tenant).Browsers,
				last: s.last(t)}
			by[t.Tenant] = of
			r.tenants = append(r.tenants, of)
		}
		of.line = append(of.line, t)
	}
	return r
}

// next is whose turn it is, and takes the ticket out of the line.
func (r *round) next(pool *pool) (string, ticket, bool) {
	slices.SortFunc(r.tenants, func(a, b *standing) int {
		return cmp.Or(cmp.Compare(a.held, b.held), cmp.Compare(a.last, b.last), strings.Compare(a.tenant, b.tenant))
	})
	for _, of := range r.tenants {
		if of.held >= of.may {
			continue
		}
		for i, t := range of.line {
			if pool.fits(t) {
				of.line = slices.Delete(slices.Clone(of.line), i, i+1)
				return of.tenant, t, true
			}
		}
	}
	return "", ticket{}, false
}

func (r *round) serve(tenant string) {
	r.turn++
	for _, of := range r.tenants {
		if of.tenant == tenant {
			of.held, of.last = of.held+1, r.turn
		}
	}
}

// pool is the browsers that can be given.
type pool struct {
	free []candidate
	load map[string]float64 // of nodes: leases for each browser
	size map[string]int     // of nodes: browsers
	none map[string]bool    // wishes that nothing fits
}

type candidate struct {
	node    string
	browser Browser
}

func (s *state) pool() *pool {
	p := &pool{load: map[string]float64{}, size: map[string]int{}, none: map[string]bool{}}
	for _, key := range slices.Sorted(maps.Keys(s.members)) {
		m := s.members[key].value
		if m.Role != Node || m.Leaving {
			continue
		}
		p.size[m.Name] = len(m.Browsers)
		for _, b := range m.Browsers {
			if s.free(m.Name, b) {
				if b.Condition != Unfit {
					p.free = append(p.free, candidate{m.Name, b})
				}
			} else {
				p.load[m.Name] += 1 / float64(len(m.Browsers))
			}
		}
	}
	return p
}

// fits says whether there is a browser for a ticket.
func (p *pool) fits(t ticket) bool {
	wish := strings.Join(t.Labels, "\x00") + "\x01" + t.Profile
	if p.none[wish] {
		return false
	}
	ok := slices.ContainsFunc(p.free, func(c candidate) bool { return c.browser.fits(t.Labels, t.Profile) })
	p.none[wish] = !ok
	return ok
}

// take takes the best browser for a ticket, which at least one fits: one that is ready, with few
// labels that nobody asked for, on the node that has least to do.
func (p *pool) take(t ticket) candidate {
	best := -1
	for i, c := range p.free {
		if c.browser.fits(t.Labels, t.Profile) && (best < 0 || p.better(c, p.free[best])) {
			best = i
		}
	}
	c := p.free[best]
	p.free = slices.Delete(p.free, best, best+1)
	p.load[c.node] += 1 / float64(p.size[c.node])
	return c
}

func (p *pool) better(a, b candidate) bool {
	if a, b := a.browser.Condition == Ready, b.browser.Condition == Ready; a != b {
		return a
	}
	if a, b := len(a.browser.Labels), len(b.browser.Labels); a != b {
		return a < b
	}
	return p.load[a.node] < p.load[b.node]
}

// admit says why a wish can't even wait, or nil. ahead is how many of its tenant's wishes wait before
// it. Browsers of the nodes in lately, which were there a moment ago, can be waited for.
func (s *state) admit(w Request, ahead int, lately []Member) *Refusal {
	for _, m := range s.members {
		lately = append(lately, m.value)
	}
	exists, labels := false, map[string]bool{}
	for _, m := range lately {
		exists = exists || slices.ContainsFunc(m.Browsers, func(b Browser) bool { return b.fits(w.Labels, w.Profile) })
	}
	if !exists {
		for _, m := range lately {
			for _, b := range m.Browsers {
				for _, l := range b.Labels {
					labels[l] = true
				}
			}
		}
		return noSuchLabels(w, slices.Sorted(maps.Keys(labels)))
	}
	may := s.limits.value.Of(w.Tenant)
	if s.held[w.Tenant] >= may.Browsers {
		return overQuota(s.handles(w.Tenant), may.Browsers)
	}
	if ahead >= may.Waiting {
		return queueFull(ahead, s.after())
	}
	return nil
}

// handles are those of a tenant's leases.
func (s *state) handles(tenant string) (all []string) {
	for _, r := range s.records {
		if l := r.value.Lease; l != nil && l.Tenant == tenant {
			all = append(all, l.Handle)
		}
	}
	slices.Sort(all)
	return all
}

// after is in how long a place in a line is likely to come free: once each tenant that waits has had
// a turn.
func (s *state) after() time.Duration {
	pace := time.Duration(s.turns.value.Pace) * time.Millisecond
	after := (pace * time.Duration(max(1, len(s.waiting)))).Round(time.Second)
	return min(max(after, retryLeast), retryMost)
}
