package cdp

import "time"

// rereadEvery is how often a server that announces no changes is read again.
const rereadEvery = time.Minute

// rereadDue says that it is time.
type rereadDue struct{ server *pageServer }

// rereadLater sees to it that a server which announces no changes is read again
// for as long as it is there. Others cost nothing while nothing changes.
func (p *Link) rereadLater(s *pageServer) {
	if has := s.client.Offers(); has.Silent || has.SilentOffers {
		s.reread = p.After(rereadEvery, rereadDue{s})
	}
}

func (p *Link) rereadDue(s *pageServer) {
	if !s.current() {
		return
	}
	has := s.client.Offers()
	if has.Silent {
		p.list(s, &s.listing)
	}
	if has.SilentOffers {
		p.offersChanged(s)
	}
	p.rereadLater(s)
}

func (s *pageServer) stopReread() {
	if s.reread != nil {
		s.reread.Stop()
	}
}
