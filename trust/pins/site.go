package pins

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"webmcphub/registry/names"
)

// How long a first visit lasts.
const (
	// VisitPause is how long no tab may show an origin before the origin's first visit is over.
	VisitPause = 30 * time.Minute
	// VisitLength is the longest time that a first visit lasts.
	VisitLength = 12 * time.Hour

	// skew is how much clocks may differ.
	skew = time.Minute
)

// Limits of what is kept.
const (
	// MaxAccepted is how many definitions of one origin may be accepted, and MaxWaiting how many are kept for a
	// person to look at.
	MaxAccepted = 2000
	MaxWaiting  = 200
	// maxWaitingOf is how many waiting definitions of one tool are kept.
	maxWaitingOf = 10
	// MaxBytes is about how large all definitions of one origin may be together.
	MaxBytes = 8 << 20
)

// Entry is a definition, with who accepted it and when, or with the time when it began to wait.
type Entry struct {
	Definition Definition `json:"definition"`
	At         time.Time  `json:"at"`
	By         string     `json:"by,omitempty"` // who accepted it; "" while it waits
}

// Who accepts definitions.
const (
	ByVisit  = "first visit"
	ByAnswer = "answer"  // a person who answered a question
	ByHand   = "command" // webmcp-hub pins accept
	ByImport = "import"
)

// Visit is the first visit to an origin.
type Visit struct {
	Began time.Time `json:"began"`
	Last  time.Time `json:"last"` // when a tab was last known to show the origin
	Over  bool      `json:"over"`
}

// IsOver reports whether the visit is over at a time. Setting the clock back ends it.
func (v Visit) IsOver(now time.Time) bool {
	return v.Over || now.Sub(v.Last) > VisitPause || now.Sub(v.Began) > VisitLength || v.Last.After(now.Add(skew)) ||
		v.Began.After(now.Add(skew))
}

// Site is everything that is pinned of one origin. It belongs to one goroutine until it is part of a [Book]. After
// that, only a [Site.Clone] may be changed.
type Site struct {
	Origin   string
	Visit    Visit
	Accepted []Entry // in the order in which they were accepted
	Waiting  []Entry // in the order in which they were last seen
	// Unkept is how many further definitions were seen but not kept, for lack of room.
	Unkept int
	// Broken says why the pins of the origin can't be read, or is "".
	Broken string

	known   map[Hash]bool    // hashes of the definitions in Accepted
	written map[Hash]bool    // likewise, see Definition.written
	named   map[string][]int // the definitions of a name in Accepted
	texts   map[Hash]string  // names of the definitions in Accepted, by Definition.text
	waits   map[Hash]bool
	bytes   int // size of all definitions
}

// ID returns a short name for a waiting definition, by which a person accepts it. A page can't choose it, because it
// depends on the moment at which the hub saw the definition.
func (e *Entry) ID() string {
	h := e.Definition.Hash()
	sum := sha256.Sum256(binary.AppendVarint(h[:], e.At.UnixNano()))
	return hex.EncodeToString(sum[:4])
}

// Key returns the name under which a site is stored: its host, for people to read, and a hash of the origin.
func Key(origin string) string {
	host := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '.' || r == '-' {
			return r
		}
		return '_'
	}, names.ParseAddress(origin).Host)
	sum := sha256.Sum256([]byte(origin))
	return fmt.Sprintf("%.80s-%x", host, sum[:6])
}

// NewSite returns the Site of an origin whose first visit begins now.
func NewSite(origin string, now time.Time) *Site {
	s := &Site{Origin: origin, Visit: Visit{Began: now, Last: now}}
	s.index()
	return s
}

// Restored returns the Site of an origin as it was stored.
func Restored(origin string, v Visit, accepted, waiting []Entry, unkept int) *Site {
	s := &Site{Origin: origin, Visit: v, Accepted: accepted, Waiting: waiting, Unkept: unkept}
	s.index()
	return s
}

// BrokenSite returns the Site of an origin whose pins can't be read; why says why.
func BrokenSite(origin, why string) *Site {
	s := &Site{Origin: origin, Broken: why, Visit: Visit{Over: true}}
	s.index()
	return s
}

func (s *Site) index() {
	s.known, s.written, s.waits, s.bytes = map[Hash]bool{}, map[Hash]bool{}, map[Hash]bool{}, 0
	s.named, s.texts = map[string][]int{}, map[Hash]string{}
	for i := range s.Accepted {
		s.pin(i)
	}
	for i := range s.Waiting {
		d := &s.Waiting[i].Definition
		s.waits[d.Hash()] = true
		s.bytes += d.size()
	}
}

func (s *Site) pin(i int) {
	d := &s.Accepted[i].Definition
	s.known[d.Hash()] = true
	s.written[d.written()] = true
	s.named[d.Name] = append(s.named[d.Name], i)
	s.texts[d.text()] = d.Name
	s.bytes += d.size()
}

// Clone returns a copy that may be changed.
func (s *Site) Clone() *Site {
	return Restored(s.Origin, s.Visit, slices.Clone(s.Accepted), slices.Clone(s.Waiting), s.Unkept)
}

// Knows reports whether the definition was accepted.
func (s *Site) Knows(d *Definition) bool { return s.written[d.written()] || s.Compare(d, nil).Same() }

// Compare compares a definition with the accepted ones of its name, see [Compare].
func (s *Site) Compare(d *Definition, isTool func(name string) bool) Change {
	named := s.named[d.Name]
	if len(named) > maxVariants && s.known[d.Hash()] {
		return Change{}
	}
	var accepted []*Definition
	for _, i := range named {
		accepted = append(accepted, &s.Accepted[i].Definition)
	}
	return Compare(accepted, d, isTool)
}

// Kept reports whether the definition was accepted or waits.
func (s *Site) Kept(h Hash) bool { return s.known[h] || s.waits[h] }

// Current returns the waiting definitions that a person can accept by their tools' names: for each tool the definition
// that was seen last.
func (s *Site) Current() (all []Entry) {
	for i, e := range s.Waiting {
		if !slices.ContainsFunc(s.Waiting[i+1:],
			func(later Entry) bool { return later.Definition.Name == e.Definition.Name }) {
			all = append(all, e)
		}
	}
	return all
}

// IsCurrent reports whether a definition is one that Current returns.
func (s *Site) IsCurrent(d *Definition) bool {
	for _, e := range slices.Backward(s.Waiting) {
		if e.Definition.Name == d.Name {
			return e.Definition.Hash() == d.Hash()
		}
	}
	return false
}

// Latest returns the last accepted definition of that name, or nil.
func (s *Site) Latest(name string) *Definition {
	if all := s.named[name]; len(all) > 0 {
		return &s.Accepted[all[len(all)-1]].Definition
	}
	return nil
}

// Drift describes in words how a definition that was not accepted differs from the accepted ones.
func (s *Site) Drift(d *Definition) []string {
	if was := s.Latest(d.Name); was != nil {
		if lines := Differences(was, d); len(lines) > 0 {
			return lines
		}
		return []string{"it differs from what was accepted"}
	}
	if name, known := s.texts[d.text()]; known && d.Description != "" {
		return []string{"the site has no accepted tool of this name; it is described as " + quoteShort(name) + " is"}
	}
	lines := []string{"the site has no accepted tool of this name"}
	if d.ThirdParty != "" {
		lines = append(lines, "it is registered by a script of "+Quote(d.ThirdParty))
	}
	return append(lines, "it says of itself "+Quote(d.Description))
}

// Seen notes a definition that a page has now. During the first visit the definition is accepted; after that it
// waits. drift reports that the definition now waits and did not before. changed reports that the site has changed.
func (s *Site) Seen(d Definition, now time.Time) (drift, changed bool) {
	h := d.Hash()
	if s.Kept(h) {
		return false, s.waits[h] && s.toEnd(h)
	}
	s.Visit.Over = s.Visit.IsOver(now)
	if !s.Visit.Over && s.room(&d) {
		s.accept(Entry{d, now, ByVisit})
		return false, true
	}
	s.lapse(d.Name, maxWaitingOf-1)
	if len(s.Waiting) >= MaxWaiting || s.bytes+d.size() > 2*MaxBytes {
		s.Unkept++
		return true, true
	}
	s.Waiting = append(s.Waiting, Entry{Definition: d, At: now})
	s.waits[h] = true
	s.bytes += d.size()
	return true, true
}

// toEnd makes a waiting definition the one of its name that was seen last. It reports whether that is a change.
func (s *Site) toEnd(h Hash) (changed bool) {
	at := slices.IndexFunc(s.Waiting, func(e Entry) bool { return e.Definition.Hash() == h })
	e := s.Waiting[at]
	changed = slices.ContainsFunc(s.Waiting[at+1:],
		func(later Entry) bool { return later.Definition.Name == e.Definition.Name })
	if changed {
		s.Waiting = append(slices.Delete(s.Waiting, at, at+1), e)
	}
	return changed
}

// lapse removes the oldest waiting definitions of a name, so that at most this many are left.
func (s *Site) lapse(name string, left int) {
	named := func(e Entry) bool { return e.Definition.Name == name }
	n := 0
	for _, e := range s.Waiting {
		if named(e) {
			n++
		}
	}
	s.Waiting = slices.DeleteFunc(s.Waiting, func(e Entry) bool {
		if !named(e) || n <= left {
			return false
		}
		n--
		s.bytes -= e.Definition.size()
		delete(s.waits, e.Definition.Hash())
		return true
	})
}

func (s *Site) room(d *Definition) bool {
	return len(s.Accepted) < MaxAccepted && s.bytes+d.size() <= MaxBytes
}

func (s *Site) accept(e Entry) {
	s.Accepted = append(s.Accepted, e)
	s.pin(len(s.Accepted) - 1)
}

// Tick ends the first visit if its time is over, or notes that a tab still shows the origin. changed reports that the
// site has changed.
func (s *Site) Tick(shown bool, now time.Time) (changed bool) {
	switch {
	case s.Visit.Over:
		return false
	case s.Visit.IsOver(now):
		s.Visit.Over = true
		return true
	case shown && now.Sub(s.Visit.Last) >= VisitPause/6:
		s.Visit.Last = now
		return true
	}
	return false
}

// Accept accepts the waiting definitions for which which returns true, and ends the first visit. Other waiting
// definitions of the same tools lapse. Accept returns how many it accepted. The error says that there is no room for
// some.
func (s *Site) Accept(which func(*Definition) bool, by string, now time.Time) (accepted int, err error) {
	s.Visit.Over = true
	waiting := s.Waiting
	s.Waiting = nil
	for _, e := range waiting {
		switch d := &e.Definition; {
		case !which(d):
			s.Waiting = append(s.Waiting, e)
		case !s.room(d):
			s.Waiting = append(s.Waiting, e)
			err = fmt.Errorf("%s has %d accepted definitions, and no room for more; \"webmcp-hub pins forget %s\" "+
				"forgets them all", s.Origin, len(s.Accepted), s.Origin)
		default:
			s.bytes -= d.size()
			delete(s.waits, d.Hash())
			s.accept(Entry{*d, now, by})
			accepted++
		}
	}
	for _, e := range s.Accepted[len(s.Accepted)-accepted:] {
		if err == nil {
			s.lapse(e.Definition.Name, 0)
		}
	}
	s.Unkept = 0
	return accepted, err
}

// AcceptThese accepts definitions that a person has seen, whether they wait here or not, and ends the first visit.
func (s *Site) AcceptThese(shown []Definition, by string, now time.Time) (accepted int, err error) {
	for _, d := range shown {
		if !s.Kept(d.Hash()) {
			s.Waiting = append(s.Waiting, Entry{Definition: d, At: now})
			s.waits[d.Hash()] = true
			s.bytes += d.size()
		}
	}
	these := map[Hash]bool{}
	for i := range shown {
		these[shown[i].Hash()] = true
	}
	unkept := s.Unkept
	accepted, err = s.Accept(func(d *Definition) bool { return these[d.Hash()] }, by, now)
	s.Unkept = unkept
	return accepted, err
}

// Forget removes all accepted and waiting definitions of a name, and ends the first visit. If a page has a tool of
// that name, the tool is drift then. Forget reports whether there were any.
func (s *Site) Forget(name string) bool {
	named := func(e Entry) bool { return e.Definition.Name == name }
	had := slices.ContainsFunc(s.Accepted, named) || slices.ContainsFunc(s.Waiting, named)
	s.Accepted, s.Waiting = slices.DeleteFunc(s.Accepted, named), slices.DeleteFunc(s.Waiting, named)
	s.Visit.Over = true
	s.index()
	return had
}

// Merge adds the definitions that another copy of the site has accepted, as far as there is room, and returns how
// many it added. The first visit is over if it is over in either copy.
func (s *Site) Merge(accepted []Entry, over bool, by string) (added int) {
	for _, e := range accepted {
		d := e.Definition
		if h := d.Hash(); s.known[h] || !s.room(&d) {
			continue
		}
		s.accept(Entry{d, e.At, by})
		added++
	}
	s.Visit.Over = s.Visit.Over || over
	s.Waiting = slices.DeleteFunc(s.Waiting, func(e Entry) bool { return s.known[e.Definition.Hash()] })
	s.index()
	return added
}
