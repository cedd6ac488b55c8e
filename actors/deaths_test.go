package actors_test

import (
	"testing"

	. "webmcphub/actors/hubtest"
)

// TestDeaths lets the registry actor panic at each kind of message. The others'
// deaths are in their rooms.
func TestDeaths(t *testing.T) { PlayDeaths(t, deaths()) }
