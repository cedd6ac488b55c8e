package main

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"webmcphub/cluster/certs"
	"webmcphub/cluster/gateway"
	"webmcphub/cluster/node"
)

// An operator with a certificate of its own learns how a node is, and no gateway loses anything by that. With a
// gateway's certificate nobody is an operator.
func TestStatusByCertificate(t *testing.T) {
	all, err := certs.Make(filepath.Join(t.TempDir(), "certs"), "node/one", "gateway/front", "operator/front")
	if err != nil {
		t.Fatal(err)
	}
	chrome := newLateChrome(t)
	close(chrome.let)
	n, err := node.Start(node.Options{Name: "one", Listen: "127.0.0.1:0", TLS: &all[0], Browsers: []node.Browser{own(chrome)}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.Stop)
	g, err := gateway.Start(gateway.Options{Name: "front", TLS: &all[1]})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Stop)
	g.SetNodes(map[string]string{"one": n.Addr()})
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for poll := time.NewTicker(10 * time.Millisecond); g.Figures().NodesAnswering == 0 || n.Figures().Gateways == 0; {
		select {
		case <-poll.C:
		case <-ctx.Done():
			t.Fatal("the node doesn't answer the gateway")
		}
	}
	status := func(by certs.Files) (string, error) {
		c := statusCmd{reachFlags: reachFlags{Node: map[string]string{"one": n.Addr()}, Timeout: patience,
			tlsFlags: tlsFlags{CA: by.CA, Cert: by.Cert, Key: by.Key}}}
		var out bytes.Buffer
		err := c.print(&out)
		return out.String(), err
	}
	for range 3 {
		if text, err := status(all[2]); err != nil || !strings.Contains(text, "here") {
			t.Errorf("%s (%v)", text, err)
		}
	}
	if _, err := status(all[1]); err == nil || !strings.Contains(err.Error(), "operator") {
		t.Errorf("with a gateway's certificate: %v", err)
	}
	if lost, gateways := g.Figures().NodesLost, n.Figures().Gateways; lost != 0 || gateways != 1 {
		t.Errorf("the gateway has lost its node %d times; the node has %d gateways", lost, gateways)
	}
}
