package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/internal/fakeclock"
	"webmcphub/mcpserver/calls"
	"webmcphub/mcpserver/wire"
	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

func TestDialogues(t *testing.T) {
	long := strings.Repeat("x", 5000)
	tests := []struct {
		name       string
		send, want []string
	}{
		{"ping", []string{ping}, []string{pong}},
		{"not JSON, then serving goes on", []string{`{"jsonrpc":`, ping},
			[]string{`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the message is not valid JSON…`, pong}},
		{"not UTF-8", []string{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}"}, []string{`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the message is not valid UTF-8"}}`}},
		{"blank lines and CRLF", []string{"", "  ", ping + "\r"}, []string{pong}},
		{"batch", []string{"[" + ping + "]"}, []string{`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"JSON-RPC batches…`}},
		{"no object", []string{`42`}, []string{`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"this is not a JSON-RPC 2.0 message: it must be an object"}}`}},
		{"no version", []string{`{"id":7,"method":"ping"}`}, []string{`{"jsonrpc":"2.0","id":7,"error":{"code":-32600…`}},
		{"no method", []string{`{"jsonrpc":"2.0","id":7}`}, []string{`{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"the message has no \"method\""}}`}},
		{"method of a wrong type", []string{`{"jsonrpc":"2.0","id":7,"method":8}`}, []string{`{"jsonrpc":"2.0","id":7,"error":{"code":-32600…`}},
		{"null id", []string{`{"jsonrpc":"2.0","id":null,"method":"ping"}`}, []string{`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the id…`}},
		{"object id", []string{`{"jsonrpc":"2.0","id":{},"method":"ping"}`}, []string{`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the id…`}},
		{"params no object", []string{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1]}`}, []string{`{"jsonrpc":"2.0","id":1,"error":{"code":-32602…`}},
		{"unknown method", []string{`{"jsonrpc":"2.0","id":1,"method":"no/such"}`}, []string{`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method no/such not found"}}`}},
		{"large number id is kept", []string{`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`}, []string{`{"jsonrpc":"2.0","id":9007199254740993,"result":{}}`}},
		{"unknown notification", []string{`{"jsonrpc":"2.0","method":"no/such"}`, ping}, []string{pong}},
		{"answer to nothing", []string{`{"jsonrpc":"2.0","id":1,"result":{}}`, ping}, []string{pong}},
		{"cancelling nothing", []string{`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`, ping}, []string{pong}},
		{"cancelling nonsense", []string{`{"jsonrpc":"2.0","method":"notifications/cancelled"}`, ping}, []string{pong}},
		{"line too long is skipped", []string{long, ping, long + long, `{"jsonrpc":"2.0","id":2,"method":"ping"}`}, []string{
			`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the message is longer than 2000 bytes and was skipped"}}`, pong,
			`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the message is longer than 2000 bytes and was skipped"}}`,
			`{"jsonrpc":"2.0","id":2,"result":{}}`}},
		{"cursor", []string{`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}`}, []string{`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"unknown cursor…`}},
		{"null params", []string{`{"jsonrpc":"2.0","id":1,"method":"ping","params":null}`}, []string{`{"jsonrpc":"2.0","id":1,"result":{}}`}},
		{"call without name", []string{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}`}, []string{`{"jsonrpc":"2.0","id":1,"error":{"code":-32602…`}},
		{"call with a name of the wrong type", []string{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":1}}`}, []string{`{"jsonrpc":"2.0","id":1,"error":{"code":-32602…`}},
		{"log level", []string{initialize, `{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"debug"}}`}, []string{`{"jsonrpc":"2.0","id":"init"…`, `{"jsonrpc":"2.0","id":1,"result":{}}`}},
		{"modern request of an unknown version", []string{`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01","io.modelcontextprotocol/clientCapabilities":{}}}}`},
			[]string{`{"jsonrpc":"2.0","id":1,"error":{"code":-32022…`}},
		{"modern request without capabilities", []string{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`},
			[]string{`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"missing or invalid _meta field…`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				h := newHub(t, echo, func(o *Options, _ *registry.Options) { o.MaxLine = 2000 })
				c := h.connect(true)
				for _, line := range test.send {
					c.send(line)
					synctest.Wait() // requests run side by side
				}
				c.expect(test.want...)
				c.hangUp()
			})
		})
	}
}

func TestInitialize(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newHub(t, echo).connect(true)
		c.send(initialize)
		line := c.take()[0]
		for _, part := range []string{`"protocolVersion":"2025-11-25"`, `"tools":{"listChanged":true}`, `"logging":{}`, `"name":"webmcp"`, `"version":"1.2.3"`, "list_webmcp_tools"} {
			if !strings.Contains(line, part) {
				t.Errorf("no %s in %s", part, line)
			}
		}
		c.hangUp()
	})
}

func TestLastLineWithoutBreak(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newHub(t, echo).connect(true)
		fmt.Fprint(c.in, ping)
		c.hangUp()
		c.expect(pong)
	})
}

func TestSlowCallsDelayNobody(t *testing.T) {
	bubble(t, func(t *testing.T) {
		release := make(chan bool)
		h := newHub(t, func(context.Context, calls.Call) registry.Result { <-release; return sanitize.TextResult("at last") })
		h.page("A", "https://a.test/", "slow")
		c := h.connect(true)
		c.handshake()
		for i := range wire.MaxConcurrent - 2 {
			c.send(callLine(fmt.Sprint(i), "webmcp_a_test_page0_slow", `{}`))
		}
		c.expect()
		c.send(ping)
		c.expect(pong)
		if got := c.list(); len(got) != len(ownTools)+1 {
			t.Errorf("list: %v", got)
		}
		c.send(callLine("5", "webmcp_a_test_page0_slow", `{}`))
		c.expect(`{"jsonrpc":"2.0","id":5,"error":{"code":-32600,"message":"the id 5 is in use…`)
		c.send(callLine(`"a"`, "webmcp_a_test_page0_slow", `{}`), callLine(`"b"`, "webmcp_a_test_page0_slow", `{}`))
		synctest.Wait()
		c.send(callLine(`"c"`, "webmcp_a_test_page0_slow", `{}`))
		c.expect(`{"jsonrpc":"2.0","id":"c","error":{"code":-32000,"message":"the server is busy: 1024…`)
		close(release)
		if got := len(c.take()); got != wire.MaxConcurrent {
			t.Errorf("%d answers", got)
		}
		c.hangUp()
	})
}

func TestPanicIsAnswered(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var log logged
		h := newHub(t, func(context.Context, calls.Call) registry.Result { panic("boo") }, withLog(&log))
		h.page("A", "https://a.test/", "bad")
		c := h.connect(true)
		c.handshake()
		c.send(callLine("1", "webmcp_a_test_page0_bad", `{}`))
		c.expect(`{"jsonrpc":"2.0","id":1,"error":{"code":-32603…`)
		if !strings.Contains(log.String(), "panic=boo") {
			t.Errorf("log: %s", log.String())
		}
		c.send(ping)
		c.expect(pong)
		c.hangUp()
	})
}

// waitForEnd answers when the call is cancelled.
func waitForEnd(ctx context.Context, c calls.Call) registry.Result {
	<-ctx.Done()
	return sanitize.ErrorResult("ended: " + context.Cause(ctx).Error())
}

func TestCancel(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var cause error
		h := newHub(t, func(ctx context.Context, c calls.Call) registry.Result {
			<-ctx.Done()
			cause = context.Cause(ctx)
			return sanitize.ErrorResult("cancelled")
		})
		h.page("A", "https://a.test/", "slow")
		c := h.connect(true)
		c.handshake()
		c.send(callLine(`"x"`, "webmcp_a_test_page0_slow", `{}`))
		c.expect()
		c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"x","reason":"bored"}}`)
		c.expect() // no answer, as MCP has it
		if !errors.Is(cause, wire.ErrCancelled) {
			t.Errorf("cause %v", cause)
		}
		c.send(ping)
		c.expect(pong)
		c.hangUp()
	})
}

func TestCallTimeout(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var cause error
		h := newHub(t, func(ctx context.Context, c calls.Call) registry.Result {
			<-ctx.Done()
			cause = context.Cause(ctx)
			return registry.Result{}
		})
		h.page("A", "https://a.test/", "slow")
		c := h.connect(true)
		c.handshake()
		start := time.Now()
		c.send(callLine("1", "webmcp_a_test_page0_slow", `{}`))
		fakeclock.Elapse(DefaultCallTimeout)
		lines := c.take()
		if got := said(t, lines[0]); !strings.Contains(got, `error: tool "slow" did not answer: the time limit of 1m0s is over`) {
			t.Error(got)
		}
		if time.Since(start) != DefaultCallTimeout || cause != (wire.TimeoutError{After: DefaultCallTimeout}) {
			t.Errorf("after %v: %v", time.Since(start), cause)
		}
		c.hangUp()
	})
}

func TestEndOfInput(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, waitForEnd)
		h.page("A", "https://a.test/", "slow")
		c := h.connect(true)
		c.handshake()
		c.send(callLine("1", "webmcp_a_test_page0_slow", `{}`))
		synctest.Wait()
		start := time.Now()
		c.hangUp()
		if took := time.Since(start); took != 0 {
			t.Errorf("took %v", took)
		}
		c.expect(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"ended: the client's session is over"}],"isError":true}}`)
		if len(h.sessions.all) != 0 {
			t.Error("session still registered")
		}
	})
}

func TestContextEnd(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, waitForEnd)
		h.page("A", "https://a.test/", "slow")
		c := h.connect(true)
		c.handshake()
		c.send(callLine("1", "webmcp_a_test_page0_slow", `{}`))
		synctest.Wait()
		stop := errors.New("SIGTERM")
		c.cancel(stop)
		if err := <-c.served; !errors.Is(err, stop) {
			t.Errorf("ServeStdio: %v", err)
		}
		c.expect(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"ended: SIGTERM"}],"isError":true}}`)
		c.in.Close()
	})
}

func TestEndOfInputWhenTheClientDoesNotRead(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newHub(t, echo).connect(false)
		c.send(ping, ping, ping)
		synctest.Wait()
		start := time.Now()
		c.hangUp()
		if took := time.Since(start); took != wire.CloseGrace {
			t.Errorf("took %v", took)
		}
		c.out.Close()
	})
}

func TestCallerThatIgnoresTheEnd(t *testing.T) {
	bubble(t, func(t *testing.T) {
		release := make(chan bool)
		h := newHub(t, func(context.Context, calls.Call) registry.Result { <-release; return sanitize.TextResult("") })
		h.page("A", "https://a.test/", "deaf")
		c := h.connect(true)
		c.handshake()
		c.send(callLine("1", "webmcp_a_test_page0_deaf", `{}`))
		synctest.Wait()
		start := time.Now()
		c.hangUp()
		if took := time.Since(start); took != wire.CloseGrace {
			t.Errorf("took %v", took)
		}
		close(release)
	})
}

func TestWriteError(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newHub(t, echo).connect(false)
		c.out.Close()
		c.send(ping)
		if err := <-c.served; err == nil || !strings.Contains(err.Error(), "writing to the client") {
			t.Errorf("ServeStdio: %v", err)
		}
		c.in.Close()
	})
}

func TestClientThatDoesNotRead(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, echo)
		deaf, other := h.connect(false), h.connect(true)
		other.handshake()
		sent := make(chan int)
		go func() {
			n := 0
			for n < 10*wire.MaxConcurrent {
				if _, err := fmt.Fprintln(deaf.in, ping); err != nil {
					break
				}
				n++
			}
			sent <- n
		}()
		h.page("A", "https://a.test/", "one")
		other.expect(listChanged)
		other.list()
		for i := range 500 { // nobody waits for the deaf one
			h.change(tools("A", 1, fmt.Sprint("t", i)))
		}
		if got := len(other.take()); got == 0 || got > 500 {
			t.Errorf("%d notifications", got)
		}
		deaf.cancel(nil)
		<-deaf.served
		if n := <-sent; n > 4*wire.MaxConcurrent+2000 {
			t.Errorf("%d requests were taken in", n)
		}
		deaf.in.Close()
		deaf.out.Close()
		other.hangUp()
	})
}
