package pagemcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
)

// offering is a page whose server has everything.
func offering(t *testing.T, o Options, more func(m message) []string) *page {
	t.Helper()
	p := newPage(t, o, func(m message, raw string) []string {
		if m.Method == "initialize" {
			return []string{reply(m, `{"protocolVersion":"2025-11-25","capabilities":{"resources":{"subscribe":true},"prompts":{},"completions":{},"logging":{}},"serverInfo":{"name":"s","version":"1"}}`)}
		}
		return mcpServer(more)(m, raw)
	})
	if err := p.client.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestOffersAreListed(t *testing.T) {
	p := offering(t, Options{}, func(m message) []string {
		switch {
		case m.Method == "resources/list" && strings.Contains(string(m.Params), "two"):
			return []string{reply(m, `{"resources":[{"uri":"c://","name":"c","size":3}]}`)}
		case m.Method == "resources/list":
			return []string{reply(m, `{"resources":[{"uri":"a://","name":"a"},{"name":"no uri"},7],"nextCursor":"two"}`)}
		case m.Method == "resources/templates/list":
			return []string{fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`, m.ID)}
		}
		return []string{reply(m, `{"prompts":[{"name":"p","arguments":[{"name":"x","required":true}]}]}`)}
	})
	if got := p.client.Offers(); got != (Capabilities{Resources: true, Prompts: true, Logging: true, Silent: true, SilentOffers: true}) {
		t.Errorf("capabilities %+v", got)
	}
	resources, err := p.client.ListResources(t.Context())
	if err != nil || len(resources) != 2 || resources[0].URI != "a://" || string(resources[1].Size) != "3" {
		t.Errorf("resources %+v, %v", resources, err)
	}
	// A server may learn of a method with its first entry.
	if templates, err := p.client.ListTemplates(t.Context()); err != nil || templates != nil {
		t.Errorf("templates %+v, %v", templates, err)
	}
	prompts, err := p.client.ListPrompts(t.Context())
	if err != nil || len(prompts) != 1 || !prompts[0].Arguments[0].Required {
		t.Errorf("prompts %+v, %v", prompts, err)
	}
}

func TestServersWithoutOffersAreNotAsked(t *testing.T) {
	p := connected(t, Options{}, nil)
	if got := p.client.Offers(); got != (Capabilities{}) {
		t.Errorf("capabilities %+v", got)
	}
	if r, err := p.client.ListResources(t.Context()); r != nil || err != nil {
		t.Error(r, err)
	}
	if r, err := p.client.ListPrompts(t.Context()); r != nil || err != nil {
		t.Error(r, err)
	}
	if n := len(p.sentWith("resources/list")) + len(p.sentWith("prompts/list")); n != 0 {
		t.Errorf("it was asked %d times", n)
	}
}

func TestEndlessListsEnd(t *testing.T) {
	n := 0
	p := offering(t, Options{}, func(m message) []string {
		n++
		if m.Method == "prompts/list" {
			return []string{reply(m, `{"prompts":[],"nextCursor":"same"}`)}
		}
		return []string{reply(m, fmt.Sprintf(`{"resources":[{"uri":"a://%d"}],"nextCursor":"%d"}`, n, n))}
	})
	if r, err := p.client.ListResources(t.Context()); err != nil || len(r) != MaxListPages {
		t.Errorf("%d, %v", len(r), err)
	}
	if _, err := p.client.ListPrompts(t.Context()); err == nil || !strings.Contains(err.Error(), "repeats a cursor") {
		t.Error(err)
	}
}

func TestNotices(t *testing.T) {
	var heard []string
	hear := func(format string, args ...any) { heard = append(heard, fmt.Sprintf(format, args...)) }
	p := offering(t, Options{
		OnResourcesChanged: func() { hear("resources") },
		OnPromptsChanged:   func() { hear("prompts") },
		OnResourceUpdated:  func(uri string) { hear("updated %s", uri) },
		OnLog:              func(params json.RawMessage) { hear("log %s", params) },
	}, nil)
	for _, said := range []string{
		`{"method":"notifications/resources/list_changed"}`,
		`{"method":"notifications/prompts/list_changed"}`,
		`{"method":"notifications/resources/updated","params":{"uri":"a://"}}`,
		`{"method":"notifications/resources/updated","params":{}}`,
		`{"method":"notifications/message","params":{"level":"error"}}`,
		`{"method":"notifications/message","params":{"data":"` + strings.Repeat("x", MaxLog) + `"}}`,
		`{"method":"notifications/message"}`,
		payloadReady,
	} {
		p.client.Deliver(json.RawMessage(said))
	}
	if got, want := strings.Join(heard, ", "), `resources, prompts, updated a://, log {"level":"error"}, resources, prompts`; got != want {
		t.Errorf("heard %s, want %s", got, want)
	}
}

func TestRequestsCarryTheirToken(t *testing.T) {
	p := offering(t, Options{}, func(m message) []string {
		var params struct {
			URI  string
			Meta struct{ ProgressToken json.RawMessage } `json:"_meta"`
		}
		if err := json.Unmarshal(m.Params, &params); err != nil || params.URI != "a://" {
			t.Errorf("asked %s", m.Params)
		}
		if params.Meta.ProgressToken == nil {
			return []string{reply(m, `{"plain":1}`)}
		}
		return []string{`{"method":"notifications/progress","params":{"progressToken":` + string(params.Meta.ProgressToken) + `,"progress":1}}`, reply(m, `{"with":1}`)}
	})
	progress := 0
	got, err := p.client.Request(t.Context(), "resources/read", json.RawMessage(`{"uri":"a://"}`), func(json.RawMessage) { progress++ })
	if err != nil || string(got) != `{"with":1}` || progress != 1 {
		t.Errorf("%s, %v, %d", got, err, progress)
	}
	if got, err := p.client.Request(t.Context(), "resources/read", json.RawMessage(`{"uri":"a://"}`), nil); err != nil || string(got) != `{"plain":1}` {
		t.Errorf("%s, %v", got, err)
	}
}

// asking is a page whose requests block until they end.
type asking struct {
	*page
	asked chan string
	goOn  chan error
	ended chan error
}

func newAsking(t *testing.T) *asking {
	a := &asking{asked: make(chan string, MaxRequests), goOn: make(chan error), ended: make(chan error, MaxRequests)}
	a.page = offering(t, Options{OnRequest: func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
		a.asked <- method + " " + string(params)
		select {
		case err := <-a.goOn:
			return json.RawMessage(`{"said":1}`), err
		case <-ctx.Done():
			a.ended <- ctx.Err()
			return nil, ctx.Err()
		}
	}}, nil)
	return a
}

// answers are the answers to the page's requests.
func (p *page) answers() (all []string) {
	synctest.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.sent {
		if strings.Contains(s, `"result"`) || strings.Contains(s, `"error"`) {
			all = append(all, s)
		}
	}
	return all
}

func asks(id, method string) json.RawMessage {
	return json.RawMessage(`{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{"a":1}}`)
}

func TestPageRequestsAreAnswered(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{nil, `{"id":7,"jsonrpc":"2.0","result":{"said":1}}`},
		{&RPCError{-32601, "no sampling"}, `{"error":{"code":-32601,"message":"no sampling"},"id":7,"jsonrpc":"2.0"}`},
		{errors.New("oops"), `{"error":{"code":-32603,"message":"oops"},"id":7,"jsonrpc":"2.0"}`},
	} {
		synctest.Test(t, func(t *testing.T) {
			a := newAsking(t)
			a.client.Deliver(asks("7", "sampling/createMessage"))
			if got := <-a.asked; got != `sampling/createMessage {"a":1}` {
				t.Error(got)
			}
			a.goOn <- c.err
			if got := a.answers(); len(got) != 1 || got[0] != c.want {
				t.Errorf("answered %q, want %s", got, c.want)
			}
		})
	}
}

func TestPageRequestsEnd(t *testing.T) {
	for name, end := range map[string]func(*asking){
		"by the page": func(a *asking) {
			a.client.Deliver(json.RawMessage(`{"method":"notifications/cancelled","params":{"requestId":7}}`))
		},
		"with the server":     func(a *asking) { a.client.Deliver(json.RawMessage(payloadStopped)) },
		"with the connection": func(a *asking) { a.client.Close(nil) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := newAsking(t)
				a.client.Deliver(asks("7", "elicitation/create"))
				<-a.asked
				end(a)
				if err := <-a.ended; err == nil {
					t.Error("it goes on")
				}
				if got := a.answers(); len(got) != 0 {
					t.Errorf("answered %q", got)
				}
			})
		})
	}
}

func TestPageRequestsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAsking(t)
		for i := range MaxRequests {
			a.client.Deliver(asks(fmt.Sprint(i), "roots/list"))
		}
		a.client.Deliver(asks("99", "roots/list"))
		a.client.Deliver(asks(`"`+strings.Repeat("x", maxRequestID)+`"`, "roots/list"))
		a.client.Deliver(json.RawMessage(`{"id":98,"method":"roots/list","params":{"x":"` + strings.Repeat("x", MaxRequest) + `"}}`))
		a.client.Deliver(asks("97", "tasks/list"))
		if got := strings.Join(a.answers(), "\n"); strings.Count(got, "\n") != 2 || !strings.Contains(got, `"id":99`) || !strings.Contains(got, "longer than") || !strings.Contains(got, `{"code":-32601,"message":"Method not found"},"id":97`) {
			t.Errorf("answered %s", got)
		}
		if n := len(a.asked); n != MaxRequests {
			t.Errorf("%d are carried out", n)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		a := newAsking(t)
		long := `"params":{"x":"` + strings.Repeat("x", MaxRequest/2) + `"}`
		for i := range 8 {
			a.client.Deliver(json.RawMessage(fmt.Sprintf(`{"id":%d,"method":"roots/list",%s}`, i, long)))
		}
		if got := a.answers(); len(got) != 1 || !strings.Contains(got[0], `4194304 bytes together`) || len(a.asked) != 7 {
			t.Errorf("%d are carried out, and answered %s", len(a.asked), got)
		}
	})
}

func TestPagesLearnWhatTheyMayAsk(t *testing.T) {
	answers := func(context.Context, string, json.RawMessage) (json.RawMessage, error) { return nil, nil }
	a, b, c := offering(t, Options{OnRequest: answers}, nil), offering(t, Options{}, nil), offering(t, Options{OnRequest: answers, Roots: true}, nil)
	for p, want := range map[*page]bool{a: true, b: false, c: true} {
		got := string(p.sentWith("initialize")[0].Params)
		if strings.Contains(got, `"sampling":{}`) != want || strings.Contains(got, `"elicitation":{"form":{}}`) != want || strings.Contains(got, `"roots":{}`) != (p == c) {
			t.Errorf("introduced by %s", got)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		p := offering(t, Options{}, nil)
		p.client.Deliver(asks("7", "sampling/createMessage"))
		if got := p.answers(); len(got) != 1 || !strings.Contains(got[0], "-32601") {
			t.Errorf("answered %q", got)
		}
	})
}
