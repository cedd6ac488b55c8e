package actors_test

import (
	"testing"

	. "webmcphub/actors/hubtest"
)

// TestDeaths lets the actors that own no page panic at each kind of message. Those of
// tabs are in the tests of their links.
func TestDeaths(t *testing.T) { PlayDeaths(t, deaths()) }
