package e2e

import (
	"math/rand/v2"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// environments are what tests add to the environment of the programs that they
// start, by the test's name. t.Setenv would change that of all tests, and so
// none of them could run beside another.
var environments sync.Map // name -> []string

// setenv sets a variable for the programs that this test and its subtests start.
func setenv(t *testing.T, name, value string) {
	t.Helper()
	before, there := environments.Load(t.Name())
	own, _ := before.([]string)
	environments.Store(t.Name(), append(own[:len(own):len(own)], name+"="+value))
	if !there {
		t.Cleanup(func() { environments.Delete(t.Name()) })
	}
}

// environ is the environment of the programs that a test starts.
func environ(t testing.TB) []string {
	env := os.Environ()
	for i, r := range t.Name() + "/" {
		if r != '/' {
			continue
		}
		own, _ := environments.Load(t.Name()[:i])
		more, _ := own.([]string)
		env = append(env, more...) // the last one counts
	}
	return env
}

// The free ports are below those that Linux and Windows give to whoever asks for
// any, and to outgoing connections: a test can count on its port, even after
// whoever had it has ended.
const firstPort, lastPort = 20_000, 32_000

var nextPort atomic.Int64

func init() { nextPort.Store(rand.Int64N(lastPort - firstPort)) } // another run of these tests may be on its way

// freePort is a port that nobody has, and that no other test will take.
func freePort(t testing.TB) string {
	t.Helper()
	for range lastPort - firstPort {
		port := strconv.FormatInt(firstPort+nextPort.Add(1)%(lastPort-firstPort), 10)
		if l, err := net.Listen("tcp4", "127.0.0.1:"+port); err == nil {
			_ = l.Close()
			return port
		}
	}
	t.Fatal("no port is free")
	return ""
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	setenv(t, "E2E_OUTER", "1")
	setenv(t, "E2E_BOTH", "outer")
	t.Run("a test", func(t *testing.T) {
		t.Parallel()
		setenv(t, "E2E_BOTH", "inner")
		t.Run("in a test", func(t *testing.T) {
			if got := strings.Join(environ(t), "\n"); !strings.HasSuffix(got, "\nE2E_OUTER=1\nE2E_BOTH=outer\nE2E_BOTH=inner") {
				t.Errorf("the environment is\n%s", got)
			}
		})
	})
	t.Run("another test", func(t *testing.T) {
		t.Parallel()
		if got := strings.Join(environ(t), "\n"); !strings.HasSuffix(got, "\nE2E_OUTER=1\nE2E_BOTH=outer") {
			t.Errorf("the environment is\n%s", got)
		}
	})
	if got := environ(t); os.Getenv("E2E_OUTER") != "" || len(got) != len(os.Environ())+2 {
		t.Errorf("the tests' own environment has changed, or theirs has %d variables more", len(got)-len(os.Environ()))
	}
}
