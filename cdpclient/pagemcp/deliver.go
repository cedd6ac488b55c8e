package pagemcp

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
)

// message has the members that the client reads of any JSON-RPC message of the page's server.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// Deliver takes one payload from the page. It never blocks. Payloads of one page must be delivered in order, by one
// goroutine at a time. Invalid payloads (garbage, unknown ids, second answers) are logged and ignored.
func (c *Client) Deliver(payload json.RawMessage) {
	if c.closedErr() != nil {
		return
	}
	switch string(payload) {
	case payloadReady:
		c.serverReady()
		return
	case payloadStopped:
		if c.close(ErrServerStopped) && c.options.OnClosed != nil {
			c.options.OnClosed()
		}
		return
	}
	if len(payload) > c.options.MaxMessage {
		c.remarks.few("page server sent a message that is too large", "bytes", len(payload), "limit", c.options.MaxMessage)
		return
	}
	var m message
	if len(payload) == 0 || payload[0] != '{' || json.Unmarshal(payload, &m) != nil {
		c.remarks.few("page server sent garbage", "start", string(payload[:min(len(payload), 100)]))
		return
	}
	switch {
	case m.Method == "":
		c.answered(m)
	case m.ID == nil:
		c.notified(m)
	default:
		c.handleRequest(m)
	}
}

// serverReady handles "mcp-server-ready". Connect waits for the first one. A later one means that the page is back
// from the back/forward cache, or that the server has restarted. Servers answer without a second handshake, so it is
// enough to read the list again.
func (c *Client) serverReady() {
	c.mu.Lock()
	first := !c.isReady
	c.isReady = true
	c.mu.Unlock()
	if first {
		close(c.ready)
		return
	}
	c.listChanged()
	c.noticed(methodResourcesChanged, nil)
	c.noticed(methodPromptsChanged, nil)
}

func (c *Client) listChanged() {
	if c.connected.Load() && c.options.OnListChanged != nil {
		c.options.OnListChanged()
	}
}

func (c *Client) answered(m message) {
	id, ok := parseID(m.ID)
	if !ok {
		c.remarks.few("page server answered an id that is not ours")
		return
	}
	switch {
	case m.Error != nil && string(m.Error) != "null":
		c.resolve(id, answer{err: rpcError(m.Error)})
	case m.Result != nil:
		c.resolve(id, answer{result: m.Result})
	default:
		c.resolve(id, answer{err: errors.New("the page's MCP server answered with neither a result nor an error")})
	}
}

// rpcError decodes a page's error of any form.
func rpcError(raw json.RawMessage) *RPCError {
	var e mcp.JSONRPCErrorDetails // also accepts a bare string
	if json.Unmarshal(raw, &e) != nil {
		return &RPCError{Code: mcp.INTERNAL_ERROR, Message: clip(string(raw))}
	}
	return &RPCError{Code: e.Code, Message: e.Message}
}

func (c *Client) notified(m message) {
	switch m.Method {
	case "notifications/tools/list_changed":
		c.listChanged()
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
		c.mu.Lock()
		call := c.calls.pending[token]
		c.mu.Unlock()
		if call != nil && call.progress != nil {
			call.progress(m.Params)
		}
	case "notifications/cancelled":
		c.withdrawn(m.Params)
	default:
		c.noticed(m.Method, m.Params)
	}
}

// DeliverOversize reports that a message of size UTF-16 units from the page was too large to carry. raw is the
// message's id, or nil. If it is the id of a pending request, that request fails with ErrTooLarge.
func (c *Client) DeliverOversize(raw json.RawMessage, size int64) {
	id, ok := parseID(raw)
	if !ok {
		c.remarks.few("page server sent a message that is too large to carry", "units", size)
		return
	}
	c.resolve(id, answer{err: fmt.Errorf("%w: the page's answer has %d characters", ErrTooLarge, size)})
}

// clip shortens the page's texts for logs.
func clip(s string) string { return s[:min(len(s), 100)] }
