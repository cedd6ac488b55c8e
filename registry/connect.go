package registry

import "fmt"

// NotConnected is the [Tab.State] of a page that the hub is not attached to:
// with an explicit connection model before connect_webmcp, and otherwise after
// disconnect_webmcp.
const NotConnected = notConnected + " (connect_webmcp connects it)"

const notConnected = "is not connected"

// Connected says whether the hub is attached to the page.
func (t *Tab) Connected() bool { return t.State != NotConnected }

// EndedByDisconnect is the result of a call whose page was disconnected.
func EndedByDisconnect(tool string) Result {
	return ended("disconnected", fmt.Sprintf("The page was disconnected by disconnect_webmcp while %s ran, which was told to stop; whether it took effect is unknown. Call connect_webmcp to use the page's tools again.", quote(tool)))
}
