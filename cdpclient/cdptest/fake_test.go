package cdptest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/cdpclient"
	"webmcphub/cdpclient/bridge"
)

// client is a connection whose messages a test reads one by one.
type client struct {
	*cdpclient.Conn
	t  *testing.T
	in chan cdpclient.Message
}

func connect(t *testing.T, w cdpclient.Wire) *client {
	c := &client{t: t, in: make(chan cdpclient.Message, 10000)}
	c.Conn = cdpclient.NewConn(w, func(m cdpclient.Message) { c.in <- m })
	return c
}

func (c *client) end() { _ = c.Close(); <-c.Done() }

// attach gives the session of the next page.
func (c *client) attach() cdpclient.SessionID {
	c.t.Helper()
	var a cdpclient.AttachedToTarget
	c.next(cdpclient.TargetAttachedToTarget, &a)
	c.Attach(a.SessionID, func(m cdpclient.Message) { c.in <- m })
	return a.SessionID
}

func (c *client) auto(wait bool) {
	c.call("", cdpclient.TargetSetAutoAttach, cdpclient.SetAutoAttachParams{AutoAttach: true, Flatten: true, WaitForDebuggerOnStart: wait}, nil)
}

func (c *client) call(s cdpclient.SessionID, method string, params, result any) {
	c.t.Helper()
	if err := c.Call(context.Background(), s, method, params, result); err != nil {
		c.t.Fatal(err)
	}
}

// next skips to an event.
func (c *client) next(method string, v any) {
	c.t.Helper()
	for m := range c.in {
		if e, ok := m.(cdpclient.Event); ok && e.Method == method {
			if err := json.Unmarshal(e.Params, v); err != nil {
				c.t.Fatal(err)
			}
			return
		}
		if m, ok := m.(cdpclient.Closed); ok {
			c.t.Fatalf("waiting for %s: %v", method, m.Err)
		}
	}
}

// bubble runs f where time is fake: anything that hangs ends the test.
func bubble(t *testing.T, f func(t *testing.T, b *Browser, c *client)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := New()
		c := connect(t, b.Connect())
		f(t, b, c)
		c.end()
		b.Die()
		synctest.Wait()
	})
}

func TestExistingPage(t *testing.T) {
	bubble(t, func(t *testing.T, b *Browser, c *client) {
		p := b.OpenPage("http://shop.test/")
		p.Register(Tool{Name: "b"}, Tool{Name: "a"})
		b.OpenOther("service_worker", "http://shop.test/sw.js")
		c.auto(true)
		s := c.attach()
		c.call(s, cdpclient.WebMCPEnable, nil, nil)
		var added cdpclient.ToolsAdded
		c.next(cdpclient.WebMCPToolsAdded, &added)
		if len(added.Tools) != 2 || added.Tools[0].Name != "a" || added.Tools[0].FrameID != p.ID() {
			t.Errorf("%+v", added)
		}
		if got := len(p.Commands()); got != 1 {
			t.Errorf("%d commands", got)
		}
	})
}

func TestLatencyAndHooks(t *testing.T) {
	bubble(t, func(t *testing.T, b *Browser, c *client) {
		p := b.OpenPage("http://a.test/")
		c.auto(true)
		s := c.attach()
		p.SetLatency(time.Second)
		start := time.Now()
		for i := range 3 {
			c.Post(s, cdpclient.PageEnable, nil, i)
		}
		for i := range 3 {
			for {
				if r, ok := (<-c.in).(cdpclient.Reply); ok {
					if r.Tag != i {
						t.Errorf("reply %v, want %d", r.Tag, i)
					}
					break
				}
			}
		}
		if d := time.Since(start); d != time.Second {
			t.Errorf("took %s: latency must not add up", d)
		}
		p.SetLatency(0)
		b.On(cdpclient.PageEnable, func(Command) (any, error) { return nil, &cdpclient.Error{Code: 7, Message: "no"} })
		var e *cdpclient.Error
		if err := c.Call(context.Background(), s, cdpclient.PageEnable, nil, nil); !errors.As(err, &e) || e.Code != 7 {
			t.Error(err)
		}
		p.On(cdpclient.PageEnable, func(Command) (any, error) { return nil, ErrPass })
		c.call(s, cdpclient.PageEnable, nil, nil)
		p.On(cdpclient.RuntimeEvaluate, func(Command) (any, error) { return nil, ErrHang })
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := c.Call(ctx, s, cdpclient.RuntimeEvaluate, nil, nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		if err := c.Call(context.Background(), s, "Page.typo", nil, nil); !errors.As(err, &e) || e.Code != -32601 {
			t.Error(err)
		}
	})
}

func TestBridgeAndServer(t *testing.T) {
	bubble(t, func(t *testing.T, b *Browser, c *client) {
		p := b.OpenPage("http://a.test/")
		c.auto(true)
		s := c.attach()
		c.call(s, cdpclient.RuntimeEnable, nil, nil)
		for _, cmd := range bridge.Install() {
			c.call(s, cmd.Method, cmd.Params, nil)
		}
		server := NewMCPServer(Tool{Name: "t"}, Tool{Name: "slow", Execute: func(ctx context.Context, _ json.RawMessage) (any, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}})
		p.ServeMCP(server.Handle)
		var world cdpclient.ExecutionContextCreated
		for world.Context.Name != bridge.World {
			c.next(cdpclient.RuntimeExecutionContextCreated, &world)
		}
		hear := func() string {
			var called cdpclient.BindingCalled
			c.next(cdpclient.RuntimeBindingCalled, &called)
			m, err := bridge.Decode(called.Payload)
			if err != nil || called.ExecutionContextID != world.Context.ID || called.Name != bridge.Binding {
				t.Fatalf("%+v: %v", called, err)
			}
			return string(m.Payload)
		}
		say := func(payload string) {
			c.call(s, bridge.CallMethod, bridge.Call(world.Context.UniqueID, bridge.Send, json.RawMessage(payload)), nil)
		}
		if got := hear(); got != `"mcp-server-ready"` {
			t.Error(got)
		}
		c.call(s, bridge.CallMethod, bridge.Call(world.Context.UniqueID, bridge.CheckReady, nil), nil)
		if got := hear(); got != `"mcp-server-ready"` {
			t.Error(got)
		}
		say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow"}}`)
		say(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t"}}`)
		if got := hear(); !strings.Contains(got, `"id":2`) || !strings.Contains(got, "ok") {
			t.Error(got)
		}
		synctest.Wait() // each call has a goroutine of its own: the slow one has begun now
		say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		p.FromPage(ListChanged)
		if got := hear(); got != string(ListChanged) {
			t.Error(got)
		}
		for await, want := range map[string]string{"true": "string", "false": "object"} {
			params := `{"functionDeclaration":"` + bridge.Request + `","uniqueContextId":"` + world.Context.UniqueID +
				`","awaitPromise":` + await + `,"arguments":[{"value":"{\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":\"t\"}}"}]}`
			var is cdpclient.EvaluateResult
			if c.call(s, bridge.CallMethod, json.RawMessage(params), &is); is.Result.Type != want {
				t.Errorf("awaitPromise %s brings %+v", await, is.Result)
			}
			synctest.Wait()
		}
		p.Navigate("http://a.test/2")
		err := c.Call(context.Background(), s, bridge.CallMethod, bridge.Call(world.Context.UniqueID, bridge.CheckReady, nil), nil)
		var e *cdpclient.Error
		if !errors.As(err, &e) {
			t.Error("the old context still answers")
		}
		synctest.Wait()
	})
}

func TestHangDialogDie(t *testing.T) {
	bubble(t, func(t *testing.T, b *Browser, c *client) {
		p := b.OpenPage("http://a.test/")
		stopped := make(chan struct{})
		p.Register(Tool{Name: "t", Execute: func(ctx context.Context, _ json.RawMessage) (any, error) {
			<-ctx.Done()
			close(stopped)
			return nil, ctx.Err()
		}})
		c.auto(true)
		s := c.attach()
		p.Hang()
		c.Post(s, cdpclient.PageEnable, nil, "enable")
		synctest.Wait()
		if len(c.in) != 0 {
			t.Errorf("a hung page answered: %+v", <-c.in)
		}
		c.call(s, cdpclient.RuntimeTerminateExecution, nil, nil)
		if r := (<-c.in).(cdpclient.Reply); r.Tag != "enable" || r.Err != nil {
			t.Error(r)
		}
		p.Dialog("alert", "hello")
		c.next(cdpclient.PageJavascriptDialogOpening, new(cdpclient.JavascriptDialogOpening))
		c.Post(s, cdpclient.WebMCPEnable, nil, "webmcp")
		c.call(s, cdpclient.PageHandleJavaScriptDialog, cdpclient.HandleJavaScriptDialogParams{}, nil)
		c.next(cdpclient.WebMCPToolsAdded, new(cdpclient.ToolsAdded))
		c.call(s, cdpclient.WebMCPInvokeTool, cdpclient.InvokeToolParams{FrameID: p.ID(), ToolName: "t", Input: json.RawMessage(`{}`)}, nil)
		b.Die()
		<-stopped
		<-c.Done()
		if !strings.Contains(c.Err().Error(), "hung up") {
			t.Error(c.Err())
		}
	})
}

// A second connection finds what the first one left.
func TestReconnect(t *testing.T) {
	bubble(t, func(t *testing.T, b *Browser, c *client) {
		c.auto(true)
		p := b.OpenPage("http://a.test/")
		p.Register(Tool{Name: "held"})
		c.attach()
		b.Disconnect() // with the page still waiting
		<-c.Done()
		d := connect(t, b.Connect())
		d.auto(true)
		s := d.attach()
		d.call(s, cdpclient.WebMCPEnable, nil, nil)
		d.next(cdpclient.WebMCPToolsAdded, new(cdpclient.ToolsAdded))
		d.end()
	})
}

func TestWebSocket(t *testing.T) {
	b := New()
	srv := httptest.NewServer(b.Handler())
	defer srv.Close()
	p := b.OpenPage("http://a.test/")
	url, err := cdpclient.BrowserWebSocketURL(t.Context(), srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	w, err := cdpclient.DialWebSocket(t.Context(), url, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := connect(t, w)
	c.auto(true)
	s := c.attach()
	c.call(s, cdpclient.WebMCPEnable, nil, nil)
	p.Register(Tool{Name: "t"})
	c.next(cdpclient.WebMCPToolsAdded, new(cdpclient.ToolsAdded))
	b.Die()
	<-c.Done()
	t.Log(c.Err())
}

// A storm: many tabs, many tools, in memory and in order.
func TestStorm(t *testing.T) {
	const pages, tools = 200, 20
	b := New()
	defer b.Die()
	all := b.OpenPages(pages, "http://p%d.test/")
	c := connect(t, b.Connect())
	defer c.end()
	c.auto(true)
	for range pages {
		c.Post(c.attach(), cdpclient.WebMCPEnable, nil, "on")
	}
	for range pages {
		for {
			if r, ok := (<-c.in).(cdpclient.Reply); ok {
				if r.Err != nil {
					t.Fatal(r.Err)
				}
				break
			}
		}
	}
	go func() {
		for i := range tools {
			for _, p := range all {
				p.Register(Tool{Name: fmt.Sprint("t", i)})
			}
		}
	}()
	seen := map[string]int{}
	for range pages * tools {
		var added cdpclient.ToolsAdded
		c.next(cdpclient.WebMCPToolsAdded, &added)
		tool := added.Tools[0]
		if want := fmt.Sprint("t", seen[tool.FrameID]); tool.Name != want {
			t.Fatalf("frame %s: %s, want %s", tool.FrameID, tool.Name, want)
		}
		seen[tool.FrameID]++
	}
}
