package actors

import (
	"fmt"
	"log/slog"
	"runtime/debug"
	"strconv"

	"github.com/asynkron/protoactor-go/actor"
	cmap "github.com/orcaman/concurrent-map"

	"webmcphub/actors/supervisor"
	"webmcphub/actors/tab"
	"webmcphub/cdpclient"
	"webmcphub/internal/workers"
	"webmcphub/registry"
)

// protoactor's registry of actors has 1,024 maps of package cmap, which nothing else uses. As it stands, each of them
// has 32 parts with locks of their own: 1 MB, and 2 ms of each start.
func init() { cmap.SHARD_COUNT = 1 }

// newSystem starts an actor system that logs only errors, to log.
func newSystem(log *slog.Logger) *actor.ActorSystem {
	return actor.NewActorSystem(
		actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return quiet(log) }),
		actor.WithDeadLetterRequestLogging(false),
		actor.WithDeadLetterThrottleCount(0),
	)
}

// quiet keeps unimportant messages of protoactor (dead letters of pages that just closed, notes at the start) out of
// the user's log.
func quiet(log *slog.Logger) *slog.Logger {
	return slog.New(atLeast{log.Handler(), slog.LevelError}).With("lib", "protoactor")
}

const (
	// maxIdle is how many idle goroutines of a hub wait for an actor's next turn.
	maxIdle = 128
	// throughput is how many messages an actor handles before other actors get a turn.
	throughput = 300
)

// dispatcher is protoactor's dispatcher. It runs turns in goroutines of a pool.
type dispatcher struct{ pool *workers.Pool }

// Schedule never blocks.
func (d dispatcher) Schedule(turn func()) { d.pool.Run(turn) }

// Throughput returns throughput.
func (d dispatcher) Throughput() int { return throughput }

// mender is implemented by all of the hub's actors. Failed is called in the actor's turn after a message handler has
// panicked, and repairs the actor's state.
type mender interface {
	actor.Actor
	Failed(ctx actor.Context, message any)
}

// props returns the properties of one of the hub's actors. A panic in any message handler, also while starting and
// stopping, is logged and passed to the actor's Failed method. protoactor's own supervisors don't notice the panic;
// their restart would lose what only the actor knows. A panic in Failed itself ends the hub.
func props(h *Hub, a mender) *actor.Props {
	guard := func(next actor.ReceiverFunc) actor.ReceiverFunc {
		return func(c actor.ReceiverContext, env *actor.MessageEnvelope) {
			defer func() {
				if r := recover(); r != nil {
					h.mend(c, env.Message, r)
				}
			}()
			next(c, env)
		}
	}
	middleware := append([]actor.ReceiverMiddleware{guard}, h.options.TestHooks.Inside...)
	return actor.PropsFromProducer(func() actor.Actor { return a }, actor.WithReceiverMiddleware(middleware...),
		actor.WithDispatcher(h.dispatcher))
}

// spawnTab starts a tab's actor and makes it known to callers.
func (h *Hub) spawnTab(t *tab.Tab) {
	to := t.To()
	to.PID = h.root.ActorSystem().NewLocalPID("tab" + strconv.FormatUint(h.spawned.Add(1), 36))
	h.spawn(to.PID, t)
	h.pages.Store(t.ID, to)
}

// forgetTab makes a tab's actor unknown to callers.
func (h *Hub) forgetTab(page registry.PageID, to *tab.Address) { h.pages.CompareAndDelete(page, to) }

func (h *Hub) mend(c actor.ReceiverContext, message, panicked any) {
	h.log.Error("an actor panicked; please report this", "panic", panicked, "actor", typeName(c.Actor()), "message",
		MessageName(message), "stack", string(debug.Stack()))
	defer func() {
		if again := recover(); again != nil {
			h.fail(fmt.Errorf("%s panicked (%v), and so did its recovery (%v)", typeName(c.Actor()), panicked, again))
		}
	}()
	c.Actor().(mender).Failed(c.(actor.Context), message)
}

// MessageName returns a name that is the same for messages that are handled in the same way.
func MessageName(message any) string {
	switch m := message.(type) {
	case *supervisor.Order:
		return "order to " + string(m.Does)
	case interface{ Inside() any }:
		return MessageName(m.Inside())
	case registry.PageEvent:
		if m.Event != nil {
			return MessageName(m.Event)
		}
	case cdpclient.Event:
		return m.Method
	case cdpclient.Reply:
		return fmt.Sprintf("reply %T", m.Tag)
	}
	return typeName(message)
}
