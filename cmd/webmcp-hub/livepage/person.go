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

// Hub is the [live.Hub] of an MCP server whose tools a person may call.
type Hub struct {
	Pages
	server *mcpserver.Server
	person *person
}

// NewHub returns a Hub whose person can call tools until ctx ends. End waits for that.
func NewHub(ctx context.Context, server *mcpserver.Server, pages Pages, version string) *Hub {
	return &Hub{pages, server, newPerson(ctx, server, version)}
}

// Version returns the hub's version.
func (h *Hub) Version() string { return h.person.version }

// Clients returns the clients that are connected.
func (h *Hub) Clients() []mcpserver.ClientState { return h.server.Clients() }

// Keeper returns the session that keeps a tab to itself.
func (h *Hub) Keeper(page registry.PageID) string { return h.server.Keeper(page) }

// Call calls a tool as the person.
func (h *Hub) Call(ctx context.Context, tool string, args json.RawMessage) error {
	return h.person.call(ctx, tool, args)
}

// End waits until the person's session is over.
func (h *Hub) End() { h.person.end() }

// person is the client as which the hub's user calls tools. Its session begins with the first call.
type person struct {
	ctx     context.Context
	server  *mcpserver.Server
	version string

	mu    sync.Mutex // also held while the session begins
	agent *agent.Agent
	over  chan struct{} // closed when the session is over; nil before it begins
}

func newPerson(ctx context.Context, server *mcpserver.Server, version string) *person {
	return &person{ctx: ctx, server: server, version: version}
}

// PersonsName is the client name of the person's session. The session's id, not this name, tells that the session is
// a person's.
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
		case <-p.over: // it has ended, for example because its client was disconnected
			_ = p.agent.Close()
			p.agent = nil
		default:
			return p.agent, nil
		}
	}
	fromUs, toHub := io.Pipe()
	fromHub, toUs := io.Pipe()
	over := make(chan struct{})
	view := client.View{Mode: client.AllTabs, CallTimeout: personsTime, MaxName: 128}
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

// personsTime is how long a person's call may take. It can be long because the person can stop the call.
const personsTime = time.Hour

// end waits until the session is over. Call it once ctx has ended.
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
