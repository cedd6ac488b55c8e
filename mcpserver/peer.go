package mcpserver

import (
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"webmcphub/internal/jsonrpc"
	"webmcphub/mcpserver/wire"
)

// peer is a session as mcp-go sees it. mcp-go sends it nothing.
type peer struct {
	id    string
	up    atomic.Bool
	level atomic.Value
}

var _ server.SessionWithLogging = (*peer)(nil)

func (p *peer) SessionID() string                                   { return p.id }
func (p *peer) Initialize()                                         { p.up.Store(true) }
func (p *peer) Initialized() bool                                   { return p.up.Load() }
func (p *peer) NotificationChannel() chan<- mcp.JSONRPCNotification { return nil }
func (p *peer) SetLogLevel(l mcp.LoggingLevel)                      { p.level.Store(l) }

func (p *peer) GetLogLevel() mcp.LoggingLevel {
	if l, ok := p.level.Load().(mcp.LoggingLevel); ok {
		return l
	}
	return defaultLogLevel
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
