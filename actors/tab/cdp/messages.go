package cdp

import (
	"webmcphub/actors/tab"
	"webmcphub/cdpclient"
	"webmcphub/registry"
)

// Names of messages that state facts are in the past tense, those of orders in the imperative. A link also gets the
// cdpclient.Event and cdpclient.Reply messages of its sessions.

// Messages to all tabs of a hub.
type (
	// WatchFront says that the hub watches from now on which tab the user brings to the front ([tab.Env].Fronts).
	WatchFront struct{}
	// LogLevelSet says that the log level of pages' servers has changed ([tab.Env].LogLevel).
	LogLevelSet struct{}
)

// Messages from the link to itself.
type (
	// navigationOverdue ends the wait for the result of a tool whose page navigated.
	navigationOverdue struct{ gen registry.Gen }
	// stuckDue ends the time in which a page should confirm that a call was given up.
	stuckDue struct{ call *tab.Call }
	// retryDue repeats a command that installs a script.
	retryDue struct {
		session cdpclient.SessionID
		step    setupStep
	}
)
