package mcpbhub

import (
	"strings"
	"testing"

	"webmcphub/extlink"
)

// What a call brings with it reaches the proxy, and how it goes on comes back.
func TestWhatACallBringsWithIt(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := connect(t)
		p.says(strings.Replace(register, `"tabUrl"`, `"extensions":{"token":"abc"},"tabUrl"`, 1))
		p.hears(connected, tools1)
		p.orders(`{"type":"callTool","callId":"7","tabId":1,"toolName":"x","args":{},"frameId":0,"_meta":{"progressToken":"7","test/k":[1]},"extensions":{"token":"forged","more":true}}`)
		p.gets(`{"jsonrpc":"2.0","id":"7","method":"browser/executeTool","params":{"toolName":"x","args":{},"extensions":{"more":true,"token":"abc"},"_meta":{"progressToken":"7","test/k":[1]}}}`)
		p.orders(`{"type":"callTool","callId":"8","tabId":1,"toolName":"x","frameId":0}`)
		p.gets(`{"jsonrpc":"2.0","id":"8","method":"browser/executeTool","params":{"toolName":"x","args":{},"extensions":{"token":"abc"}}}`)
		p.says(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"7","progress":1,"message":"half"}}`)
		p.hears(`{"type":"toolProgress","callId":"7","params":{"progressToken":"7","progress":1,"message":"half"}}`)
		for _, bad := range []string{``, `,"params":{}`, `,"params":{"progressToken":7}`, `,"params":[]`} {
			p.misspeaks(`{"jsonrpc":"2.0","method":"notifications/progress"` + bad + `}`)
		}
		p.hears()
		p.close()
	})
}

func TestRequestsOfThePage(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := connect(t)
		p.says(register)
		p.says(`{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"Sure?","requestedSchema":{"type":"object","properties":{}}}}`)
		p.hears(connected, tools1, `{"type":"pageRequest","tabId":1,"requestId":"1","method":"elicitation/create","params":{"message":"Sure?","requestedSchema":{"type":"object","properties":{}}}}`)
		p.orders(`{"type":"pageAnswer","requestId":"1","result":{"action":"accept","content":{}}}`)
		p.gets(`{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{}}}`)
		p.orders(`{"type":"pageAnswer","requestId":"\"b\"","error":{"code":-32601,"message":"no agent"}}`)
		p.gets(`{"jsonrpc":"2.0","id":"b","error":{"code":-32601,"message":"no agent"}}`)
		for said, want := range map[string]string{
			`"id":"a","method":"browser/elicitConfirmation","params":{"message":"Buy?"}`:                                                           `"requestId":"\"a\"","method":"elicitation/create","params":{"message":"Buy?","requestedSchema":{"type":"object","properties":{}}}`,
			`"id":2,"method":"browser/elicitConfirmation","params":{"message":"Which?","requestedSchema":{"type":"object","properties":{"a":{}}}}`: `"requestId":"2","method":"elicitation/create","params":{"message":"Which?","requestedSchema":{"type":"object","properties":{"a":{}}}}`,
			`"id":3,"method":"roots/list"`:                                      `"requestId":"3","method":"roots/list"`,
			`"id":5,"method":"browser/elicitConfirmation"`:                      `"requestId":"5","method":"elicitation/create","params":{"requestedSchema":{"type":"object","properties":{}}}`,
			`"id":4,"method":"sampling/createMessage","params":{"messages":[]}`: `"requestId":"4","method":"sampling/createMessage","params":{"messages":[]}`,
		} {
			p.says(`{"jsonrpc":"2.0",` + said + `}`)
			p.hears(`{"type":"pageRequest","tabId":1,` + want + `}`)
		}
		p.says(`{"jsonrpc":"2.0","id":6,"method":"browser/elicitConfirmation","params":null}`)
		p.hears(`{"type":"pageRequest","tabId":1,"requestId":"6","method":"elicitation/create","params":{"requestedSchema":{"type":"object","properties":{}}}}`)
		p.says(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}`)
		p.hears(`{"type":"cancelPageRequest","tabId":1,"requestId":"\"a\""}`)
		long := `"` + strings.Repeat("i", maxID) + `"`
		for said, want := range map[string]string{
			`"id":5,"method":"elicitation/create","params":[]`: `"id":5,"error":{"code":-32602,"message":"params must be an object"}`,
			`"id":` + long + `,"method":"roots/list"`:          `"id":` + long + `,"error":{"code":-32600,"message":"the id is too long"}`,
		} {
			p.says(`{"jsonrpc":"2.0",` + said + `}`)
			p.gets(`{"jsonrpc":"2.0",` + want + `}`)
		}
		for _, bad := range []string{`"method":"elicitation/create"`, `"id":null,"method":"roots/list"`, `"id":[],"method":"roots/list"`,
			`"method":"notifications/cancelled"`, `"method":"notifications/cancelled","params":{}`} {
			p.misspeaks(`{"jsonrpc":"2.0",` + bad + `}`)
		}
		p.hears()
		p.close()
	})
}

func TestRequestsThatCanNotBePassedOn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := connectWith(t, extlink.Capabilities{})
		p.says(register)
		p.hears(connected, tools1)
		p.says(`{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{}}`)
		p.gets(`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"pages' requests are not passed on to the agent (--no-page-requests)"}}`)
		p.hears()
		p.close()

		p = connect(t)
		p.says(`{"jsonrpc":"2.0","id":1,"method":"roots/list"}`)
		p.gets(`{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"TabNotFound: browser/registerTools comes first"}}`)
		p.close()
	})
}
