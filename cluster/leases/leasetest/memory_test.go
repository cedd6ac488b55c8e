package leasetest_test

import (
	"log/slog"
	"testing"

	"go.uber.org/goleak"

	"webmcphub/cluster/leases"
	"webmcphub/cluster/leases/leasetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestContract(t *testing.T) {
	leasetest.Contract(t, func(t *testing.T) func(leases.Options) *leases.Store {
		c := leasetest.NewMemory()
		return func(opts leases.Options) *leases.Store { return c.Open(opts, slog.New(slog.DiscardHandler)) }
	})
}
