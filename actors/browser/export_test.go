package browser

import "webmcphub/cdpclient"

// What the tests of this package see of its inside. They are a package of their own,
// since they play with whole hubs, which import this one.

const (
	Closed    = closed
	NotNeeded = notNeeded
)

type (
	AttachReply   = attachReply
	ContextsReply = contextsReply
	GatheredReply = gatheredReply
	ReopenReply   = reopenReply
	StripReply    = stripReply
	VersionReply  = versionReply
	WindowReply   = windowReply
)

// Said is what the connection of that serial said.
func Said(serial int, m cdpclient.Message) any { return received{serial, m} }

// Redial asks for another attempt, as that serial's.
func Redial(serial int) any { return redial{serial} }

// InStripOrder is the order in which tabs are taken up that were announced so.
func InStripOrder(kept []cdpclient.Event) []cdpclient.Event { return tabStrip{kept: kept}.inOrder() }
