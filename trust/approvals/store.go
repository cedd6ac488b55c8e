package approvals

import (
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"
)

const (
	// poll is the interval at which the store checks whether another process or a person has changed the file.
	poll = time.Second
	// marks is how often the store updates the time in a file that contains answers.
	marks = time.Hour
)

// Store keeps answers in a file in a folder. It implements trust.Answers.
type Store struct {
	folder folder
	log    *slog.Logger
	before []Lasting // the answers that held when the store was opened

	wake, stop, over chan struct{}

	mu      sync.Mutex // nothing blocks under it
	given   []Lasting
	taken   []Lasting // answers to be removed from the file
	revoked func([]Lasting)
	untold  []Lasting // answers that a person took back before Follow was called

	following // belongs to the store's goroutine
}

// following is the state of the store's goroutine.
type following struct {
	known  []Lasting // the answers in the file that count for this hub
	stamp  stamp     // the stamp of the file when known was read or written
	marked time.Time
	failed string // the last error about the file that was logged
}

// OpenStore reads the file in a folder, and follows its changes until Close.
func OpenStore(path string, log *slog.Logger) *Store {
	s := &Store{folder: folder(path), log: log, wake: make(chan struct{}, 1), stop: make(chan struct{}),
		over: make(chan struct{})}
	s.following.stamp = s.folder.stamp()
	before, err := s.folder.load(time.Now())
	switch {
	case errors.Is(err, errUnmarked):
		s.logOnce(foreign, err)
	case err != nil:
		s.logOnce(unread, err)
	}
	s.before, s.known = before, slices.Clone(before)
	go s.run(s.stamp != stamp{} && (err == nil || errors.Is(err, errSetBack) || errors.Is(err, errUnmarked)))
	return s
}

// List returns the answers that hold until a time and that are in a folder.
func List(path string) ([]Lasting, error) {
	all, err := folder(path).load(time.Now())
	if errors.Is(err, errUnmarked) || errors.Is(err, errSetBack) { // the answers that load left out don't count
		err = nil
	}
	return all, err
}

// Drop removes an answer from a folder. The hubs that use the folder then revoke it.
func Drop(path string, about Lasting) error {
	f := folder(path)
	unlock, err := f.lock()
	if err != nil {
		return err
	}
	defer unlock()
	for range tries {
		was := f.stamp()
		all, err := f.load(time.Now())
		if err != nil && !errors.Is(err, errUnmarked) && !errors.Is(err, errSetBack) {
			return err
		}
		all = slices.DeleteFunc(all, func(l Lasting) bool { return l.About() == about.About() })
		if _, err = f.write(all, time.Now(), was); !errors.Is(err, errChanged) {
			return err
		}
	}
	return errChanged
}

// Kept returns the answers that were given at earlier hubs.
func (s *Store) Kept() []Lasting { return s.before }

// Keep makes the store write an answer to the file soon.
func (s *Store) Keep(l Lasting) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken = except(s.taken, l)
	if len(s.given) < MaxAnswers { // people don't answer faster than that
		s.given = append(s.given, l)
	}
	s.wakes()
}

// Remove makes the store remove an answer from the file soon. Of a permission, Given is the time of the removal: a
// permission of another kind that is newer stays. Remove doesn't call the function given to Follow.
func (s *Store) Remove(l Lasting) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.given, s.taken = except(s.given, l), append(except(s.taken, l), l)
	s.wakes()
}

// except returns the answers that aren't about the same thing as l.
func except(all []Lasting, l Lasting) []Lasting {
	return slices.DeleteFunc(all, func(other Lasting) bool { return other.About() == l.About() })
}

func (s *Store) wakes() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Follow calls revoked with the answers that are removed from the file. Before Follow returns, it calls revoked with
// those that have been removed since OpenStore.
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

// run follows the file until Close. anew makes run write the file at once, without the answers that no longer hold.
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
			s.add() // retries what could not be written before
			s.look()
		case <-s.stop:
			s.add()
			return
		}
	}
}

// add writes the given answers to the file, and removes the taken ones from it.
func (s *Store) add() {
	s.mu.Lock()
	given, taken := s.given, s.taken
	s.given, s.taken = nil, nil
	s.mu.Unlock()
	if len(given)+len(taken) == 0 {
		return
	}
	s.look() // finds the changes of others before this one
	for _, l := range taken {
		s.known = except(s.known, l)
	}
	if !s.write(given, taken...) {
		s.again(given, taken)
	}
}

// again makes the store try again to write permissions, unless they were changed meanwhile.
func (s *Store) again(given, taken []Lasting) {
	s.mu.Lock()
	defer s.mu.Unlock()
	newer := slices.Concat(s.given, s.taken)
	is := func(l Lasting) bool { return l.Permission() == Default || slices.ContainsFunc(newer, l.sameSite) }
	s.given = append(s.given, slices.DeleteFunc(given, is)...)
	s.taken = append(s.taken, slices.DeleteFunc(taken, is)...)
}

// Messages in the log.
const (
	unread = "the answers that hold until a time can't be read, so none of them counts, except what this hub " +
		"knew to be forbidden"
	unwritten = "an answer that holds until a time will be forgotten with this hub; a choice for a site will be written " +
		"as soon as it can be"
	unmarked = "the answers that hold until a time can't be written anew"
	foreign  = "answers that nobody gave don't count"
	setBack  = "the answers that held until a time are forgotten"
)

// write adds the answers in given to the file and removes those in taken. Without answers it updates the time in the
// file and drops answers that no longer hold. It returns false if it wrote nothing.
func (s *Store) write(given []Lasting, taken ...Lasting) (done bool) {
	now, what := time.Now(), unwritten
	if len(given)+len(taken) == 0 {
		what = unmarked
	}
	all, is, err := s.folder.add(given, now, taken...)
	s.marked = now
	switch {
	case err == nil:
		s.failed = ""
	case errors.Is(err, errSetBack):
		s.logOnce(setBack, err)
	case errors.Is(err, errUnmarked):
		s.logOnce(foreign, err)
	case errors.Is(err, errFull):
		s.logOnce(what, err)
	default:
		s.logOnce(what, err)
		return false // look reads the changes that others have made meanwhile
	}
	s.stamp = is
	s.goBy(all, given)
	return true
}

// goBy notes the file's content now. It revokes answers that counted for this hub and are missing now. Answers that
// another hub has added don't count for this hub.
func (s *Store) goBy(all, given []Lasting) {
	is, mine, was := set(all), set(given), longest(s.known, given)
	var gone []Lasting
	s.known = nil
	for _, l := range was {
		switch about := l.About(); {
		case is[about]:
			s.known = append(s.known, l)
		case slices.ContainsFunc(all, l.sameSite): // another hub's choice, which this hub takes over at its next start
			s.known = append(s.known, l)
		case !mine[about] && l.holds(time.Now()): // answers that no longer hold need not be revoked
			gone = append(gone, l)
		}
	}
	s.revoke(gone)
}

// set returns the answers' keys, see Lasting.About.
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

// look reads the file if others have changed it.
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
		s.logOnce(foreign, err)
	case err != nil:
		s.logOnce(unread, err)
		all = slices.DeleteFunc(slices.Clone(s.known), func(l Lasting) bool { return !l.restricts() })
	}
	s.stamp = is
	s.goBy(all, nil)
}

// logOnce logs an error, unless the last logged error was the same.
func (s *Store) logOnce(what string, err error) {
	if s.failed != what+err.Error() {
		s.failed = what + err.Error()
		s.log.Error(what, "why", err)
	}
}
