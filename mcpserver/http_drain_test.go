package mcpserver

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

// A listener that drains finishes calls under way, refuses new ones, and ends streams that belong to no call. A call
// that takes too long is cancelled.
func TestHTTPDrains(t *testing.T) {
	const limit = 30 * time.Second
	for name, takes := range map[string]time.Duration{"short": 4 * time.Second, "long": time.Minute} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				h := newHub(t, func(ctx context.Context, _ calls.Call) registry.Result {
					select {
					case <-time.After(takes):
						return sanitize.TextResult("finished")
					case <-ctx.Done():
						return sanitize.TextResult("cancelled")
					}
				})
				h.page("A", "https://a.test/", "x")
				w, _ := h.onPipes(t, func(o *HTTPOptions) { o.Drain = limit })
				v := w.visit()
				body, headers := modern("7", "subscriptions/listen", `{"notifications":{"toolsListChanged":true}}`)
				subscription := w.listen("POST", body, headers...)
				callBody, callHeaders := modern("8", "tools/call", `{"name":"webmcp_a_test_page0_x","arguments":{}}`)
				answers := make(chan string, 2)
				begun := time.Now()
				go func() { answers <- v.send(callLine("1", "webmcp_a_test_page0_x", "{}")).body }()
				go func() { answers <- w.send("POST", callBody, callHeaders...).body }()
				synctest.Wait()
				w.stop(errors.New("stopping"))
				<-v.stream.over
				<-subscription.over
				if got := subscription.take(); len(got) == 0 || !strings.Contains(got[len(got)-1], `"id":7,"result":{`) {
					t.Errorf("the subscription ended with %q", got)
				}
				for what, a := range map[string]answer{
					"a call":             v.send(callLine("2", "webmcp_a_test_page0_x", "{}")),
					"a sessionless call": w.send("POST", callBody, callHeaders...),
					"initialize":         w.send("POST", initialize),
					"a new event stream": w.send("GET", "", v.headers...),
					"a list":             v.send(`{"jsonrpc":"2.0","id":3,"method":"tools/list"}`),
				} {
					if a.status != 503 || a.header.Get("Retry-After") != "1" || !strings.Contains(a.body, "stopping") {
						t.Errorf("%s: %+v", what, a)
					}
				}
				if a := v.send(`{"jsonrpc":"2.0","id":"q","result":{}}`); a.status != 202 {
					t.Errorf("an answer to what a call asks: %+v", a)
				}
				want, until := "finished", takes
				if takes > limit {
					want, until = "cancelled", limit
				}
				for range 2 {
					if got := <-answers; !strings.Contains(got, want) {
						t.Errorf("the call under way got %s", got)
					}
				}
				if took := time.Since(begun); took != until {
					t.Errorf("the calls ended after %v", took)
				}
				if err := <-w.served; err != nil {
					t.Error(err)
				}
				w.served <- nil // for the cleanup
			})
		})
	}
}
