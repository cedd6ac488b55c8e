package pagemcp

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
)

// page is a scripted page server. on, if set, answers the payloads that the client sends: what it returns is delivered
// to the client in that order, before the send returns (as it happens with a real page as well).
type page struct {
	t      testing.TB
	client *Client
	on     func(m message, raw string) []string

	mu   sync.Mutex
	sent []string
}

func newPage(t testing.TB, o Options, on func(m message, raw string) []string) *page {
	p := &page{t: t, on: on}
	p.client = New(p.send, o)
	t.Cleanup(func() { p.client.Close(nil) })
	return p
}

func (p *page) send(ctx context.Context, payload json.RawMessage) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%w: %w", ErrNotSent, err)
	}
	p.mu.Lock()
	p.sent = append(p.sent, string(payload))
	p.mu.Unlock()
	var m message
	if payload[0] == '{' {
		if err := json.Unmarshal(payload, &m); err != nil {
			p.t.Errorf("the client sent garbage: %v: %s", err, payload)
		}
	}
	if p.on != nil {
		for _, out := range p.on(m, string(payload)) {
			p.client.Deliver(json.RawMessage(out))
		}
	}
	return nil
}

// callTool calls a tool as the hub does, and waits for the end. It cancels the call when ctx ends.
func (p *page) callTool(ctx context.Context, name string, args json.RawMessage, progress func(json.RawMessage)) (json.RawMessage, error) {
	ended := make(chan answer, 1)
	payload, cancel, err := p.client.CallTool(name, args, progress, func(result json.RawMessage, err error) { ended <- answer{result, err} })
	if err != nil {
		return nil, err
	}
	if err := p.client.send(context.Background(), payload); err != nil {
		return nil, err
	}
	select {
	case a := <-ended:
		return a.result, a.err
	case <-ctx.Done():
		cancel()
		return nil, ctx.Err()
	}
}

// sentWith returns the payloads of one method that the client has sent.
func (p *page) sentWith(method string) (ms []message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.sent {
		var m message
		if json.Unmarshal([]byte(s), &m) == nil && m.Method == method {
			ms = append(ms, m)
		}
	}
	return ms
}

// mcpServer is the script of a well-behaved server; more handles what is not handshake.
func mcpServer(more func(m message) []string) func(message, string) []string {
	return func(m message, raw string) []string {
		switch {
		case raw == payloadCheckReady:
			return []string{payloadReady}
		case m.Method == "initialize":
			return []string{reply(m, `{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"s","version":"1"}}`)}
		case m.Method == "notifications/initialized", m.Method == "", more == nil:
			return nil
		}
		return more(m)
	}
}

// reply is the answer to m, in the order of keys that the packages use.
func reply(m message, result string) string {
	return fmt.Sprintf(`{"result":%s,"jsonrpc":"2.0","id":%s}`, result, m.ID)
}

// connected is a page whose client has connected.
func connected(t testing.TB, o Options, more func(m message) []string) *page {
	t.Helper()
	p := newPage(t, o, mcpServer(more))
	if err := p.client.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	return p
}
