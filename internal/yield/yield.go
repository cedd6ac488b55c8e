// Package yield makes readers let other goroutines run before they wait.
//
// Who reads messages from a socket wakes a goroutine for each. If it reads on
// at once, and that read waits, the system call comes first and the goroutine
// 20 to 50 µs later, perhaps on another processor. If it yields after each
// message instead, a flood of messages costs twice as much as it has to, since
// no two of them are ever handled in one turn. So it yields before a read of
// the socket: what came together is handled together.
//
// There are no goroutines here and no state.
package yield

import (
	"io"
	"net"
	"runtime"
)

// Reader is r, and yields before each Read. Put it below a buffer.
func Reader(r io.Reader) io.Reader { return reader{r} }

type reader struct{ io.Reader }

func (r reader) Read(p []byte) (int, error) {
	runtime.Gosched()
	return r.Reader.Read(p)
}

// Conn is c, and yields before each Read.
func Conn(c net.Conn) net.Conn { return conn{c} }

type conn struct{ net.Conn }

func (c conn) Read(p []byte) (int, error) {
	runtime.Gosched()
	return c.Conn.Read(p)
}
