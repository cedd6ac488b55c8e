package livepage

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"

	"webmcphub/internal/agent"
	"webmcphub/live"
	"webmcphub/mcpserver"
	client "webmcphub/mcpserver/view"
	"webmcphub/registry"
)

// Pages connects the hub to pages and disconnects it.
type Pages interface {
	ConnectPage(ctx context.Context, page registry.PageID) error
	DisconnectPage(ctx context.Context, page registry.PageID) error
}

// Hub is the [live.Hub] of an MCP server whose tools a person may call. The person's session begins with the first
// call.
type Hub struct {
	Pages
	ctx     context.Context
	server  *mcpserver.Server
	version string

	mu    sync.Mutex    // also held while the person's session begins
	agent *agent.Agent  // the person's client
	over  chan struct{} // closed when the session is over; nil before it begins
}

// NewHub returns a Hub whose person can call tools until ctx ends. End waits for that.
func NewHub(ctx context.Context, server *mcpserver.Server, pages Pages, version string) *Hub {
	return &Hub{Pages: pages, ctx: ctx, server: server, version: version}
}

// Version returns the hub's version.
func (h *Hub) Version() string { return h.version }

// Clients returns the clients that are connected.
func (h *Hub) Clients() []mcpserver.ClientState { return h.server.Clients() }

// ExclusiveHolder returns the session that keeps a tab to itself.
func (h *Hub) ExclusiveHolder(page registry.PageID) string { return h.server.ExclusiveHolder(page) }

// PersonsName is the client name of the person's session. The session's id, not this name, tells that the session is
// a person's.
const PersonsName = "a person at the live page"

// Call calls a tool as the person.
func (h *Hub) Call(ctx context.Context, tool string, args json.RawMessage) error {
	a, err := h.session()
	if err != nil {
		return err
	}
	_, err = a.Call(ctx, tool, args)
	return err
}

func (h *Hub) session() (*agent.Agent, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.agent != nil {
		select {
		case <-h.over: // it has ended, for example because its client was disconnected
			_ = h.agent.Close()
			h.agent = nil
		default:
			return h.agent, nil
		}
	}
	fromUs, toHub := io.Pipe()
	fromHub, toUs := io.Pipe()
	over := make(chan struct{})
	view := client.Settings{Mode: client.AllTabs, CallTimeout: personsTime, MaxName: 128}
	go func() {
		defer close(over)
		_ = h.server.ServeGuest(h.ctx, client.Guest{View: &view, Kind: live.PersonSession}, fromUs, toUs)
		_ = fromUs.Close()
		_ = toUs.Close()
	}()
	h.over = over
	a, err := agent.New(h.ctx, transport.NewIO(fromHub, toHub, io.NopCloser(strings.NewReader(""))), PersonsName,
		h.version)
	if err != nil {
		_ = toHub.Close()
		return nil, err
	}
	h.agent = a
	return a, nil
}

// personsTime is how long a person's call may take. It can be long because the person can stop the call.
const personsTime = time.Hour

// End waits until the person's session is over. Call it once the context of [NewHub] has ended.
func (h *Hub) End() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.agent != nil {
		_ = h.agent.Close()
	}
	if h.over != nil {
		<-h.over
	}
}
