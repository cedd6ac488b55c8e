package actors

import (
	"context"
	"encoding/json"

	"webmcphub/actors/tab"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/mcpb"
	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// Facts in the past tense, orders in the imperative. Besides these, page
// actors receive cdpclient.Event and cdpclient.Reply of their sessions, and
// the registry actor receives registry.Event.

// To the browser actor.
type (
	// connected and dialFailed end one attempt to reach Chrome.
	connected  struct{ wire cdpclient.Wire }
	dialFailed struct {
		err    error
		launch bool // Options.Launcher was tried too
	}
	// fromBrowser is what the connection of that epoch said.
	fromBrowser struct {
		epoch   int
		message cdpclient.Message
	}
	// watchFront says that the publisher is to be told when the user switches
	// tabs. It goes on to the tabs' actors.
	watchFront struct{}
	// redial asks for another attempt.
	redial struct{ epoch int }
)

// To a tab, for its link over CDP.
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

// To a tab, from the goroutines that talk to the page's own MCP server.
type (
	serverConnected struct {
		server *pageServer
		err    error
	}
	serverListed struct {
		server *pageServer
		tools  []mcpb.Tool
		err    error
	}
	serverAnswered struct {
		call   *tab.Call
		result json.RawMessage
		err    error
	}
	offersListed struct {
		server    *pageServer
		resources []mcpb.Resource
		templates []mcpb.Template
		prompts   []mcpb.Prompt
		err       error
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
	// logLevelSet says that pages' servers have another log level.
	logLevelSet struct{}
	// logLevelTold says that a page's server has taken it, or not.
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
