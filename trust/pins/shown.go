package pins

import (
	"slices"
	"time"
)

// Show notes that a person was shown definitions that wait. It reports whether that is news.
func (s *Site) Show(shown []Definition) (news bool) {
	for i := range shown {
		h := shown[i].Hash()
		if s.waits[h] && !s.Shown[h] {
			if s.Shown == nil {
				s.Shown = map[Hash]bool{}
			}
			s.Shown[h], news = true, true
		}
	}
	return news
}

// AcceptShown does what [Site.Accept] does, but only for definitions that the person was shown before. unseen are
// those that have come since; they still wait. If the person was shown nothing since they last accepted, AcceptShown
// accepts all.
func (s *Site) AcceptShown(which func(*Definition) bool, by string,
	now time.Time) (accepted, unseen []Definition, err error) {
	seen := s.Shown
	had := len(s.Accepted)
	unkept := s.Unkept
	_, err = s.Accept(func(d *Definition) bool {
		switch {
		case !which(d):
			return false
		case seen != nil && !seen[d.Hash()]:
			unseen = append(unseen, *d)
			return false
		}
		return true
	}, by, now)
	for _, e := range s.Accepted[had:] {
		accepted = append(accepted, e.Definition)
	}
	if len(unseen) > 0 {
		s.Unkept = unkept
	}
	if !slices.ContainsFunc(s.Waiting, func(e Entry) bool { return seen[e.Definition.Hash()] }) && len(unseen) == 0 {
		s.Shown = nil
	}
	return accepted, unseen, err
}
