package registry

import (
	"strings"

	"webmcphub/registry/sanitize"
)

// Connected reports whether the hub is attached to the page.
func (t *Tab) Connected() bool { return t.State != NotConnected }

// NotAnswering is the [Tab.State] of a page that has not answered since the hub attached to it. Chrome doesn't
// announce a dialog that was open before.
const NotAnswering = "does not answer (a dialog may be open in it, or a script may run without end; look at the tab " +
	"in the browser and answer the dialog, or close the tab)"

// notLoaded is the beginning of the [Tab.State] of a page that did not load, so that the browser shows its error page
// instead.
const notLoaded = "did not load"

// NotLoaded returns the state of a page that did not load. why is the browser's own reason, such as
// net::ERR_CONNECTION_REFUSED, or "" while it isn't known.
func NotLoaded(why string) string {
	if why = sanitize.Text(why, 80); why == "" {
		return notLoaded
	}
	return notLoaded + " (" + why + ")"
}

// NotLoaded reports whether the browser shows its error page in the tab. State has the reason as soon as it is known,
// unless something else is wrong with the page, too.
func (t *Tab) NotLoaded() bool {
	return strings.HasPrefix(t.State, notLoaded) || strings.HasPrefix(t.URL, "chrome-error:")
}

// WhyNotLoaded returns a phrase about the page's failure to load, to put after its address.
func (t *Tab) WhyNotLoaded() string {
	if strings.HasPrefix(t.State, notLoaded) {
		return t.State
	}
	return notLoaded
}

// Readiness says why a page without tools may not have any yet. It is "" if there is nothing more to wait for, or if
// the hub is not attached to the page and knows nothing.
type Readiness string

const (
	// StillLoading: the main document exists, and its load event has not fired.
	StillLoading Readiness = "still loading"
	// Initializing: the page has an MCP server of its own that has not answered initialize.
	Initializing Readiness = "initializing"
	// NoWebMCP: the main document has loaded without document.modelContext, and no frame has an MCP server.
	NoWebMCP Readiness = "no WebMCP"
	// ReadinessUnknown: the browser's extension doesn't report readiness.
	ReadinessUnknown Readiness = "untold"
)

// Loading reports whether it isn't known yet if the tab's first page loads. It is false for a page that the hub is
// not attached to, because that says nothing about loading.
func (t *Tab) Loading() bool {
	return !t.Arrived && len(t.Tools) == 0 && t.State == "" && !t.NotLoaded()
}

// NetError returns an error code as other tools know it. Chrome's error pages leave out the prefix net::, and show a
// DNS_PROBE_ code for a name that is not found.
func NetError(code string) string {
	code = strings.TrimSpace(code)
	switch {
	case strings.HasPrefix(code, "DNS_PROBE_"):
		return "net::ERR_NAME_NOT_RESOLVED"
	case strings.HasPrefix(code, "ERR_"):
		return "net::" + code
	}
	return code
}
