package leases

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"
)

// decide says which request gets which browser, until none is left that fits. It takes the tenant that holds least, of
// those the one whose turn is longest ago; of its requests the first that a free browser fits. Requests that are
// neither admitted to the line, nor among admitted, count as if they weren't there.
func (s *state) decide(now time.Time, admitted map[string]bool) (grants []Lease) {
	if len(s.line) == 0 {
		return nil
	}
	pool := s.pool()
	if len(pool.free) == 0 {
		return nil
	}
	r := s.round(admitted)
	for {
		t, ok := r.next(pool)
		if !ok {
			return grants
		}
		c := pool.take(t)
		r.serve(t.Tenant)
		grants = append(grants, Lease{
			Handle: c.node + "/" + c.browser.Name + "~" + t.ID, Tenant: t.Tenant, Node: c.node, Browser: c.browser.Name,
			Life: c.browser.Life, Since: now, Until: now.Add(s.limits.value.Of(t.Tenant).Age), Request: t.ID,
		})
	}
}

// round has the tenants that wait, and what each may still have.
type round struct {
	tenants []*waitingTenant
	turn    uint64
}

// waitingTenant is a tenant with requests that wait.
type waitingTenant struct {
	tenant    string
	held, may int
	last      uint64
	line      []queued
}

func (s *state) round(admitted map[string]bool) *round {
	r := &round{turn: s.turns.value.Turn}
	by := map[string]*waitingTenant{}
	for _, id := range s.queue() {
		t := s.requests[id].value
		if !t.Admitted && !admitted[id] {
			continue
		}
		of := by[t.Tenant]
		if of == nil {
			of = &waitingTenant{tenant: t.Tenant, held: s.held[t.Tenant], may: s.limits.value.Of(t.Tenant).Browsers,
				last: s.last(t)}
			by[t.Tenant] = of
			r.tenants = append(r.tenants, of)
		}
		of.line = append(of.line, t)
	}
	return r
}

// next returns the request to serve next, which it takes out of its tenant's line.
func (r *round) next(pool *pool) (queued, bool) {
	slices.SortFunc(r.tenants, func(a, b *waitingTenant) int {
		return cmp.Or(cmp.Compare(a.held, b.held), cmp.Compare(a.last, b.last), strings.Compare(a.tenant, b.tenant))
	})
	for _, of := range r.tenants {
		if of.held >= of.may {
			continue
		}
		for i, t := range of.line {
			if pool.fits(t) {
				of.line = slices.Delete(slices.Clone(of.line), i, i+1)
				return t, true
			}
		}
	}
	return queued{}, false
}

func (r *round) serve(tenant string) {
	r.turn++
	for _, of := range r.tenants {
		if of.tenant == tenant {
			of.held, of.last = of.held+1, r.turn
		}
	}
}

// pool is the browsers that can be granted.
type pool struct {
	free []candidate
	load map[string]float64 // of nodes: leases for each browser
	size map[string]int     // of nodes: browsers
	none map[string]bool    // requests that nothing fits
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

// fits says whether there is a browser for a request.
func (p *pool) fits(t queued) bool {
	want := strings.Join(t.Labels, "\x00") + "\x01" + t.Profile
	if p.none[want] {
		return false
	}
	ok := slices.ContainsFunc(p.free, func(c candidate) bool { return c.browser.fits(t.Labels, t.Profile) })
	p.none[want] = !ok
	return ok
}

// take takes the best browser for a request, which at least one fits: one with few labels that nobody asked for, on the
// node that has least to do.
func (p *pool) take(t queued) candidate {
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
	if a, b := len(a.browser.Labels), len(b.browser.Labels); a != b {
		return a < b
	}
	return p.load[a.node] < p.load[b.node]
}

// judge says why a request can't even wait, or "". ahead is how many of its tenant's requests wait before it; nodes are
// those whose browsers can be waited for.
func (s *state) judge(r queued, ahead int, nodes []Member) Reason {
	fits := func(b Browser) bool { return b.fits(r.Labels, r.Profile) }
	may := s.limits.value.Of(r.Tenant)
	switch {
	case !slices.ContainsFunc(nodes, func(m Member) bool { return slices.ContainsFunc(m.Browsers, fits) }):
		return NoSuchLabels
	case s.held[r.Tenant] >= may.Browsers:
		return OverQuota
	case ahead >= may.Waiting:
		return QueueFull
	}
	return ""
}

// labelsOf are all labels of the browsers of nodes.
func labelsOf(nodes []Member) []string {
	labels := map[string]bool{}
	for _, m := range nodes {
		for _, b := range m.Browsers {
			for _, l := range b.Labels {
				labels[l] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(labels))
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
	pace := time.Duration(s.ends.interval) * time.Millisecond
	after := (pace * time.Duration(max(1, len(s.waiting)))).Round(time.Second)
	return min(max(after, retryLeast), retryMost)
}
