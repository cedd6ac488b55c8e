package actors

import (
	"sync"

	"github.com/asynkron/protoactor-go/actor"

	"webmcphub/cdpclient"
	"webmcphub/registry"
)

// What the tests of this package see of its inside. They are a package of their own,
// since the harness that they share with the links' tests imports this one.

const (
	Closed       = closed
	FirstBackoff = firstBackoff
	MaxBackoff   = maxBackoff
	NoExtension  = noExtension
	NotNeeded    = notNeeded
)

type (
	AttachReply   = attachReply
	GatheredReply = gatheredReply
	StripReply    = stripReply
	VersionReply  = versionReply
	WindowReply   = windowReply
)

var (
	Props    = props
	TypeName = typeName
)

// FromBrowser is what the connection of that epoch said, Redial its order to dial again.
func FromBrowser(epoch int, m cdpclient.Message) any { return fromBrowser{epoch, m} }

// Redial asks for another attempt, as that epoch's.
func Redial(epoch int) any { return redial{epoch} }

// InStripOrder is the order in which tabs are taken up that were announced so.
func InStripOrder(kept []cdpclient.Event) []cdpclient.Event { return tabStrip{kept: kept}.inOrder() }

func (h *Hub) Root() *actor.RootContext  { return h.root }
func (h *Hub) RegistryActor() *actor.PID { return h.registry }
func (h *Hub) BrowserActor() *actor.PID  { return h.browser }
func (h *Hub) Pages() *sync.Map          { return &h.pages }

// ViaExtension says whether an extension's connection owns a page.
func (h *Hub) ViaExtension(page registry.PageID) bool { return h.viaExtension(page) }
