package extlink

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"webmcphub/internal/jsonrpc"
)

// UnknownTypeError is [Decode]'s error for an unknown message type, such as one of a later protocol.
type UnknownTypeError struct{ Type string }

// Error names the type, cut to a readable length.
func (e *UnknownTypeError) Error() string { return fmt.Sprintf("unknown type %.40q", e.Type) }

// Decode decodes one message and checks its shape. It ignores unknown fields. The message shares no memory with data.
func Decode(data []byte) (Message, error) {
	var w wireMessage
	if err := json.Unmarshal(data, &w); err != nil {
		return nil, fmt.Errorf("not a message: %w", err)
	}
	var r reader
	kind := r.text("type", w["type"])
	if r.err != nil {
		return nil, fmt.Errorf("not a message: %w", r.err)
	}
	m := w.decode(kind, &r)
	switch {
	case kind == "":
		return nil, errors.New("a message without type")
	case m == nil:
		return nil, &UnknownTypeError{kind}
	case r.err != nil:
		return nil, fmt.Errorf("%s: %w", kind, r.err)
	}
	return m, nil
}

// wireMessage has the members of a message. They are raw JSON, because their types depend on the message's type.
type wireMessage map[string]json.RawMessage

// decode returns the message, or nil if its type is unknown.
func (w wireMessage) decode(kind string, r *reader) Message {
	switch kind {
	case "ping":
		return Ping{}
	case "disconnected":
		return Disconnected{}
	case "connected":
		return Connected{r.browser(w["browser"]), r.tabs(w["tabs"])}
	case "tabCreated":
		return TabCreated{r.tab(w["tab"])}
	case "tabUpdated":
		return TabUpdated{r.tab(w["tab"])}
	case "tabClosed":
		return TabClosed{r.tabID(w["tabId"])}
	case "tabFocused":
		return TabFocused{r.toolsChanged(w)}
	case "toolsChanged":
		return r.toolsChanged(w)
	case "toolResult":
		return r.toolResult(w)
	case "toolProgress":
		return ToolProgress{r.required("callId", w["callId"]), r.requiredObject("params", w["params"])}
	case "orderResult":
		m := OrderResult{RequestID: r.required("requestId", w["requestId"]), Error: r.text("error", w["error"])}
		if !absent(w["tabId"]) {
			m.TabID = r.tabID(w["tabId"])
		}
		return m
	case "debuggerReply":
		return r.debuggerReply(w)
	case "debuggerEvent":
		return DebuggerEvent{r.tabID(w["tabId"]), r.text("sessionId", w["sessionId"]), r.required("method", w["method"]),
			r.object("params", w["params"])}
	case "debuggerDetached":
		return DebuggerDetached{r.tabID(w["tabId"]), r.text("reason", w["reason"])}
	case "setPaused":
		return SetPaused{r.text("origin", w["origin"]), r.is("paused", w["paused"])}
	case "setPermission":
		return r.setPermission(w)
	case "pageRequest":
		return PageRequest{r.tabID(w["tabId"]), r.requestID(w["requestId"]), r.required("method", w["method"]),
			r.object("params", w["params"])}
	case "cancelPageRequest":
		return PageRequestCancelled{r.tabID(w["tabId"]), r.requestID(w["requestId"])}
	}
	return nil
}

func (r *reader) browser(raw json.RawMessage) Browser {
	var b struct {
		Name, Version string
		Instance      *string
		Fixed         bool
		Automation    bool
		AgentStatus   bool
	}
	r.into("browser", raw, &b)
	is := Browser{Name: b.Name, Version: b.Version, Fixed: b.Fixed, Automation: b.Automation, AgentStatus: b.AgentStatus}
	if b.Instance == nil {
		return is
	}
	if is.Instance = *b.Instance; !soundInstance(is.Instance) {
		r.fail("browser.instance is not 1 to 64 letters, digits and hyphens")
	}
	return is
}

func soundInstance(s string) bool {
	for _, c := range []byte(s) {
		if c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return len(s) > 0 && len(s) <= 64
}

func (r *reader) debuggerReply(w wireMessage) DebuggerReply {
	m := DebuggerReply{TabID: r.tabID(w["tabId"]), Result: r.object("result", w["result"])}
	id := wholeNumber(w["id"])
	if id < 0 {
		r.fail("id is not a whole number from 0")
	}
	m.ID = uint64(id)
	if !absent(w["attempt"]) {
		attempt := wholeNumber(w["attempt"])
		if attempt < 1 {
			r.fail("attempt is not a whole number from 1")
		}
		m.Attempt = uint64(attempt)
	}
	if !absent(w["error"]) {
		m.Error = new(AnswerError)
		r.into("error", w["error"], m.Error)
	}
	return m
}

func (r *reader) setPermission(w wireMessage) SetPermission {
	m := SetPermission{r.required("origin", w["origin"]), r.required("permission", w["permission"])}
	if !slices.Contains([]string{"default", "allow", "ask", "never"}, m.Permission) {
		r.fail("permission is not default, allow, ask or never")
	}
	return m
}

func (r *reader) tabs(raw json.RawMessage) (tabs []Tab) {
	for _, tab := range r.array("tabs", raw) {
		tabs = append(tabs, r.tab(tab))
	}
	return tabs
}

func (r *reader) tab(raw json.RawMessage) Tab {
	var w struct {
		ID         json.RawMessage
		Title, URL *string
		Doc, Error string
		Active     bool
	}
	r.into("tab", raw, &w)
	if w.Title == nil || w.URL == nil {
		r.fail("a tab without title or url")
		return Tab{}
	}
	return Tab{ID: r.tabID(w.ID), Title: *w.Title, URL: *w.URL, Doc: w.Doc, Active: w.Active, Error: w.Error}
}

func (r *reader) toolsChanged(w wireMessage) ToolsChanged {
	m := ToolsChanged{TabID: r.tabID(w["tabId"]), Doc: r.text("doc", w["doc"]), Origin: r.text("origin", w["origin"]),
		Browser: DecodeCapabilities(w["browser"])}
	for _, raw := range r.array("tools", w["tools"]) {
		if tool, err := decodeTool(raw); err != nil {
			m.Malformed = append(m.Malformed, err.Error())
		} else {
			m.Tools = append(m.Tools, tool)
		}
	}
	return m
}

// DecodeCapabilities decodes the capabilities that a page's server declares under capabilities.browser. Any value
// other than true counts as false; errors are ignored.
func DecodeCapabilities(raw json.RawMessage) Capabilities {
	var flags map[string]json.RawMessage
	_ = json.Unmarshal(raw, &flags)
	is := func(name string) bool { return string(flags[name]) == "true" }
	return Capabilities{MultiTabSupport: is("multiTabSupport"), CacheSupported: is("cacheSupported"),
		Elicitation: is("elicitation")}
}

func (r *reader) toolResult(w wireMessage) ToolResult {
	m := ToolResult{CallID: r.required("callId", w["callId"]), Result: w["result"], Error: r.text("error", w["error"]),
		Failed: !absent(w["error"]), Leaves: !absent(w["leaves"]) && r.is("leaves", w["leaves"])}
	m.OpenedTab = TabID(max(0, wholeNumber(w["openedTabId"]))) // a wrong value doesn't invalidate the result
	if jsonrpc.IsObject(w["_meta"]) {                          // an invalid _meta doesn't invalidate the result
		m.Meta = w["_meta"]
	}
	return m
}

// maxRequestID is how many bytes the id of a page's request may have.
const maxRequestID = 256

func (r *reader) requestID(raw json.RawMessage) string {
	id := r.required("requestId", raw)
	if id == "" || len(id) > maxRequestID {
		r.fail("requestId is not 1 to %d bytes", maxRequestID)
	}
	return id
}

// pageTool has the members of a tool that a page itself may set.
type pageTool struct {
	Name                      *string
	Title, Description        string
	InputSchema, OutputSchema json.RawMessage
	Annotations               json.RawMessage
	Meta                      json.RawMessage `json:"_meta"`
}

// DecodeTool decodes a tool as its page describes it. It ignores members that only the extension may set, such as the
// frame.
func DecodeTool(raw json.RawMessage) (Tool, error) {
	var r reader
	var w pageTool
	r.into("tool", raw, &w)
	return r.tool(w)
}

// decodeTool decodes a tool as the extension describes it.
func decodeTool(raw json.RawMessage) (Tool, error) {
	var r reader
	var w struct {
		pageTool
		FrameID                        json.RawMessage
		FrameURL, Origin, Doc, Runtime string
	}
	r.into("tool", raw, &w)
	t, err := r.tool(w.pageTool)
	if err != nil {
		return t, err
	}
	t.FrameURL, t.Origin, t.Doc, t.Runtime = w.FrameURL, w.Origin, w.Doc, w.Runtime
	if !absent(w.FrameID) {
		if t.FrameID = wholeNumber(w.FrameID); t.FrameID < 0 {
			return t, fmt.Errorf("tool %.128q: frameId is not a whole number from 0", t.Name)
		}
	}
	return t, nil
}

func (r *reader) tool(w pageTool) (t Tool, err error) {
	if w.Name == nil {
		r.fail("a tool without name")
		return t, r.err
	}
	t = Tool{Name: *w.Name, Title: w.Title, Description: w.Description}
	t.InputSchema, t.OutputSchema = r.object("inputSchema", w.InputSchema), r.object("outputSchema", w.OutputSchema)
	if r.err != nil {
		return t, fmt.Errorf("tool %.128q: %w", t.Name, r.err)
	}
	if jsonrpc.IsObject(w.Meta) { // an invalid _meta doesn't invalidate the tool
		t.Meta = w.Meta
	}
	if json.Unmarshal(w.Annotations, &t.Annotations) != nil { // neither do hints of the wrong type
		t.Annotations = Annotations{}
	}
	return t, nil
}
