package cdpclient

//lint:file-ignore ST1005 Chrome is a name

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gorilla/websocket"

	"webmcphub/internal/socket"
)

// wsBuffer is the size of the read and write buffers: most CDP messages then take one system call and one websocket
// frame.
const wsBuffer = 64 << 10

// These limit how long a dial takes.
const (
	// maxConnect limits the connection to the server: DNS, TCP and TLS.
	maxConnect = 30 * time.Second
	// maxAnswer limits the whole dial: a Chrome may ask its user for permission before it answers, and a server that
	// starts browsers may have a queue.
	maxAnswer = 5 * time.Minute
)

// DialWebSocket connects to a browser's DevTools endpoint (ws://…/devtools/browser/…). ctx can end the dial at any
// point, but not the wire. Chrome may ask its user for permission before it answers, so give ctx time. The dial fails
// if the server says nothing for 30 s, or for 5 min once it has accepted the connection. Errors contain neither the
// address's user and query nor the header.
func DialWebSocket(ctx context.Context, address string, header http.Header) (Wire, error) {
	return webSocketDialer{maxConnect, maxAnswer}.dial(ctx, address, header)
}

// webSocketDialer dials websockets within the times connect and answer.
type webSocketDialer struct{ connect, answer time.Duration }

func (d webSocketDialer) dial(ctx context.Context, address string, header http.Header) (Wire, error) {
	switch u, err := url.Parse(address); {
	case err != nil: // err contains parts of the address
		return nil, errors.New("connect to Chrome: its address is no URL")
	case u.User != nil:
		return nil, fmt.Errorf("connect to Chrome at %s: a websocket's address can't have a user or a password; send "+
			"the header Authorization instead", Place(address))
	}
	sent := secretsOf(address, header)
	ctx, end := context.WithCancelCause(ctx) // not a deadline, which would also end the connection
	defer end(nil)
	defer time.AfterFunc(d.answer, func() {
		end(fmt.Errorf("it took the connection, but did not open the websocket within %v", d.answer))
	}).Stop()
	// The library watches ctx until there is a connection, and not after that.
	settled := func() bool { return true }
	watched := func(c net.Conn, err error) (net.Conn, error) {
		if err == nil {
			settled = context.AfterFunc(ctx, func() { _ = c.Close() })
		}
		return c, err
	}
	// Compression costs more than it saves on one machine; Chrome offers none.
	ws, resp, err := (&websocket.Dialer{
		ReadBufferSize: wsBuffer, WriteBufferSize: wsBuffer,
		NetDialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			return watched(d.tcp(ctx, network, address))
		},
		NetDialTLSContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			return watched(d.tls(ctx, network, address))
		},
	}).DialContext(ctx, address, header)
	if !settled() && err == nil {
		_ = ws.Close()
		err = context.Cause(ctx)
	}
	if err != nil {
		if resp == nil && ctx.Err() != nil { // otherwise err says that the connection is closed
			err = context.Cause(ctx)
		}
		return nil, dialError(address, resp, err, sent)
	}
	return &wsWire{ws, socket.Reader{Socket: ws, Limit: maxMessage}, sent}, nil
}

func (d webSocketDialer) tcp(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := (&net.Dialer{Timeout: d.connect}).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return socket.YieldingConn(c), nil
}

func (d webSocketDialer) tls(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, d.connect,
		fmt.Errorf("it did not take up a TLS connection within %v", d.connect))
	defer cancel()
	c, err := d.tcp(ctx, network, address)
	if err != nil {
		return nil, err
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	secure := tls.Client(c, &tls.Config{ServerName: host})
	if err = secure.HandshakeContext(ctx); err == nil {
		return secure, nil
	}
	_ = c.Close()
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return nil, err
}

func dialError(address string, resp *http.Response, err error, sent secrets) error {
	at := Place(address)
	if resp == nil {
		return fmt.Errorf("connect to Chrome at %s: %w; is Chrome running there, with %s?", at, unplaced(err),
			DebuggingFlags(address))
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorText+1))
	status := strings.TrimSpace(fmt.Sprint(resp.StatusCode, " ", sent.tell(text)))
	switch resp.StatusCode {
	case http.StatusForbidden:
		//lint:ignore ST1005 Chrome is a name
		return fmt.Errorf("Chrome at %s refused the connection (%s); allow remote debugging in chrome://inspect, or "+
			"start it with --remote-allow-origins", at, status)
	case http.StatusNotFound:
		//lint:ignore ST1005 Chrome is a name
		return fmt.Errorf("Chrome at %s has no such endpoint (404); the address is from an earlier run of Chrome, "+
			"ask for a new one", at)
	}
	return fmt.Errorf("connect to Chrome at %s: %w (%s)", at, err, status)
}

type wsWire struct {
	ws       *websocket.Conn
	messages socket.Reader
	sent     secrets // the secrets in the request to the server
}

func (w *wsWire) Read() ([]byte, error) {
	msg, err := w.messages.Read()
	if errors.Is(err, socket.ErrTooLarge) {
		start, end, err := w.messages.Pass()
		if err != nil {
			return nil, err
		}
		return nil, &TooLarge{start, end}
	}
	if closed, ok := errors.AsType[*websocket.CloseError](err); ok {
		err = &websocket.CloseError{Code: closed.Code, Text: w.sent.tell([]byte(closed.Text))}
	}
	return msg, err
}

func (w *wsWire) Write(msg []byte) error {
	return w.ws.WriteMessage(websocket.TextMessage, msg)
}

func (w *wsWire) Close() error { return w.ws.Close() }
