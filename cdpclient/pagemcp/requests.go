package pagemcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"

	"webmcphub/internal/jsonrpc"
)

const (
	// MaxRequests is how many requests of one page's server OnRequest carries out at a time; more are refused. Most of
	// them wait for people, and must leave room for the requests of other calls.
	MaxRequests = 64
	// MaxRequest is the longest request of a page's server in bytes.
	MaxRequest = 1 << 20
	// MaxRequestBytes limits the total length of the requests that OnRequest carries out.
	MaxRequestBytes = 4 << 20
	// maxRequestID is the longest id of such a request in bytes.
	maxRequestID = 256
)

// requestCapabilities returns the capabilities for the requests that a page's server may send.
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

// handleRequest answers a request of the page's server. Without an answer the server would wait for a long time.
func (c *Client) handleRequest(m message) {
	switch {
	case len(m.ID) > maxRequestID:
		c.remarks.few("page server asks with an id that is too long", "method", clip(m.Method))
	case m.Method == "ping":
		c.answer(m, json.RawMessage("{}"), nil)
	case c.options.OnRequest == nil || !asksFor(m.Method):
		c.answer(m, nil, &RPCError{mcp.METHOD_NOT_FOUND, "Method not found"})
	case len(m.Params) > MaxRequest:
		c.answer(m, nil, &RPCError{mcp.INVALID_PARAMS, fmt.Sprintf("the request is longer than %d bytes", MaxRequest)})
	default:
		c.carryOut(m)
	}
}

func asksFor(method string) bool {
	switch method {
	case "sampling/createMessage", "elicitation/create", "roots/list":
		return true
	}
	return false
}

// TooManyRequests is the text that refuses a request for which [Requests.Begin] has no room.
var TooManyRequests = fmt.Sprintf("the page may have %d requests at a time, of %d bytes together, each with an id of its own",
	MaxRequests, MaxRequestBytes)

// Requests are a page's unanswered requests, by id. It has no lock.
type Requests map[string]*OpenRequest

// OpenRequest is an unanswered request.
type OpenRequest struct {
	Cancel context.CancelCauseFunc
	bytes  int // of its params
}

// Begin adds a request, or returns nil if there is no room for it or its id is taken.
func (r Requests) Begin(id string, bytes int, cancel context.CancelCauseFunc) *OpenRequest {
	together := bytes
	for _, open := range r {
		together += open.bytes
	}
	if r[id] != nil || len(r) >= MaxRequests || together > MaxRequestBytes {
		return nil
	}
	r[id] = &OpenRequest{cancel, bytes}
	return r[id]
}

// End removes a request, unless another request has its id by now.
func (r Requests) End(id string, open *OpenRequest) {
	if r[id] == open {
		delete(r, id)
	}
}

// carryOut makes OnRequest answer m.
func (c *Client) carryOut(m message) {
	ctx, cancel := context.WithCancelCause(c.life)
	id := string(m.ID)
	c.mu.Lock()
	begun := c.asking.Begin(id, len(m.Params), cancel)
	c.mu.Unlock()
	if begun == nil {
		cancel(nil)
		c.answer(m, nil, &RPCError{mcp.INVALID_REQUEST, TooManyRequests})
		return
	}
	params := append(json.RawMessage(nil), m.Params...)
	go func() {
		result, err := c.options.OnRequest(ctx, m.Method, params)
		c.mu.Lock()
		c.asking.End(id, begun)
		c.mu.Unlock()
		withdrawn := ctx.Err() != nil
		cancel(nil)
		if !withdrawn { // otherwise the server no longer waits
			c.answer(m, result, err)
		}
	}()
}

// withdrawn handles notifications/cancelled of the page's server.
func (c *Client) withdrawn(params json.RawMessage) {
	var p struct {
		ID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	c.mu.Lock()
	request := c.asking[string(p.ID)]
	c.mu.Unlock()
	if request != nil {
		request.Cancel(nil)
	}
}

// answer answers a request of the page's server without making the caller wait.
func (c *Client) answer(m message, result json.RawMessage, err error) {
	reply := map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": result}
	if err != nil {
		delete(reply, "result")
		refusal := &RPCError{Code: mcp.INTERNAL_ERROR, Message: err.Error()}
		errors.As(err, &refusal)
		reply["error"] = map[string]any{"code": refusal.Code, "message": refusal.Message}
	}
	select {
	case c.answering <- struct{}{}:
	default:
		c.remarks.few("page server asks too much at a time", "method", clip(m.Method))
		return
	}
	go func() {
		defer func() { <-c.answering }()
		ctx, cancel := context.WithTimeout(c.life, cancelTimeout)
		defer cancel()
		payload, err := jsonrpc.Encode(reply)
		if err == nil {
			err = c.transmit(ctx, payload, 1)
		}
		if err != nil {
			c.remarks.few("could not answer the page server", "method", clip(m.Method), "err", err)
		}
	}()
}
