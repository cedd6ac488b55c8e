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

// Pages are attached to, and let go of.
type Pages interface {
	ConnectPage(ctx context.Context, page registry.PageID) error
	DisconnectPage(ctx context.Context, page registry.PageID) error
}

// Hub is a [live.Hub] of an MCP server whose tools a person may call.
type Hub struct {
	Pages
	server *mcpserver.Server
	person *person
}

// NewHub makes one, whose person calls until ctx ends; then it is for End to wait for that.
func NewHub(ctx context.Context, server *mcpserver.Server, pages Pages, version string) *Hub {
	return &Hub{pages, server, newPerson(ctx, server, version)}
}

// Version is the hub's, as are Clients and Keeper.
func (h *Hub) Version() string { return h.person.version }

// Clients are those that are connected.
func (h *Hub) Clients() []mcpserver.ClientState { return h.server.Clients() }

// Keeper is the session that keeps a tab.
func (h *Hub) Keeper(page registry.PageID) string { return h.server.Keeper(page) }

// Call calls a tool as a person.
func (h *Hub) Call(ctx context.Context, tool string, args json.RawMessage) error {
	return h.person.call(ctx, tool, args)
}

// End waits for the person's session to be over.
func (h *Hub) End() { h.person.end() }

// person is a client of the hub by which its user calls tools. Its session begins with the
// first call.
type person struct {
	ctx     context.Context
	server  *mcpserver.Server
	version string

	mu    sync.Mutex // held while the session begins
	agent *agent.Agent
	over  chan struct{} // closed when the session is over; nil before it begins
}

func newPerson(ctx context.Context, server *mcpserver.Server, version string) *person {
	return &person{ctx: ctx, server: server, version: version}
}

// PersonsName is what the session calls itself. What tells that it is a person's is the
// session's id.
const PersonsName = "a person at the live page"

func (p *person) call(ctx context.Context, tool string, args json.RawMessage) error {
	a, err := p.session()
	if err != nil {
		return err
	}
	_, err = a.Call(ctx, tool, args)
	return err
}

func (p *person) session() (*agent.Agent, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.agent != nil {
		select {
		case <-p.over: // it has ended, as when its client was let go
			_ = p.agent.Close()
			p.agent = nil
		default:
			return p.agent, nil
		}
	}
	fromUs, toHub := io.Pipe()
	fromHub, toUs := io.Pipe()
	over := make(chan struct{})
	view := mcpserver.View{Mode: mcpserver.AllTabs, CallTimeout: personsTime, MaxName: 128}
	go func() {
		defer close(over)
		_ = p.server.ServeGuest(p.ctx, client.Guest{View: &view, Kind: live.PersonSession}, fromUs, toUs)
		_ = fromUs.Close()
		_ = toUs.Close()
	}()
	p.over = over
	a, err := agent.New(p.ctx, transport.NewIO(fromHub, toHub, io.NopCloser(strings.NewReader(""))), PersonsName,
		p.version)
	if err != nil {
		_ = toHub.Close()
		return nil, err
	}
	p.agent = a
	return a, nil
}

// personsTime is how long a person's call may take: they can stop it.
const personsTime = time.Hour

// end waits for the session to be over, once ctx has ended.
func (p *person) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.agent != nil {
		_ = p.agent.Close()
	}
	if p.over != nil {
		<-p.over
	}
}
