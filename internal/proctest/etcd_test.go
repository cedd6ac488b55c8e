package proctest

import (
	"context"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// An etcd whose ports another program has taken meanwhile is started with others; but not for ever.
func TestEtcdWithTakenPorts(t *testing.T) {
	if _, err := exec.LookPath("etcd"); err != nil {
		if os.Getenv("WEBMCP_REQUIRE_ETCD") != "" {
			t.Fatal(err)
		}
		t.Skip("there is no etcd here: make etcd installs it")
	}
	other, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, taken := range []int{1, portTries} { // so often
		tries := 0
		e, err := startEtcd(ctx, t.TempDir(), 1, nil, func(n int) ([]string, error) {
			ports, err := FreePorts(n)
			if tries++; err == nil && tries <= taken {
				ports[n-1] = other.Addr().String()
			}
			return ports, err
		})
		if err == nil {
			e.Stop()
		}
		if taken < portTries && (err != nil || tries != taken+1) {
			t.Errorf("after %d tries: %v", tries, err)
		}
		if taken == portTries && (err == nil || !strings.Contains(err.Error(), "address already in use") || tries != taken) {
			t.Errorf("with no ports but taken ones, after %d tries: %v", tries, err)
		}
	}
}
