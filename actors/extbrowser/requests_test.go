package extbrowser_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	. "webmcphub/actors"
	"webmcphub/actors/extbrowser"
	. "webmcphub/actors/hubtest"
	"webmcphub/actors/tab"
	"webmcphub/cdpclient/pagemcp"
	"webmcphub/extlink/exttest"
	"webmcphub/internal/jsonrpc"
	"webmcphub/registry"
	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// asker is a hub with one page of an extension whose requests the test answers.
type asker struct {
	*TestHub
	b       *exttest.Browser
	tab     *exttest.Tab
	asked   chan offer.PageRequest
	answers chan error // nil answers {"action":"accept"}
	ended   chan error // why a request was no longer waited for
}

func newAsker(t *testing.T) *asker {
	a := &asker{asked: make(chan offer.PageRequest, pagemcp.MaxRequests), answers: make(chan error), ended: make(chan error, pagemcp.MaxRequests)}
	a.TestHub = NewExtHub(t, func(o *Options) {
		o.PageRequests = func(ctx context.Context, r offer.PageRequest) (json.RawMessage, error) {
			a.asked <- r
			select {
			case err := <-a.answers:
				return json.RawMessage(`{"action":"accept"}`), err
			case <-ctx.Done():
				a.ended <- context.Cause(ctx)
				return nil, registry.PageError{Code: -1, Text: "cancelled"}
			}
		}
	})
	a.b = a.Join(exttest.New("one"))
	a.tab = a.b.OpenTab(Shop)
	a.Quiet()
	return a
}

func (a *asker) ask(tab int, id string) {
	a.b.Say(fmt.Sprintf(`{"type":"pageRequest","tabId":%d,"requestId":%q,"method":"elicitation/create","params":{"message":"Sure?"}}`, tab, id))
	synctest.Wait()
}

// got are the answers so far.
func (a *asker) got() string {
	synctest.Wait()
	var all []string
	for _, o := range a.b.Received("pageAnswer") {
		said := string(o.Result)
		if o.Error != nil {
			said = fmt.Sprintf("%d %s", o.Error.Code, o.Error.Message)
		}
		all = append(all, o.RequestID+" "+said)
	}
	return strings.Join(all, "; ")
}

func (a *asker) wants(want string) {
	a.T.Helper()
	if got := a.got(); got != want {
		a.T.Errorf("the page got %q, want %q", got, want)
	}
}

// A page that an extension or an MCP-B proxy reaches asks the agent as one over
// CDP does.
func TestExtPagesAsk(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		a := newAsker(t)
		a.ask(1, "q")
		r := <-a.asked
		page := a.Pub.Current().Tabs()[0]
		if r.Server.Page != page.Page || r.Origin != "http://shop.test" || r.PageOrigin != r.Origin || r.Method != sanitize.MethodElicitation || string(r.Params) != `{"message":"Sure?"}` {
			t.Errorf("asked %+v", r)
		}
		a.wants("")
		a.answers <- nil
		a.wants(`q {"action":"accept"}`)
		a.ask(1, "q") // the id is free again
		a.answers <- registry.PageError{Code: -32601, Text: "no client"}
		a.wants(`q {"action":"accept"}; q -32601 no client`)
		a.ask(1, "r")
		a.answers <- errors.New("odd")
		a.wants(`q {"action":"accept"}; q -32601 no client; r -32603 odd`)
	})
}

func TestExtRequestsEnd(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		a := newAsker(t)
		a.ask(1, "q")
		a.b.Say(`{"type":"cancelPageRequest","tabId":1,"requestId":"q"}`)
		if why := <-a.ended; why != extbrowser.ErrWithdrawn {
			t.Error(why)
		}
		a.wants("") // nobody waits
		a.ask(1, "q")
		a.tab.Navigate(Cart)
		if why := <-a.ended; why != tab.ErrDocumentGone {
			t.Error(why)
		}
		gone := "q -32603 " + tab.ErrDocumentGone.Error()
		a.wants(gone)
		page := a.Pub.Current().Tabs()[0].Page
		a.ask(1, "s")
		if err := a.DisconnectPage(t.Context(), page); err != nil {
			t.Fatal(err)
		}
		<-a.ended
		a.Quiet() // the answer is out
		a.ask(1, "t")
		said := gone + "; s -32603 " + tab.ErrDocumentGone.Error() + "; t -32603 its page " + registry.NotConnected
		a.wants(said)
		if err := a.ConnectPage(t.Context(), page); err != nil {
			t.Fatal(err)
		}
		a.ask(1, "u")
		a.tab.Close()
		<-a.ended
		said += "; u -32603 " + tab.ErrDocumentGone.Error()
		a.wants(said)
		a.ask(1, "v")
		a.wants(said + "; v -32603 there is no such tab")
		other := a.b.OpenTab(Shop)
		a.Quiet()
		a.ask(other.ID, "w")
		a.b.Die()
		<-a.ended // and nothing is left behind
	})
}

func TestExtRequestsAreBounded(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		a := newAsker(t)
		for i := range pagemcp.MaxRequests + 2 {
			a.ask(1, fmt.Sprint(i%(pagemcp.MaxRequests+1))) // the last is one that is under way
		}
		if got := a.got(); strings.Count(got, "may have 64 requests at a time") != 2 || !strings.HasPrefix(got, "64 -32600") {
			t.Errorf("the page got %q", got)
		}
		if n := len(a.asked); n != pagemcp.MaxRequests {
			t.Errorf("the agent was asked %d times", n)
		}
		a.tab.Close()
		synctest.Wait()
	})
	Bubble(t, func(t *testing.T) {
		h := NewExtHub(t)
		b := h.Join(exttest.New("one"))
		b.OpenTab(Shop)
		h.Quiet()
		b.Say(`{"type":"pageRequest","tabId":1,"requestId":"q","method":"roots/list"}`)
		h.Quiet()
		if got := b.Received("pageAnswer"); len(got) != 1 || got[0].Error == nil || got[0].Error.Code != jsonrpc.CodeMethodNotFound {
			t.Errorf("it got %+v", got)
		}
	})
}

// What a client's call brings with it goes to the page; a token only if
// somebody wants to hear how it goes on.
func TestExtCallsBringTheirMeta(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := NewExtHub(t)
		b := h.Join(exttest.New("one"))
		b.OpenTab(Shop).Register(exttest.Tool{Name: "add"})
		h.Quiet()
		tool := h.Tool("shop_test_page0_add")
		silent := func(json.RawMessage) {}
		for _, step := range []struct {
			meta, extensions string
			progress         func(json.RawMessage)
			want             string
		}{
			{"", "", nil, ``},
			{`{"test/a":1}`, `{"b":2}`, nil, `{"test/a":1} {"b":2}`},
			{`{"test/a":1}`, "", silent, `{"progressToken":"ID","test/a":1}`},
			{"", "", silent, `{"progressToken":"ID"}`},
		} {
			h.Call(t.Context(), tool, json.RawMessage(`{}`), CallExtras{Progress: step.progress, Meta: json.RawMessage(step.meta), Extensions: json.RawMessage(step.extensions)})
			calls := b.Received("callTool")
			o := calls[len(calls)-1]
			if got := strings.TrimSpace(strings.ReplaceAll(string(o.Meta), o.CallID, "ID") + " " + string(o.Extensions)); got != step.want {
				t.Errorf("%+v: %s", step, got)
			}
		}
	})
}
