package socket_test

import (
	"io"
	"net"
	"runtime"
	"sync/atomic"
	"testing"

	"webmcphub/internal/socket"
)

// TestOthersGoFirst: what was made ready before a read has run when it returns.
// The scheduler may choose otherwise now and then.
func TestOthersGoFirst(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const times = 100
	for name, r := range map[string]io.Reader{"Reader": socket.YieldingReader(source{}), "Conn": socket.YieldingConn(source{})} {
		first := 0
		for range times {
			var ran atomic.Bool
			go ran.Store(true)
			if n, err := r.Read(make([]byte, 1)); n != 1 || err != nil {
				t.Fatalf("%s: read %d, %v", name, n, err)
			}
			if ran.Load() {
				first++
			}
		}
		if first < times/2 {
			t.Errorf("%s: the other goroutine went first %d times of %d", name, first, times)
		}
	}
}

// source has bytes without end, and no wait.
type source struct{ net.Conn }

func (source) Read(p []byte) (int, error) { return len(p), nil }
