package mcpbhub

import (
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"

	"webmcphub/extlink"
	"webmcphub/extlink/exttest"
	"webmcphub/internal/fakeclock"
)

const registerNowhere = `{"jsonrpc":"2.0","method":"browser/registerTools","params":{"tools":[{"name":"x","inputSchema":{}}]}}`

func TestRegistrationWithoutAnAddress(t *testing.T) {
	bubble(t, func(t *testing.T) {
		nowhere := strings.Replace(connected, "https://shop.test/", "about:blank", 1)
		p := connect(t)
		p.says(registerNowhere)
		p.hears(nowhere, tools1)
		p.says(registerNowhere)
		p.hears()
		p.says(register)
		doc2 := func(s string) string { return strings.Replace(s, `"doc":"1"`, `"doc":"2"`, 1) }
		p.hears(`{"type":"tabUpdated","tab":{"id":1,"title":"","url":"https://shop.test/","doc":"2","active":false}}`, doc2(tools1))
		p.says(strings.Replace(registerNowhere, "registerTools", "updateTools", 1)) // where it is
		p.hears()
		p.losesItsTab()
		p.says(registerNowhere) // the lost tab's address is not the new one's
		doc3 := func(s string) string { return strings.Replace(s, `"doc":"1"`, `"doc":"3"`, 1) }
		p.hears(doc3(nowhere), doc3(tools1))
		p.close()
	})
}

func TestOnlyRegistrationMovesTheTab(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := connect(t)
		p.says(register)
		p.hears(connected, tools1)
		elsewhere := strings.Replace(register, "shop.test/", "shop.test/b", 1)
		p.says(strings.Replace(elsewhere, "registerTools", "updateTools", 1))
		p.hears()
		p.says(elsewhere) // with the same tools
		p.hears(`{"type":"tabUpdated","tab":{"id":1,"title":"","url":"https://shop.test/b","doc":"2","active":false}}`, strings.Replace(tools1, `"doc":"1"`, `"doc":"2"`, 1))
		p.close()
	})
}

func TestRegistrationWithoutTools(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := connect(t)
		p.says(strings.Replace(register, `[{"name":"x","inputSchema":{}}]`, `[]`, 1))
		p.hears(connected)
		p.close()
	})
}

func TestExtensionsStayUntilOthersCome(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := connect(t)
		for _, c := range []struct{ extensions, want string }{
			{`"extensions":{"a":1},`, `,"extensions":{"a":1}`}, {``, `,"extensions":{"a":1}`}, {`"extensions":{"b":2},`, `,"extensions":{"b":2}`}, {`"extensions":{},`, ``},
		} {
			p.says(strings.Replace(register, `"tabUrl"`, c.extensions+`"tabUrl"`, 1))
			synctest.Wait()
			p.orders(`{"type":"callTool","callId":"8","toolName":"x"}`)
			p.gets(`{"jsonrpc":"2.0","id":"8","method":"browser/executeTool","params":{"toolName":"x","args":{}` + c.want + `}}`)
		}
		p.close()
	})
}

func TestRequestsOfTheProxyAreAnswered(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := connect(t)
		p.misspeaks(`{"jsonrpc":"1.0","id":1,"method":"ping"}`) // another protocol's
		p.says(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
		p.gets(`{"jsonrpc":"2.0","id":2,"result":{}}`)
		p.says(strings.Replace(register, `"method"`, `"id":3,"method"`, 1))
		p.gets(`{"jsonrpc":"2.0","id":3,"result":{}}`)
		p.hears(connected, tools1)
		p.says(`{"jsonrpc":"2.0","id":4,"method":"initialize"}`)
		p.gets(`{"jsonrpc":"2.0","id":4,"result":{"capabilities":{"browser":{"multiTabSupport":true,"cacheSupported":true,"elicitation":true},"tools":{"listChanged":true}},"protocolVersion":"2025-06-18","serverInfo":{"name":"webmcp-hub","version":"1"}}}`)
		for _, order := range []string{"openTab", "focusTab", "closeTab"} {
			p.orders(`{"type":"` + order + `","requestId":"r"}`)
			p.hears(`{"type":"orderResult","error":"an MCP-B proxy opens, focuses and closes no tabs","requestId":"r"}`)
		}
		p.close()
	})
}

// A proxy that says nothing counts as alive all the time.
func TestAProxyMayBeSilent(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := connect(t)
		fakeclock.Elapse(100 * extlink.Silence)
		p.hears()
		p.says(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
		p.gets(`{"jsonrpc":"2.0","id":2,"result":{}}`)
		fakeclock.Elapse(100 * extlink.Silence)
		p.hears()
		p.close()
	})
}

// Nothing is left behind by a proxy that has gone while nobody read.
func TestAProxyThatGoesUnread(t *testing.T) {
	bubble(t, func(t *testing.T) {
		proxy := exttest.NewWire()
		extlink.NewConn(Translate(proxy, extlink.Capabilities{}), extlink.Connect{}, slog.New(slog.DiscardHandler), func(extlink.Message, int) {})
		fakeclock.Elapse(100 * extlink.Silence)
		_ = proxy.Close() // the bubble waits for its goroutines
	})
}

// A list of what are no tools has no answer many times its length.
func TestManyRefusedToolsAreNamedInPart(t *testing.T) {
	sound, refused := soundTools([]byte("[" + strings.Repeat("0,", 10*maxRefused) + `{"name":"x","inputSchema":{}}]`))
	if want := []extlink.Tool{{Name: "x", InputSchema: []byte(`{}`)}}; len(refused) != maxRefused || !reflect.DeepEqual(sound, want) {
		t.Errorf("%d are named, and %v is kept", len(refused), sound)
	}
}
