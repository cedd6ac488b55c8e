package results

import (
	"encoding/json"
	"slices"
	"sync"
	"time"
	"unicode/utf8"
)

// Limits of what a [Store] keeps.
const (
	// MaxKept is how many bytes it keeps in all, and MaxKeptEach for each session.
	MaxKept     = 64 << 20
	MaxKeptEach = 16 << 20
	// KeptFor is how long it keeps what was sent to clients without a session, because the hub doesn't learn when such
	// a client is gone.
	KeptFor = time.Hour
)

// Whole is a whole result.
type Whole struct {
	Text string
	JSON bool // Text is JSON
	Attribution
}

// Attribution says whose words a result contains. The zero value is for results that need no mark.
type Attribution struct {
	Origin string // "" if they are only the hub's, or the page has no origin
	// Mark marks a result that contains a part of these words; nil leaves results unmarked. It must not refer to
	// large data, because that isn't counted.
	Mark func(result json.RawMessage) json.RawMessage
}

// Marked returns the result with marks around the page's words.
func (w Attribution) Marked(result json.RawMessage) json.RawMessage {
	if w.Mark == nil {
		return result
	}
	return w.Mark(result)
}

// Store keeps whole results. Any goroutine may use it. The zero value is an empty Store.
type Store struct {
	mu    sync.Mutex
	all   []kept // the oldest is first
	bytes int
}

type kept struct {
	owner, name string
	since       time.Time
	Whole
}

// beside is more than a kept result takes in addition to its text, for its name and Attribution. It also bounds the
// number of results to 16,384.
const beside = 4 << 10

// takes returns how many bytes a kept result takes.
func (w Whole) takes() int { return len(w.Text) + beside }

// Keep keeps a result for the session to which it is sent, under a name that nobody can guess. owner is the session,
// or "" for all clients without one. Keep returns false if the result is larger than what a session may keep.
func (s *Store) Keep(owner, name string, w Whole, now time.Time) bool {
	if w.takes() > MaxKeptEach {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire(now)
	mine := w.takes()
	for _, k := range s.all {
		if k.owner == owner {
			mine += k.takes()
		}
	}
	s.drop(func(k *kept) bool {
		if k.owner != owner || mine <= MaxKeptEach {
			return false
		}
		mine -= k.takes()
		return true
	})
	s.drop(func(*kept) bool { return s.bytes+w.takes() > MaxKept })
	s.all = append(s.all, kept{owner, name, now, w})
	s.bytes += w.takes()
	return true
}

// Find returns the result that is kept for a session under a name.
func (s *Store) Find(owner, name string, now time.Time) (w Whole, there bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire(now)
	for _, k := range s.all {
		if k.name == name && k.owner == owner {
			return k.Whole, true
		}
	}
	return w, false
}

// Gone drops everything that is kept for a session.
func (s *Store) Gone(owner string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(func(k *kept) bool { return k.owner == owner })
}

// Holds returns how many results are kept, and how many bytes they take.
func (s *Store) Holds() (n, bytes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.all), s.bytes
}

// expire drops what is too old. mu must be held.
func (s *Store) expire(now time.Time) {
	s.drop(func(k *kept) bool { return k.owner == "" && now.Sub(k.since) >= KeptFor })
}

// drop drops the results for which which returns true. It calls which for the oldest first.
func (s *Store) drop(which func(k *kept) bool) {
	s.all = slices.DeleteFunc(s.all, func(k kept) bool {
		if !which(&k) {
			return false
		}
		s.bytes -= k.takes()
		return true
	})
}

// page returns where the page at an offset in bytes begins and ends; it has about max tokens at most. The offset is 0
// or the end of another page. ok is false if there is nothing.
func (w Whole) page(from, max int) (at, to int, ok bool) {
	if from < 0 || from >= len(w.Text) && from > 0 {
		return 0, 0, false
	}
	for from < len(w.Text) && !utf8.RuneStart(w.Text[from]) {
		from--
	}
	rest := w.Text[from:]
	n := Text(rest, max)
	if n == 0 && len(rest) > 0 { // no page is empty
		for n = min(len(rest), 64); n < len(rest) && !utf8.RuneStart(rest[n]); n++ {
		}
	}
	return from, from + n, true
}
