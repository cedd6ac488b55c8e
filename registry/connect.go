package registry

import (
	"fmt"

	"webmcphub/registry/advice"
)

// NotConnected is the [Tab.State] of a page that the hub is not attached to:
// with an explicit connection model before connect_webmcp, and otherwise after
// disconnect_webmcp.
const NotConnected = advice.NotConnected

// PageNotConnected is why nothing can be asked of such a page.
const PageNotConnected = "its page " + NotConnected

// Connected says whether the hub is attached to the page.
func (t *Tab) Connected() bool { return t.State != NotConnected }

// EndedByDisconnect is the result of a call whose page was disconnected.
func EndedByDisconnect(tool string) Result {
	return endedUnconnected("disconnected",
		fmt.Sprintf("A client of this hub disconnected the page while %s ran, which was told to stop; whether it took effect is unknown. The page has no tools until it is connected again.", quote(tool)))
}

// EndedBySessionLoss is the result of a call during which the browser ended the hub's
// connection to its page, to which the hub connects again.
func EndedBySessionLoss(tool string) Result {
	return ended("disconnected",
		fmt.Sprintf("The browser ended the hub's connection to the page while %s ran; whether it took effect is unknown. The hub connects to the page again. List the tools again.", quote(tool)))
}

// endedUnconnected is the result of a call that ended, or did not begin, for
// want of a connection to its page.
func endedUnconnected(how, text string) Result {
	r := ended(how, text)
	r.Connects = ended(how, text+advice.Audience{Connect: true}.CallConnect()).JSON
	return r
}

// ResultFor is a result as a client is told of it.
func ResultFor(to advice.Audience, r Result) Result {
	if to.Connect && r.Connects != nil {
		r.JSON = r.Connects
	}
	return r
}

// NotAnswering is the [Tab.State] of a page that has not answered since the hub
// attached to it. A dialog that was open before is announced to nobody.
const NotAnswering = "does not answer (a dialog may be open in it, or a script may run without end; look at the tab in the browser and answer the dialog, or close the tab)"
