package leases

import (
	"cmp"
	"slices"
	"strings"
)

// state is what the cluster keeps, at one revision.
type state struct {
	members  map[string]kept[Member] // by key
	records  map[string]kept[record] // by NODE/BROWSER
	requests map[string]kept[queued] // by ID
	line     []string                // the IDs of those that aren't refused, in the order in which they came
	turns    kept[turns]
	limits   kept[Limits]
	// candidates are the versions of the candidates' keys.
	candidates map[string]int64
	revision   int64 // the newest of all entries
	epoch      string

	held    map[string]int    // leases by tenant
	waiting map[string]int    // requests in the line by tenant
	granted map[string]string // handles by request
	ends    ends
}

func newState() *state {
	return &state{
		members: map[string]kept[Member]{}, records: map[string]kept[record]{}, requests: map[string]kept[queued]{},
		candidates: map[string]int64{}, held: map[string]int{}, waiting: map[string]int{}, granted: map[string]string{},
	}
}

// put takes an entry up, in place of what was there.
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

// remove takes out what was at a key.
func (s *state) remove(key string) {
	if strings.HasPrefix(key, membersAt) {
		delete(s.members, key)
	} else if name, ok := strings.CutPrefix(key, browsersAt); ok {
		if r := s.records[name].value; r.Lease != nil {
			less(s.held, r.Lease.Tenant)
			delete(s.granted, r.Lease.Request)
		}
		delete(s.records, name)
	} else if id, ok := strings.CutPrefix(key, requestsAt); ok {
		if r, ok := s.requests[id]; ok && r.value.Refused == "" {
			less(s.waiting, r.value.Tenant)
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

// queue is the line without those who have been granted a browser.
func (s *state) queue() (all []string) {
	for _, id := range s.line {
		if s.granted[id] == "" {
			all = append(all, id)
		}
	}
	return all
}

// ends tell how fast leases end: when the last one did, and the time between two on average, both in milliseconds.
type ends struct{ last, interval int64 }

func (e *ends) count(at int64) {
	if e.last > 0 {
		e.interval = (7*e.interval + max(0, at-e.last)) / 8
	}
	e.last = max(e.last, at)
}

func less(counts map[string]int, of string) {
	if counts[of]--; counts[of] <= 0 {
		delete(counts, of)
	}
}

// node is a node that is there.
func (s *state) node(name string) (kept[Member], bool) {
	m, ok := s.members[nodeKey(name)]
	return m, ok
}

// free says whether a browser is nobody's, and fresh.
func (s *state) free(node string, b Browser) bool {
	r, ok := s.records[node+"/"+b.Name]
	return !ok || !r.value.broken && r.value.Lease == nil && r.value.Life != b.Life
}

// lease finds a lease by its handle, with its browser's record.
func (s *state) lease(handle string) (kept[record], bool) {
	node, browser, ok := ParseHandle(handle)
	if !ok {
		return kept[record]{}, false
	}
	r, ok := s.records[node+"/"+browser]
	return r, ok && r.value.Lease != nil && r.value.Lease.Handle == handle
}

// last is at which turn a tenant that waits was served last, or came.
func (s *state) last(t queued) uint64 { return max(s.turns.value.Last[t.Tenant], t.Turn) }

// browser finds one by its name.
func (m Member) browser(name string) (Browser, bool) {
	at := slices.IndexFunc(m.Browsers, func(b Browser) bool { return b.Name == name })
	if at < 0 {
		return Browser{}, false
	}
	return m.Browsers[at], true
}

// fits says whether a browser is what is requested.
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
