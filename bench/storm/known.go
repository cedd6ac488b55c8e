package storm

import (
	"bytes"
	"fmt"
	"slices"
	"sync"
	"time"
)

// known notes when stamps became known: to the hub, where that can be seen
// from within, and to the client that is watched.
type known struct {
	epoch time.Time

	mu     sync.Mutex
	hub    map[int64][]sight // by page, in time
	client map[int64][]sight
	taken  map[int64]int64 // the newest stamp of each page that was taken in
	more   chan struct{}   // closed and replaced when taken grows
}

// sight is a stamp and when it was first seen, both in µs since the epoch.
type sight struct{ stamp, seen int64 }

func newKnown() *known {
	return &known{epoch: time.Now(), hub: map[int64][]sight{}, client: map[int64][]sight{}, taken: map[int64]int64{},
		more: make(chan struct{})}
}

func (k *known) now() int64 { return k.at(time.Now()) }

func (k *known) at(t time.Time) int64 { return t.Sub(k.epoch).Microseconds() }

// byHub says that the hub's catalog has a tool; those that are no stamp are ignored.
func (k *known) byHub(tool string) {
	text := []byte(tool)
	if i := bytes.Index(text, []byte(stampMark)); i > 0 {
		if s, ok := stampAt(text, i); ok {
			k.note(k.hub, []stamp{s}, k.now())
		}
	}
}

// byClient looks for stamps in a list that the client has since a time.
func (k *known) byClient(list []byte, at time.Time) {
	var found []stamp
	for i := 0; ; {
		n := bytes.Index(list[i:], []byte(stampMark))
		if n < 0 {
			break
		}
		i += n
		if s, ok := stampAt(list, i); ok {
			found = append(found, s)
		}
		i += len(stampMark)
	}
	k.note(k.client, found, k.at(at))
}

// stampAt reads the stamp whose mark is at text[i:].
func stampAt(text []byte, i int) (stamp, bool) {
	begin := bytes.LastIndexByte(text[max(0, i-12):i], 'k') + max(0, i-12) + 1
	end := i + len(stampMark)
	for end < len(text) && (text[end] >= '0' && text[end] <= '9' || text[end] >= 'a' && text[end] <= 'z') {
		end++
	}
	return parseStamp(string(text[begin:i]), string(text[i+len(stampMark):end]))
}

func (k *known) note(by map[int64][]sight, stamps []stamp, at int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	grown := false
	for _, s := range stamps {
		sights := by[s.page]
		if len(sights) > 0 && sights[len(sights)-1].stamp >= s.at {
			continue
		}
		by[s.page] = append(sights, sight{s.at, at})
		if k.taken[s.page] < s.at {
			k.taken[s.page], grown = s.at, true
		}
	}
	if grown {
		close(k.more)
		k.more = make(chan struct{})
	}
}

// lastTaken is when the newest sight by the hub was, or by the client if the hub
// could not be looked into.
func (k *known) lastTaken() time.Time {
	k.mu.Lock()
	defer k.mu.Unlock()
	last := int64(0)
	by := k.hub
	if len(by) == 0 {
		by = k.client
	}
	for _, sights := range by {
		last = max(last, sights[len(sights)-1].seen)
	}
	return k.epoch.Add(time.Duration(last) * time.Microsecond)
}

// patience bounds every wait; it costs time only when something is broken.
const patience = 30 * time.Second

// await waits until a stamp was taken in.
func (k *known) await(s stamp) error {
	late := time.NewTimer(patience)
	defer late.Stop()
	for {
		k.mu.Lock()
		ok, more := k.taken[s.page] >= s.at, k.more
		k.mu.Unlock()
		if ok {
			return nil
		}
		select {
		case <-more:
		case <-late.C:
			return fmt.Errorf("a change of page %d was not taken in for %v", s.page, patience)
		}
	}
}

// delays says how long it took until each of the stamps was known: to the
// client, and to the hub if that could be seen. Stamps that never were (their
// page went first) are left out.
func (k *known) delays(stamps []stamp) (client, hub samples) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, s := range stamps {
		if d, ok := delay(k.client[s.page], s.at); ok {
			client = append(client, d)
		}
		if d, ok := delay(k.hub[s.page], s.at); ok {
			hub = append(hub, d)
		}
	}
	return client, hub
}

// delay looks for the first sight of a stamp or a later one.
func delay(sights []sight, at int64) (time.Duration, bool) {
	i, _ := slices.BinarySearchFunc(sights, at, func(s sight, at int64) int { return int(min(max(s.stamp-at, -1), 1)) })
	if i == len(sights) {
		return 0, false
	}
	return time.Duration(max(0, sights[i].seen-at)) * time.Microsecond, true
}
