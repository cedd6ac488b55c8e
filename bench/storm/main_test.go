package storm

import (
	"testing"

	"go.uber.org/goleak"

	"webmcphub/bench/storm/hubs"
)

func TestMain(m *testing.M) {
	hubs.Child()
	// The actor library's throttle of dead letters sleeps for a second after a hub's end.
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("github.com/asynkron/protoactor-go/actor.NewDeadLetter.NewThrottle.func4.1"))
}
