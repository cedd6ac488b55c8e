package registry

import (
	"errors"
	"fmt"
	"strings"
)

// VisibleTools says which of the hub's own tools the reader of a text sees. The zero value stands for a client that
// sees none of them.
type VisibleTools struct {
	// Browser: connect_browser, which can reach a browser.
	Browser bool
	// Connect: connect_webmcp and disconnect_webmcp.
	Connect bool
	// ByName: list_webmcp_tools and call_webmcp_tool.
	ByName bool
}

// NotConnected is the state of a page that the hub is not attached to.
const NotConnected = "is not connected"

// KeptOut is the state of a tab whose page may be neither seen nor operated.
const KeptOut = "is kept out by the user's rules for sites"

// NotAsked is the status of a browser that the hub reaches only when connect_browser asks for it, and that nobody has
// asked for.
const NotAsked = "not connected to Chrome"

// Status returns the browser's status for texts that give no advice about it. It adds a hint at connect_browser where
// that tool helps.
func (a VisibleTools) Status(status string) string {
	if strings.HasSuffix(status, NotAsked) && a.Browser { // other browsers' problems may come before NotAsked
		return status + "; call connect_browser"
	}
	return status
}

// State returns the state of a page that has no tools because of it, with a hint at connect_webmcp where that helps.
func (a VisibleTools) State(state string) string {
	if state == NotConnected && a.Connect {
		return state + " (connect_webmcp connects it)"
	}
	return state
}

// CallConnect says how to use a page that the hub is not attached to. It returns a sentence with a blank before it,
// or "".
func (a VisibleTools) CallConnect() string {
	if a.Connect {
		return " Call connect_webmcp to use the page's tools."
	}
	return ""
}

// SomeNotConnected adds to a refusal that the tool may belong to a page that the hub is not attached to.
func (a VisibleTools) SomeNotConnected(refusal string) string {
	if a.Connect {
		return refusal + " Some pages are not connected, and offer nothing until connect_webmcp is called for them."
	}
	return refusal + " Some pages are not connected, and offer nothing until a client connects them."
}

// FocusedNotConnected returns the end of a sentence for a client whose focused tab the hub is not attached to. tab is
// the tab's description.
func (a VisibleTools) FocusedNotConnected(tab string) string {
	if a.Connect {
		return fmt.Sprintf(". The focused tab, %s, is not connected: call connect_webmcp to use its tools.", tab)
	}
	return fmt.Sprintf(". The focused tab, %s, is not connected: a client of this hub let go of it, and none of its "+
		"tools can be called. Call list_tabs to see the others.", tab)
}

// Unregistered says that a tool exists but isn't listed.
func (a VisibleTools) Unregistered() string {
	if a.ByName {
		return "page tools are not registered at present; call_webmcp_tool still reaches them"
	}
	return "page tools are not registered at present"
}

// ListAgain says what to do if the client's list is out of date, without a full stop.
func (a VisibleTools) ListAgain() string {
	if a.ByName {
		return "List the tools again (list_webmcp_tools)"
	}
	return "List the tools again"
}

// SeeWhatThereIs returns a sentence for a client that knows no tool.
func (a VisibleTools) SeeWhatThereIs() string {
	if a.ByName {
		return "List the tools again (tools/list or list_webmcp_tools) to see what there is."
	}
	return "List the tools again to see what there is."
}

// ConnectFirst returns the end of a sentence about a browser that is not connected, without a full stop: the
// browser's status if there is one, and what to do.
func (a VisibleTools) ConnectFirst(status string) string {
	if status != "" {
		status = ": " + strings.TrimRight(status, ". ")
	}
	if a.Browser {
		return status + ". Call connect_browser first"
	}
	return status
}

// OpensNoTabs is the error of opening a tab if no connected browser can open tabs.
type OpensNoTabs struct{}

func (OpensNoTabs) Error() string { return VisibleTools{}.opensNoTabs().Error() }

// ErrorFor returns err, the error of opening a tab, in words for a client that sees these tools.
func (a VisibleTools) ErrorFor(err error) error {
	if errors.As(err, new(OpensNoTabs)) {
		return a.opensNoTabs()
	}
	return err
}

func (a VisibleTools) opensNoTabs() error {
	how := ""
	if a.Browser {
		how = " (connect_browser with launch: true starts one)"
	}
	return fmt.Errorf("only MCP-B proxies are connected, and they open no tabs: connect a browser too%s, or open the "+
		"page yourself", how)
}
