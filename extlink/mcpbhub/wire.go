package mcpbhub

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"time"

	"webmcphub/extlink"
)

// Proxy is what an MCP-B proxy is as a peer.
var Proxy = extlink.Peer{Subprotocol: "mcp-b.v1", Role: "proxy", Called: "an MCP-B proxy", SendsToken: true}

// alive is how often a proxy's connection counts as alive: MCP-B has no such
// message. One whose process is gone is closed by the system.
const alive = extlink.Silence / 3

// wire is a proxy's connection as an extension's.
type wire struct {
	extlink.Wire
	can  Capabilities
	log  *slog.Logger
	in   chan []byte   // for Read
	gone chan struct{} // closed when the proxy has gone
	// greeted is closed when connect has been said and answered.
	greeted chan struct{}
	done    chan struct{} // closed by Close
	once    sync.Once
	noise   extlink.Noise // about messages that are ignored; pump's

	mu         sync.Mutex
	asked      bool // connect has been said
	page            // as the proxy tells it
	extensions map[string]json.RawMessage
	failure    error // why Read ends
	writing    sync.Mutex
}

// page is what a proxy has told of its tab.
type page struct {
	there    bool // the tab is
	url      string
	site     string // the origin that the connection is bound to, "" before it has named one
	doc      int
	tools    json.RawMessage
	declares Capabilities // by its own initialize
}

// Translate makes a wire that speaks as an extension does of one on which an
// MCP-B proxy speaks. The proxy may say in params.extensions.instance, a
// string, which tab's it is: a newer connection of the same one and the same
// origin takes the older's place.
func Translate(proxy extlink.Wire, can Capabilities, log *slog.Logger) extlink.Wire {
	w := &wire{Wire: proxy, can: can, log: log, in: make(chan []byte, 16), gone: make(chan struct{}), greeted: make(chan struct{}), done: make(chan struct{})}
	go w.pump()
	return w
}

// pump reads what the proxy says until it has gone.
func (w *wire) pump() {
	defer close(w.gone)
	go w.pings()
	for {
		msg, err := w.Wire.Read()
		if errors.Is(err, extlink.ErrMessageTooLarge) {
			if unsaid, ok := w.noise.Allow(); ok {
				w.log.Warn("a message of an MCP-B proxy was ignored", "why", err, "unsaid", unsaid)
			}
			continue
		}
		if err != nil {
			w.mu.Lock()
			w.failure = err
			w.mu.Unlock()
			return
		}
		for _, m := range w.heard(msg) {
			w.pass(m)
		}
	}
}

func (w *wire) pings() {
	ticker := time.NewTicker(alive)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			w.pass(extMessage{Type: "ping"})
		case <-w.gone:
			return
		case <-w.done:
			return
		}
	}
}

// pass hands Read a message, unless the connection ends before.
func (w *wire) pass(m extMessage) {
	raw, err := json.Marshal(m)
	if err != nil {
		w.log.Warn("a message of an MCP-B proxy was ignored", "err", err)
		return
	}
	select {
	case w.in <- raw:
	case <-w.gone:
	case <-w.done:
	}
}

// Read gives the next message in the extension's words.
func (w *wire) Read() ([]byte, error) {
	select {
	case msg := <-w.in:
		return msg, nil
	case <-w.gone:
	case <-w.done:
		return nil, errClosed
	}
	select {
	case msg := <-w.in: // said before it went
		return msg, nil
	default:
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return nil, w.failure
}

var errClosed = errors.New("the connection is closed")

func (w *wire) Close() error {
	w.once.Do(func() { close(w.done) })
	return w.Wire.Close()
}

// Write takes an order in the extension's words.
func (w *wire) Write(msg []byte) error {
	var o extOrder
	if err := json.Unmarshal(msg, &o); err != nil {
		return err
	}
	switch o.Type {
	case "connect":
		w.mu.Lock()
		again := w.asked
		w.asked = true
		first := w.appear()
		w.mu.Unlock()
		for _, m := range first {
			w.pass(m)
		}
		if !again {
			close(w.greeted)
		}
	case "callTool":
		args := o.Args
		if len(args) == 0 {
			args = json.RawMessage("{}")
		}
		params, err := json.Marshal(execution{o.ToolName, args, w.extensionsOf(o), o.Meta})
		if err != nil {
			return err
		}
		return w.send(rpc{ID: quoted(o.CallID), Method: executeTool, Params: params})
	case "cancelTool":
		return w.send(rpc{Method: cancelled, Params: json.RawMessage(`{"requestId":` + string(quoted(o.CallID)) + `}`)})
	case "pageAnswer":
		return w.send(rpc{ID: json.RawMessage(o.RequestID), Result: o.Result, Error: o.Error})
	case "openTab", "focusTab", "closeTab":
		no := "an MCP-B proxy opens, focuses and closes no tabs"
		w.pass(extMessage{Type: "orderResult", RequestID: o.RequestID, Error: &no})
	}
	return nil
}

// extensionsOf are a call's, and those of the registration, which the proxy
// gave for itself: the caller's can't stand for them.
func (w *wire) extensionsOf(call extOrder) map[string]json.RawMessage {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(call.Extensions) == 0 {
		return w.extensions
	}
	maps.Copy(call.Extensions, w.extensions)
	return call.Extensions
}

func (w *wire) send(m rpc) error {
	m.Version = "2.0"
	raw, err := json.Marshal(m)
	if err != nil {
		return err
	}
	w.writing.Lock() // answers are written by pump
	defer w.writing.Unlock()
	return w.Wire.Write(raw)
}

func quoted(s string) json.RawMessage {
	raw, _ := json.Marshal(s) // strings can be encoded
	return raw
}

// heard says in the extension's words what the proxy has said.
func (w *wire) heard(raw []byte) []extMessage {
	var m rpc
	if err := json.Unmarshal(raw, &m); err != nil || m.Version != "2.0" {
		w.ignore("it is no JSON-RPC 2.0 message", m)
		return nil
	}
	switch m.Method {
	case "":
		return w.result(m)
	case registerTools, updateTools:
		return w.registered(m)
	case elicit, elicitConfirmation, sample, listRoots:
		return w.requested(m)
	case progress:
		return w.progressed(m)
	case cancelled:
		return w.withdrawn(m)
	case "initialize":
		said := w.declared(m)
		w.answer(m, map[string]any{
			"protocolVersion": "2025-06-18",
			"capabilities":    map[string]any{"browser": w.can, "tools": map[string]any{"listChanged": true}},
			"serverInfo":      map[string]any{"name": "webmcp-hub", "version": "1"},
		})
		return said
	case "ping":
		w.answer(m, struct{}{})
	default:
		if len(m.ID) > 0 {
			w.refuse(m, methodNotFound, "unknown method")
		}
	}
	return nil
}

func (w *wire) answer(m rpc, result any) {
	raw, err := json.Marshal(result)
	if err == nil && len(m.ID) > 0 {
		_ = w.send(rpc{ID: m.ID, Result: raw}) // if it fails, reading ends too
	}
}

// refuse answers a request with an error, and notes a notification in the log.
func (w *wire) refuse(m rpc, code int, why string) {
	if len(m.ID) == 0 {
		w.ignore(why, m)
		return
	}
	_ = w.send(rpc{ID: m.ID, Error: &rpcError{code, why}})
}

func (w *wire) ignore(why string, m rpc) {
	if unsaid, ok := w.noise.Allow(); ok {
		w.log.Debug("a message of an MCP-B proxy was ignored", "why", why, "method", fmt.Sprintf("%.64s", m.Method), "unsaid", unsaid)
	}
}

// result takes the answer to a call.
func (w *wire) result(m rpc) []extMessage {
	var id string
	if json.Unmarshal(m.ID, &id) != nil {
		w.ignore("it answers no request", m)
		return nil
	}
	fail := func(why string) []extMessage { return []extMessage{{Type: "toolResult", CallID: id, Error: &why}} }
	if m.Error != nil {
		if m.Error.Code == TabNotFound {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.there, w.tools, w.url = false, nil, ""
			return []extMessage{{Type: "tabClosed", TabID: 1}}
		}
		return fail(m.Error.Message)
	}
	var r executed
	if json.Unmarshal(m.Result, &r) != nil || r.Success == nil {
		return fail("the MCP-B proxy answered with something that is no {success, payload}")
	}
	said := extMessage{Type: "toolResult", CallID: id, Meta: extended(r.Meta, r.Extensions)}
	if *r.Success {
		said.Result = r.Payload
	} else {
		var why string
		if json.Unmarshal(r.Payload, &why) != nil {
			why = string(r.Payload)
		}
		said.Error = &why
	}
	return []extMessage{said}
}
