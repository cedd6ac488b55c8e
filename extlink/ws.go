package extlink

import (
	"errors"
	"time"

	"github.com/gorilla/websocket"

	"webmcphub/internal/socket"
)

// wsWire is a [Link] over a WebSocket to the extension.
type wsWire struct {
	ExtensionDialect
	ws       *websocket.Conn
	messages socket.Reader
}

func newWSWire(ws *websocket.Conn) *wsWire {
	return &wsWire{ws: ws, messages: socket.Reader{Socket: ws, Limit: MaxMessage}}
}

// Read skips frames that aren't text. For a message that is too large it returns [ErrMessageTooLarge].
func (w *wsWire) Read() ([]byte, error) {
	msg, err := w.messages.Read()
	if errors.Is(err, socket.ErrTooLarge) {
		return nil, ErrMessageTooLarge
	}
	return msg, err
}

func (w *wsWire) Write(msg []byte) error {
	_ = w.ws.SetWriteDeadline(time.Now().Add(Silence)) // Close can end it earlier
	return w.ws.WriteMessage(websocket.TextMessage, msg)
}

// maxReason is how many bytes of a reason fit into a close frame.
const maxReason = 120

func (w *wsWire) Part(code int, reason string) {
	if len(reason) > maxReason {
		reason = reason[:maxReason]
	}
	_ = w.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, reason),
		time.Now().Add(closeGrace))
}

func (w *wsWire) Close() error { return w.ws.Close() }
