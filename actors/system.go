package actors

import (
	"fmt"
	"log/slog"
	"runtime/debug"
	"strconv"

	"github.com/asynkron/protoactor-go/actor"

	"webmcphub/actors/supervisor"
	"webmcphub/actors/tab"
	"webmcphub/cdpclient"
	"webmcphub/internal/workers"
	"webmcphub/registry"
)

// newSystem starts an actor system that logs warnings only, to log.
func newSystem(log *slog.Logger) *actor.ActorSystem {
	return actor.NewActorSystem(
		actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return quiet(log) }),
		actor.WithDeadLetterRequestLogging(false),
		actor.WithDeadLetterThrottleCount(0),
	)
}

// quiet keeps the library's chatter (dead letters of pages that just closed,
// start-up notes) out of the user's log.
func quiet(log *slog.Logger) *slog.Logger {
	return slog.New(atLeast{log.Handler(), slog.LevelError}).With("lib", "protoactor")
}

const (
	// maxIdle is how many goroutines of a hub wait for an actor's next turn.
	maxIdle = 128
	// throughput is how many messages an actor handles before others get a turn.
	throughput = 300
)

// dispatcher is protoactor's, for turns in goroutines that stay.
type dispatcher struct{ pool *workers.Pool }

// Schedule never waits, and doesn't let the turn go first: see package yield.
func (d dispatcher) Schedule(turn func()) { d.pool.Run(turn) }

// Throughput is the dispatcher's other half.
func (d dispatcher) Throughput() int { return throughput }

// mender is what all our actors are: Failed is called in the actor's turn when
// its handling of a message panicked, and brings the actor into order again.
type mender interface {
	actor.Actor
	Failed(ctx actor.Context, message any)
}

// props makes the properties of an actor of ours. A panic in any message
// handler, also while starting and stopping, is logged and mended. protoactor's
// supervisors never hear of it: their restart would lose what the actor alone
// knows. A panic of the mending itself is the end of the hub.
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
	middleware := append([]actor.ReceiverMiddleware{guard}, h.options.Probe.Inside...)
	return actor.PropsFromProducer(func() actor.Actor { return a }, actor.WithReceiverMiddleware(middleware...),
		actor.WithDispatcher(h.dispatcher))
}

// spawnTab starts a tab's actor, and lets callers find it.
func (h *Hub) spawnTab(t *tab.Tab) {
	to := t.To()
	to.PID = h.root.ActorSystem().NewLocalPID("tab" + strconv.FormatUint(h.spawned.Add(1), 36))
	h.spawn(to.PID, t)
	h.pages.Store(t.ID, to)
}

// forgetTab has callers find a tab's actor no longer.
func (h *Hub) forgetTab(page registry.PageID, to *tab.Address) { h.pages.CompareAndDelete(page, to) }

func (h *Hub) mend(c actor.ReceiverContext, message, panicked any) {
	h.log.Error("an actor panicked; please report this", "panic", panicked, "actor", typeName(c.Actor()), "message",
		MessageName(message), "stack", string(debug.Stack()))
	defer func() {
		if again := recover(); again != nil {
			h.fail(fmt.Errorf("%s panicked (%v), and so did its mending (%v)", typeName(c.Actor()), panicked, again))
		}
	}()
	c.Actor().(mender).Failed(c.(actor.Context), message)
}

// MessageName tells messages apart as far as they are handled apart.
func MessageName(message any) string {
	switch m := message.(type) {
	case *supervisor.Order:
		return "order to " + string(m.Does)
	case interface{ Inside() any }:
		return MessageName(m.Inside())
	case registry.PageSaid:
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
