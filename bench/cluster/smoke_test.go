package cluster

import (
	"os"
	"os/exec"
	"testing"

	"webmcphub/bench/cluster/fleet"
)

func TestMain(m *testing.M) {
	fleet.Chrome() // nodes start this program as their Chromes
	os.Exit(m.Run())
}

// One node of two is killed under load, in real processes: the smallest of all scenarios.
func TestSmoke(t *testing.T) {
	if testing.Short() {
		t.Skip("processes are not started with -short")
	}
	if _, err := exec.LookPath("etcd"); err != nil {
		if os.Getenv("WEBMCP_REQUIRE_ETCD") != "" {
			t.Fatal(err)
		}
		t.Skipf("etcd is needed: %v", err)
	}
	folder := t.TempDir()
	binary, err := Build(t.Context(), folder, "webmcp-hub-cluster")
	if err != nil {
		t.Fatal(err)
	}
	s, err := Named("kill-node")
	if err != nil {
		t.Fatal(err)
	}
	r := NewReport(t.Output())
	if err := s.Run(t.Context(), binary, folder, Scale{Nodes: 2, PerNode: 2, Tools: 4, Gateways: 2, Rounds: 1, Slack: 10}, r); err != nil {
		t.Fatal(err)
	}
	if r.Failed() {
		t.Error(r)
	}
}
