package cdp

import (
	"context"
	"errors"
	"time"

	"webmcphub/actors/tab"
)

// ListTimeout bounds one reading of a server's list, because the next reading waits for it. A reading that took
// longer is repeated.
const ListTimeout = 10 * time.Second

// RereadEvery is how often the link reads again the lists of a server that announces no changes.
const RereadEvery = time.Minute

// listing reads one of the lists of a page's server, one reading at a time.
type listing struct {
	coalescer tab.Coalescer
	what      string // names the list for the log
	read      reader
}

// reader reads the list in a goroutine. take is called in the tab's turn if there was no error, and stores what was
// read.
type reader func(context.Context) (take func(), err error)

// ServerListed ends a reading.
type ServerListed struct {
	Server *PageServer
	of     *listing
	take   func()
	err    error
}

// list reads a list of the server again, because it may have changed.
func (s *PageServer) list(l *listing) {
	if s.current() && l.coalescer.Want() {
		s.startReading(l)
	}
}

func (s *PageServer) startReading(l *listing) {
	go func() {
		ctx, cancel := context.WithTimeout(s.ctx, ListTimeout)
		defer cancel()
		take, err := l.read(ctx)
		s.Tab.Send(ServerListed{s, l, take, err})
	}()
}

// Handle stores what was read.
func (m ServerListed) Handle() {
	s, l := m.Server, m.of
	if !s.current() {
		return
	}
	switch {
	case m.err == nil:
		m.take()
		s.Tab.ReportTools()
	case errors.Is(m.err, context.DeadlineExceeded): // the page may be busy
		l.coalescer.Want()
		s.Tab.Log.Debug("a page's MCP server is slow to list its "+l.what, "err", m.err)
	default:
		s.Tab.Log.Log(s.Ctx, s.of.warned.Level(l.what+": "+m.err.Error()), "a page's MCP server did not list its "+
			l.what, "err", m.err)
	}
	if l.coalescer.Done() {
		s.startReading(l)
	}
}

// RereadDue says that it is time to read a server's lists again.
type RereadDue struct{ Server *PageServer }

// rereadLater makes the link read the lists of a server that announces no changes once more after RereadEvery, as long
// as the server is there. The link reads other servers' lists only after a change.
func (s *PageServer) rereadLater() {
	if has := s.client.Offers(); has.Silent || has.SilentOffers {
		s.reread = s.Tab.After(RereadEvery, RereadDue{s})
	}
}

// Handle reads the lists.
func (m RereadDue) Handle() {
	s := m.Server
	if !s.current() {
		return
	}
	has := s.client.Offers()
	if has.Silent {
		s.list(&s.listing)
	}
	if has.SilentOffers {
		s.offersChanged()
	}
	s.rereadLater()
}

func (s *PageServer) stopReread() {
	if s.reread != nil {
		s.reread.Stop()
	}
}
