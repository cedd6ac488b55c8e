package cdpclient

//lint:file-ignore ST1005 Chrome is a name

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"

	"github.com/gorilla/websocket"

	"webmcphub/internal/wsmessage"
	"webmcphub/internal/yield"
)

// wsBuffer is the size of the read and write buffers: most CDP messages then
// take one system call and one websocket frame.
const wsBuffer = 64 << 10

// DialWebSocket connects to a browser's DevTools endpoint (ws://…/devtools/browser/…).
// ctx ends the dialling, not the wire. Chrome may ask its user for permission
// before it answers, so give ctx time.
func DialWebSocket(ctx context.Context, url string, header http.Header) (Wire, error) {
	// Compression costs more than it saves on one machine; Chrome offers none.
	d := websocket.Dialer{ReadBufferSize: wsBuffer, WriteBufferSize: wsBuffer, NetDialContext: dialYielding}
	ws, resp, err := d.DialContext(ctx, url, header)
	if err != nil {
		return nil, dialError(url, resp, err)
	}
	return &wsWire{ws, wsmessage.Reader{Socket: ws, Limit: maxMessage}}, nil
}

func dialYielding(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return yield.Conn(c), nil
}

func dialError(url string, resp *http.Response, err error) error {
	if resp == nil {
		return fmt.Errorf("connect to Chrome at %s: %w; is Chrome running there, with %s?", url, err, DebuggingFlags(url))
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(resp.Body, 300))
	switch resp.StatusCode {
	case http.StatusForbidden:
		//lint:ignore ST1005 Chrome is a name
		return fmt.Errorf("Chrome at %s refused the connection (403 %s); allow remote debugging in chrome://inspect, or start it with --remote-allow-origins", url, bytes.TrimSpace(text))
	case http.StatusNotFound:
		//lint:ignore ST1005 Chrome is a name
		return fmt.Errorf("Chrome at %s has no such endpoint (404); the address is from an earlier run of Chrome, ask for a new one", url)
	}
	return fmt.Errorf("connect to Chrome at %s: %w (%s %s)", url, err, resp.Status, bytes.TrimSpace(text))
}

type wsWire struct {
	ws       *websocket.Conn
	messages wsmessage.Reader
}

func (w *wsWire) Read() ([]byte, error) {
	msg, err := w.messages.Read()
	if errors.Is(err, wsmessage.ErrTooLarge) {
		start, end, err := w.messages.Pass()
		if err != nil {
			return nil, err
		}
		return nil, &TooLarge{start, end}
	}
	return msg, err
}

func (w *wsWire) Write(msg []byte) error {
	return w.ws.WriteMessage(websocket.TextMessage, msg)
}

func (w *wsWire) Close() error { return w.ws.Close() }
