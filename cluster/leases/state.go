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
	tickets  map[string]kept[ticket] // by ID
	line     []string                // their IDs, in the order in which they came
	turns    kept[turns]
	limits   kept[Limits]
	revision int64 // the newest of all entries
	epoch    string

	held    map[string]int    // leases by tenant
	waiting map[string]int    // tickets by tenant
	given   map[string]string // handles by ticket
	serving serving
}

func newState() *state {
	return &state{
		members: map[string]kept[Member]{}, records: map[string]kept[record]{}, tickets: map[string]kept[ticket]{},
		held: map[string]int{}, waiting: map[string]int{}, given: map[string]string{},
		serving: serving{of: map[string]int{}},
	}
}

// put takes an entry up, in place of what was there.
func (s *state) put(e Entry) {
	s.remove(e.Key)
	if _, ok := below(e.Key, membersAt); ok {
		if m, ok := read[Member](e); ok && m.value.Check() == nil && memberKey(m.value) == e.Key {
			s.members[e.Key] = m
			s.serving.count(m.value, 1)
		}
	} else if name, ok := below(e.Key, browsersAt); ok {
		r, ok := read[record](e)
		r.value.broken = !ok
		if r.value.Lease != nil {
			s.held[r.value.Lease.Tenant]++
			s.given[r.value.Lease.Ticket] = r.value.Lease.Handle
		}
		s.records[name] = r
	} else if id, ok := below(e.Key, ticketsAt); ok {
		if t, ok := read[ticket](e); ok {
			t.value.ID = id
			s.enqueue(t)
		}
	} else if e.Key == turnsAt {
		s.turns, _ = read[turns](e)
	} else if e.Key == limitsAt {
		s.limits, _ = read[Limits](e)
	}
}

// remove takes out what was at a key.
func (s *state) remove(key string) {
	if _, ok := below(key, membersAt); ok {
		if m, ok := s.members[key]; ok {
			s.serving.count(m.value, -1)
		}
		delete(s.members, key)
	} else if name, ok := below(key, browsersAt); ok {
		if r := s.records[name].value; r.Lease != nil {
			less(s.held, r.Lease.Tenant)
			delete(s.given, r.Lease.Ticket)
		}
		delete(s.records, name)
	} else if id, ok := below(key, ticketsAt); ok {
		if t, ok := s.tickets[id]; ok {
			less(s.waiting, t.value.Tenant)
			s.line = slices.DeleteFunc(s.line, func(in string) bool { return in == id })
			delete(s.tickets, id)
		}
	} else if key == turnsAt {
		s.turns = kept[turns]{}
	} else if key == limitsAt {
		s.limits = kept[Limits]{}
	}
}

func (s *state) enqueue(t kept[ticket]) {
	at, _ := slices.BinarySearchFunc(s.line, t, func(id string, t kept[ticket]) int {
		return cmp.Or(cmp.Compare(s.tickets[id].created, t.created), strings.Compare(id, t.value.ID))
	})
	s.line = slices.Insert(s.line, at, t.value.ID)
	s.tickets[t.value.ID] = t
	s.waiting[t.value.Tenant]++
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
func (s *state) last(t ticket) uint64 { return max(s.turns.value.Last[t.Tenant], t.Turn) }

// browser finds one by its name.
func (m Member) browser(name string) (Browser, bool) {
	at := slices.IndexFunc(m.Browsers, func(b Browser) bool { return b.Name == name })
	if at < 0 {
		return Browser{}, false
	}
	return m.Browsers[at], true
}

// fits says whether a browser is what is wished for.
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
