package mcpb

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"

	"webmcphub/internal/jsonrpc"
)

const (
	// MaxRequests is how many requests of one page's server OnRequest carries out at a time; more are refused.
	MaxRequests = 4
	// MaxRequest is the longest request of a page's server in bytes.
	MaxRequest = 1 << 20
	// maxRequestID is the longest id of such a request in bytes.
	maxRequestID = 256
)

// requestCapabilities say what a page's server may ask for.
func requestCapabilities(roots bool) (c mcp.ClientCapabilities) {
	c.Sampling = &mcp.SamplingCapability{}
	c.Elicitation = &mcp.ElicitationCapability{Form: &struct{}{}}
	if roots {
		c.Roots = &struct {
			ListChanged bool `json:"listChanged,omitempty"`
		}{}
	}
	return c
}

// asked: the page's server wants something of us. Without an answer it would wait for a long time.
func (w *wire) asked(m message) {
	switch {
	case len(m.ID) > maxRequestID:
		w.remarks.few("page server asks with an id that is too long", "method", clip(m.Method))
	case m.Method == "ping":
		w.answer(m, json.RawMessage("{}"), nil)
	case w.on.request == nil || !asksFor(m.Method):
		w.answer(m, nil, &RPCError{mcp.METHOD_NOT_FOUND, "Method not found"})
	case len(m.Params) > MaxRequest:
		w.answer(m, nil, &RPCError{mcp.INVALID_PARAMS, fmt.Sprintf("the request is longer than %d bytes", MaxRequest)})
	default:
		w.carryOut(m)
	}
}

func asksFor(method string) bool {
	switch method {
	case "sampling/createMessage", "elicitation/create", "roots/list":
		return true
	}
	return false
}

// carryOut has OnRequest answer m.
func (w *wire) carryOut(m message) {
	ctx, cancel := context.WithCancel(w.life)
	id := string(m.ID)
	w.mu.Lock()
	busy, taken := len(w.asking) >= MaxRequests, w.asking[id] != nil
	if !busy && !taken {
		w.asking[id] = cancel
	}
	w.mu.Unlock()
	if busy || taken {
		cancel()
		w.answer(m, nil, &RPCError{mcp.INVALID_REQUEST, fmt.Sprintf("the page may have %d requests at a time, each with an id of its own", MaxRequests)})
		return
	}
	params := append(json.RawMessage(nil), m.Params...)
	go func() {
		result, err := w.on.request(ctx, m.Method, params)
		w.mu.Lock()
		delete(w.asking, id)
		w.mu.Unlock()
		withdrawn := ctx.Err() != nil
		cancel()
		if !withdrawn { // else nobody waits
			w.answer(m, result, err)
		}
	}()
}

// withdrawn: the page's server cancels a request of its own.
func (w *wire) withdrawn(params json.RawMessage) {
	var p struct {
		ID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	w.mu.Lock()
	cancel := w.asking[string(p.ID)]
	w.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

// answer answers a request of the page's server, without making the caller wait.
func (w *wire) answer(m message, result json.RawMessage, err error) {
	reply := map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": result}
	if err != nil {
		delete(reply, "result")
		refusal := &RPCError{Code: mcp.INTERNAL_ERROR, Message: err.Error()}
		errors.As(err, &refusal)
		reply["error"] = map[string]any{"code": refusal.Code, "message": refusal.Message}
	}
	select {
	case w.answering <- struct{}{}:
	default:
		w.remarks.few("page server asks too much at a time", "method", clip(m.Method))
		return
	}
	go func() {
		defer func() { <-w.answering }()
		ctx, cancel := context.WithTimeout(w.life, cancelTimeout)
		defer cancel()
		payload, err := jsonrpc.Encode(reply)
		if err == nil {
			err = w.transmit(ctx, payload, 1)
		}
		if err != nil {
			w.remarks.few("could not answer the page server", "method", clip(m.Method), "err", err)
		}
	}()
}
