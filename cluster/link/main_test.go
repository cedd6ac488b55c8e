package link

import (
	"testing"

	"go.uber.org/goleak"
)

// The actor library counts messages to nobody for a second: in tests peers are forgotten while their streams still end.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("github.com/asynkron/protoactor-go/actor.NewDeadLetter.NewThrottle.func4.1"))
}
