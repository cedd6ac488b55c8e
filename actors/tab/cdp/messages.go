package cdp

import (
	"webmcphub/actors/tab"
	"webmcphub/cdpclient"
	"webmcphub/registry"
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
