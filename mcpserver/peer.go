package mcpserver

import (
	"context"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"webmcphub/internal/jsonrpc"
	"webmcphub/mcpserver/wire"
)

// peer is a session as mcp-go sees it.
type peer struct {
	id            string
	session       *session
	notifications chan mcp.JSONRPCNotification
	draining      chan chan<- struct{} // see drain
	up            atomic.Bool
	level         atomic.Value
}

var (
	_ server.SessionWithLogging            = (*peer)(nil)
	_ server.SessionWithSubscriptionFilter = (*peer)(nil)
)

func newPeer(s *session) *peer {
	return &peer{id: s.client.ID, session: s, notifications: make(chan mcp.JSONRPCNotification, 64),
		draining: make(chan chan<- struct{})}
}

func (p *peer) SessionID() string                                   { return p.id }
func (p *peer) Initialize()                                         { p.up.Store(true) }
func (p *peer) Initialized() bool                                   { return p.up.Load() }
func (p *peer) NotificationChannel() chan<- mcp.JSONRPCNotification { return p.notifications }
func (p *peer) SetLogLevel(l mcp.LoggingLevel)                      { p.level.Store(l) }
func (p *peer) SetSubscriptionFilter(filter mcp.SubscriptionFilter) {}
func (p *peer) SubscriptionFilter() (mcp.SubscriptionFilter, bool) {
	// An active filter that lets nothing through keeps mcp-go from broadcasting list_changed itself: the hub sends
	// its own.
	return mcp.SubscriptionFilter{}, true
}

func (p *peer) GetLogLevel() mcp.LoggingLevel {
	if l, ok := p.level.Load().(mcp.LoggingLevel); ok {
		return l
	}
	return defaultLogLevel
}

// pump passes on mcp-go's notifications, except list_changed.
func (p *peer) pump(ctx context.Context, out *wire.Conn) {
	for {
		select {
		case <-ctx.Done():
			return
		case n := <-p.notifications:
			p.pass(n, out)
		case drained := <-p.draining:
			for len(p.notifications) > 0 {
				p.pass(<-p.notifications, out)
			}
			close(drained)
		}
	}
}

// drain returns when the notifications that mcp-go has sent so far have been passed on, so that they come before what
// the caller sends next. A pump must be running.
func (p *peer) drain() {
	drained := make(chan struct{})
	select {
	case p.draining <- drained:
		<-drained
	case <-p.session.ctx.Done():
	}
}

func (p *peer) pass(n mcp.JSONRPCNotification, out *wire.Conn) {
	if n.Method == mcp.MethodNotificationToolsListChanged {
		return
	}
	params, err := jsonrpc.Encode(n.Params)
	if err != nil {
		return
	}
	if n.Method != mcp.MethodNotificationSubscriptionsAcknowledged {
		if out.HasRoom() {
			out.Send(jsonrpc.Notification(n.Method, params))
		}
		return
	}
	out.Send(jsonrpc.Notification(n.Method, params))
	filter, _ := n.Params.AdditionalFields["notifications"].(mcp.SubscriptionFilter)
	if id, err := jsonrpc.Encode(n.Params.Meta[mcp.MetaKeySubscriptionID]); err == nil {
		p.session.listen(id, filter)
	}
}

// delegate lets mcp-go answer a request.
func (s *session) delegate(r *wire.Request, m *jsonrpc.Message) wire.Reply {
	ctx := s.server.mcp.WithContext(r.Ctx, s.peer)
	switch response := s.server.mcp.HandleMessage(ctx, m.Raw).(type) {
	case mcp.JSONRPCResponse:
		raw, err := jsonrpc.Encode(response.Result)
		if err != nil {
			s.log.Error("result can't be encoded", "method", m.Method, "err", err)
			break
		}
		return wire.Reply{Result: raw}
	case mcp.JSONRPCError:
		e := &jsonrpc.Error{Code: response.Error.Code, Message: response.Error.Message}
		if response.Error.Data != nil {
			e.Data, _ = jsonrpc.Encode(response.Error.Data)
		}
		return wire.Reply{Err: e}
	}
	return wire.Reply{Err: internalError(m)}
}
