package extlink

import (
	"bytes"
	"errors"
	"io"
	"time"

	"github.com/gorilla/websocket"
)

// wsWire is a WebSocket as a [Wire].
type wsWire struct {
	ws      *websocket.Conn
	scratch bytes.Buffer // the reader's
}

// Read discards what it can't give: other frames than text, and the rest of a
// message that is too large.
func (w *wsWire) Read() ([]byte, error) {
	for {
		kind, r, err := w.ws.NextReader()
		if err != nil {
			return nil, wsError(err)
		}
		if kind != websocket.TextMessage {
			continue // NextReader skips the rest of it
		}
		w.scratch.Reset()
		n, err := w.scratch.ReadFrom(io.LimitReader(r, MaxMessage+1))
		if err != nil {
			return nil, wsError(err)
		}
		if n > MaxMessage {
			w.scratch = bytes.Buffer{}
			return nil, ErrMessageTooLarge
		}
		msg := bytes.Clone(w.scratch.Bytes())
		if w.scratch.Cap() > 1<<20 {
			w.scratch = bytes.Buffer{}
		}
		return msg, nil
	}
}

// wsError gives plain closing the plain error.
func wsError(err error) error {
	var ce *websocket.CloseError
	if errors.As(err, &ce) && (ce.Code == websocket.CloseNormalClosure || ce.Code == websocket.CloseGoingAway || ce.Code == websocket.CloseAbnormalClosure) {
		return io.EOF
	}
	return err
}

func (w *wsWire) Write(msg []byte) error {
	_ = w.ws.SetWriteDeadline(time.Now().Add(Silence)) // or Close ends it
	return w.ws.WriteMessage(websocket.TextMessage, msg)
}

// maxReason in bytes is what a close frame has room for.
const maxReason = 120

func (w *wsWire) Part(code int, reason string) {
	if len(reason) > maxReason {
		reason = reason[:maxReason]
	}
	_ = w.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, reason), time.Now().Add(closeGrace))
}

func (w *wsWire) Close() error { return w.ws.Close() }
