package plainhub

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"webmcphub/cdpclient"
	"webmcphub/registry/names"
	"webmcphub/registry/sanitize"
)

// Tool is a page's tool under its hub name.
type Tool struct {
	Name, Description string
	Schema            json.RawMessage // an object's
	page              *page
	own               string // the page's name for it
}

// Sink is told of tools as they come and go. Its methods are called with the
// hub's mutex held and must not block.
type Sink interface {
	Add(t *Tool)
	Remove(names []string)
}

// Hub is the pages' side.
type Hub struct {
	conn *cdpclient.Conn
	sink Sink
	serv *Server // nil if the sink is another

	mu      sync.Mutex
	pages   map[cdpclient.SessionID]*page
	opened  int
	waiting map[string]chan cdpclient.ToolResponded // calls by invocation
	early   map[string]cdpclient.ToolResponded      // answers that came before the id of their call
}

type page struct {
	session cdpclient.SessionID
	frame   string
	index   int
	domain  string
	tools   map[string]*Tool // by the page's name
	gone    chan struct{}
}

// Start connects to Chrome over a wire, which it owns.
func Start(w cdpclient.Wire, sink Sink) *Hub {
	h := &Hub{sink: sink, pages: map[cdpclient.SessionID]*page{}, waiting: map[string]chan cdpclient.ToolResponded{},
		early: map[string]cdpclient.ToolResponded{}}
	h.serv, _ = sink.(*Server)
	ready := make(chan struct{})
	h.conn = cdpclient.NewConn(w, func(m cdpclient.Message) { <-ready; h.receive(m) })
	close(ready)
	h.conn.Post("", cdpclient.TargetSetAutoAttach,
		json.RawMessage(`{"autoAttach":true,"waitForDebuggerOnStart":true,"flatten":true,"filter":[{"type":"page"}]}`),
		nil)
	return h
}

// Stop ends the connection and returns when it has ended, or with ctx.
func (h *Hub) Stop(ctx context.Context) error {
	if err := h.conn.Close(); err != nil {
		return err
	}
	select {
	case <-h.conn.Done():
		return nil
	case <-ctx.Done():
		return errors.New("the connection did not end in time")
	}
}

// receive is every session's inbox: the connection's reader.
func (h *Hub) receive(m cdpclient.Message) {
	e, ok := m.(cdpclient.Event)
	if !ok {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	switch e.Method {
	case cdpclient.TargetAttachedToTarget:
		decode(e, h.attached)
	case cdpclient.TargetDetachedFromTarget:
		decode(e, func(d cdpclient.DetachedFromTarget) { h.detached(d.SessionID) })
	case cdpclient.WebMCPToolsAdded:
		decode(e, func(a cdpclient.ToolsAdded) { h.added(h.pages[e.Session], a.Tools) })
	case cdpclient.WebMCPToolsRemoved:
		decode(e, func(r cdpclient.ToolsRemoved) { h.removed(h.pages[e.Session], r.Tools) })
	case cdpclient.RuntimeExecutionContextsCleared:
		h.cleared(h.pages[e.Session])
	case cdpclient.PageFrameNavigated:
		decode(e, func(n cdpclient.FrameNavigated) {
			if p := h.pages[e.Session]; p != nil && n.Frame.ParentID == "" {
				p.domain = names.ExtractDomain(n.Frame.URL)
			}
		})
	case cdpclient.WebMCPToolResponded:
		decode(e, h.responded)
	}
}

func decode[E any](e cdpclient.Event, handle func(E)) {
	var params E
	if json.Unmarshal(e.Params, &params) == nil {
		handle(params)
	}
}

func (h *Hub) attached(a cdpclient.AttachedToTarget) {
	p := &page{session: a.SessionID, frame: a.TargetInfo.TargetID, index: h.opened,
		domain: names.ExtractDomain(a.TargetInfo.URL), tools: map[string]*Tool{}, gone: make(chan struct{})}
	h.opened++
	h.pages[a.SessionID] = p
	h.conn.Attach(a.SessionID, h.receive)
	for _, method := range []string{cdpclient.PageEnable, cdpclient.RuntimeEnable, cdpclient.WebMCPEnable,
		cdpclient.RuntimeRunIfWaitingForDebugger} {
		h.conn.Post(a.SessionID, method, nil, nil)
	}
}

func (h *Hub) detached(s cdpclient.SessionID) {
	if p := h.pages[s]; p != nil {
		h.cleared(p)
		delete(h.pages, s)
		close(p.gone)
	}
}

func (h *Hub) cleared(p *page) {
	if p == nil || len(p.tools) == 0 {
		return
	}
	var names []string
	for _, t := range p.tools {
		names = append(names, t.Name)
	}
	clear(p.tools)
	h.sink.Remove(names)
}

func (h *Hub) added(p *page, tools []cdpclient.Tool) {
	if p == nil {
		return
	}
	for _, t := range tools {
		schema, err := sanitize.InputSchema(t.InputSchema)
		if err != nil {
			continue
		}
		tool := &Tool{
			Name:        names.ToolName(p.domain, p.index, t.Name, names.DefaultMaxName),
			Description: names.Describe(p.domain, p.index, t.Description),
			Schema:      schema,
			page:        p,
			own:         t.Name,
		}
		p.tools[t.Name] = tool
		h.sink.Add(tool)
	}
}

func (h *Hub) removed(p *page, tools []cdpclient.RemovedTool) {
	if p == nil {
		return
	}
	for _, t := range tools {
		if tool := p.tools[t.Name]; tool != nil {
			delete(p.tools, t.Name)
			h.sink.Remove([]string{tool.Name})
		}
	}
}

func (h *Hub) responded(r cdpclient.ToolResponded) {
	if waits := h.waiting[r.InvocationID]; waits != nil {
		delete(h.waiting, r.InvocationID)
		waits <- r
		return
	}
	h.early[r.InvocationID] = r
}

// Call runs a tool and gives its MCP result.
func (h *Hub) Call(ctx context.Context, t *Tool, args json.RawMessage) json.RawMessage {
	var r cdpclient.InvokeToolResult
	err := h.conn.Call(ctx, t.page.session, cdpclient.WebMCPInvokeTool,
		cdpclient.InvokeToolParams{FrameID: t.page.frame, ToolName: t.own, Input: args}, &r)
	if err != nil {
		return sanitize.ErrorResult(err.Error()).JSON
	}
	answer := make(chan cdpclient.ToolResponded, 1)
	h.mu.Lock()
	if early, ok := h.early[r.InvocationID]; ok {
		delete(h.early, r.InvocationID)
		answer <- early
	} else {
		h.waiting[r.InvocationID] = answer
	}
	h.mu.Unlock()
	select {
	case a := <-answer:
		if a.Status != cdpclient.StatusCompleted {
			return sanitize.ErrorResult(a.Status + " " + a.ErrorText).JSON
		}
		return sanitize.NativeResult(a.Output).JSON
	case <-t.page.gone:
		return sanitize.ErrorResult("the page is gone").JSON
	case <-ctx.Done():
		return sanitize.ErrorResult("cancelled").JSON
	}
}
