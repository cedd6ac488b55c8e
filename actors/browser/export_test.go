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
	GatheredReply = gatheredReply
	StripReply    = stripReply
	VersionReply  = versionReply
	WindowReply   = windowReply
)

// Said is what the connection of that epoch said.
func Said(epoch int, m cdpclient.Message) any { return said{epoch, m} }

// Redial asks for another attempt, as that epoch's.
func Redial(epoch int) any { return redial{epoch} }

// InStripOrder is the order in which tabs are taken up that were announced so.
func InStripOrder(kept []cdpclient.Event) []cdpclient.Event { return tabStrip{kept: kept}.inOrder() }
