package cdp_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/actors"
	. "webmcphub/actors/hubtest"
	"webmcphub/actors/tab"
	"webmcphub/actors/tab/cdp"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/internal/fakeclock"
	"webmcphub/registry"
	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

func TestOffersOfAPage(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		o := newOffering(t)
		o.expect("a://", "slow", "t://{x}", "ask")
		if a := <-o.read(t.Context(), o.resource("a://")); a.result != `{"contents":"read"}` || a.err != nil {
			t.Errorf("%+v", a)
		}
		before := o.catalog()
		o.own.Say(`{"method":"notifications/resources/list_changed"}`)
		if o.catalog() != before {
			t.Error("nothing changed, but there is another catalog")
		}
		o.shelf.mu.Lock()
		o.shelf.resources = []string{"b://"}
		o.shelf.mu.Unlock()
		o.own.Say(`{"method":"notifications/resources/list_changed"}`)
		o.expect("b://", "t://{x}", "ask")
		o.own.Say(Stopped)
		o.expect()
		o.own.Say(Ready)
		o.expect("b://", "t://{x}", "ask")
		o.page.Navigate(Cart)
		o.expect()
	})
}

// A registry actor that panicked is told of the offers again; clients keep
// theirs meanwhile.
func TestOffersAfterARegistryPanic(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		o := newOffering(t)
		o.resource("a://")
		o.Pub.Also(func([]registry.Effect) {
			o.Pub.Also(o.take)
			panic("a test's panic")
		})
		o.page.Register(Tool("more")) // which is what is published as it panics
		o.Quiet()
		fakeclock.Elapse(time.Second)
		o.expect("a://", "slow", "t://{x}", "ask")
		o.shelf.mu.Lock()
		o.shelf.resources = []string{"b://"}
		o.shelf.mu.Unlock()
		o.own.Say(`{"method":"notifications/resources/list_changed"}`)
		o.expect("b://", "t://{x}", "ask")
	})
}

func TestReadingEnds(t *testing.T) {
	for name, end := range map[string]struct {
		by   func(o *offering)
		says string
	}{
		"with the page":     {func(o *offering) { o.page.Close() }, "gone"},
		"by navigation":     {func(o *offering) { o.page.Navigate(Cart) }, "document is gone"},
		"with the server":   {func(o *offering) { o.own.Say(Stopped) }, "has stopped"},
		"by a crash":        {func(o *offering) { o.page.Crash() }, "document is gone"},
		"with Chrome":       {func(o *offering) { o.Chrome.Die() }, "gone"},
		"with the hub":      {func(o *offering) { o.StopNow() }, "gone"},
		"by a page's panic": {func(o *offering) { o.InActor(o.page, func(*tab.Tab) { panic("a test's panic") }) }, "gone"},
	} {
		t.Run(name, func(t *testing.T) {
			Bubble(t, func(t *testing.T) {
				o := newOffering(t)
				done := o.read(t.Context(), o.resource("slow"))
				end.by(o)
				o.wantFailure(done, end.says)
			})
		})
	}
	t.Run("by its caller", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			o := newOffering(t)
			ctx, cancel := context.WithCancelCause(t.Context())
			done := o.read(ctx, o.resource("slow"))
			over := errors.New("enough")
			cancel(over)
			synctest.Wait()
			if a := <-done; a.err != over {
				t.Errorf("%+v", a)
			}
			if n := o.own.Requests("notifications/cancelled"); n != 1 {
				t.Errorf("the page was told %d times", n)
			}
		})
	})
	t.Run("before it begins", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			o := newOffering(t)
			old := o.resource("a://")
			o.page.Navigate(Cart)
			o.Quiet()
			o.wantFailure(o.read(t.Context(), old), "has navigated to "+Cart)
			o.page.Close()
			o.Quiet()
			o.wantFailure(o.read(t.Context(), old), "its page is gone")
		})
	})
	t.Run("by a refusal", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			o := newOffering(t)
			_, err := o.Ask(t.Context(), o.resource("a://").Server, "nonsense", json.RawMessage(`{}`), nil)
			if want := (registry.PageError{Code: -32601, Text: "Method not found or tool not found"}); err != want {
				t.Errorf("%v", err)
			}
		})
	})
}

func TestPageSpeaksMeanwhile(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		o := newOffering(t)
		for range 3 {
			o.own.Say(`{"method":"notifications/resources/updated","params":{"uri":"a://"}}`)
		}
		o.own.Say(`{"method":"notifications/message","params":{"level":"error","data":"x"}}`)
		o.Quiet()
		updated, logs := 0, 0
		for _, e := range o.events {
			switch e := e.(type) {
			case registry.ResourcesUpdated:
				updated++
				if e.Server != o.resource("a://").Server || !slices.Equal(e.URIs, []string{"a://"}) {
					t.Errorf("%+v", e)
				}
			case registry.PageLogged:
				logs++
				if e.Origin != "http://shop.test" || string(e.Params) != `{"level":"error","data":"x"}` {
					t.Errorf("%+v", e)
				}
			}
		}
		if updated < 1 || updated > 3 || logs != 1 {
			t.Errorf("told of %d updates and %d messages", updated, logs)
		}

		o.SetLogLevel("info")
		o.Quiet()
		o.own.Say(Stopped)
		o.own.Say(Ready) // a server that comes later is told too
		o.Quiet()
		if got := o.shelf.heard("logging/setLevel"); !slices.Equal(got, []string{`{"level":"info"}`, `{"level":"info"}`}) {
			t.Errorf("levels: %q", got)
		}
	})
}

// Of levels that are set in a row a page's server keeps the newest, however slowly
// it takes them.
func TestLogLevelsKeepTheirOrder(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		o := newOffering(t)
		release := o.own.Hold("logging/setLevel")
		for _, level := range []string{"debug", "warning", "error"} {
			o.SetLogLevel(level)
			o.Quiet()
		}
		if n := o.own.Requests("logging/setLevel"); n != 1 {
			t.Errorf("%d levels are told at once", n)
		}
		release()
		o.Quiet()
		if got := o.shelf.heard("logging/setLevel"); !slices.Equal(got, []string{`{"level":"debug"}`, `{"level":"error"}`}) {
			t.Errorf("levels: %q", got)
		}
	})
}

// A page's flood of messages is cut off, and costs no memory.
func TestLogsAreBounded(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		o := newOffering(t)
		release := o.StopActor(o.page)
		for range 10 * cdp.MaxLogs {
			o.page.Main().FromPage(json.RawMessage(`{"method":"notifications/message","params":{"level":"error","data":"x"}}`))
		}
		release()
		o.Quiet()
		if n := len(o.events); n < 1 || n > 2*cdp.MaxLogs {
			t.Errorf("%d messages are passed on", n)
		}
	})
}

func TestPageAsks(t *testing.T) {
	ask := func(o *offering, id string) {
		o.own.Say(`{"jsonrpc":"2.0","id":` + id + `,"method":"sampling/createMessage","params":{"n":1}}`)
	}
	answered := func(o *offering) string {
		synctest.Wait()
		o.own.Mu.Lock()
		defer o.own.Mu.Unlock()
		return string(o.own.Last)
	}
	t.Run("and is answered", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			var asked offer.PageRequest
			o := newOffering(t, func(o *actors.Options) {
				o.PageRequests = func(_ context.Context, r offer.PageRequest) (json.RawMessage, error) {
					if asked = r; r.Method == sanitize.MethodRoots {
						return nil, registry.PageError{Code: -32601, Text: "no roots"}
					}
					return json.RawMessage(`{"said":1}`), nil
				}
			})
			ask(o, "7")
			if got := answered(o); got != `{"id":7,"jsonrpc":"2.0","result":{"said":1}}` {
				t.Errorf("answered %s", got)
			}
			if asked.Origin != "http://shop.test" || asked.Server != o.resource("a://").Server || string(asked.Params) != `{"n":1}` {
				t.Errorf("asked %+v", asked)
			}
			o.own.Say(`{"jsonrpc":"2.0","id":8,"method":"roots/list"}`)
			if got := answered(o); got != `{"error":{"code":-32601,"message":"no roots"},"id":8,"jsonrpc":"2.0"}` {
				t.Errorf("answered %s", got)
			}
		})
	})
	t.Run("nobody", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			o := newOffering(t)
			ask(o, "7")
			if got := answered(o); !strings.Contains(got, "-32601") {
				t.Errorf("answered %s", got)
			}
		})
	})
	for name, end := range map[string]func(o *offering){
		"and is closed":   func(o *offering) { o.page.Close() },
		"and navigates":   func(o *offering) { o.page.Navigate(Cart) },
		"and takes back":  func(o *offering) { o.own.Say(`{"method":"notifications/cancelled","params":{"requestId":7}}`) },
		"and Chrome ends": func(o *offering) { o.Chrome.Die() },
	} {
		t.Run(name, func(t *testing.T) {
			Bubble(t, func(t *testing.T) {
				ended := make(chan time.Time, 1)
				o := newOffering(t, func(o *actors.Options) {
					o.PageRequests = func(ctx context.Context, _ offer.PageRequest) (json.RawMessage, error) {
						<-ctx.Done()
						ended <- time.Now()
						return nil, ctx.Err()
					}
				})
				ask(o, "7")
				begun := time.Now()
				end(o)
				synctest.Wait()
				select {
				case at := <-ended:
					if took := at.Sub(begun); took > time.Second {
						t.Errorf("it took %v", took)
					}
				default:
					t.Error("it goes on")
				}
			})
		})
	}
}

// Whoever judges what a frame asks for is told whose page it is in.
func TestPageAsksFromAFrame(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		var asked offer.PageRequest
		o := newOffering(t, func(o *actors.Options) {
			o.PageRequests = func(_ context.Context, r offer.PageRequest) (json.RawMessage, error) {
				asked = r
				return json.RawMessage(`{}`), nil
			}
		})
		frame := o.page.AddFrame("http://ads.test/")
		o.Quiet()
		own := &Server{MCPServer: cdptest.NewMCPServer(Tool("win")), H: o.TestHub, Frame: frame, Asked: map[string]int{}, Gates: map[string]chan struct{}{}}
		t.Cleanup(own.Stop)
		frame.ServeMCP(own.Handle)
		o.Quiet()
		own.Say(`{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","params":{}}`)
		synctest.Wait()
		if asked.Origin != "http://ads.test" || asked.PageOrigin != "http://shop.test" {
			t.Errorf("asked %+v", asked)
		}
	})
}
