package share

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"os"
)

// link is the way to whoever owns the hub.
type link struct {
	in  io.Reader
	out io.Writer
	// pid is the owner's process, if that is another one; 0 otherwise. view is
	// what that was told when this one joined.
	pid  int
	view json.RawMessage
	// files are those that came last; nil if none can.
	files func() []*os.File
	// closeOut tells the owner that the client has gone; its last answers may
	// still come.
	closeOut func()
	close    func()
}

// linkTo is the link of a guest.
func linkTo(s seat) *link {
	l := &link{
		in: s.in, out: s.conn, pid: s.pid, view: s.view,
		closeOut: func() {
			if c, ok := s.conn.(*net.UnixConn); ok {
				_ = c.CloseWrite()
			}
		},
		close: s.leave,
	}
	if s.files != nil {
		l.files = s.files.take
	}
	return l
}

// local is the link of this process's own client, which was a guest before
// its process came to own the hub.
func (h *host) local() *link { return linkToOwn(h.ctx, h.hub) }

// linkToOwn is a link within this process.
func linkToOwn(ctx context.Context, server Server) *link {
	theirIn, ourOut := io.Pipe()
	ourIn, theirOut := io.Pipe()
	go func() {
		err := server.ServeStdio(ctx, theirIn, theirOut)
		_ = theirIn.CloseWithError(io.ErrClosedPipe)
		_ = theirOut.CloseWithError(err) // nil is the end of input
	}()
	return &link{
		in: ourIn, out: ourOut,
		closeOut: func() { _ = ourOut.Close() },
		close: func() {
			_ = ourOut.Close()
			_ = ourIn.Close()
		},
	}
}
