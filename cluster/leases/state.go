package leases

import (
	"cmp"
	"slices"
	"strings"
)

// state is the content of the cluster's entries at one revision.
type state struct {
	members  map[string]kept[Member] // by key
	records  map[string]kept[record] // by NODE/BROWSER
	requests map[string]kept[queued] // by ID
	line     []string                // the IDs of requests that aren't refused, in order of arrival
	turns    kept[turns]
	limits   kept[Limits]
	// candidates has the versions of the candidates' keys.
	candidates map[string]int64
	revision   int64 // the newest revision of all entries
	epoch      string

	held    map[string]int    // number of leases, by tenant
	waiting map[string]int    // number of requests in the line, by tenant
	granted map[string]string // handles of leases, by request ID
	ends    ends
}

func newState() *state {
	return &state{
		members: map[string]kept[Member]{}, records: map[string]kept[record]{}, requests: map[string]kept[queued]{},
		candidates: map[string]int64{}, held: map[string]int{}, waiting: map[string]int{}, granted: map[string]string{},
	}
}

// put stores an entry, in place of any earlier one with the same key.
func (s *state) put(e Entry) {
	held := s.records[strings.TrimPrefix(e.Key, browsersAt)].value.Lease != nil
	s.remove(e.Key)
	if strings.HasPrefix(e.Key, membersAt) {
		if m, ok := read[Member](e); ok && m.value.Check() == nil && memberKey(m.value) == e.Key {
			s.members[e.Key] = m
		}
	} else if name, ok := strings.CutPrefix(e.Key, browsersAt); ok {
		r, ok := read[record](e)
		r.value.broken = !ok
		if r.value.Lease != nil {
			s.held[r.value.Lease.Tenant]++
			s.granted[r.value.Lease.Request] = r.value.Lease.Handle
		} else if held {
			s.ends.count(r.value.Ended)
		}
		s.records[name] = r
	} else if id, ok := strings.CutPrefix(e.Key, requestsAt); ok {
		if t, ok := read[queued](e); ok {
			t.value.ID = id
			s.requests[id] = t
			if t.value.Refused == "" {
				s.enqueue(t)
			}
		}
	} else if strings.HasPrefix(e.Key, ElectionAt) {
		s.candidates[e.Key] = e.Version
	} else if e.Key == turnsAt {
		s.turns, _ = read[turns](e)
	} else if e.Key == limitsAt {
		s.limits, _ = read[Limits](e)
	}
}

// remove deletes the entry that has a key.
func (s *state) remove(key string) {
	if strings.HasPrefix(key, membersAt) {
		delete(s.members, key)
	} else if name, ok := strings.CutPrefix(key, browsersAt); ok {
		if r := s.records[name].value; r.Lease != nil {
			decrement(s.held, r.Lease.Tenant)
			delete(s.granted, r.Lease.Request)
		}
		delete(s.records, name)
	} else if id, ok := strings.CutPrefix(key, requestsAt); ok {
		if r, ok := s.requests[id]; ok && r.value.Refused == "" {
			decrement(s.waiting, r.value.Tenant)
			s.line = slices.DeleteFunc(s.line, func(in string) bool { return in == id })
		}
		delete(s.requests, id)
	} else if strings.HasPrefix(key, ElectionAt) {
		delete(s.candidates, key)
	} else if key == turnsAt {
		s.turns = kept[turns]{}
	} else if key == limitsAt {
		s.limits = kept[Limits]{}
	}
}

func (s *state) enqueue(t kept[queued]) {
	at, _ := slices.BinarySearchFunc(s.line, t, func(id string, t kept[queued]) int {
		return cmp.Or(cmp.Compare(s.requests[id].created, t.created), strings.Compare(id, t.value.ID))
	})
	s.line = slices.Insert(s.line, at, t.value.ID)
	s.waiting[t.value.Tenant]++
}

// queue returns the requests in the line that have not been granted a browser.
func (s *state) queue() (all []string) {
	for _, id := range s.line {
		if s.granted[id] == "" {
			all = append(all, id)
		}
	}
	return all
}

// ends says when the last lease ended, and how long it takes on average until the next one ends, both in milliseconds.
type ends struct{ last, interval int64 }

func (e *ends) count(at int64) {
	if e.last > 0 {
		e.interval = (7*e.interval + max(0, at-e.last)) / 8
	}
	e.last = max(e.last, at)
}

func decrement(counts map[string]int, of string) {
	if counts[of]--; counts[of] <= 0 {
		delete(counts, of)
	}
}

// node returns a node that is a member now.
func (s *state) node(name string) (kept[Member], bool) {
	m, ok := s.members[nodeKey(name)]
	return m, ok
}

// free says whether nobody has a browser, and whether its life has never been granted.
func (s *state) free(node string, b Browser) bool {
	r, ok := s.records[node+"/"+b.Name]
	return !ok || !r.value.broken && r.value.Lease == nil && r.value.Life != b.Life
}

// lease returns the record that has the lease with a handle.
func (s *state) lease(handle string) (kept[record], bool) {
	node, browser, ok := ParseHandle(handle)
	if !ok {
		return kept[record]{}, false
	}
	r, ok := s.records[node+"/"+browser]
	return r, ok && r.value.Lease != nil && r.value.Lease.Handle == handle
}

// last returns the turn at which a waiting tenant was last served, or its request t came if that was later.
func (s *state) last(t queued) uint64 { return max(s.turns.value.Last[t.Tenant], t.Turn) }

// browser returns the member's browser that has a name.
func (m Member) browser(name string) (Browser, bool) {
	at := slices.IndexFunc(m.Browsers, func(b Browser) bool { return b.Name == name })
	if at < 0 {
		return Browser{}, false
	}
	return m.Browsers[at], true
}

// fits says whether a browser has the labels and the profile that a request asks for.
func (b Browser) fits(labels []string, profile string) bool {
	if b.Profile != profile {
		return false
	}
	for _, l := range labels {
		if !slices.Contains(b.Labels, l) {
			return false
		}
	}
	return true
}
