package etcd

import (
	"crypto/tls"
	"net"
	"net/http/httptest"
	"testing"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/peer"
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
