package pagemcp

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
)

// message is any JSON-RPC message of the page's server, with the members that are read.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// deliver takes one payload of the page. It runs in one goroutine at a time and calls the callbacks there.
func (w *wire) deliver(payload json.RawMessage) {
	if w.closedErr() != nil {
		return
	}
	switch string(payload) {
	case payloadReady:
		w.serverReady()
		return
	case payloadStopped:
		if w.close(ErrServerStopped) && w.on.stopped != nil {
			w.on.stopped()
		}
		return
	}
	if len(payload) > w.limit {
		w.remarks.few("page server sent a message that is too large", "bytes", len(payload), "limit", w.limit)
		return
	}
	var m message
	if len(payload) == 0 || payload[0] != '{' || json.Unmarshal(payload, &m) != nil {
		w.remarks.few("page server sent garbage", "start", string(payload[:min(len(payload), 100)]))
		return
	}
	switch {
	case m.Method == "":
		w.answered(m)
	case m.ID == nil:
		w.notified(m)
	default:
		w.asked(m)
	}
}

// serverReady handles "mcp-server-ready". Connect waits for the first one. A later one means that the page is back
// from the back/forward cache, or that the server has restarted. Servers answer without a second handshake, so it is
// enough to read the list again.
func (w *wire) serverReady() {
	w.mu.Lock()
	first := !w.isReady
	w.isReady = true
	w.mu.Unlock()
	if first {
		close(w.ready)
		return
	}
	w.on.readyAgain()
}

func (w *wire) answered(m message) {
	id, ok := parseID(m.ID)
	if !ok {
		w.remarks.few("page server answered an id that is not ours")
		return
	}
	switch {
	case m.Error != nil && string(m.Error) != "null":
		w.resolve(id, answer{err: rpcError(m.Error)})
	case m.Result != nil:
		w.resolve(id, answer{result: m.Result})
	default:
		w.resolve(id, answer{err: errors.New("the page's MCP server answered with neither a result nor an error")})
	}
}

// rpcError decodes whatever a page sends as an error.
func rpcError(raw json.RawMessage) *RPCError {
	var e mcp.JSONRPCErrorDetails // also accepts a bare string
	if json.Unmarshal(raw, &e) != nil {
		return &RPCError{Code: mcp.INTERNAL_ERROR, Message: clip(string(raw))}
	}
	return &RPCError{Code: e.Code, Message: e.Message}
}

func (w *wire) notified(m message) {
	switch m.Method {
	case "notifications/tools/list_changed":
		w.on.listChanged()
	case "notifications/progress":
		var p struct {
			Token json.RawMessage `json:"progressToken"`
		}
		if json.Unmarshal(m.Params, &p) != nil {
			return
		}
		token, ok := parseID(p.Token)
		if !ok {
			return
		}
		w.mu.Lock()
		call := w.calls.pending[token]
		w.mu.Unlock()
		if call != nil && call.progress != nil {
			call.progress(m.Params)
		}
	case "notifications/cancelled":
		w.withdrawn(m.Params)
	default:
		w.on.notice(m.Method, m.Params)
	}
}

func (w *wire) oversize(raw json.RawMessage, size int64) {
	id, ok := parseID(raw)
	if !ok {
		w.remarks.few("page server sent a message that is too large to carry", "units", size)
		return
	}
	w.resolve(id, answer{err: fmt.Errorf("%w: the page's answer has %d characters", ErrTooLarge, size)})
}

// clip shortens the page's texts for logs.
func clip(s string) string { return s[:min(len(s), 100)] }
