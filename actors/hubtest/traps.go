package hubtest

import (
	"fmt"
	"sync"

	"github.com/asynkron/protoactor-go/actor"

	"webmcphub/actors"
	"webmcphub/actors/extbrowser"
	"webmcphub/actors/tab"
	"webmcphub/registry"
)

// Trap is one panic of one actor.
type Trap struct {
	Actor, Message string
	After          bool
	Spared         registry.PageID // the page whose actor doesn't spring the trap
	sprung         bool
}

// Traps is the middleware in which actors panic.
type Traps struct {
	mu  sync.Mutex
	set []*Trap
}

// Arm sets a trap.
func (ts *Traps) Arm(t *Trap) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.set = append(ts.set, t)
}

// Sprung returns how many traps have sprung, and how many there are.
func (ts *Traps) Sprung() (n, of int) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for _, t := range ts.set {
		if t.sprung {
			n++
		}
	}
	return n, len(ts.set)
}

// Middleware goes into [actors.Options.TestHooks].
func (ts *Traps) Middleware(next actor.ReceiverFunc) actor.ReceiverFunc {
	return func(c actor.ReceiverContext, env *actor.MessageEnvelope) {
		t := ts.catch(c.Actor(), env.Message)
		if t != nil && !t.After {
			panic("a test's panic")
		}
		next(c, env)
		if t != nil {
			panic("a test's panic")
		}
	}
}

func (ts *Traps) catch(a actor.Actor, message any) *Trap {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for _, t := range ts.set {
		if !t.sprung && t.Message == actors.MessageName(message) && t.catches(a) {
			t.sprung = true
			return t
		}
	}
	return nil
}

func (t *Trap) catches(a actor.Actor) bool {
	switch a := a.(type) {
	case *tab.Tab:
		_, byExtension := a.Link().(*extbrowser.Link)
		return t.Actor == map[bool]string{false: "page", true: "ext"}[byExtension] && a.ID != t.Spared
	}
	kind := map[string]string{"browser": "*browser.Actor", "extensions": "*extbrowser.Actor",
		"registry": "*actors.registryActor"}
	return fmt.Sprintf("%T", a) == kind[t.Actor]
}
