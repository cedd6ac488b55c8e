package cdpclient

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// silent takes connections and says nothing; taken has one value for each.
func silent(t *testing.T) (address string, taken <-chan net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	conns := make(chan net.Conn, 10)
	go func() {
		defer close(conns)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			conns <- c
		}
	}()
	t.Cleanup(func() {
		_ = l.Close()
		for c := range conns {
			_ = c.Close()
		}
	})
	return l.Addr().String(), conns
}

// over is what ended a dial.
func over(t *testing.T, dial func() error) error {
	t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- dial() }()
	select {
	case err := <-ended:
		return err
	case <-time.After(time.Minute):
		t.Fatal("a minute later, it has not ended")
		return nil
	}
}

// TestDialEndsWithItsContext also where the server has taken the connection and says nothing.
func TestDialEndsWithItsContext(t *testing.T) {
	for _, scheme := range []string{"ws", "wss", "http", "https"} {
		t.Run(scheme, func(t *testing.T) {
			address, taken := silent(t)
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan struct{})
			defer close(ended)
			go func() {
				c := <-taken
				defer c.Close()                // not before, which would end the dial, too
				_, _ = c.Read(make([]byte, 1)) // the client has begun
				cancel()
				<-ended
			}()
			err := over(t, func() error {
				if strings.HasPrefix(scheme, "http") {
					_, err := BrowserWebSocketURL(ctx, scheme+"://"+address)
					return err
				}
				_, err := DialWebSocket(ctx, scheme+"://"+address+"/x", nil)
				return err
			})
			if err == nil || strings.HasPrefix(scheme, "ws") && !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestDialIsBounded, in each of its parts.
func TestDialIsBounded(t *testing.T) {
	const short = 20 * time.Millisecond
	for scheme, c := range map[string]struct {
		d    webSocketDialer
		want string
	}{
		"ws":  {webSocketDialer{time.Hour, short}, "did not open the websocket within 20ms"},
		"wss": {webSocketDialer{short, time.Hour}, "did not take up a TLS connection within 20ms"},
	} {
		address, _ := silent(t)
		err := over(t, func() error {
			_, err := c.d.dial(context.Background(), scheme+"://"+address+"/x", nil)
			return err
		})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", scheme, err)
		}
	}
}

// served is the address of a server that opens websockets and has them played.
func served(t *testing.T, play func(*websocket.Conn)) string {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer ws.Close()
		play(ws)
	}))
	t.Cleanup(srv.Close)
	return "ws" + strings.TrimPrefix(srv.URL, "http")
}

// TestWireOutlivesItsDial: neither its context nor its time end it.
func TestWireOutlivesItsDial(t *testing.T) {
	address := served(t, func(ws *websocket.Conn) {
		for {
			kind, msg, err := ws.ReadMessage()
			if err != nil || ws.WriteMessage(kind, msg) != nil {
				return
			}
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	wire, err := DialWebSocket(ctx, address, nil)
	cancel()
	if err != nil {
		t.Fatal(err)
	}
	defer wire.Close()
	if err := wire.Write([]byte("{}")); err != nil {
		t.Fatal(err)
	}
	if got, err := wire.Read(); err != nil || string(got) != "{}" {
		t.Errorf("got %q, %v", got, err)
	}
}

// TestErrorsHoldNoSecrets of the address, or that the server repeats.
func TestErrorsHoldNoSecrets(t *testing.T) {
	const secret = "S3CRETs3cret"
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		said := r.URL.RawQuery + " " + strings.Join(r.Header["Authorization"], " ")
		switch r.URL.Path {
		case "/plain":
			http.Error(w, "Rejected an incoming WebSocket connection from\nhttp://x.example", http.StatusForbidden)
		case "/markup":
			http.Error(w, "<html>no", http.StatusTeapot)
		case "/long":
			http.Error(w, strings.Repeat("no ", 200), http.StatusTeapot)
		case "/missing":
			http.Error(w, said, http.StatusNotFound)
		case "/forbidden":
			http.Error(w, "no: "+strings.ToUpper(said), http.StatusForbidden)
		case "/reason":
			c, _, _ := http.NewResponseController(w).Hijack()
			_, _ = c.Write([]byte("HTTP/1.1 401 " + said + "\r\nContent-Length: 0\r\n\r\n"))
			_ = c.Close()
		default:
			http.Error(w, said, http.StatusUnauthorized)
		}
	}))
	defer srv.Close()
	host := strings.TrimPrefix(srv.URL, "http://")
	header := http.Header{"Authorization": {"Bearer " + secret}}
	for address, want := range map[string]string{
		"ws://" + host + "/a?token=" + secret:                 "at ws://" + host + "/a: websocket: bad handshake (401)",
		"ws://" + host + "/missing?token=" + secret:           "no such endpoint (404)",
		"ws://" + host + "/forbidden?" + secret:               "refused the connection (403);",
		"ws://" + host + "/reason?" + secret:                  "(401)",
		"ws://" + host + "/markup":                            "(418)",
		"ws://" + host + "/long":                              "(418)",
		"ws://" + host + "/plain":                             "(403 Rejected an incoming WebSocket connection from http://x.example)",
		"ws://user:" + secret + "@" + host + "/":              "can't have a user or a password",
		"ws://127.0.0.1:1/x?token=" + secret:                  "at ws://127.0.0.1:1/x: dial tcp",
		"ws://h:" + secret + "/":                              "no URL",
		"ws://h/%zz" + secret:                                 "no URL",
		"http://user:" + secret + "@127.0.0.1:1/?t=" + secret: "no browser listens at http://127.0.0.1:1/ (",
		"http://" + host + "/?token=" + secret:                "did not answer like a Chrome",
		"http://user:" + secret + "@" + host + "/reason":      "did not answer like a Chrome",
		"user:" + secret + "@h":                               "is not the address of a browser",
		"h?token=" + secret:                                   "is not the address of a browser",
		"ftp://user:" + secret + "@h/?" + secret:              "ftp://h/ is not the address of a browser",
	} {
		var err error
		if strings.HasPrefix(address, "ws") {
			_, err = DialWebSocket(t.Context(), address, header)
		} else {
			_, err = BrowserWebSocketURL(t.Context(), address)
		}
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(strings.ToLower(err.Error()), strings.ToLower(secret)) {
			t.Errorf("%s: %v, want %q", address, err, want)
		}
	}
}

// TestCloseHoldsNoSecrets: nor does why a server closes a websocket.
func TestCloseHoldsNoSecrets(t *testing.T) {
	for _, c := range []struct{ said, want string }{
		{"the session is over", "the session is over"},
		{"the token abcdef has run out", ""},
	} {
		address := served(t, func(ws *websocket.Conn) {
			_ = ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.ClosePolicyViolation, c.said), time.Now().Add(time.Minute))
		})
		wire, err := DialWebSocket(t.Context(), address, http.Header{"X-Token": {"abcdef"}})
		if err != nil {
			t.Fatal(err)
		}
		_, err = wire.Read()
		_ = wire.Close()
		var closed *websocket.CloseError
		if !errors.As(err, &closed) || closed.Code != websocket.ClosePolicyViolation || closed.Text != c.want {
			t.Errorf("%q: %v", c.said, err)
		}
	}
}
