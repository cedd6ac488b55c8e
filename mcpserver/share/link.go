package share

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"os"
)

// link is the connection to whoever owns the hub.
type link struct {
	in  io.Reader
	out io.Writer
	// pid is the owner's process id, if the owner is another process; otherwise 0. view is the view that the owner
	// was told last.
	pid  int
	view json.RawMessage
	// files returns the files that have come since the last call; it is nil if none can come.
	files func() []*os.File
	// closeOut tells the owner that the client has gone. The owner's last answers may still come.
	closeOut func()
	close    func()
}

// linkTo returns the link of a guest.
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

// local returns the link of this process's own client, if the process was a guest before it came to own the hub.
func (h *host) local() *link { return linkToOwn(h.ctx, h.hub) }

// linkToOwn returns a link within this process.
func linkToOwn(ctx context.Context, server Server) *link {
	theirIn, ourOut := io.Pipe()
	ourIn, theirOut := io.Pipe()
	go func() {
		err := server.ServeStdio(ctx, theirIn, theirOut)
		_ = theirIn.CloseWithError(io.ErrClosedPipe)
		_ = theirOut.CloseWithError(err) // nil means the end of input
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
