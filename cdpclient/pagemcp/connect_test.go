package pagemcp

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestConnectDoesTheHandshake(t *testing.T) {
	p := connected(t, Options{}, nil)
	if p.sent[0] != `"mcp-check-ready"` {
		t.Errorf("first was %s, want mcp-check-ready", p.sent[0])
	}
	init := p.sentWith("initialize")
	if len(init) != 1 || !strings.Contains(string(init[0].Params), `"name":"webmcp-hub","version":"0"`) ||
		!strings.Contains(string(init[0].Params), `"protocolVersion":"2025-11-25"`) {
		t.Errorf("initialize: %s", p.sent)
	}
	if last := p.sent[len(p.sent)-1]; last != `{"jsonrpc":"2.0","method":"notifications/initialized"}` {
		t.Errorf("last was %s", last)
	}
	n := len(p.sent)
	if err := p.client.Connect(t.Context()); err != nil || len(p.sent) != n {
		t.Errorf("second Connect: %v, sent %v", err, p.sent[n:])
	}
}

func TestConnectDoesNotAskAServerThatSaidItIsReady(t *testing.T) {
	p := newPage(t, Options{}, mcpServer(nil))
	p.client.Deliver(json.RawMessage(payloadReady))
	if err := p.client.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(p.sent[0], "check-ready") {
		t.Error("asked a server that had said that it is ready")
	}
}

func TestConnectGivesUpAfterTheReadyTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPage(t, Options{}, nil)
		start := time.Now()
		err := p.client.Connect(t.Context())
		if !errors.Is(err, ErrNotReady) || time.Since(start) != 10*time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		p.on = mcpServer(nil) // and it may be tried again
		if err := p.client.Connect(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestConnectGivesUpOnAServerThatIsReadyButMute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPage(t, Options{ReadyTimeout: 3 * time.Second}, nil)
		p.client.Deliver(json.RawMessage(payloadReady))
		start := time.Now()
		err := p.client.Connect(t.Context())
		if !errors.Is(err, ErrNotReady) || time.Since(start) != 3*time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}

func TestConnectEndsWithItsContextAndWithClose(t *testing.T) {
	gone := errors.New("the page navigated")
	for name, end := range map[string]func(p *page, cancel func()){
		"context": func(_ *page, cancel func()) { cancel() },
		"close":   func(p *page, _ func()) { p.client.Close(gone) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPage(t, Options{}, nil)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				done := make(chan error)
				go func() { done <- p.client.Connect(ctx) }()
				synctest.Wait()
				start := time.Now()
				end(p, cancel)
				err := <-done
				if want := map[string]error{"context": context.Canceled, "close": gone}[name]; !errors.Is(err, want) {
					t.Errorf("%v, want %v", err, want)
				}
				if time.Since(start) != 0 {
					t.Errorf("took %v", time.Since(start))
				}
			})
		})
	}
}

func TestConnectRetriesSendsThatFail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPage(t, Options{}, mcpServer(nil))
		fails := 2
		c := New(func(ctx context.Context, payload json.RawMessage) error {
			if fails > 0 {
				fails--
				return errors.New("no such context")
			}
			return p.send(ctx, payload)
		}, Options{})
		p.client = c
		start := time.Now()
		if err := c.Connect(t.Context()); err != nil || time.Since(start) != 2*time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}

func TestConnectGivesUpAfterThreeSends(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken, tries := errors.New("no such context"), 0
		c := New(func(context.Context, json.RawMessage) error { tries++; return broken }, Options{})
		start := time.Now()
		if err := c.Connect(t.Context()); !errors.Is(err, broken) || tries != 3 || time.Since(start) != 2*time.Second {
			t.Errorf("%v after %d tries, %v", err, tries, time.Since(start))
		}
	})
}

func TestConnectRefusesStrangeServers(t *testing.T) {
	for name, result := range map[string]string{
		"version": `{"result":{"protocolVersion":"1999-01-01","capabilities":{},"serverInfo":{"name":"s","version":"1"}},"jsonrpc":"2.0","id":ID}`,
		"shape":   `{"result":[1],"jsonrpc":"2.0","id":ID}`,
		"error":   `{"error":{"code":-1,"message":"go away"},"jsonrpc":"2.0","id":ID}`,
		"nothing": `{"jsonrpc":"2.0","id":ID}`,
	} {
		t.Run(name, func(t *testing.T) {
			p := newPage(t, Options{}, func(m message, _ string) []string {
				return []string{strings.ReplaceAll(result, "ID", string(m.ID))}
			})
			p.client.Deliver(json.RawMessage(payloadReady))
			err := p.client.Connect(t.Context())
			if err == nil {
				t.Fatal("no error")
			}
			t.Log(err)
			var rpc *RPCError
			if name == "error" && !errors.As(err, &rpc) {
				t.Error("the page's own error got lost")
			}
			if _, err := p.client.ListTools(t.Context()); !errors.Is(err, ErrNotConnected) {
				t.Errorf("ListTools: %v", err)
			}
		})
	}
}

func TestServerStopped(t *testing.T) {
	closed := 0
	p := connected(t, Options{OnClosed: func() { closed++ }}, func(m message) []string {
		return []string{payloadStopped, payloadStopped}
	})
	if _, err := p.callTool(t.Context(), "x", nil, nil); !errors.Is(err, ErrServerStopped) {
		t.Errorf("pending call: %v", err)
	}
	if _, err := p.client.ListTools(t.Context()); !errors.Is(err, ErrServerStopped) {
		t.Errorf("later call: %v", err)
	}
	if err := p.client.Connect(t.Context()); !errors.Is(err, ErrServerStopped) {
		t.Errorf("Connect: %v", err)
	}
	if closed != 1 {
		t.Errorf("OnClosed %d times", closed)
	}
}

func TestCloseFailsWhatIsPendingWithItsReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := connected(t, Options{OnClosed: func() { t.Error("OnClosed after Close") }}, nil)
		done := make(chan error)
		go func() { _, err := p.callTool(t.Context(), "x", nil, nil); done <- err }()
		go func() { _, err := p.client.ListTools(t.Context()); done <- err }()
		synctest.Wait()
		reason := errors.New("the page navigated to /b")
		p.client.Close(reason)
		p.client.Close(errors.New("too late"))
		for range 2 {
			if err := <-done; !errors.Is(err, reason) {
				t.Error(err)
			}
		}
		p.client.Deliver(json.RawMessage(payloadStopped))
	})
}

func TestListChanged(t *testing.T) {
	changes := 0
	p := newPage(t, Options{OnListChanged: func() { changes++ }}, mcpServer(nil))
	changed := json.RawMessage(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	p.client.Deliver(changed) // the list has not been read yet: nothing can have changed
	if err := p.client.Connect(t.Context()); err != nil || changes != 0 {
		t.Fatal(err, changes)
	}
	for range 3 {
		p.client.Deliver(changed)
	}
	if changes != 3 {
		t.Errorf("%d changes, want 3", changes)
	}
	p.client.Deliver(json.RawMessage(payloadReady)) // back from the back/forward cache, or a new server
	if changes != 4 {
		t.Errorf("%d changes after ready, want 4", changes)
	}
}

func TestIsReady(t *testing.T) {
	if !IsReady(json.RawMessage(`"mcp-server-ready"`)) || IsReady(json.RawMessage(`"mcp-server-stopped"`)) {
		t.Error("IsReady is wrong")
	}
}
