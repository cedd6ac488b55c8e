package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/gorilla/websocket"
)

// A driver is the tests' own debugging connection to Chrome, next to the hub's.
// It's deliberately small and shares no code with the hub.
type driver struct {
	ws *websocket.Conn

	mu      sync.Mutex // guards writing and what follows
	last    int
	pending map[int]chan reply
	awaited map[event]chan struct{}
	done    chan struct{} // closed when the reader has ended
}

// An event is one kind of event in one session.
type event struct{ session, method string }

type reply struct {
	ID        int    `json:"id"`
	SessionID string `json:"sessionId"`
	Method    string `json:"method"`

	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

func dialDriver(url string) (*driver, error) {
	ws, _, err := websocket.DefaultDialer.Dial(url, nil)
	if err != nil {
		return nil, fmt.Errorf("dialling Chrome at %s: %w", url, err)
	}
	d := &driver{ws: ws, pending: map[int]chan reply{}, awaited: map[event]chan struct{}{}, done: make(chan struct{})}
	go d.read()
	return d, nil
}

func (d *driver) read() {
	defer close(d.done)
	for {
		var r reply
		if err := d.ws.ReadJSON(&r); err != nil {
			return
		}
		d.mu.Lock()
		waiter := d.pending[r.ID]
		delete(d.pending, r.ID)
		e := event{r.SessionID, r.Method}
		if awaited := d.awaited[e]; awaited != nil {
			close(awaited)
			delete(d.awaited, e)
		}
		d.mu.Unlock()
		if waiter != nil {
			waiter <- r
		}
	}
}

// call sends a command to a session ("" is the browser) and decodes its result.
func (d *driver) call(ctx context.Context, session, method string, params map[string]any, result any) error {
	waiter, err := d.send(session, method, params)
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	select {
	case r := <-waiter:
		if r.Error != nil {
			return fmt.Errorf("%s: %s", method, r.Error.Message)
		}
		if result == nil {
			return nil
		}
		return json.Unmarshal(r.Result, result)
	case <-d.done:
		return fmt.Errorf("%s: Chrome is gone", method)
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", method, ctx.Err())
	}
}

// send is call without waiting, for commands that Chrome doesn't answer.
func (d *driver) send(session, method string, params map[string]any) (<-chan reply, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.last++
	message := map[string]any{"id": d.last, "method": method}
	if params != nil {
		message["params"] = params
	}
	if session != "" {
		message["sessionId"] = session
	}
	waiter := make(chan reply, 1)
	d.pending[d.last] = waiter
	return waiter, d.ws.WriteJSON(message)
}

// expect returns a channel that is closed when the next such event comes.
func (d *driver) expect(session, method string) <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	came := make(chan struct{})
	d.awaited[event{session, method}] = came
	return came
}

func (d *driver) close() {
	_ = d.ws.Close()
	<-d.done
}
