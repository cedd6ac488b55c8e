package transport_test

import (
	"context"
	"crypto/tls"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"webmcphub/cluster/api"
	"webmcphub/cluster/certs"
	"webmcphub/cluster/transport"
)

// admin says who asks.
type admin struct {
	api.UnimplementedAdminServer
	answer *api.NodeStatus
}

func (a admin) Status(ctx context.Context, _ *api.StatusRequest) (*api.NodeStatus, error) {
	if a.answer != nil {
		return a.answer, nil
	}
	return &api.NodeStatus{Build: transport.CallerOf(ctx).Name + " " + transport.CallerOf(ctx).Incarnation}, nil
}

func listen(t *testing.T, files *certs.Files, a admin) string {
	t.Helper()
	s, err := transport.Listen(transport.ServerOptions{Node: "one", Listen: "127.0.0.1:0", TLS: files})
	if err != nil {
		t.Fatal(err)
	}
	api.RegisterAdminServer(s, a)
	s.Serve()
	t.Cleanup(s.Close)
	return s.Addr()
}

// ask asks a node, as an operator.
func ask(t *testing.T, operator string, files *certs.Files, node, address string) (*api.NodeStatus, error) {
	t.Helper()
	d, err := transport.NewDialer(transport.Caller{Role: transport.Operator, Name: operator, Incarnation: "i"}, files, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := d.Dial(node, address)
	if err != nil {
		return nil, err
	}
	defer func() { _ = c.Close() }()
	s, err := api.NewAdminClient(c).Status(t.Context(), &api.StatusRequest{})
	if err == nil && c.Received() == 0 {
		t.Error("no bytes were counted")
	}
	return s, err
}

func fails(t *testing.T, what string, err error, why string) {
	t.Helper()
	if err == nil || !strings.Contains(transport.Reason(err), why) {
		t.Errorf("%s: %v; want %s", what, err, why)
	}
}

func TestWhoIsWho(t *testing.T) {
	at := listen(t, nil, admin{})
	if s, err := ask(t, "front", nil, "one", at); err != nil || s.Build != "front i" {
		t.Errorf("it is asked by %v, %v", s, err)
	}
	_, err := ask(t, "front", nil, "two", at)
	fails(t, "another node is meant", err, "operator/front wants to reach node/two, but this is node/one: is an address wrong?")
	_, err = ask(t, "front", nil, "one", "192.0.2.1:1")
	fails(t, "beyond the machine", err, "there are no certificates")
	for _, o := range []transport.ServerOptions{{Node: "one", Listen: "0.0.0.0:0"}, {Node: "one", Listen: "127.0.0.1:0", Advertise: "192.0.2.1:1"}, {Node: "One", Listen: "127.0.0.1:0"}} {
		if s, err := transport.Listen(o); err == nil {
			s.Close()
			t.Errorf("it listens as %+v", o)
		}
	}
	if _, err := transport.NewDialer(transport.Caller{Role: transport.Gateway, Name: "a/b"}, nil, nil); err == nil {
		t.Error("a gateway is called a/b")
	}
}

// With certificates a gateway is who its certificate says, and so is a node.
func TestCertificates(t *testing.T) {
	dir := t.TempDir()
	made, err := certs.Make(dir, "node/one", "node/two", "operator/front", "operator/other", "gateway/front")
	if err != nil {
		t.Fatal(err)
	}
	one, two, front := &made[0], &made[1], &made[2]
	at := listen(t, one, admin{})
	if s, err := ask(t, "front", front, "one", at); err != nil || s.Build != "front i" {
		t.Errorf("it is asked by %v, %v", s, err)
	}
	for _, address := range []string{"[fe80::1%eth0]:1", "a%zz:1", ""} { // no URLs
		if _, err := ask(t, "front", front, "one", address); err == nil {
			t.Errorf("%q is reached", address)
		}
	}
	_, err = ask(t, "front", front, "two", at)
	fails(t, "another node is meant", err, "node two was expected, but node one listens there")
	if _, err := transport.NewDialer(transport.Caller{Role: transport.Operator, Name: "front"}, &made[3], nil); err == nil {
		t.Error("a gateway uses another one's certificate")
	}
	strangers, err := certs.Make(filepath.Join(dir, "strangers"), "operator/front")
	if err != nil {
		t.Fatal(err)
	}
	_, err = ask(t, "front", &strangers[0], "one", at)
	fails(t, "signed by a stranger", err, "signed")
	_, err = ask(t, "front", nil, "one", at)
	if err == nil {
		t.Error("one without a certificate is served")
	}

	// Those that say another name than their certificate does, or are nodes themselves.
	raw := func(role, name string, f *certs.Files, says string) error {
		set, err := certs.Open(*f, certs.Identity{Role: role, Name: name}, nil)
		if err != nil {
			t.Fatal(err)
		}
		config := set.Client(certs.Identity{Role: "node", Name: "one"})
		c, err := grpc.NewClient("passthrough:///"+at, grpc.WithTransportCredentials(credentials.NewTLS(config)))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close() }()
		ctx := t.Context()
		if says != "" {
			ctx = metadata.AppendToOutgoingContext(ctx, "webmcp-from", says, "webmcp-to", "node/one")
		}
		_, err = api.NewAdminClient(c).Status(ctx, &api.StatusRequest{})
		return err
	}
	fails(t, "another's name", raw("operator", "front", front, "operator/other"), "its certificate is that of operator front")
	fails(t, "a gateway that asks as operators do", raw("gateway", "front", &made[4], "gateway/front"), "gateway front may not call")
	fails(t, "no name", raw("operator", "front", front, ""), "it didn't say who it is")
	if err := raw("node", "two", two, "gateway/front"); status.Code(err) != codes.Unavailable { // in TLS: the node's log says why
		t.Errorf("a node is served by a node: %v", err)
	}
	conn, err := tls.Dial("tcp", at, &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS13})
	if err == nil { // the server hears only now that there is no certificate
		_, err = conn.Read(make([]byte, 1))
		_ = conn.Close()
	}
	if err == nil {
		t.Error("a client without a certificate is listened to")
	}
}

// A message that would become far larger than its bytes is refused before it is decoded.
func TestElementsAreBounded(t *testing.T) {
	many := &api.NodeStatus{}
	for range 1<<18 + 1 {
		many.Browsers = append(many.Browsers, &api.Browser{})
	}
	_, err := ask(t, "front", nil, "one", listen(t, nil, admin{answer: many}))
	fails(t, "many elements", err, "more than 262144 elements")
	many.Browsers = many.Browsers[:1<<17]
	if s, err := ask(t, "front", nil, "one", listen(t, nil, admin{answer: many})); err != nil || len(s.Browsers) != 1<<17 {
		t.Errorf("as many as there may be: %v", err)
	}
	long := &api.NodeStatus{Build: strings.Repeat("x", 7<<20)}
	if s, err := ask(t, "front", nil, "one", listen(t, nil, admin{answer: long})); err != nil || len(s.Build) != 7<<20 {
		t.Errorf("a long text counts: %v", err)
	}
	long.Build += strings.Repeat("x", 2<<20)
	_, err = ask(t, "front", nil, "one", listen(t, nil, admin{answer: long}))
	fails(t, "a long message", err, "larger than max")
}
