package actors

import (
	"sync"

	"github.com/asynkron/protoactor-go/actor"
)

// What the tests of this package see of its inside. They are a package of their own,
// since the harness that they share with the links' tests imports this one.

var (
	Props    = props
	TypeName = typeName
)

func (h *Hub) Root() *actor.RootContext  { return h.root }
func (h *Hub) RegistryActor() *actor.PID { return h.registry }
func (h *Hub) BrowserActor() *actor.PID  { return h.dialled.list()[0].pid }
func (h *Hub) Pages() *sync.Map          { return &h.pages }
