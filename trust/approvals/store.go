package approvals

import (
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"
)

const (
	// poll is how often the store looks whether others have changed the file.
	poll = time.Second
	// marks is how often it notes the time in a file that has answers.
	marks = time.Hour
)

// Store keeps answers in a folder's file. It is a trust.Answers.
type Store struct {
	folder folder
	log    *slog.Logger
	before []Lasting // when it was opened

	wake, stop, over chan struct{}

	mu      sync.Mutex // nothing blocks under it
	given   []Lasting
	revoked func([]Lasting)
	untold  []Lasting // were taken back before anybody followed

	following // belongs to the goroutine
}

// following is what the store's goroutine knows.
type following struct {
	known  []Lasting // in the file, which this hub goes by
	stamp  stamp     // of the file as this hub goes by it
	marked time.Time
	failed string // why the file couldn't be written or read, as it was said last
}

// Open reads the file in a folder, and follows it until Close.
func OpenStore(path string, log *slog.Logger) *Store {
	s := &Store{folder: folder(path), log: log, wake: make(chan struct{}, 1), stop: make(chan struct{}),
		over: make(chan struct{})}
	s.following.stamp = s.folder.stamp()
	before, err := s.folder.load(time.Now())
	switch {
	case errors.Is(err, errUnmarked):
		s.said(foreign, err)
	case err != nil:
		s.said(unread, err)
	}
	s.before, s.known = before, slices.Clone(before)
	go s.run(s.stamp != stamp{} && (err == nil || errors.Is(err, errSetBack) || errors.Is(err, errUnmarked)))
	return s
}

// Kept are the answers of the hubs before.
func (s *Store) Kept() []Lasting { return s.before }

// Keep has an answer written down, soon.
func (s *Store) Keep(l Lasting) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.given) < MaxAnswers { // people don't answer faster than that
		s.given = append(s.given, l)
	}
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Follow has revoked called with the answers that are no longer in the file: before it
// returns, with those that were taken back since Open.
func (s *Store) Follow(revoked func(all []Lasting)) {
	s.mu.Lock()
	gone := s.untold
	s.revoked, s.untold = revoked, nil
	s.mu.Unlock()
	if len(gone) > 0 {
		revoked(gone)
	}
}

// Close writes what is left to write.
func (s *Store) Close() {
	close(s.stop)
	<-s.over
}

// run follows the file; anew says to write it at once, without what is over.
func (s *Store) run(anew bool) {
	defer close(s.over)
	if anew {
		s.write(nil)
	}
	every := time.NewTicker(poll)
	defer every.Stop()
	for {
		select {
		case <-s.wake:
			s.add()
		case <-every.C:
			s.look()
		case <-s.stop:
			s.add()
			return
		}
	}
}

// add writes down what was given.
func (s *Store) add() {
	s.mu.Lock()
	given := s.given
	s.given = nil
	s.mu.Unlock()
	if len(given) > 0 {
		s.look() // what others have changed is told from what this changes
		s.write(given)
	}
}

// What is said in the log.
const (
	unread    = "the answers that hold until a time can't be read, so none of them counts"
	unwritten = "an answer that holds until a time will be forgotten with this hub"
	unmarked  = "the answers that hold until a time can't be written anew"
	foreign   = "answers that nobody gave don't count"
	setBack   = "the answers that held until a time are forgotten"
)

// write adds answers to the file, or none to note the time in it and drop what is over.
func (s *Store) write(given []Lasting) {
	now, what := time.Now(), unwritten
	if len(given) == 0 {
		what = unmarked
	}
	all, is, err := s.folder.add(given, now)
	s.marked = now
	switch {
	case err == nil:
		s.failed = ""
	case errors.Is(err, errSetBack):
		s.said(setBack, err)
	case errors.Is(err, errUnmarked):
		s.said(foreign, err)
	case errors.Is(err, errFull):
		s.said(what, err)
	default:
		s.said(what, err)
		return // what others have made of the file meanwhile, look finds
	}
	s.stamp = is
	s.goBy(all, given)
}

// goBy takes note of what the file has now: what is missing of what this hub went by is
// revoked, and what another hub has added is not this one's.
func (s *Store) goBy(all, given []Lasting) {
	is, mine, was := set(all), set(given), longest(s.known, given)
	var gone []Lasting
	s.known = nil
	for _, l := range was {
		switch about := l.About(); {
		case is[about]:
			s.known = append(s.known, l)
		case !mine[about] && time.Now().Before(l.Until): // those that are over go by themselves
			gone = append(gone, l)
		}
	}
	s.revoke(gone)
}

// set has what answers are about.
func set(all []Lasting) map[Lasting]bool {
	is := map[Lasting]bool{}
	for _, l := range all {
		is[l.About()] = true
	}
	return is
}

func (s *Store) revoke(gone []Lasting) {
	if len(gone) == 0 {
		return
	}
	s.log.Info("answers that held until a time were taken back", "count", len(gone))
	s.mu.Lock()
	revoked := s.revoked
	if revoked == nil {
		s.untold = append(s.untold, gone...)
	}
	s.mu.Unlock()
	if revoked != nil {
		revoked(gone)
	}
}

// look takes in what others have made of the file.
func (s *Store) look() {
	if len(s.known) == 0 {
		return
	}
	is, now := s.folder.stamp(), time.Now()
	if is == s.stamp {
		if now.Sub(s.marked) >= marks {
			s.write(nil)
		}
		return
	}
	all, err := s.folder.load(now)
	switch {
	case errors.Is(err, errSetBack):
		s.write(nil)
		return
	case errors.Is(err, errUnmarked):
		s.said(foreign, err)
	case err != nil:
		s.said(unread, err)
	}
	s.stamp = is
	s.goBy(all, nil)
}

// said logs what went wrong, once until it is another thing.
func (s *Store) said(what string, err error) {
	if s.failed != what+err.Error() {
		s.failed = what + err.Error()
		s.log.Error(what, "why", err)
	}
}
