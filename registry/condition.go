package registry

import (
	"strings"

	"webmcphub/registry/sanitize"
)

// Connected says whether the hub is attached to the page.
func (t *Tab) Connected() bool { return t.State != NotConnected }

// NotAnswering is the [Tab.State] of a page that has not answered since the hub
// attached to it. A dialog that was open before is announced to nobody.
const NotAnswering = "does not answer (a dialog may be open in it, or a script may run without end; look at the tab " +
	"in the browser and answer the dialog, or close the tab)"

// notLoaded begins the [Tab.State] of a page in whose place the browser shows
// its error page.
const notLoaded = "did not load"

// NotLoaded is the state of a page that did not load. why is the browser's own
// word for that, such as net::ERR_CONNECTION_REFUSED, or "" while it isn't known.
func NotLoaded(why string) string {
	if why = sanitize.Text(why, 80); why == "" {
		return notLoaded
	}
	return notLoaded + " (" + why + ")"
}

// NotLoaded says that the browser shows its error page in the tab. State says why
// as soon as that is known, unless something else ails the page too.
func (t *Tab) NotLoaded() bool {
	return strings.HasPrefix(t.State, notLoaded) || strings.HasPrefix(t.URL, "chrome-error:")
}

// WhyNotLoaded is what became of the page, for after its address.
func (t *Tab) WhyNotLoaded() string {
	if strings.HasPrefix(t.State, notLoaded) {
		return t.State
	}
	return notLoaded
}

// Readiness says why a page that has no tools may have none yet. It is "" where there
// is nothing more to wait for, or where nothing is known because the hub is not
// attached to the page.
type Readiness string

const (
	// StillLoading: the main document is there, and its load event has not come.
	StillLoading Readiness = "still loading"
	// Initializing: the page has an MCP server of its own that has not answered initialize.
	Initializing Readiness = "initializing"
	// NoWebMCP: the main document has loaded without document.modelContext, and no frame
	// has an MCP server.
	NoWebMCP Readiness = "no WebMCP"
	// ReadinessUntold: the browser's extension doesn't tell any of this.
	ReadinessUntold Readiness = "untold"
)

// Loading says that it isn't known yet whether the tab's first page loads. Pages
// that the hub is not attached to say nothing of that.
func (t *Tab) Loading() bool {
	return !t.Arrived && len(t.Tools) == 0 && t.State == "" && !t.NotLoaded()
}

// NetError is the code of the browser's error page as other tools know it: pages
// leave out the prefix, and say of a name that is not found what they have tried since.
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
