package actors

import (
	"context"
	"encoding/json"

	"webmcphub/cdpclient"
	"webmcphub/cdpclient/mcpb"
	"webmcphub/registry"
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
	// pageFailed says that a page actor panicked, or can't keep up.
	pageFailed struct {
		page registry.PageID
		ref  *pageRef
	}
	// registryFailed says that the registry actor panicked: it has to be told
	// everything again.
	registryFailed struct{}
	// watchFront says that the publisher is to be told when the user switches
	// tabs. It goes on to page actors.
	watchFront struct{}
	// redial asks for another attempt.
	redial struct{ epoch int }
	// parted says that the last connection is closed.
	parted struct{}
	// connectOrder and tabOrder come from callers' goroutines; the answer's
	// channel has room for it.
	connectOrder struct {
		launch bool
		answer chan connectAnswer
	}
	connectAnswer struct {
		info BrowserInfo
		err  error
	}
	tabOrder struct {
		method string
		params any
		answer chan cdpclient.Reply
	}
	// linkOrder asks to attach to a page, or to let go of it; it comes from a
	// caller's goroutine.
	linkOrder struct {
		page registry.PageID
		on   bool
		*tabOrder
	}
	// stopBrowser ends the actor and its Chrome.
	stopBrowser struct{}
)

// To the registry actor.
type (
	// pageReport is what a page has to report, in order.
	pageReport struct {
		ref    *pageRef
		page   registry.PageID
		epoch  registry.Epoch
		events []registry.Event
	}
	// startAnew answers registryFailed: everything follows.
	startAnew struct{}
)

// To the registry actor, from the browser actor: behind all it told before.
type connectAnswered struct {
	orders []connectOrder
	answer connectAnswer
}

// To a page actor.
type (
	// infoChanged says that pageRef.info has the target's new title.
	infoChanged struct{}
	// retell asks for all that the registry has to know of the page.
	retell struct{}
	// linkPage brings the session of a page that the hub was not attached to,
	// unlinkPage asks to let go of it, and unlinkDue bounds how long that waits.
	linkPage   struct{ at cdpclient.AttachedToTarget }
	unlinkPage struct{}
	unlinkDue  struct{ session cdpclient.SessionID }
	// unlinkedCrashed says that a page crashed that the hub is not attached to.
	unlinkedCrashed struct{}
	// pageGone ends the actor. ended makes the answer of a call that it cut short.
	pageGone struct {
		ended func(tool string) registry.Result
		// lives says that the target is still there: the actor lets go of its
		// session, which nobody else does.
		lives bool
	}
	// leavingDue bounds how long that waits for Chrome to name calls.
	leavingDue struct{}
	// startCall and cancelCall come from the caller's goroutine.
	startCall  struct{ call *call }
	cancelCall struct{ call *call }
	// reportDue ends a burst of changes: it stands in the mailbox behind them.
	reportDue struct{}
	// navigationOverdue ends the wait for a tool that navigated its own page.
	navigationOverdue struct{ gen registry.Gen }
	// stuckDue ends the time in which a page should hear that a call was given up.
	stuckDue struct{ call *call }
	// retryDue repeats a command of the bridge's installation.
	retryDue struct {
		session cdpclient.SessionID
		step    setupStep
	}
)

// To a page actor, from the goroutines that talk to the page's own MCP server.
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
		call   *call
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
		answer chan registry.PageRequest
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
