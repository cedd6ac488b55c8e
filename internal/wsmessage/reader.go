// Package wsmessage reads whole text messages from a WebSocket.
package wsmessage

import (
	"bytes"
	"errors"
	"io"

	"github.com/gorilla/websocket"
)

// ErrTooLarge is [Reader.Read]'s error for a message over the limit; the next
// one can be read.
var ErrTooLarge = errors.New("a message is too large")

// Between messages a Reader keeps no more than so many bytes of memory.
const maxKept = 1 << 20

// Reader reads the messages that come over Socket, of at most Limit bytes each.
// It belongs to one goroutine.
type Reader struct {
	Socket *websocket.Conn
	Limit  int64

	scratch bytes.Buffer
	limited io.LimitedReader
}

// Read waits for the next text message and returns a copy of just its size. It
// skips frames of other kinds. When the peer has closed the socket, or is gone,
// the error is io.EOF.
func (r *Reader) Read() ([]byte, error) {
	for {
		kind, frames, err := r.Socket.NextReader() // skips what is left of the message before
		if err != nil {
			return nil, plain(err)
		}
		if kind != websocket.TextMessage {
			continue
		}
		// Frames come in pieces of unknown total size.
		r.scratch.Reset()
		r.limited = io.LimitedReader{R: frames, N: r.Limit + 1}
		n, err := r.scratch.ReadFrom(&r.limited)
		var msg []byte
		if err == nil && n <= r.Limit {
			msg = bytes.Clone(r.scratch.Bytes())
		}
		if r.scratch.Cap() > maxKept {
			r.scratch = bytes.Buffer{}
		}
		switch {
		case err != nil:
			return nil, plain(err)
		case n > r.Limit:
			return nil, ErrTooLarge
		}
		return msg, nil
	}
}

// plain gives plain closing the plain error.
func plain(err error) error {
	if websocket.IsCloseError(err, websocket.CloseNormalClosure, websocket.CloseGoingAway, websocket.CloseAbnormalClosure) {
		return io.EOF
	}
	return err
}
