package cdptest

import (
	"encoding/json"
	"net/http"
	"sync"

	"github.com/gorilla/websocket"
)

const browserPath = "/devtools/browser/cdptest"

// Handler serves the browser as Chrome's --remote-debugging-port does:
// /json/version, and a websocket at the address that it names. Use it with
// httptest.NewServer; goroutines end with the connections.
func (b *Browser) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/json/version", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=UTF-8")
		_ = json.NewEncoder(w).Encode(map[string]string{ // the client's loss
			"Browser": "HeadlessChrome/156.0.0.0", "Protocol-Version": "1.3",
			"webSocketDebuggerUrl": "ws://" + r.Host + browserPath,
		})
	})
	mux.HandleFunc(browserPath, b.serveWebSocket)
	return mux
}

func (b *Browser) serveWebSocket(rw http.ResponseWriter, r *http.Request) {
	ws, err := (&websocket.Upgrader{}).Upgrade(rw, r, nil)
	if err != nil {
		return // answered already
	}
	out := newWire() // its queue; the peer of it is the socket
	c := b.newConn(out.push, sync.OnceFunc(func() { close(out.dead) }))
	out.conn = c
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		defer ws.Close()
		for {
			msg, err := out.Read()
			if err != nil || ws.WriteMessage(websocket.TextMessage, msg) != nil {
				return
			}
		}
	}()
	for {
		_, msg, err := ws.ReadMessage()
		if err != nil {
			break
		}
		c.handle(msg)
	}
	_ = out.Close()
	<-sent
}
