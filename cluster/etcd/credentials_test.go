package etcd

import (
	"context"
	"crypto/tls"
	"net"
	"net/http/httptest"
	"testing"
	"time"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/peer"

	"webmcphub/cluster/etcd/etcdtest"
)

// A connection by TLS can be hung up on too, and passes for a safe one.
func TestHangUpByTLS(t *testing.T) {
	server := httptest.NewUnstartedServer(nil)
	server.EnableHTTP2 = true // gRPC takes no other
	server.StartTLS()
	defer server.Close()
	trusting := func() (*tls.Config, error) { return &tls.Config{InsecureSkipVerify: true}, nil }
	var k backend
	by, err := Options{Endpoints: []string{server.URL}, TLS: trusting}.transport(&k.open)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	secured, info, err := by.Clone().ClientHandshake(t.Context(), "", raw)
	if err != nil {
		t.Fatal(err)
	}
	if level := info.(credentials.TLSInfo).SecurityLevel; level != credentials.PrivacyAndIntegrity {
		t.Errorf("its level is %v", level)
	}
	if !k.hangUp(answer{by: peer.Peer{Addr: raw.RemoteAddr(), LocalAddr: raw.LocalAddr()}}) {
		t.Error("there was nothing to hang up")
	}
	if _, err := secured.Write([]byte("x")); err == nil {
		t.Error("the connection is still there")
	}
}

// Of two connections to one member, as by two names of its host, each may be the one that was asked: both are hung up
// on, and no other member's.
func TestHangUpOnBoth(t *testing.T) {
	var k backend
	by, err := Options{}.transport(&k.open)
	if err != nil {
		t.Fatal(err)
	}
	dial := func(l net.Listener) net.Conn {
		raw, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		conn, _, err := by.ClientHandshake(t.Context(), "", raw)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		return conn
	}
	member, other := listen(t), listen(t)
	for asked := range 2 {
		both, others := [2]net.Conn{dial(member), dial(member)}, dial(other)
		on := answer{by: peer.Peer{Addr: both[asked].RemoteAddr(), LocalAddr: both[asked].LocalAddr()}}
		if !k.hangUp(on) {
			t.Error("there was nothing to hang up")
		}
		for _, conn := range both {
			if _, err := conn.Write([]byte("x")); err == nil {
				t.Error("the connection is still there")
			}
		}
		again := dial(member)
		if k.hangUp(on) {
			t.Error("it was hung up on twice")
		}
		for _, conn := range []net.Conn{others, again} {
			if _, err := conn.Write([]byte("x")); err != nil {
				t.Errorf("another connection was closed: %v", err)
			}
		}
	}
	if k.hangUp(answer{}) {
		t.Error("nobody was asked, and hung up on")
	}
}

func listen(t *testing.T) net.Listener {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// Connections that have ended are forgotten.
func TestEndedConnectionsAreForgotten(t *testing.T) {
	c := etcdtest.Start(t, 1)
	k, err := newBackend(Options{Endpoints: c.URLs(), Cluster: clusterOf(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer k.client.Close()
	count := func() (n int) {
		k.open.Range(func(any, any) bool { n++; return true })
		return n
	}
	if a := k.ask(t.Context()); a.err != nil || count() != 1 {
		t.Fatalf("%+v, by %d connections", a, count())
	}
	_ = k.client.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for count() > 0 { // gRPC closes them in the background
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			t.Fatalf("%d connections are kept", count())
		}
	}
}
