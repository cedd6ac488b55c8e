package socket

import (
	"bytes"
	"errors"
	"io"

	"github.com/gorilla/websocket"
)

// ErrTooLarge is [Reader.Read]'s error for a message over the limit; the next
// one can be read.
var ErrTooLarge = errors.New("a message is too large")

// Edge is how many bytes from the start and from the end of a message over the limit [Reader.Pass] returns.
const Edge = 4 << 10

// maxKept is how many bytes of memory a Reader keeps between messages.
const maxKept = 1 << 20

// Reader reads the messages that come over Socket, of at most Limit bytes each.
// It belongs to one goroutine.
type Reader struct {
	Socket *websocket.Conn
	Limit  int64

	scratch bytes.Buffer
	limited io.LimitedReader
	start   []byte // of a message over the limit that has not been read completely
	end     Tail
}

// Read waits for the next text message and returns a copy of just its size. It
// skips frames of other kinds. When the peer has closed the socket, or is gone,
// the error is io.EOF.
func (r *Reader) Read() ([]byte, error) {
	for {
		kind, frames, err := r.Socket.NextReader() // skips the rest of the message before
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
		if n > r.Limit {
			r.start, r.end = bytes.Clone(r.scratch.Bytes()[:min(Edge, r.scratch.Len())]), nil
			r.end.Add(r.scratch.Bytes())
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

// Pass reads to the end of the message after an ErrTooLarge. It takes as long as the peer needs to send the message,
// but no memory. It returns the message's first and last bytes.
func (r *Reader) Pass() (start, end []byte, err error) {
	for piece := make([]byte, 64<<10); ; {
		n, err := r.limited.R.Read(piece)
		r.end.Add(piece[:n])
		if errors.Is(err, io.EOF) {
			return r.start, r.end, nil
		}
		if err != nil {
			return nil, nil, plain(err)
		}
	}
}

// Tail has the last bytes that were added, at most [Edge].
type Tail []byte

// Add appends a piece. It doesn't keep the slice.
func (t *Tail) Add(piece []byte) {
	all := append(*t, piece[max(0, len(piece)-Edge):]...)
	*t = append(all[:0], all[max(0, len(all)-Edge):]...)
}

// plain turns an ordinary end of the connection into io.EOF.
func plain(err error) error {
	if websocket.IsCloseError(err, websocket.CloseNormalClosure, websocket.CloseGoingAway,
		websocket.CloseAbnormalClosure) {
		return io.EOF
	}
	return err
}
