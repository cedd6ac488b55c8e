package memory_test

import (
	"log/slog"
	"testing"

	"go.uber.org/goleak"

	"webmcphub/cluster/allot"
	"webmcphub/cluster/allot/allottest"
	"webmcphub/cluster/allot/memory"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestContract(t *testing.T) {
	allottest.Contract(t, func(t *testing.T) func(allot.Options) allot.Store {
		c := memory.New()
		return func(opts allot.Options) allot.Store { return c.Open(opts, slog.New(slog.DiscardHandler)) }
	})
}
