package cdp

import (
	"context"
	"encoding/json"

	"webmcphub/actors/tab"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/mcpb"
	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// Facts in the past tense, orders in the imperative. Besides these a link gets the
// cdpclient.Event and cdpclient.Reply of its sessions.

// To all tabs of a hub.
type (
	// WatchFront says that the user's switching of tabs is watched from now on
	// ([tab.Env].Fronts).
	WatchFront struct{}
	// LogLevelSet says that pages' servers have another log level ([tab.Env].LogLevel).
	LogLevelSet struct{}
)

// From the link to itself.
type (
	// navigationOverdue ends the wait for a tool that navigated its own page.
	navigationOverdue struct{ gen registry.Gen }
	// stuckDue ends the time in which a page should hear that a call was given up.
	stuckDue struct{ call *tab.Call }
	// retryDue repeats a command of the bridge's installation.
	retryDue struct {
		session cdpclient.SessionID
		step    setupStep
	}
)

// From the goroutines that talk to the page's own MCP server.
type (
	serverConnected struct {
		server *pageServer
		err    error
	}
	serverListed struct {
		server *pageServer
		of     *listing
		take   func()
		err    error
	}
	serverAnswered struct {
		call   *tab.Call
		result json.RawMessage
		err    error
	}
	// whoAsks comes with a request of the page; the answer's channel has room
	// for it.
	whoAsks struct {
		server *pageServer
		answer chan offer.PageRequest
	}
	// findServer comes from a caller's goroutine, likewise.
	findServer struct {
		server registry.ServerRef
		answer chan serverFound
	}
	// logLevelTold says that a page's server has taken the log level, or not.
	logLevelTold struct {
		server *pageServer
		err    error
	}
	serverFound struct {
		client *mcpb.Client
		ctx    context.Context // the server's
		why    string          // not empty: there is no such server
	}
)
