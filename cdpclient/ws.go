package cdpclient

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"

	"github.com/gorilla/websocket"

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
	ws.SetReadLimit(maxMessage)
	return &wsWire{ws: ws}, nil
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
		return fmt.Errorf("connect to Chrome at %s: %w; is Chrome running with --remote-debugging-port?", url, err)
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(resp.Body, 300))
	switch resp.StatusCode {
	case http.StatusForbidden:
		return fmt.Errorf("Chrome at %s refused the connection (403 %s); allow remote debugging in chrome://inspect, or start it with --remote-allow-origins", url, bytes.TrimSpace(text))
	case http.StatusNotFound:
		return fmt.Errorf("Chrome at %s has no such endpoint (404); the address is from an earlier run of Chrome, ask for a new one", url)
	}
	return fmt.Errorf("connect to Chrome at %s: %w (%s %s)", url, err, resp.Status, bytes.TrimSpace(text))
}

type wsWire struct {
	ws      *websocket.Conn
	scratch bytes.Buffer // the reader's
}

func (w *wsWire) Read() ([]byte, error) {
	for {
		kind, r, err := w.ws.NextReader()
		if err != nil {
			return nil, wsReadError(err)
		}
		if kind != websocket.TextMessage {
			continue
		}
		// Chrome's frames come in pieces of unknown total size; one exact copy
		// is what outlives this call.
		w.scratch.Reset()
		if _, err := w.scratch.ReadFrom(r); err != nil {
			return nil, wsReadError(err)
		}
		msg := bytes.Clone(w.scratch.Bytes())
		if w.scratch.Cap() > 1<<20 {
			w.scratch = bytes.Buffer{}
		}
		return msg, nil
	}
}

// wsReadError gives plain closing the plain error.
func wsReadError(err error) error {
	var ce *websocket.CloseError
	if errors.As(err, &ce) && (ce.Code == websocket.CloseNormalClosure || ce.Code == websocket.CloseGoingAway || ce.Code == websocket.CloseAbnormalClosure) {
		return io.EOF
	}
	if errors.Is(err, websocket.ErrReadLimit) {
		return fmt.Errorf("a message of Chrome is larger than %d MiB", maxMessage>>20)
	}
	return err
}

func (w *wsWire) Write(msg []byte) error {
	return w.ws.WriteMessage(websocket.TextMessage, msg)
}

func (w *wsWire) Close() error { return w.ws.Close() }
