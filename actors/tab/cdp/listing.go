package cdp

import (
	"context"
	"errors"
	"time"

	"webmcphub/actors/tab"
)

// listTimeout bounds one reading of a server's list, since the next one waits
// for it. A reading that took longer is repeated.
const listTimeout = 10 * time.Second

// listing reads one part of what a page's server has, one reading at a time.
type listing struct {
	flight tab.Flight
	what   string // for the log
	read   reader
}

// A reader asks the server, in a goroutine. What it gives is called in the tab's turn to
// take what was read, if nothing went wrong.
type reader func(context.Context) (take func(), err error)

// list has a part of what the server has read again: it may have changed.
func (p *Link) list(s *pageServer, l *listing) {
	if s.current() && l.flight.Want() {
		p.startReading(s, l)
	}
}

func (p *Link) startReading(s *pageServer, l *listing) {
	go func() {
		ctx, cancel := context.WithTimeout(s.ctx, listTimeout)
		defer cancel()
		take, err := l.read(ctx)
		p.Send(serverListed{s, l, take, err})
	}()
}

func (p *Link) serverListed(m serverListed) {
	s, l := m.server, m.of
	if !s.current() {
		return
	}
	switch {
	case m.err == nil:
		m.take()
		p.Changed()
	case errors.Is(m.err, context.DeadlineExceeded): // the page may be busy
		l.flight.Want()
		p.Log.Debug("a page's MCP server is slow to list its "+l.what, "err", m.err)
	default:
		p.Log.Log(p.ctx, s.frame.warned.Level(l.what+": "+m.err.Error()), "a page's MCP server did not list its "+l.what, "err", m.err)
	}
	if l.flight.Landed() {
		p.startReading(s, l)
	}
}
