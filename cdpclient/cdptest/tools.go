package cdptest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"webmcphub/cdpclient"
)

// Tool is a tool of a page. Without Execute it answers "ok".
type Tool struct {
	Name        string
	Title       string // which only the page's own API tells, and its MCP server
	Description string
	Schema      json.RawMessage // nil is none given
	ReadOnly    *bool
	ServerHints map[string]bool // which only its MCP server tells, besides ReadOnly
	Output      json.RawMessage // its output schema, which only its MCP server tells
	// Execute gets the arguments as Chrome hands them over (keys sorted) and a
	// context that ends when the call is cancelled or its document goes away.
	// The result may be anything that has JSON, [Undefined] or [Never]; an
	// error is what a throw is in a page.
	Execute func(ctx context.Context, args json.RawMessage) (any, error)
}

type special string

// Results of [Tool].Execute that have no JSON.
const (
	Undefined special = "undefined"
	Never     special = "never" // the promise is never settled
)

// Register adds a tool to the main document.
func (p *Page) Register(tools ...Tool) { p.t.root.Register(tools...) }

// Unregister takes a tool of the main document away.
func (p *Page) Unregister(names ...string) { p.t.root.Unregister(names...) }

// Register adds tools to the frame's document, one event each. A name that is
// there already is refused, as a page would see it: silently for the hub.
func (f *Frame) Register(tools ...Tool) {
	f.do(func() {
		for _, tool := range tools {
			f.register(tool)
		}
	})
}

// Unregister takes tools away, one event each.
func (f *Frame) Unregister(names ...string) {
	f.do(func() {
		for _, name := range names {
			i := f.doc.index(name)
			if i < 0 {
				continue
			}
			f.doc.tools = slices.Delete(f.doc.tools, i, i+1)
			f.target().emitWebMCP(cdpclient.WebMCPToolsRemoved, &removed{Name: name, FrameID: f.id})
		}
	})
}

func (f *Frame) register(tool Tool) {
	if tool.Description == "" {
		tool.Description = "does " + tool.Name
	}
	if f.doc.index(tool.Name) >= 0 {
		return
	}
	f.doc.tools = append(f.doc.tools, tool)
	f.target().emitWebMCP(cdpclient.WebMCPToolsAdded, f.toolAdded(tool))
}

func (d *document) index(name string) int {
	return slices.IndexFunc(d.tools, func(t Tool) bool { return t.Name == name })
}

func (f *Frame) toolAdded(tool Tool) *added {
	a := added(f.toolJSON(tool))
	return &a
}

func (f *Frame) toolJSON(tool Tool) cdpclient.Tool {
	t := cdpclient.Tool{Name: tool.Name, Description: tool.Description, InputSchema: tool.Schema, FrameID: f.id}
	if tool.ReadOnly != nil {
		no := false
		t.Annotations = &cdpclient.ToolAnnotations{ReadOnly: tool.ReadOnly, UntrustedContent: &no, Consequential: &no,
			Debugging: &no}
	}
	return t
}

// announceTools sends the root frame's tools in one event, by name.
func (f *Frame) announceTools(to []*session) {
	if len(f.doc.tools) == 0 {
		return
	}
	var list cdpclient.ToolsAdded
	for _, tool := range f.doc.tools {
		list.Tools = append(list.Tools, f.toolJSON(tool))
	}
	slices.SortFunc(list.Tools, func(a, b cdpclient.Tool) int { return strings.Compare(a.Name, b.Name) })
	for _, s := range to {
		if s.webmcp {
			s.emit(cdpclient.WebMCPToolsAdded, list)
		}
	}
}

// pageTools is the frame's part of document.modelContext.getTools(), or of it
// those with names and a schema.
func (f *Frame) pageTools(names []string) []obj {
	list := []obj{}
	for _, tool := range f.doc.tools {
		if names != nil && (tool.Schema == nil || !slices.Contains(names, tool.Name)) {
			continue
		}
		t := obj{"name": tool.Name, "title": tool.Title, "description": tool.Description}
		if tool.Schema != nil {
			t["inputSchema"] = tool.Schema
		}
		if tool.ReadOnly != nil {
			t["annotations"] = obj{"readOnlyHint": *tool.ReadOnly, "untrustedContentHint": false,
				"consequentialHint": false, "debugging": false}
		}
		list = append(list, t)
	}
	slices.SortFunc(list, func(a, b obj) int { return strings.Compare(a["name"].(string), b["name"].(string)) })
	return list
}

// invocation is one running call.
type invocation struct {
	id     string
	frame  *Frame
	settle func(cdpclient.ToolResponded) // after the answer's event; may be nil
	ctx    context.Context
	cancel context.CancelFunc
	done   bool   // answered
	gone   bool   // its document went away: no answer comes
	next   string // where the tool itself is navigating to
}

type invocationKey struct{}

// invoke starts a call. The reply is sent by the caller, before.
func (f *Frame) invoke(tool Tool, input json.RawMessage) (c *invocation, run func()) {
	b := f.page.t.b
	c = &invocation{id: b.newID(), frame: f}
	c.ctx, c.cancel = context.WithCancel(context.WithValue(b.ctx, invocationKey{}, c))
	f.doc.calls = append(f.doc.calls, c)
	return c, func() {
		f.target().emitWebMCP(cdpclient.WebMCPToolInvoked,
			cdpclient.ToolInvoked{ToolName: tool.Name, FrameID: f.id, InvocationID: c.id, Input: string(input)})
		if tool.Execute == nil {
			c.finish("ok", nil)
			return
		}
		go func() {
			v, err := tool.Execute(c.ctx, input)
			b.mu.Lock()
			defer b.mu.Unlock()
			c.finish(v, err)
		}()
	}
}

// finish answers a call with what its tool gave.
func (c *invocation) finish(v any, err error) {
	defer c.cancel()
	if c.next != "" {
		c.departed(v, err)
		return
	}
	if c.done || c.gone || v == Never {
		return
	}
	c.respond(outcome(c.id, v, err))
}

func (c *invocation) respond(r cdpclient.ToolResponded) {
	c.done = true
	f := c.frame
	f.doc.calls = slices.DeleteFunc(f.doc.calls, func(x *invocation) bool { return x == c })
	f.target().emitWebMCP(cdpclient.WebMCPToolResponded, r)
	if c.settle != nil {
		c.settle(r)
	}
}

// execute is document.modelContext.executeTool() with the input's JSON. The promise
// brings what the hub makes of its own: {text}, or {failed}, in which Chrome hides
// what a tool threw.
func (f *Frame) execute(name string, input json.RawMessage) any {
	value := func(v obj) any { return obj{"result": obj{"type": "object", "value": v}} }
	i := f.doc.index(name)
	if i < 0 {
		return value(obj{"failed": "UnknownError: The operation failed for an unknown transient reason (e.g. out of memory)."})
	}
	return promise(func(settle func(any, error)) {
		c, run := f.invoke(f.doc.tools[i], input)
		c.settle = func(r cdpclient.ToolResponded) {
			if r.Status == cdpclient.StatusCompleted {
				settle(value(obj{"text": string(r.Output)}), nil)
			} else {
				settle(value(obj{"failed": "UnknownError: Tool was executed but the invocation failed. For example, " +
					"the script function threw an error"}), nil)
			}
		}
		run()
	})
}

// departed carries out the navigation that the tool started: its own result
// comes first, if there is one, and another with the new page.
func (c *invocation) departed(v any, err error) {
	if c.gone || c.frame.page.t.gone {
		return
	}
	p := c.frame.page
	same := origin(p.t.url) == origin(c.next)
	if v != Never && !c.done {
		c.respond(outcome(c.id, v, err))
	}
	p.commit(p.begin(c.next, "differentDocument"), "differentDocument")
	if same {
		p.t.root.load()
		p.t.emitWebMCP(cdpclient.WebMCPToolResponded, outcome(c.id, []any{}, nil))
		return
	}
	if !c.done {
		p.t.emitWebMCP(cdpclient.WebMCPToolResponded,
			cdpclient.ToolResponded{InvocationID: c.id, Status: cdpclient.StatusError,
				ErrorText: "Cannot return tool results after a cross-origin navigation"})
	}
	p.t.root.load()
}

// NavigateFromTool is an assignment to location.href within a tool of the main
// frame; ctx is the tool's. The navigation takes place when Execute returns: a
// value (or error) is delivered before it, after [Never] there is none.
func NavigateFromTool(ctx context.Context, url string) {
	c := ctx.Value(invocationKey{}).(*invocation)
	b := c.frame.page.t.b
	b.mu.Lock()
	defer b.mu.Unlock()
	if !c.gone {
		c.next = url
		c.frame.page.requested(url)
	}
}

// cancelInvocation aborts a call.
func (t *target) cancelInvocation(id string) error {
	for _, f := range t.root.frames() {
		for _, c := range f.doc.calls {
			if c.id == id {
				c.respond(cdpclient.ToolResponded{InvocationID: id, Status: cdpclient.StatusCanceled})
				c.cancel()
				return nil
			}
		}
	}
	return &cdpclient.Error{Code: cdpclient.CodeInvalidParams, Message: "No pending execution for invocation id"}
}

// outcome is Chrome's reading of what a tool gave: JSON.stringify, parsed again.
func outcome(id string, v any, err error) cdpclient.ToolResponded {
	r := cdpclient.ToolResponded{InvocationID: id, Status: cdpclient.StatusCompleted}
	if err != nil {
		r.Status = cdpclient.StatusError
		r.Exception = &cdpclient.RemoteObject{Type: "object", Subtype: "error", ClassName: "Error",
			Description: "Error: " + err.Error() + "\n    at execute (http://page.test/:1:1)", ObjectID: "1." + id}
		return r
	}
	switch v := v.(type) {
	case special:
		r.Output = json.RawMessage(`"` + string(v) + `"`)
	case string:
		switch {
		case v == "":
			r.Output = json.RawMessage(`"Operation succeeded"`)
		case json.Valid([]byte(v)):
			r.Output = json.RawMessage(v)
		}
	}
	if r.Output == nil {
		out, err := json.Marshal(v)
		if err != nil {
			return outcome(id, nil, err)
		}
		r.Output = out
	}
	if latin1(r.Output) {
		r.Output, _ = json.Marshal(string(r.Output))
	}
	return r
}

// latin1 says whether Chrome can't parse an output, since it has characters of
// U+0080 to U+00FF and none beyond.
func latin1(output json.RawMessage) (high bool) {
	if output[0] == '"' { // which it gives as it is in any case
		return false
	}
	for _, r := range string(output) {
		if r > 0xFF {
			return false
		}
		high = high || r >= 0x80
	}
	return high
}

// canonical is what arguments look like after Chrome's base::Value: keys sorted,
// numbers as doubles.
func canonical(input json.RawMessage) (json.RawMessage, error) {
	var m map[string]any
	if err := json.Unmarshal(input, &m); err != nil || m == nil || bytes.Equal(input, []byte("null")) {
		return nil, errors.New("not an object")
	}
	return json.Marshal(m)
}
