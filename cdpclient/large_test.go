package cdpclient

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gorilla/websocket"
)

// largeWires give wires with a bound of 100,000 bytes, on which the test says what Chrome does. What the
// connection writes is thrown away.
var largeWires = map[string]func(t *testing.T) (Wire, func(string)){
	"pipe": func(t *testing.T) (Wire, func(string)) {
		r, chrome := io.Pipe()
		hub, w := io.Pipe()
		go func() { _, _ = io.Copy(io.Discard, hub) }()
		wire := NewPipeWire(r, w).(*pipeWire)
		wire.limit = 100_000
		return wire, func(text string) { _, _ = chrome.Write([]byte(text + "\x00")) }
	},
	"websocket": func(t *testing.T) (Wire, func(string)) {
		peers := make(chan *websocket.Conn, 1)
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if peer, err := new(websocket.Upgrader).Upgrade(w, r, nil); err == nil {
				peers <- peer
				for err := error(nil); err == nil; { // until the hub hangs up
					_, _, err = peer.NextReader()
				}
				_ = peer.Close()
			}
		}))
		t.Cleanup(srv.Close)
		wire, err := DialWebSocket(context.Background(), strings.Replace(srv.URL, "http", "ws", 1), nil)
		if err != nil {
			t.Fatal(err)
		}
		wire.(*wsWire).messages.Limit = 100_000
		peer := <-peers
		return wire, func(text string) { _ = peer.WriteMessage(websocket.TextMessage, []byte(text)) }
	},
}

// TestTooLarge: a message of Chrome that is too large costs the call that it answers, or its session,
// and nothing else of the connection.
func TestTooLarge(t *testing.T) {
	for name, open := range largeWires {
		t.Run(name, func(t *testing.T) {
			wire, says := open(t)
			browser, a, b := newLog(), newLog(), newLog()
			c := NewConn(wire, browser.in)
			defer func() { c.Close(); <-c.Done() }()
			c.Attach("A", a.in)
			c.Attach("B", b.in)
			c.Post("A", "X.one", nil, "one") // 1
			c.Post("A", "X.two", nil, "two") // 2
			c.Post("B", "X.three", nil, "three")
			for _, size := range []int{200_000, 264_000, 700_000} {
				big := strings.Repeat(`\"}`, size/3)
				says(`{"method":"Runtime.consoleAPICalled","params":{"x":"` + big + `"},"sessionId":"A"}`)
				says(`{"method":"Y.event","params":{"x":{"sessionId":"` + big + `"}}}`)
			}
			big := strings.Repeat("x", 300_000)
			says(`{"id":1,"result":{"x":"` + big + `"},"sessionId":"A"}`)
			says(`{"id":2,"result":{},"sessionId":"A"}`)
			a.expect(t, "reply one: "+ErrTooLarge.Error(), "reply two {}")
			says(`{"method":"Page.javascriptDialogOpening","params":{"message":"` + big + `"},"sessionId":"B"}`)
			b.expect(t, "ended B", "reply three: "+ErrSessionGone.Error())
			says(`{"method":"Z.small","params":{},"sessionId":"A"}`)
			a.expect(t, "Z.small {}")
			says(`{"method":"Z.of","params":{},"sessionId":"B"}`) // before Chrome has heard that it was left
			says(`{"method":"Z.last","params":{}}`)
			browser.expect(t, "Z.last {}")

			says(`["` + big + `"]`) // no message of the protocol
			<-c.Done()
			if err := c.Err(); !errors.As(err, new(*TooLarge)) {
				t.Errorf("it ended with %v", err)
			}
		})
	}
}

// TestTooLargeEnds: a Chrome that is gone within such a message is gone.
func TestTooLargeEnds(t *testing.T) {
	r, chrome := io.Pipe()
	wire := NewPipeWire(r, discard{}).(*pipeWire)
	wire.limit = 100_000
	go func() {
		_, _ = chrome.Write([]byte(`{"id":1,"result":"` + strings.Repeat("x", 300_000)))
		_ = chrome.Close()
	}()
	if _, err := wire.Read(); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
}

type discard struct{ io.Writer }

func (discard) Close() error { return nil }

// FuzzSessionAtEnd: whose a message is, of which only the edges are there, is what all of it says.
func FuzzSessionAtEnd(f *testing.F) {
	for _, seed := range []string{
		`{"method":"a","params":{},"sessionId":"A1"}`, `{"method":"a","params":{"sessionId":"A1"}}`, `{"method":"a","params":{"x":",\"sessionId\":\"B"},"sessionId":"A"}`,
		`{"method":"a","params":{"x":"y"}}`, `{"method":"a"}`, `{}`, `{"params":{},"sessionId":"A\"}`, `{"params":{"x":{"y":1,"sessionId":"B"}},"sessionId":"A"} `,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, msg string) {
		id, ok := sessionAtEnd([]byte(msg))
		whole, err := slowEnvelope([]byte(msg))
		if err != nil || !ok || id == "" {
			return
		}
		if string(whole.session) != string(id) {
			t.Errorf("%s is of %q, not %q", msg, whole.session, id)
		}
	})
}
