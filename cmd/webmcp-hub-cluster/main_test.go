package main

import (
	"testing"

	"go.uber.org/goleak"
)

// The actor library counts messages to nobody for a second after its system's end.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("github.com/asynkron/protoactor-go/actor.NewDeadLetter.NewThrottle.func4.1"))
}
