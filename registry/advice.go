package registry

import (
	"errors"
	"fmt"
	"strings"
)

// Audience says which of these tools help the client that a text is for. The
// zero value is a client that none of them helps.
type Audience struct {
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

// NotAsked is the status of a browser that is reached when connect_browser asks
// for it, and that nobody has asked for.
const NotAsked = "not connected to Chrome"

// Status says how the browser stands, for texts that advise nothing about it.
func (a Audience) Status(status string) string {
	if strings.HasSuffix(status, NotAsked) && a.Browser { // after what is the matter with others
		return status + "; call connect_browser"
	}
	return status
}

// State says how a page stands that has no tools for that reason.
func (a Audience) State(state string) string {
	if state == NotConnected && a.Connect {
		return state + " (connect_webmcp connects it)"
	}
	return state
}

// CallConnect is what to do about a page that the hub is not attached to: a
// sentence with a blank before it, or nothing.
func (a Audience) CallConnect() string {
	if a.Connect {
		return " Call connect_webmcp to use the page's tools."
	}
	return ""
}

// SomeNotConnected adds to a refusal that its tool may be one of a page that
// the hub is not attached to.
func (a Audience) SomeNotConnected(refusal string) string {
	if a.Connect {
		return refusal + " Some pages are not connected, and offer nothing until connect_webmcp is called for them."
	}
	return refusal + " Some pages are not connected, and offer nothing until a client connects them."
}

// FocusedNotConnected ends a sentence of a client whose focused tab the hub is
// not attached to; tab names it.
func (a Audience) FocusedNotConnected(tab string) string {
	if a.Connect {
		return fmt.Sprintf(". The focused tab, %s, is not connected: call connect_webmcp to use its tools.", tab)
	}
	return fmt.Sprintf(". The focused tab, %s, is not connected: a client of this hub let go of it, and none of its "+
		"tools can be called. Call list_tabs to see the others.", tab)
}

// Unregistered says of a tool that it is there and not listed.
func (a Audience) Unregistered() string {
	if a.ByName {
		return "page tools are not registered at present; call_webmcp_tool still reaches them"
	}
	return "page tools are not registered at present"
}

// ListAgain is what to do where the client's list is out of date, without a
// full stop.
func (a Audience) ListAgain() string {
	if a.ByName {
		return "List the tools again (list_webmcp_tools)"
	}
	return "List the tools again"
}

// SeeWhatThereIs is a sentence for a client that knows of no tool.
func (a Audience) SeeWhatThereIs() string {
	if a.ByName {
		return "List the tools again (tools/list or list_webmcp_tools) to see what there is."
	}
	return "List the tools again to see what there is."
}

// ConnectFirst ends a sentence about a browser that is not there, without a
// full stop: what the matter is with it, if that is known, and what to do.
func (a Audience) ConnectFirst(status string) string {
	if status != "" {
		status = ": " + strings.TrimRight(status, ". ")
	}
	if a.Browser {
		return status + ". Call connect_browser first"
	}
	return status
}

// OpensNoTabs is the error of opening a tab where nothing that is connected
// opens any.
type OpensNoTabs struct{}

func (OpensNoTabs) Error() string { return Audience{}.opensNoTabs().Error() }

// Why is the error of a tab that was not opened, as the client is told of it.
func (a Audience) Why(err error) error {
	if errors.As(err, new(OpensNoTabs)) {
		return a.opensNoTabs()
	}
	return err
}

func (a Audience) opensNoTabs() error {
	how := ""
	if a.Browser {
		how = " (connect_browser with launch: true starts one)"
	}
	return fmt.Errorf("what is connected are MCP-B proxies, which open no tabs: connect a browser too%s, or open the "+
		"page yourself", how)
}
