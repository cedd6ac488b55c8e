package etcd

import (
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"webmcphub/cluster/allot"
	"webmcphub/cluster/allot/store"
	"webmcphub/cluster/etcd/etcdtest"
)

// late is a way to etcd on which each answer comes later, as from a member with too much to do. It counts connections.
func late(t *testing.T, to string, by time.Duration) (url string, made *atomic.Int32) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	made = &atomic.Int32{}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			made.Add(1)
			s, err := net.Dial("tcp", strings.TrimPrefix(to, "http://"))
			if err != nil {
				_ = c.Close()
				continue
			}
			go func() { _, _ = io.Copy(s, c); _ = s.Close() }()
			go func() {
				defer c.Close()
				type piece struct {
					at time.Time
					b  []byte
				}
				pieces := make(chan piece, 10000)
				go func() {
					defer close(pieces)
					for {
						b := make([]byte, 32<<10)
						n, err := s.Read(b)
						if n > 0 {
							pieces <- piece{time.Now().Add(by), b[:n]}
						}
						if err != nil {
							return
						}
					}
				}()
				for p := range pieces {
					time.Sleep(time.Until(p.at))
					if _, err := c.Write(p.b); err != nil {
						return
					}
				}
			}()
		}
	}()
	return "http://" + l.Addr().String(), made
}

// A member that is slow, and answers, isn't hung up on again and again.
func TestSlowMemberIsKept(t *testing.T) {
	one := etcdtest.Start(t, 1).Members[0]
	slow, made := late(t, one.URL, 1700*time.Millisecond)
	k, err := newKeeper(Options{Endpoints: []string{one.URL, slow}, Cluster: clusterOf(t)})
	if err != nil {
		t.Fatal(err)
	}
	s := store.Open(k, allot.Options{Name: "a"}, k.log)
	defer s.Close()
	time.Sleep(20 * time.Second)
	if n := made.Load(); n > 2 {
		t.Errorf("a slow member was connected to %d times in 20 s", n)
	}
}
