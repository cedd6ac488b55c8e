package gateway_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"webmcphub/cdpclient/cdptest"
	"webmcphub/cluster/gateway"
	"webmcphub/cluster/leases"
)

// Two gateways list what two nodes' pages offer, and a call reaches its page.
func TestListAndCall(t *testing.T) {
	one, two := startNode(t, "one"), startNode(t, "two")
	shop := one.open("http://shop.test/", tool("buy", says("bought at one")))
	for _, name := range []string{"gate-1", "gate-2"} {
		g := startGateway(t, name, []*site{one, two})
		a := connect(t, g, "")
		a.wants("webmcp_shop_test_page0_buy")
		a.gives("webmcp_shop_test_page0_buy", "bought at one")
		bank := two.open("http://bank.test/", tool("pay", says("paid at two")))
		a.wants("webmcp_shop_test_page0_buy", "webmcp_bank_test_page1_pay")
		a.gives("webmcp_bank_test_page1_pay", "paid at two")
		if list := a.call("list_tabs", `{}`); !strings.Contains(string(list.raw), `two/chrome-1`) {
			t.Errorf("the tabs' browsers aren't named: %s", list.raw)
		}
		bank.Close()
		a.wants("webmcp_shop_test_page0_buy")
	}
	shop.Close()
}

// Without a store there is nobody to tell limits to.
func TestLimitsWithoutStore(t *testing.T) {
	startGatewayOf(t, "gate", func(o *gateway.Options) { o.Limits = &leases.Limits{} })
}

// hangs is a tool that runs until it is told to stop. It says that it began, and that it ended.
func hangs(name string) (t cdptest.Tool, began, ended chan struct{}) {
	began, ended = make(chan struct{}, 8), make(chan struct{}, 8)
	return tool(name, func(ctx context.Context, _ json.RawMessage) (any, error) {
		began <- struct{}{}
		<-ctx.Done()
		ended <- struct{}{}
		return nil, ctx.Err()
	}), began, ended
}

// slowly is a tool's work that begins, and is done when it is let.
func slowly(began, release chan struct{}) func(context.Context, json.RawMessage) (any, error) {
	return func(ctx context.Context, _ json.RawMessage) (any, error) {
		began <- struct{}{}
		select {
		case <-release:
			return "done", nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// A client's cancellation reaches the page.
func TestCancel(t *testing.T) {
	one := startNode(t, "one")
	slow, began, ended := hangs("slow")
	one.open("http://shop.test/", slow)
	a := connect(t, startGateway(t, "gate", []*site{one}), "")
	a.wants("webmcp_shop_test_page0_slow")
	id, _ := a.begin("tools/call", `{"name":"webmcp_shop_test_page0_slow","arguments":{}}`)
	<-began
	a.say(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id))
	<-ended
}

// asking is a page's own MCP server whose tool tells its progress, asks the agent's user, and
// answers with what that says.
func asking(payload json.RawMessage) []json.RawMessage {
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct {
			Meta struct {
				ProgressToken json.RawMessage
			} `json:"_meta"`
		}
		Result json.RawMessage
	}
	_ = json.Unmarshal(payload, &m)
	switch {
	case m.Method == "tools/call":
		return []json.RawMessage{
			json.RawMessage(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":1,"total":2,"message":"half"}}`, m.Params.Meta.ProgressToken)),
			json.RawMessage(fmt.Sprintf(`{"jsonrpc":"2.0","id":"q%s","method":"elicitation/create","params":{"message":"Sure?","requestedSchema":{"type":"object","properties":{"yes":{"type":"boolean"}}}}}`, m.ID)),
		}
	case m.Result != nil && strings.HasPrefix(string(m.ID), `"q`):
		return []json.RawMessage{json.RawMessage(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":%q}]}}`, strings.Trim(string(m.ID), `"q`), m.Result))}
	}
	return cdptest.NewMCPServer(cdptest.Tool{Name: "order", Description: "orders"}).Handle(payload)
}

// What a page asks while it carries out a call comes to the client that called, and the answer to
// the page; so does its progress.
func TestQuestionAndProgress(t *testing.T) {
	one := startNode(t, "one")
	one.chrome.OpenPage("http://shop.test/").ServeMCP(asking)
	g := startGateway(t, "gate", []*site{one})
	a, other := connect(t, g, ""), connect(t, g, "")
	a.asks = func(method string, params json.RawMessage) any {
		if method != "elicitation/create" || !strings.Contains(string(params), "Sure?") {
			t.Errorf("asked %s %s", method, params)
		}
		return map[string]any{"action": "accept", "content": map[string]bool{"yes": true}}
	}
	other.asks = func(method string, _ json.RawMessage) any {
		t.Errorf("another client was asked %s", method)
		return nil
	}
	a.wants("webmcp_shop_test_page0_order")
	_, to := a.begin("tools/call", `{"name":"webmcp_shop_test_page0_order","arguments":{},"_meta":{"progressToken":7}}`)
	if r := a.resultOf(a.await(to)); !strings.Contains(r.text(), `"yes":true`) {
		t.Errorf("the page was answered %s", r.raw)
	}
	for {
		m := <-a.told
		if m.Method == "notifications/progress" && strings.Contains(string(m.Params), "half") {
			break
		}
	}
}

// A tab is opened at a node, beside those that are there, and in the browser that is named.
func TestOpenTab(t *testing.T) {
	one, two := startNode(t, "one"), startNode(t, "two")
	for _, s := range []*site{one, two} {
		s.chrome.Serve("http://new.test/", cdptest.Site{Tools: []cdptest.Tool{tool("at_"+s.name, says("ok"))}})
	}
	g := startGateway(t, "gate", []*site{one})
	a := connect(t, g, "")
	one.open("http://shop.test/", tool("buy", says("x")))
	a.wants("webmcp_shop_test_page0_buy")
	two.open("http://bank.test/", tool("pay", says("y")))
	g.SetNodes(map[string]string{"one": one.Addr(), "two": two.Addr()})
	a.wants("webmcp_shop_test_page0_buy", "webmcp_bank_test_page1_pay")
	if r := a.call("open_tab", `{"url":"http://new.test/","browser":"of=two"}`); r.IsError {
		t.Fatal(string(r.raw))
	}
	a.wants("webmcp_shop_test_page0_buy", "webmcp_bank_test_page1_pay", "webmcp_new_test_page2_at_two")
	if r := a.call("open_tab", `{"url":"http://new.test/"}`); r.IsError {
		t.Fatal(string(r.raw))
	}
	if len(one.chrome.Pages())+len(two.chrome.Pages()) != 4 {
		t.Error("no fourth tab")
	}
}
