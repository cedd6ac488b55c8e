package cdptest

import (
	"encoding/json"
	"fmt"
	"strings"

	"webmcphub/cdpclient"
)

// MCPHandler is a page's own MCP server: it gets each payload that the hub
// sends through the bridge (a JSON-RPC object, or the string
// "mcp-check-ready") and gives the payloads that go back. Payloads of one page
// come one after the other, on a goroutine of their own, except for tools/call,
// which has one each: pages run tools side by side.
type MCPHandler func(payload json.RawMessage) []json.RawMessage

// ServeMCP gives the main document an MCP server, from now on.
func (p *Page) ServeMCP(h MCPHandler) { p.t.root.ServeMCP(h) }

// ServeMCP gives the frame's document an MCP server. Like a real one it is
// asked at once whether it is ready, if the bridge is there.
func (f *Frame) ServeMCP(h MCPHandler) {
	f.do(func() {
		f.doc.mcp = h
		f.checkReady()
	})
}

// FromPage sends a payload of the main document's server to the hub.
func (p *Page) FromPage(payload json.RawMessage) { p.t.root.FromPage(payload) }

// FromPage sends a payload of the frame's server to the hub.
func (f *Frame) FromPage(payload json.RawMessage) {
	f.do(func() { f.ferry(f.doc, payload) })
}

// Binding calls a binding with any text, as only a broken bridge would.
func (f *Frame) Binding(name, payload string) {
	f.do(func() { f.binding(name, payload) })
}

// ferry does what the bridge does with a message of the page.
func (f *Frame) ferry(d *document, payload json.RawMessage) {
	if f.gone || f.doc != d { // the document that spoke is gone
		return
	}
	text := `{"t":"mcp","p":` + string(payload) + `}`
	var m struct{ ID, Method json.RawMessage }
	if json.Unmarshal(payload, &m) == nil && m.Method == nil && d.requests[string(m.ID)] != nil {
		d.answered(m.ID, obj{"result": obj{"type": "string", "value": text}})
		return
	}
	f.binding(bindingName, text)
}

// answered settles the promise of a request.
func (d *document) answered(id json.RawMessage, result any) {
	if settle := d.requests[string(id)]; settle != nil {
		delete(d.requests, string(id))
		settle(result, nil)
	}
}

const bindingName = "__mcpBridgeToClient"

func (f *Frame) binding(name, payload string) {
	for _, s := range f.target().sessions {
		for _, b := range s.bindings {
			w := f.world(b.ExecutionContextName)
			if b.Name == name && w != nil && s.runtime {
				s.emit(cdpclient.RuntimeBindingCalled,
					cdpclient.BindingCalled{Name: name, Payload: payload, ExecutionContextID: w.id})
			}
		}
	}
}

// checkReady is what the bridge does when it starts and on its command.
func (f *Frame) checkReady() {
	if len(f.doc.contexts) > 1 {
		f.toServer(json.RawMessage(`"mcp-check-ready"`))
	}
}

// toServer hands a payload to the document's server, which answers in its own
// time.
func (f *Frame) toServer(payload json.RawMessage) {
	d := f.doc
	if d.mcp == nil {
		return
	}
	h, p := d.mcp, f.page
	serve := func() {
		for _, answer := range h(payload) {
			p.t.b.mu.Lock()
			f.ferry(d, answer)
			p.t.b.mu.Unlock()
		}
	}
	var r struct{ Method string }
	if json.Unmarshal(payload, &r) == nil && (r.Method == "tools/call" || r.Method == "resources/read") {
		p.server.do(func() { go serve() }) // after what came before it
		return
	}
	p.server.do(serve)
}

// script carries out Runtime.callFunctionOn and Runtime.evaluate as far as the
// hub needs: the bridge's functions, getTools and executeTool. All else gives
// undefined; see [Browser.On].
func (f *Frame) script(source string, args []json.RawMessage) any {
	undefined := obj{"result": obj{"type": "undefined"}}
	switch {
	case strings.Contains(source, "toServer"), strings.Contains(source, "__mcpBridge.request"):
		var text string
		if len(args) == 0 || json.Unmarshal(args[0], &text) != nil || !json.Valid([]byte(text)) {
			return exception("SyntaxError: the payload is not JSON")
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct{ RequestID json.RawMessage }
		}
		_ = json.Unmarshal([]byte(text), &m) // a string has none of these
		if !strings.Contains(source, "__mcpBridge.request") {
			f.toServer(json.RawMessage(text))
			if m.Method == "notifications/cancelled" {
				f.doc.answered(m.Params.RequestID, undefined)
			}
			return undefined
		}
		return promise(func(settle func(any, error)) {
			if f.doc.requests == nil {
				f.doc.requests = map[string]func(any, error){}
			}
			f.doc.requests[string(m.ID)] = settle
			f.toServer(json.RawMessage(text))
		})
	case strings.Contains(source, "new Promise(() => {})"):
		return promise(func(func(any, error)) {})
	case strings.Contains(source, ".error-code"):
		return obj{"result": obj{"type": "string", "value": f.page.t.b.sites[f.doc.failed].Unreachable}}
	case strings.Contains(source, "'modelContext' in document"):
		return obj{"result": obj{"type": "object",
			"value": obj{"loaded": f.doc.complete, "webmcp": !f.page.t.b.sites[f.doc.url].NoWebMCP}}}
	case strings.Contains(source, "checkReady"):
		f.checkReady()
	case strings.Contains(source, "executeTool"):
		var name, input string
		if len(args) != 2 || json.Unmarshal(args[0], &name) != nil || json.Unmarshal(args[1], &input) != nil {
			return exception("TypeError: executeTool")
		}
		return f.execute(name, json.RawMessage(input))
	case strings.Contains(source, "getTools"):
		var names []string // of those whose schemas are wanted; all tools if there are none
		if len(args) > 0 {
			_ = json.Unmarshal(args[0], &names)
		}
		return obj{"result": obj{"type": "object", "value": f.pageTools(names)}}
	}
	return undefined
}

func exception(text string) any {
	e := obj{"type": "object", "subtype": "error", "className": "Error", "description": text}
	return obj{"result": e, "exceptionDetails": obj{"exceptionId": 1, "text": "Uncaught", "lineNumber": 0,
		"columnNumber": 0, "exception": e}}
}

// contextOf finds the frame and world that a script is meant for.
func (t *target) contextOf(id int, unique string) (*Frame, error) {
	if id == 0 && unique == "" {
		return t.root, nil
	}
	for _, f := range t.root.frames() {
		for _, w := range f.doc.contexts {
			if id != 0 && w.id == id || unique != "" && w.unique == unique {
				return f, nil
			}
		}
	}
	if unique != "" {
		return nil, fmt.Errorf("uniqueContextId not found")
	}
	return nil, &cdpclient.Error{Code: -32000, Message: "Cannot find context with specified id"}
}
