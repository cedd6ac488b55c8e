package uicmd

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"

	"webmcphub/actors"
	"webmcphub/internal/agent"
	"webmcphub/live"
	"webmcphub/registry"
	"webmcphub/registry/mcpserver"
	"webmcphub/registry/mcpserver/client"
)

// operated is the hub as the live page sees it.
type operated struct {
	ui     *UI
	hub    *actors.Hub
	server *mcpserver.Server
	person *person
}

func (o operated) Version() string                    { return o.person.version }
func (o operated) Clients() []mcpserver.ClientState   { return o.server.Clients() }
func (o operated) Keeper(page registry.PageID) string { return o.server.Keeper(page) }
func (o operated) ConnectPage(ctx context.Context, page registry.PageID) error {
	return o.hub.ConnectPage(ctx, page)
}
func (o operated) DisconnectPage(ctx context.Context, page registry.PageID) error {
	return o.hub.DisconnectPage(ctx, page)
}
func (o operated) Call(ctx context.Context, tool string, args json.RawMessage) error {
	return o.person.call(ctx, tool, args)
}

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

// personsName is what the session calls itself. What tells that it is a person's is the
// session's id.
const personsName = "a person at the live page"

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
	a, err := agent.New(p.ctx, transport.NewIO(fromHub, toHub, io.NopCloser(strings.NewReader(""))), personsName, p.version)
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
