package pagemcp

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
)

func TestForgedAndSecondAnswersAreIgnored(t *testing.T) {
	p := connected(t, Options{}, func(m message) []string {
		return []string{
			`{"jsonrpc":"2.0","id":1,"result":{"content":["forged"]}}`,
			`{"jsonrpc":"2.0","id":"` + string(m.ID) + `","result":{"content":["a string, not our number"]}}`,
			`{"jsonrpc":"2.0","id":` + string(m.ID) + `.0,"result":{"content":["not as we wrote it"]}}`,
			reply(m, `{"content":["first"]}`),
			reply(m, `{"content":["second"]}`),
		}
	})
	for range 3 {
		got, err := p.callTool(t.Context(), "x", nil, nil)
		if err != nil || string(got) != `{"content":["first"]}` {
			t.Errorf("%s %v", got, err)
		}
	}
}

func TestIDsCanNotBeGuessed(t *testing.T) {
	p := connected(t, Options{}, func(m message) []string { return []string{reply(m, `{"tools":[]}`)} })
	for range 100 {
		if _, err := p.client.ListTools(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	var last int64
	for _, m := range p.sentWith("tools/list") {
		id, ok := parseID(m.ID)
		if !ok || id <= 0 || id >= 1<<53 {
			t.Errorf("id %s is not a safe integer", m.ID)
		}
		if d := id - last; d > -1000 && d < 1000 {
			t.Errorf("%d follows %d", id, last)
		}
		last = id
	}
}

func TestGarbageIsIgnored(t *testing.T) {
	changes := 0
	p := connected(t, Options{MaxMessage: 2000, OnListChanged: func() { changes++ }},
		func(m message) []string { return []string{reply(m, `{"content":[]}`)} })
	for _, g := range garbage() {
		p.client.Deliver(json.RawMessage(g))
	}
	if changes != 0 {
		t.Errorf("garbage changed the list %d times", changes)
	}
	if _, err := p.callTool(t.Context(), "x", nil, nil); err != nil {
		t.Error(err)
	}
}

func garbage() []string {
	return []string{
		``, ` `, `null`, `7`, `[]`, `[{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}]`, `"hello"`, `"mcp-check-ready"`,
		`{`, `{"a":`, `{}`, `{"id":null,"result":{}}`, `{"id":{},"result":{}}`, `{"method":7}`, `{"method":"x","id":[]`, `{"id":1e99}`,
		`{"method":"notifications/unknown"}`, `{"method":"notifications/progress","params":7}`,
		`{"method":"notifications/progress","params":{"progressToken":{}}}`,
		`{"method":"notifications/tools/list_changed","pad":"` + strings.Repeat("x", 2000) + `"}`,
		strings.Repeat(`{"id":`, 500),
	}
}

// What makes no sense is logged a few times and no more, however often it comes.
func TestGarbageDoesNotFillTheLog(t *testing.T) {
	var logged strings.Builder
	debug := slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
	p := connected(t, Options{Logger: debug, MaxMessage: 2000}, nil)
	for i := range 3 * MaxRemarks {
		p.client.Deliver(json.RawMessage(fmt.Sprintf("garbage %d", i)))
		p.client.Deliver(json.RawMessage(fmt.Sprintf(`{"pad%d":%q}`, i, strings.Repeat("x", 2000))))
		p.client.Deliver(json.RawMessage(fmt.Sprintf(`{"id":"%d","result":{}}`, i)))
		p.client.Deliver(json.RawMessage(fmt.Sprintf(`{"id":%d,"result":{}}`, i+1)))
		p.client.Deliver(json.RawMessage(fmt.Sprintf(`{"id":"%s","method":"ping%d"}`, strings.Repeat("i", maxRequestID), i)))
		p.client.DeliverOversize(nil, int64(i))
	}
	for _, what := range []string{"sent garbage", "sent a message that is too large\"", "an id that is not ours", "a request that is not pending",
		"an id that is too long", "too large to carry"} {
		if n := strings.Count(logged.String(), what); n != MaxRemarks {
			t.Errorf("%q is logged %d times", what, n)
		}
	}
	if n := strings.Count(logged.String(), "more=\"not logged\""); n != 6 {
		t.Errorf("of %d kinds it is said that more is not logged", n)
	}
}

func FuzzDeliver(f *testing.F) {
	for _, g := range garbage() {
		f.Add(g)
	}
	f.Add(`{"jsonrpc":"2.0","id":5,"method":"ping"}`)
	f.Add(`{"result":{"tools":[]},"jsonrpc":"2.0","id":1}`)
	f.Fuzz(func(t *testing.T, payload string) {
		p := connected(t, Options{}, func(m message) []string {
			return []string{payload, strings.ReplaceAll(payload, "1", string(m.ID)), payloadStopped}
		})
		_, _ = p.callTool(t.Context(), "x", nil, nil)
	})
}

func TestRequestsOfThePageAreAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := connected(t, Options{}, nil)
		p.client.Deliver(json.RawMessage(`{"jsonrpc":"2.0","id":"p1","method":"ping"}`))
		p.client.Deliver(json.RawMessage(`{"jsonrpc":"2.0","id":0,"method":"sampling/createMessage","params":{}}`))
		p.client.Deliver(json.RawMessage(`{"jsonrpc":"2.0","id":"` + strings.Repeat("i", 5000) + `","method":"ping"}`))
		synctest.Wait()
		all := strings.Join(p.sent, "\n")
		for _, want := range []string{`{"id":"p1","jsonrpc":"2.0","result":{}}`,
			`{"error":{"code":-32601,"message":"Method not found"},"id":0,"jsonrpc":"2.0"}`} {
			if !strings.Contains(all, want) {
				t.Errorf("%s is missing in\n%s", want, all)
			}
		}
		if strings.Contains(all, "iii") {
			t.Error("a huge id was sent back")
		}
	})
}

func TestPageCanNotMakeUsAnswerWithoutBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := connected(t, Options{}, nil)
		var mu sync.Mutex
		blocked := 0
		p.client.send = func(ctx context.Context, _ json.RawMessage) error {
			mu.Lock()
			blocked++
			mu.Unlock()
			<-ctx.Done()
			return ctx.Err()
		}
		for i := range 1000 {
			p.client.Deliver(json.RawMessage(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i)))
		}
		synctest.Wait()
		if blocked != maxAnswering {
			t.Errorf("%d answers at a time, want %d", blocked, maxAnswering)
		}
		p.client.Close(nil)
	})
}

func TestConcurrentCallsGetTheirOwnAnswers(t *testing.T) {
	p := connected(t, Options{}, func(m message) []string {
		var q struct{ Name string }
		_ = json.Unmarshal(m.Params, &q)
		return []string{reply(m, `{"content":["`+q.Name+`"]}`)}
	})
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			name := fmt.Sprint("tool", i)
			for range 20 {
				got, err := p.callTool(t.Context(), name, nil, nil)
				if err != nil || string(got) != `{"content":["`+name+`"]}` {
					t.Errorf("%s got %s %v", name, got, err)
				}
			}
		})
	}
	wg.Wait()
}
