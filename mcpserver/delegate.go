package mcpserver

import (
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"webmcphub/internal/jsonrpc"
	"webmcphub/mcpserver/wire"
)

// session implements mcp-go's interface of a client's session. mcp-go sends it nothing.
var _ server.SessionWithLogging = (*session)(nil)

func (s *session) SessionID() string                                   { return s.client.ID }
func (s *session) Initialize()                                         { s.up.Store(true) }
func (s *session) Initialized() bool                                   { return s.up.Load() }
func (s *session) NotificationChannel() chan<- mcp.JSONRPCNotification { return nil }
func (s *session) SetLogLevel(l mcp.LoggingLevel)                      { s.level.Store(l) }

func (s *session) GetLogLevel() mcp.LoggingLevel {
	if l, ok := s.level.Load().(mcp.LoggingLevel); ok {
		return l
	}
	return defaultLogLevel
}

// delegate lets mcp-go answer a request.
func (s *session) delegate(r *wire.Request, m *jsonrpc.Message) wire.Reply {
	ctx := s.server.mcp.WithContext(r.Ctx, s)
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
