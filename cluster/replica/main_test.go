package replica

import (
	"flag"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	// Rapid's own 100 runs are over in no time; -rapid.checks=N says otherwise.
	if err := flag.Set("rapid.checks", "300"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}
