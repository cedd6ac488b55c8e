package leases

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"
)

// decide grants free browsers to requests until no free browser fits a request. Each time it serves the tenant that
// holds the fewest browsers, and of several such tenants the one whose last turn is longest ago. Of that tenant's
// requests it takes the first that a free browser fits. It ignores requests that the leader doesn't let wait.
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

// round has the tenants with waiting requests, and the number of the last grant.
type round struct {
	tenants []*waitingTenant
	turn    uint64
}

// waitingTenant is a tenant with waiting requests, how many browsers it holds, and how many it may hold.
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

// next returns the request to serve next, and removes it from its tenant's line.
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

// pool has the browsers that can be granted.
type pool struct {
	free []candidate
	load map[string]float64 // by node: the fraction of its browsers that isn't free
	size map[string]int     // by node: how many browsers it has
	none map[string]bool    // labels and profiles of requests that no browser in the pool fits
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

// fits says whether a browser in the pool fits a request.
func (p *pool) fits(t queued) bool {
	want := strings.Join(t.Labels, "\x00") + "\x01" + t.Profile
	if p.none[want] {
		return false
	}
	ok := slices.ContainsFunc(p.free, func(c candidate) bool { return c.browser.fits(t.Labels, t.Profile) })
	p.none[want] = !ok
	return ok
}

// take removes the best browser for a request from the pool, and returns it. At least one browser must fit. The best
// has the fewest labels, and among those, its node has the lowest load.
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

// judge returns the reason why a request can't even wait, or "". ahead is how many of its tenant's requests wait
// before it. nodes are the nodes for whose browsers requests may wait.
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

// labelsOf returns all labels of the nodes' browsers, sorted.
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

// handles returns the handles of a tenant's leases, sorted.
func (s *state) handles(tenant string) (all []string) {
	for _, r := range s.records {
		if l := r.value.Lease; l != nil && l.Tenant == tenant {
			all = append(all, l.Handle)
		}
	}
	slices.Sort(all)
	return all
}

// retryAfter estimates how long it takes until a queue has room again: until each waiting tenant has had a turn.
func (s *state) retryAfter() time.Duration {
	pace := time.Duration(s.ends.interval) * time.Millisecond
	after := (pace * time.Duration(max(1, len(s.waiting)))).Round(time.Second)
	return min(max(after, retryLeast), retryMost)
}
