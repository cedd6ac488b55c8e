package pagemcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestListKeepsEveryByteAndEveryGoodTool(t *testing.T) {
	const schema = `{"type":"object" , "properties":{"z":{"const":12345678901234567890.10},"a":{"title":"<b>\u00e9"}}}`
	p := connected(t, Options{}, func(m message) []string {
		return []string{reply(m, `{"tools":[7,{"name":"a","title":"A","description":"d","inputSchema":`+schema+
			`,"annotations":{"x":1}},{"name":5},{"description":"no name"},{"name":"b","outputSchema":[]}],"_meta":{}}`)}
	})
	tools, err := p.client.ListTools(t.Context())
	if err != nil || len(tools) != 2 {
		t.Fatal(tools, err)
	}
	a, b := tools[0], tools[1]
	if a.Name != "a" || a.Title != "A" || a.Description != "d" || string(a.InputSchema) != schema ||
		string(a.Annotations) != `{"x":1}` || a.OutputSchema != nil {
		t.Errorf("a: %+v", a)
	}
	if b.Name != "b" || b.InputSchema != nil || string(b.OutputSchema) != "[]" {
		t.Errorf("b: %+v", b)
	}
}

func TestListFollowsCursors(t *testing.T) {
	p := connected(t, Options{}, func(m message) []string {
		var q struct{ Cursor string }
		_ = json.Unmarshal(m.Params, &q)
		next := map[string]string{"": "p2", "p2": "p3", "p3": ""}[q.Cursor]
		return []string{reply(m, fmt.Sprintf(`{"tools":[{"name":"t%s"}],"nextCursor":%q}`, q.Cursor, next))}
	})
	tools, err := p.client.ListTools(t.Context())
	if err != nil || fmt.Sprint(names(tools)) != "[t tp2 tp3]" {
		t.Error(names(tools), err)
	}
}

func TestListIsBounded(t *testing.T) {
	t.Run("repeated cursor", func(t *testing.T) {
		p := connected(t, Options{}, func(m message) []string {
			return []string{reply(m, `{"tools":[{"name":"t"}],"nextCursor":"again"}`)}
		})
		if _, err := p.client.ListTools(t.Context()); err == nil || !strings.Contains(err.Error(), "cursor") {
			t.Error(err)
		}
	})
	t.Run("pages", func(t *testing.T) {
		n := 0
		p := connected(t, Options{}, func(m message) []string {
			n++
			return []string{reply(m, fmt.Sprintf(`{"tools":[{"name":"t%d"}],"nextCursor":"%d"}`, n, n))}
		})
		if tools, err := p.client.ListTools(t.Context()); err != nil || len(tools) != MaxListPages {
			t.Error(len(tools), err)
		}
	})
	t.Run("tools", func(t *testing.T) {
		p := connected(t, Options{}, func(m message) []string {
			return []string{reply(m, `{"tools":[`+strings.Repeat(`{"name":"t"},`, MaxListEntries+5)+`{"name":"t"}]}`)}
		})
		if tools, err := p.client.ListTools(t.Context()); err != nil || len(tools) != MaxListEntries {
			t.Error(len(tools), err)
		}
	})
}

func TestListThatIsNoList(t *testing.T) {
	for _, result := range []string{`{}`, `{"tools":null}`, `{"tools":{}}`, `[]`, `null`, `"x"`,
		`{"content":[],"metadata":{"navigationInterrupted":true}}`} {
		p := connected(t, Options{}, func(m message) []string { return []string{reply(m, result)} })
		if tools, err := p.client.ListTools(t.Context()); err == nil {
			t.Errorf("%s is taken for a list: %v", result, tools)
		}
	}
}

func TestCallKeepsEveryByte(t *testing.T) {
	const result = `{"content":[{"type":"text","text":"<é>"}] ,"structuredContent":{"n":0.10},"isError":true}`
	p := connected(t, Options{}, func(m message) []string { return []string{reply(m, result)} })
	got, err := p.callTool(t.Context(), "buy", json.RawMessage(`{"n":12345678901234567890}`), nil)
	if err != nil || string(got) != result {
		t.Errorf("%s %v", got, err)
	}
	if _, err := p.callTool(t.Context(), "buy", nil, nil); err != nil {
		t.Error(err)
	}
	calls := p.sentWith("tools/call")
	if string(calls[0].Params) != `{"name":"buy","arguments":{"n":12345678901234567890}}` ||
		string(calls[1].Params) != `{"name":"buy","arguments":{}}` {
		t.Errorf("sent %s", calls)
	}
}

func TestCallErrors(t *testing.T) {
	p := connected(t, Options{MaxMessage: 1000}, nil)
	answer := func(s string) error {
		p.on = mcpServer(func(m message) []string { return []string{strings.ReplaceAll(s, "ID", string(m.ID))} })
		_, err := p.callTool(t.Context(), "x", nil, nil)
		return err
	}
	var rpc *RPCError
	if err := answer(`{"id":ID,"error":{"code":-32602,"message":"Tool x not found"}}`); !errors.As(err, &rpc) ||
		*rpc != (RPCError{-32602, "Tool x not found"}) {
		t.Error(err)
	}
	if err := answer(`{"id":ID,"error":"plain"}`); !errors.As(err, &rpc) || rpc.Message != "plain" {
		t.Error(err)
	}
	if err := answer(`{"id":ID,"error":[1]}`); !errors.As(err, &rpc) || rpc.Message != "[1]" {
		t.Error(err)
	}
	if err := answer(`{"id":ID,"result":{"content":[],"metadata":{"navigationInterrupted":true}}}`); !errors.Is(err, ErrInterrupted) {
		t.Error(err)
	}
	if _, err := p.callTool(t.Context(), "x", json.RawMessage(`{"a":"`+strings.Repeat("a", 1000)+`"}`), nil); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
	if _, err := p.callTool(t.Context(), "x", json.RawMessage(`{`), nil); err == nil {
		t.Error("arguments that are not JSON were sent")
	}
	p.on = func(m message, _ string) []string { p.client.DeliverOversize(m.ID, 20_000_000); return nil }
	if _, err := p.callTool(t.Context(), "x", nil, nil); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
	p.client.DeliverOversize(nil, 5)
}

func TestRequestIsSentOnce(t *testing.T) {
	p := connected(t, Options{}, nil)
	broken, tries := errors.New("context gone"), 0
	p.client.send = func(context.Context, json.RawMessage) error { tries++; return broken }
	if _, err := p.client.Request(t.Context(), "prompts/get", nil, nil); !errors.Is(err, broken) || tries != 1 {
		t.Errorf("%v after %d tries", err, tries)
	}
}

func TestAnAnswerBeatsASendThatFailed(t *testing.T) {
	p := connected(t, Options{}, func(m message) []string { return []string{reply(m, `{"content":[]}`)} })
	p.client.send = func(ctx context.Context, payload json.RawMessage) error {
		_ = p.send(ctx, payload)
		return errors.New("the reply to the command got lost")
	}
	if got, err := p.client.Request(t.Context(), "prompts/get", nil, nil); err != nil || string(got) != `{"content":[]}` {
		t.Error(string(got), err)
	}
}

func TestCancelledCallEndsAtOnceAndThePageIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := connected(t, Options{}, nil)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { _, err := p.callTool(ctx, "slow", nil, nil); done <- err }()
		synctest.Wait()
		start := time.Now()
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) || time.Since(start) != 0 {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		synctest.Wait()
		id := p.sentWith("tools/call")[0].ID
		told := p.sentWith("notifications/cancelled")
		if len(told) != 1 || string(told[0].Params) != fmt.Sprintf(`{"reason":"context canceled","requestId":%s}`, id) {
			t.Errorf("told %s", told)
		}
		p.client.Deliver(json.RawMessage(reply(message{ID: id}, `{"content":[]}`))) // comes too late: ignored
		if _, err := p.client.Request(ctx, "prompts/get", nil, nil); !errors.Is(err, context.Canceled) || len(p.sentWith("prompts/get")) != 0 {
			t.Error("a request whose context had ended was sent")
		}
	})
}

func TestProgress(t *testing.T) {
	p := connected(t, Options{}, func(m message) []string {
		note := `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d}}`
		return []string{
			fmt.Sprintf(note, m.ID, 1), fmt.Sprintf(note, "4711", 9), fmt.Sprintf(note, `"x"`, 9),
			`{"method":"notifications/progress"}`, fmt.Sprintf(note, m.ID, 2), reply(m, `{"content":[]}`), fmt.Sprintf(note, m.ID, 3),
		}
	})
	var got []string
	if _, err := p.callTool(t.Context(), "x", nil, func(params json.RawMessage) { got = append(got, string(params)) }); err != nil {
		t.Fatal(err)
	}
	m := p.sentWith("tools/call")[0]
	if want := fmt.Sprintf(`[{"progressToken":%s,"progress":1} {"progressToken":%s,"progress":2}]`, m.ID, m.ID); fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
	if !strings.Contains(string(m.Params), `"_meta":{"progressToken":`+string(m.ID)) {
		t.Errorf("no token in %s", m.Params)
	}
}

func names(tools []Tool) (names []string) {
	for _, t := range tools {
		names = append(names, t.Name)
	}
	return names
}

// What is wrong with a server's lists is logged once, not at each reading.
func TestListsAreComplainedOfOnce(t *testing.T) {
	var logged strings.Builder
	o := Options{Logger: slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	p := newPage(t, o, mcpServer(func(m message) []string {
		return []string{reply(m, `{"tools":[7,8,{"name":"a"},9],"nextCursor":"`+strconv.Itoa(rand.Int())+`"}`)}
	}))
	if err := p.client.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if tools, err := p.client.ListTools(t.Context()); err != nil || len(tools) != MaxListPages {
			t.Fatal(len(tools), err)
		}
	}
	for _, what := range []string{"not what it should be", "too many pages"} {
		if n := strings.Count(logged.String(), what); n != 1 {
			t.Errorf("%q is logged %d times", what, n)
		}
	}
}
