package pagemcp

import (
	"errors"
	"fmt"
)

// Errors of the calls of a [Client]; test with errors.Is.
var (
	// ErrNotReady: no "mcp-server-ready" within the ready timeout. The page has no MCP server, or one that is not started.
	ErrNotReady = errors.New("the page's MCP server did not say that it is ready; the page may have none (any more)")
	// ErrNotConnected: a call before Connect had succeeded.
	ErrNotConnected = errors.New("not connected to the page's MCP server: call Connect first")
	// ErrServerStopped: the page's server said "mcp-server-stopped". A server that starts later needs a new Client.
	ErrServerStopped = errors.New("the page's MCP server has stopped")
	// ErrInterrupted: the page began to unload while the call ran (servers of @mcp-b/global 2.x say so).
	ErrInterrupted = errors.New("the page's MCP server interrupted the call: the page is navigating away")
	// ErrTooLarge: a message over the limit of size, in either direction.
	ErrTooLarge = errors.New("message too large")
	// ErrNotSent: a [SendFunc] returns it if the page has received nothing, because the context had ended before.
	ErrNotSent = errors.New("the page was told nothing")
	// ErrClosed: Close(nil) was called.
	ErrClosed = errors.New("the connection to the page's MCP server is closed")
)

// RPCError is a JSON-RPC error that the page's server answered with. The text is the page's own.
type RPCError struct {
	Code    int
	Message string
}

func (e *RPCError) Error() string {
	return fmt.Sprintf("the page's MCP server answered with error %d: %s", e.Code, e.Message)
}
