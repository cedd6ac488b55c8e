package actors_test

import (
	"testing"

	. "webmcphub/actors/hubtest"
)

// TestEveryMessageHasItsDeath reads the registry actor's source for what it handles:
// each kind of message needs a row in deaths. Those of the others are in their rooms.
func TestEveryMessageHasItsDeath(t *testing.T) {
	here, events := SourcesIn(t, "."), SourcesIn(t, "../registry")
	reg := append(Cases(t, here, "registryActor", "Receive"), ActorMessages...)
	reg = ReplaceKind(t, reg, "registry.Event", Receivers(events, "event")...)
	WantRows(t, map[string][]string{"registry": reg}, deaths())
}
