package socket

import (
	"io"
	"net"
	"runtime"
)

// YieldingReader returns r with a yield before each Read. Put it below a buffer.
func YieldingReader(r io.Reader) io.Reader { return yieldingReader{r} }

type yieldingReader struct{ io.Reader }

func (r yieldingReader) Read(p []byte) (int, error) {
	runtime.Gosched()
	return r.Reader.Read(p)
}

// YieldingConn returns c with a yield before each Read.
func YieldingConn(c net.Conn) net.Conn { return conn{c} }

type conn struct{ net.Conn }

func (c conn) Read(p []byte) (int, error) {
	runtime.Gosched()
	return c.Conn.Read(p)
}
