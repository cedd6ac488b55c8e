package socket

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// reading gives a Reader of at most ten bytes a message, whose peer is play.
func reading(t *testing.T, play func(peer *websocket.Conn)) *Reader {
	played := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(played)
		up := websocket.Upgrader{}
		if peer, err := up.Upgrade(w, r, nil); err == nil {
			play(peer)
			_ = peer.Close()
		}
	}))
	ws, _, err := websocket.DefaultDialer.Dial(strings.Replace(srv.URL, "http", "ws", 1), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = ws.Close()
		<-played
		srv.Close()
	})
	return &Reader{Socket: ws, Limit: 10}
}

func TestRead(t *testing.T) {
	r := reading(t, func(peer *websocket.Conn) {
		_ = peer.WriteMessage(websocket.BinaryMessage, []byte("binary"))
		_ = peer.WriteMessage(websocket.TextMessage, []byte("first"))
		_ = peer.WriteMessage(websocket.TextMessage, []byte("just right"))
		_ = peer.WriteMessage(websocket.TextMessage, []byte("too large, by a lot"))
		_ = peer.WriteMessage(websocket.TextMessage, nil)
	})
	first, err := r.Read()
	if err != nil || string(first) != "first" {
		t.Fatalf("%q, %v", first, err)
	}
	if msg, err := r.Read(); err != nil || string(msg) != "just right" {
		t.Errorf("%q, %v", msg, err)
	}
	if msg, err := r.Read(); !errors.Is(err, ErrTooLarge) {
		t.Errorf("one byte too many is %q, %v", msg, err)
	}
	if msg, err := r.Read(); err != nil || len(msg) != 0 {
		t.Errorf("an empty one is %q, %v", msg, err)
	}
	if string(first) != "first" {
		t.Error("a message that was handed out has changed")
	}
}

func TestWsmessageEnds(t *testing.T) {
	closing := func(code int) func(*websocket.Conn) {
		return func(peer *websocket.Conn) {
			_ = peer.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, ""), time.Now().Add(time.Minute))
		}
	}
	for name, c := range map[string]struct {
		play  func(*websocket.Conn)
		plain bool
	}{
		"closed":         {closing(websocket.CloseNormalClosure), true},
		"going away":     {closing(websocket.CloseGoingAway), true},
		"gone":           {func(*websocket.Conn) {}, true},
		"of a violation": {closing(websocket.ClosePolicyViolation), false},
		"within a message": {func(peer *websocket.Conn) {
			w, _ := peer.NextWriter(websocket.TextMessage)
			_, _ = w.Write(make([]byte, 8<<10)) // more than the writer's buffer: a first frame leaves
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			r := reading(t, c.play)
			r.Limit = 1 << 20
			if msg, err := r.Read(); err == nil || (err == io.EOF) != c.plain {
				t.Errorf("it reads %d bytes, %v", len(msg), err)
			}
		})
	}
}
