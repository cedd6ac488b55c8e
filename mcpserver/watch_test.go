package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/internal/fakeclock"
	"webmcphub/mcpserver/calls"
	"webmcphub/mcpserver/view"
	"webmcphub/registry"
)

// Whoever watches sees each call begin and end, how long its page took, and can end it.
func TestCallsAreWatched(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var mu sync.Mutex
		var began, over []calls.Record
		var answers []string
		var cancels []func()
		h := newHub(t, func(ctx context.Context, c calls.Call) registry.Result {
			fakeclock.Pause(time.Second)
			return echo(ctx, c)
		}, func(o *Options, _ *registry.Options) {
			o.Watch = func(r calls.Record, cancel func()) func(calls.Record, json.RawMessage) {
				mu.Lock()
				defer mu.Unlock()
				began, cancels = append(began, r), append(cancels, cancel)
				return func(r calls.Record, answer json.RawMessage) {
					mu.Lock()
					defer mu.Unlock()
					over, answers = append(over, r), append(answers, string(answer))
				}
			}
		})
		h.page("A", "https://shop.test/", "x")
		c := h.connect(true)
		c.handshake()
		c.send(callLine("1", "webmcp_shop_test_page0_x", `{"n":1}`))
		synctest.Wait()
		mu.Lock()
		if len(began) != 1 || len(over) != 0 || began[0].Session != "stdio-1" || string(began[0].Args) != `{"n":1}` {
			t.Fatalf("began %+v, over %+v", began, over)
		}
		mu.Unlock()
		fakeclock.Elapse(time.Second)
		synctest.Wait()
		c.take()
		mu.Lock()
		if len(over) != 1 || over[0].Answered.Sub(over[0].Asked) != time.Second || over[0].Outcome != "ok" || over[0].Tab != 1 || !strings.Contains(answers[0], `"content"`) {
			t.Fatalf("over %+v: %v", over, answers)
		}
		mu.Unlock()

		h.hangs()
		c.send(callLine("2", "webmcp_shop_test_page0_x", `{}`))
		synctest.Wait()
		mu.Lock()
		stop := cancels[1]
		mu.Unlock()
		stop()
		synctest.Wait()
		c.take()
		mu.Lock()
		defer mu.Unlock()
		if len(over) != 2 || over[1].Outcome == "ok" {
			t.Errorf("a call that the user stopped: %+v: %s", over, answers[len(answers)-1])
		}
		if all := h.Clients(); len(all) != 1 || all[0].Session != "stdio-1" || all[0].Revision == "" || all[0].View.Mode != view.AllTabs {
			t.Errorf("clients: %+v", all)
		}
	})
}

// A client that can't ask its user has the hub's asked, while its call's time stands still. The record says how long a
// call waited for a person, whoever asked.
func TestThePersonAtTheHubIsAsked(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var asked []calls.Question
		var waited []time.Duration
		j := &asks{}
		h := newHub(t, echo, func(o *Options, _ *registry.Options) {
			o.Trust = j
			o.Settings.CallTimeout = time.Second
			o.Called = func(r calls.Record) { waited = append(waited, r.Person) }
			o.Person = func(_ context.Context, q calls.Question) (json.RawMessage, error) {
				asked = append(asked, q)
				fakeclock.Pause(time.Minute)
				return json.RawMessage(`{"action":"accept"}`), nil
			}
		})
		h.page("A", "https://shop.test/", "x")
		c := h.connect(true)
		c.handshake()
		c.send(callLine("1", "webmcp_shop_test_page0_x", `{}`))
		fakeclock.Elapse(time.Minute)
		synctest.Wait()
		if got := strings.Join(c.take(), "\n"); len(asked) != 1 || asked[0].Session != "stdio-1" || string(asked[0].Params) != `{"q":1}` || strings.Contains(got, "isError") {
			t.Errorf("asked %+v; %s", asked, got)
		}

		// The client that can ask its user does so.
		c = h.connect(true)
		c.send(helpful, initialized)
		c.take()
		c.send(callLine("2", "webmcp_shop_test_page0_x", `{}`))
		id := question(t, c.take(), "elicitation/create")
		fakeclock.Elapse(2 * time.Minute)
		c.send(`{"jsonrpc":"2.0","id":` + id + `,"result":{"action":"accept"}}`)
		c.take()
		if len(asked) != 1 || fmt.Sprint(waited) != "[1m0s 2m0s]" {
			t.Errorf("%d asked at the hub; calls waited %v for a person", len(asked), waited)
		}
	})
}

// asks is a Trust that has a person asked about everything.
type asks struct{ judge }

func (a *asks) Judge(ctx context.Context, d calls.Action) *calls.Refusal {
	if d.Ask == nil {
		return &calls.Refusal{Text: "nobody can be asked"}
	}
	if _, err := d.Ask(ctx, json.RawMessage(`{"q":1}`)); err != nil {
		return &calls.Refusal{Text: err.Error()}
	}
	return nil
}
