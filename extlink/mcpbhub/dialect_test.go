package mcpbhub

import (
	"encoding/json"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"webmcphub/extlink"
	"webmcphub/extlink/exttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func bubble(t *testing.T, f func(t *testing.T)) { synctest.Test(t, f) }

// proxy is a scripted MCP-B proxy and the hub's end of its connection.
type proxy struct {
	t    *testing.T
	wire *exttest.Wire
	hub  *extlink.Conn
	said chan extlink.Message // to the hub
}

func connect(t *testing.T) *proxy {
	return connectWith(t, extlink.Capabilities{MultiTabSupport: true, CacheSupported: true, Elicitation: true})
}

func connectWith(t *testing.T, can extlink.Capabilities) *proxy {
	p := &proxy{t: t, wire: exttest.NewWire(), said: make(chan extlink.Message, 100)}
	p.hub = extlink.NewConn(Translate(p.wire, can), extlink.Connect{}, slog.New(slog.DiscardHandler), func(m extlink.Message, _ int) { p.said <- m })
	return p
}

// losesItsTab has the proxy answer a call by saying that it has no tab any more.
func (p *proxy) losesItsTab() {
	p.t.Helper()
	p.says(`{"jsonrpc":"2.0","id":"7","error":{"code":-32001,"message":"TabNotFound"}}`)
	synctest.Wait()
	if got, want := <-p.said, (extlink.ToolResult{CallID: "7", NotBegun: true}); !reflect.DeepEqual(got, want) {
		p.t.Errorf("the hub hears %+v, want %+v", got, want)
	}
	p.hears(`{"type":"tabClosed","tabId":1}`)
}

// hears compares what the hub hears, in the extension's words.
func (p *proxy) hears(want ...string) {
	p.t.Helper()
	synctest.Wait()
	for _, w := range want {
		if err := exttest.CheckSchema(exttest.FromExtension, []byte(w)); err != nil {
			p.t.Error(err)
		}
		m, err := extlink.Decode([]byte(w))
		if err != nil {
			p.t.Error(err)
		}
		select {
		case got := <-p.said:
			if !reflect.DeepEqual(got, m) {
				p.t.Errorf("the hub hears %+v\nwant %+v", got, m)
			}
		default:
			p.t.Errorf("the hub does not hear %s", w)
		}
	}
	select {
	case more := <-p.said:
		p.t.Errorf("the hub hears %+v as well", more)
	default:
	}
}

// gets compares what the proxy is sent next.
func (p *proxy) gets(want string) {
	p.t.Helper()
	got, ok := p.wire.Next()
	if err := exttest.CheckSchema(exttest.ToMCPBProxy, []byte(got)); err != nil {
		p.t.Error(err)
	}
	if !ok || got != want {
		p.t.Errorf("the proxy gets %s\nwant %s", got, want)
	}
}

// says has the proxy say something that the schema of its messages knows.
func (p *proxy) says(msg string) {
	p.t.Helper()
	if err := exttest.CheckSchema(exttest.FromMCPBProxy, []byte(msg)); err != nil {
		p.t.Error(err)
	}
	p.wire.Say(msg)
}

// misspeaks has it say something that the schema refuses.
func (p *proxy) misspeaks(msg string) {
	p.t.Helper()
	if exttest.CheckSchema(exttest.FromMCPBProxy, []byte(msg)) == nil {
		p.t.Errorf("the schema has nothing against %s", msg)
	}
	p.wire.Say(msg)
}

// orders has the hub say something, in the words that an extension hears.
func (p *proxy) orders(msg string) {
	p.t.Helper()
	var kind struct{ Type string }
	if err := json.Unmarshal([]byte(msg), &kind); err != nil {
		p.t.Fatal(err)
	}
	order := map[string]extlink.Order{"callTool": &extlink.CallTool{}, "cancelTool": &extlink.CancelTool{}, "pageAnswer": &extlink.PageAnswer{},
		"openTab": &extlink.OpenTab{}, "focusTab": &extlink.FocusTab{}, "closeTab": &extlink.CloseTab{}, "pong": &extlink.Pong{}}[kind.Type]
	if err := json.Unmarshal([]byte(msg), order); err != nil {
		p.t.Fatal(err)
	}
	p.hub.Send(reflect.ValueOf(order).Elem().Interface().(extlink.Order))
}

func (p *proxy) close() {
	p.hub.Close(extlink.CloseGoingAway, "")
	<-p.hub.Done()
}

const (
	register  = `{"jsonrpc":"2.0","method":"browser/registerTools","params":{"tools":[{"name":"x","inputSchema":{}}],"tabUrl":"https://shop.test/"}}`
	connected = `{"type":"connected","browser":{"name":"MCP-B proxy","version":"","fixed":true},"tabs":[{"id":1,"title":"","url":"https://shop.test/","doc":"1","active":false}]}`
	tools1    = `{"type":"toolsChanged","tabId":1,"doc":"1","tools":[{"name":"x","inputSchema":{}}]}`
)

func TestRegistration(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := connect(t)
		p.hears() // until the proxy has registered
		p.says(register)
		p.hears(connected, tools1)
		p.says(register) // idempotent, whatever the blanks
		p.says(strings.ReplaceAll(register, "\":", "\" : "))
		p.says(`{"jsonrpc":"2.0","method":"browser/updateTools","params":{"tools":[{"name":"x","inputSchema":{}}]}}`)
		p.hears()
		p.says(`{"jsonrpc":"2.0","method":"browser/updateTools","params":{"tools":[]}}`)
		p.hears(`{"type":"toolsChanged","tabId":1,"doc":"1","tools":[]}`)
		p.says(strings.Replace(register, "shop.test/", "shop.test/b", 1)) // another document
		p.hears(`{"type":"tabUpdated","tab":{"id":1,"title":"","url":"https://shop.test/b","doc":"2","active":false}}`, `{"type":"toolsChanged","tabId":1,"doc":"2","tools":[{"name":"x","inputSchema":{}}]}`)
		p.close()
	})
}

func TestCalls(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := connect(t)
		p.says(strings.Replace(register, `"tabUrl"`, `"extensions":{"token":"abc"},"tabUrl"`, 1))
		p.hears(connected, tools1)
		p.orders(`{"type":"callTool","callId":"7","tabId":1,"toolName":"x","args":{"a":1},"frameId":0}`)
		p.gets(`{"jsonrpc":"2.0","id":"7","method":"browser/executeTool","params":{"toolName":"x","args":{"a":1},"extensions":{"token":"abc"}}}`)
		p.says(`{"jsonrpc":"2.0","id":"7","result":{"success":true,"payload":{"content":[],"_meta":{"k":"v"}}}}`)
		p.hears(`{"type":"toolResult","callId":"7","result":{"content":[],"_meta":{"k":"v"}}}`)
		p.says(`{"jsonrpc":"2.0","id":"8","result":{"success":false,"payload":"no stock"}}`)
		p.hears(`{"type":"toolResult","callId":"8","error":"no stock"}`)
		p.misspeaks(`{"jsonrpc":"2.0","id":"9","result":{}}`)
		p.hears(`{"type":"toolResult","callId":"9","error":"the MCP-B proxy's answer is not {success, payload}"}`)
		p.says(`{"jsonrpc":"2.0","id":"10","error":{"code":-32000,"message":"busy"}}`)
		p.hears(`{"type":"toolResult","callId":"10","error":"busy"}`)
		p.says(`{"jsonrpc":"2.0","id":"12","result":{"success":false,"payload":{"why":"odd"}}}`)
		p.hears(`{"type":"toolResult","callId":"12","error":"{\"why\":\"odd\"}"}`)
		p.orders(`{"type":"cancelTool","callId":"11"}`)
		p.gets(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"11"}}`)
		p.orders(`{"type":"openTab","url":"https://x.test/","requestId":"r"}`)
		p.hears(`{"type":"orderResult","error":"an MCP-B proxy opens, focuses and closes no tabs","requestId":"r"}`)
		p.close()
	})
}

// A proxy that has lost its tab says so; it may register another one.
func TestTabNotFound(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := connect(t)
		p.says(`{"jsonrpc":"2.0","id":1,"method":"browser/updateTools","params":{"tools":[]}}`)
		p.gets(`{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"TabNotFound: browser/registerTools comes first"}}`)
		p.says(register)
		p.hears(connected, tools1)
		p.losesItsTab()
		p.says(register)
		p.hears(strings.Replace(connected, `"doc":"1"`, `"doc":"2"`, 1), strings.Replace(tools1, `"doc":"1"`, `"doc":"2"`, 1))
		p.close()
	})
}

func TestNegotiationAndBadInput(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := connect(t)
		p.says(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{"browser":{}}}}`)
		got, _ := p.wire.Next()
		var r struct {
			Result struct {
				Capabilities struct{ Browser extlink.Capabilities }
			}
		}
		if json.Unmarshal([]byte(got), &r) != nil || r.Result.Capabilities.Browser != (extlink.Capabilities{MultiTabSupport: true, CacheSupported: true, Elicitation: true}) {
			t.Error(got)
		}
		for _, bad := range []string{``, `x`, `[]`, `{}`, `{"jsonrpc":"2.0"}`, `{"jsonrpc":"2.0","method":"browser/registerTools"}`,
			`{"jsonrpc":"2.0","method":"browser/registerTools","params":{"tools":{}}}`, `{"jsonrpc":"2.0","method":"browser/registerTools","params":{"tools":[],"tabUrl":1}}`,
			`{"jsonrpc":"2.0","method":"unknown"}`, `{"jsonrpc":"2.0","id":[],"result":{}}`} {
			p.misspeaks(bad)
		}
		p.wire.SayTooMuch()
		p.hears()
		p.misspeaks(`{"jsonrpc":"2.0","id":2,"method":"unknown"}`)
		p.gets(`{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"unknown method"}}`)
		p.says(register)
		p.hears(connected, tools1)
		p.orders(`{"type":"pong"}`)
		_ = p.wire.Close()
		synctest.Wait()
		if end, ok := (<-p.said).(extlink.Closed); !ok || !strings.Contains(end.Err.Error(), "closed the connection") {
			t.Error(end.Err)
		}
	})
}

// What a proxy's initialize declares goes to the hub with the tab's tools, whenever
// it comes.
func TestProxysOwnCapabilities(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := connect(t)
		says := p.says
		initialize := func(browser string) {
			t.Helper()
			says(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{"browser":` + browser + `}}}`)
			p.wire.Next()
		}
		with := func(browser string) string {
			return strings.Replace(tools1, `"type":"toolsChanged",`, `"type":"toolsChanged","browser":`+browser+`,`, 1)
		}
		initialize(`{"cacheSupported":true,"elicitation":false}`)
		p.says(register)
		p.hears(connected, with(`{"multiTabSupport":false,"cacheSupported":true,"elicitation":false}`))
		initialize(`{"cacheSupported":true}`)
		p.hears()
		initialize(`{"elicitation":true}`)
		p.hears(with(`{"multiTabSupport":false,"cacheSupported":false,"elicitation":true}`))
		says = p.misspeaks
		initialize(`{"multiTabSupport":true,"elicitation":"yes"}`)
		p.hears(with(`{"multiTabSupport":true,"cacheSupported":false,"elicitation":false}`))
		initialize(`[]`)
		p.hears(tools1)
		p.close()
	})
}

// A proxy that comes back takes its own place.
func TestInstances(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var names []string
		for _, instance := range []string{`"tab-1"`, `"tab-1"`, `"tab-2"`} {
			p := connect(t)
			p.says(strings.Replace(register, `"tabUrl"`, `"extensions":{"instance":`+instance+`},"tabUrl"`, 1))
			synctest.Wait()
			m := (<-p.said).(extlink.Connected)
			names = append(names, m.Browser.Instance)
			if _, err := extlink.Decode([]byte(strings.Replace(connected, `"version":""`, `"version":"","instance":"`+m.Browser.Instance+`"`, 1))); err != nil {
				t.Error(err)
			}
			p.close()
		}
		if !strings.HasPrefix(names[0], "mcpb-") || names[0] != names[1] || names[0] == names[2] {
			t.Error(names)
		}
	})
}
