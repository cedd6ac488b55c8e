package actors

import (
	"log/slog"
	"runtime/debug"

	"github.com/asynkron/protoactor-go/actor"
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

// props makes the properties of an actor of ours. A panic in any message
// handler, also while stopping, is logged and given to failed, in the actor's
// turn; the actor goes on, unless failed stops it.
func props(h *Hub, produce func() actor.Actor, failed func(actor.Context, any)) *actor.Props {
	guard := func(next actor.ReceiverFunc) actor.ReceiverFunc {
		return func(c actor.ReceiverContext, env *actor.MessageEnvelope) {
			defer func() {
				if r := recover(); r != nil {
					h.log.Error("an actor panicked; please report this", "panic", r, "message", typeName(env.Message), "stack", string(debug.Stack()))
					if ctx, ok := c.(actor.Context); ok && failed != nil {
						failed(ctx, r)
					}
				}
			}()
			next(c, env)
		}
	}
	return actor.PropsFromProducer(produce, actor.WithReceiverMiddleware(guard), actor.WithDispatcher(h.workers))
}
