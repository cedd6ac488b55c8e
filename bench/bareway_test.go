package bench

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// bareWay is the hub's end of the minimal extension in testdata/floor: a
// WebSocket, and nothing else. One goroutine uses it.
type bareWay struct {
	port   string
	server *http.Server
	came   chan *websocket.Conn
	ws     *websocket.Conn
}

func listenBare(b testing.TB) *bareWay {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	w := &bareWay{came: make(chan *websocket.Conn, 1)}
	_, w.port, _ = strings.Cut(l.Addr().String(), ":")
	up := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	w.server = &http.Server{Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if ws, err := up.Upgrade(rw, r, nil); err == nil {
			w.came <- ws
		}
	})}
	go func() { _ = w.server.Serve(l) }()
	b.Cleanup(func() {
		w.server.Close()
		if w.ws != nil {
			w.ws.Close()
		}
	})
	return w
}

// extension gives a folder with the minimal extension, which is to be loaded.
func (w *bareWay) extension(b testing.TB) string {
	dir := filepath.Join(b.TempDir(), "floor")
	if err := os.CopyFS(dir, os.DirFS("testdata/floor")); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "config.js"), []byte("const PORT = "+w.port+";\n"), 0o644); err != nil {
		b.Fatal(err)
	}
	return dir
}

// ready waits until a page of ours is reached.
func (w *bareWay) ready(b testing.TB) {
	select {
	case w.ws = <-w.came:
	case <-time.After(patience):
		b.Fatal("the minimal extension did not connect")
	}
	w.reads(b, "ready")
}

func (w *bareWay) call(b testing.TB, text string) {
	if err := w.ws.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
		b.Fatal(err)
	}
	w.reads(b, text)
}

func (w *bareWay) reads(b testing.TB, want string) {
	if err := w.ws.SetReadDeadline(time.Now().Add(patience)); err != nil {
		b.Fatal(err)
	}
	if _, msg, err := w.ws.ReadMessage(); err != nil || string(msg) != want {
		b.Fatal(fmt.Errorf("the minimal extension answered %q (%w), not %q", msg, err, want))
	}
}
