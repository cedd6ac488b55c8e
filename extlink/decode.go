package extlink

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// UnknownTypeError is what [Decode] says of a message of a later protocol.
type UnknownTypeError struct{ Type string }

// Error names the type, cut to a readable length.
func (e *UnknownTypeError) Error() string { return fmt.Sprintf("unknown type %.40q", e.Type) }

// Decode reads one message and checks its shape. Fields that are not known are
// ignored. The message keeps no part of data.
func Decode(data []byte) (Message, error) {
	var w wireMessage
	if err := json.Unmarshal(data, &w); err != nil {
		return nil, fmt.Errorf("not a message: %w", err)
	}
	if w.Type == nil {
		return nil, errors.New("a message without type")
	}
	m, err := w.decode()
	var unknown *UnknownTypeError
	if err != nil && !errors.As(err, &unknown) {
		return nil, fmt.Errorf("%s: %w", *w.Type, err)
	}
	return m, err
}

// wireMessage has the fields of all types. A pointer tells what is missing,
// and raw JSON what has another type than this message's.
type wireMessage struct {
	Type      *string         `json:"type"`
	Browser   json.RawMessage `json:"browser"`
	Tabs      json.RawMessage `json:"tabs"`
	Tab       json.RawMessage `json:"tab"`
	TabID     json.RawMessage `json:"tabId"`
	Doc       json.RawMessage `json:"doc"`
	Origin    json.RawMessage `json:"origin"`
	Tools     json.RawMessage `json:"tools"`
	CallID    json.RawMessage `json:"callId"`
	Result    json.RawMessage `json:"result"`
	Error     json.RawMessage `json:"error"`
	Params    json.RawMessage `json:"params"`
	RequestID json.RawMessage `json:"requestId"`
	Method    json.RawMessage `json:"method"`
	Meta      json.RawMessage `json:"_meta"`
	Leaves    bool            `json:"leaves"`
}

func (w *wireMessage) decode() (Message, error) {
	switch *w.Type {
	case "ping":
		return Ping{}, nil
	case "disconnected":
		return Disconnected{}, nil
	case "connected":
		return w.connected()
	case "tabCreated":
		tab, err := decodeTab(w.Tab)
		return TabCreated{tab}, err
	case "tabUpdated":
		tab, err := decodeTab(w.Tab)
		return TabUpdated{tab}, err
	case "tabClosed":
		id, err := decodeTabID(w.TabID)
		return TabClosed{id}, err
	case "tabFocused":
		tools, err := w.toolsChanged()
		return TabFocused{tools}, err
	case "toolsChanged":
		tools, err := w.toolsChanged()
		return tools, err
	case "toolResult":
		return w.toolResult()
	case "toolProgress":
		return w.toolProgress()
	case "orderResult":
		return w.orderResult()
	case "pageRequest":
		return w.pageRequest()
	case "cancelPageRequest":
		tab, id, err := w.pageRequestID()
		return PageRequestCancelled{tab, id}, err
	}
	return nil, &UnknownTypeError{*w.Type}
}

func (w *wireMessage) connected() (Message, error) {
	var b struct {
		Name, Version, Instance *string
		Fixed                   bool
	}
	if err := object("browser", w.Browser, &b); err != nil {
		return nil, err
	}
	m := Connected{Browser: Browser{Name: text(b.Name), Version: text(b.Version), Instance: text(b.Instance), Fixed: b.Fixed}}
	if b.Instance != nil && !soundInstance(*b.Instance) {
		return nil, errors.New("browser.instance is not 1 to 64 letters, digits and hyphens")
	}
	tabs, err := array("tabs", w.Tabs)
	if err != nil {
		return nil, err
	}
	for _, raw := range tabs {
		tab, err := decodeTab(raw)
		if err != nil {
			return nil, fmt.Errorf("tabs: %w", err)
		}
		m.Tabs = append(m.Tabs, tab)
	}
	return m, nil
}

func soundInstance(s string) bool {
	for _, c := range []byte(s) {
		if c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return len(s) > 0 && len(s) <= 64
}

func (w *wireMessage) toolsChanged() (m ToolsChanged, err error) {
	if m.TabID, err = decodeTabID(w.TabID); err != nil {
		return m, err
	}
	if m.Doc, err = optionalString("doc", w.Doc); err != nil {
		return m, err
	}
	if m.Origin, err = optionalString("origin", w.Origin); err != nil {
		return m, err
	}
	tools, err := array("tools", w.Tools)
	if err != nil {
		return m, err
	}
	for _, raw := range tools {
		tool, err := decodeTool(raw)
		if err != nil {
			m.Malformed = append(m.Malformed, err.Error())
			continue
		}
		m.Tools = append(m.Tools, tool)
	}
	m.Browser = decodeCapabilities(w.Browser)
	return m, nil
}

// decodeCapabilities takes what a page said as it is meant: what is not true is
// not declared, and nothing of it is worth the tools.
func decodeCapabilities(raw json.RawMessage) Capabilities {
	var said map[string]json.RawMessage
	_ = json.Unmarshal(raw, &said)
	is := func(name string) bool { return string(said[name]) == "true" }
	return Capabilities{MultiTabSupport: is("multiTabSupport"), CacheSupported: is("cacheSupported"), Elicitation: is("elicitation")}
}

func (w *wireMessage) toolResult() (Message, error) {
	id, err := requiredString("callId", w.CallID)
	if err != nil {
		return nil, err
	}
	why, err := optionalString("error", w.Error)
	if err != nil {
		return nil, err
	}
	meta, _ := optionalObject("_meta", w.Meta) // not worth a result
	return ToolResult{CallID: id, Result: bytes.Clone(w.Result), Error: why, Failed: !absent(w.Error), Meta: meta, Leaves: w.Leaves}, nil
}

func (w *wireMessage) toolProgress() (Message, error) {
	id, err := requiredString("callId", w.CallID)
	if err != nil {
		return nil, err
	}
	params, err := optionalObject("params", w.Params)
	if err != nil || params == nil {
		return nil, errors.New("params is not an object")
	}
	return ToolProgress{id, params}, nil
}

func (w *wireMessage) orderResult() (Message, error) {
	id, err := requiredString("requestId", w.RequestID)
	if err != nil {
		return nil, err
	}
	m := OrderResult{RequestID: id}
	if m.Error, err = optionalString("error", w.Error); err != nil {
		return nil, err
	}
	if !absent(w.TabID) {
		if m.TabID, err = decodeTabID(w.TabID); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func (w *wireMessage) pageRequest() (Message, error) {
	tab, id, err := w.pageRequestID()
	if err != nil {
		return nil, err
	}
	m := PageRequest{TabID: tab, RequestID: id}
	if m.Method, err = requiredString("method", w.Method); err != nil {
		return nil, err
	}
	m.Params, err = optionalObject("params", w.Params)
	return m, err
}

// maxRequestID is the longest id of a page's request in bytes.
const maxRequestID = 256

func (w *wireMessage) pageRequestID() (tab TabID, id string, err error) {
	if tab, err = decodeTabID(w.TabID); err != nil {
		return 0, "", err
	}
	if id, err = requiredString("requestId", w.RequestID); err == nil && (id == "" || len(id) > maxRequestID) {
		err = fmt.Errorf("requestId is not 1 to %d bytes", maxRequestID)
	}
	return tab, id, err
}

func decodeTab(raw json.RawMessage) (t Tab, err error) {
	var w struct {
		ID              json.RawMessage
		Title, URL, Doc *string
		Active          *bool
		Error           *string
	}
	if err := object("tab", raw, &w); err != nil {
		return t, err
	}
	if w.Title == nil || w.URL == nil {
		return t, errors.New("a tab without title or url")
	}
	if t.ID, err = decodeTabID(w.ID); err != nil {
		return t, err
	}
	t.Title, t.URL, t.Doc, t.Active = *w.Title, *w.URL, text(w.Doc), w.Active != nil && *w.Active
	t.Error = text(w.Error)
	return t, nil
}

func decodeTool(raw json.RawMessage) (t Tool, err error) {
	var w struct {
		Name, Title, Description *string
		InputSchema              json.RawMessage
		OutputSchema             json.RawMessage
		Annotations              json.RawMessage
		Meta                     json.RawMessage `json:"_meta"`
		FrameID                  json.RawMessage
		FrameURL, Origin         *string
		Doc, Runtime             *string
	}
	if err := object("tool", raw, &w); err != nil {
		return t, err
	}
	if w.Name == nil {
		return t, errors.New("a tool without name")
	}
	t.Name, t.Title, t.Description, t.FrameURL, t.Doc = *w.Name, text(w.Title), text(w.Description), text(w.FrameURL), text(w.Doc)
	t.Runtime, t.Origin = text(w.Runtime), text(w.Origin)
	if t.InputSchema, err = optionalObject("inputSchema", w.InputSchema); err != nil {
		return t, fmt.Errorf("tool %.128q: %w", t.Name, err)
	}
	if t.OutputSchema, err = optionalObject("outputSchema", w.OutputSchema); err != nil {
		return t, fmt.Errorf("tool %.128q: %w", t.Name, err)
	}
	t.Meta, _ = optionalObject("_meta", w.Meta) // not worth a tool, either
	if !absent(w.FrameID) {
		if t.FrameID, err = wholeNumber(w.FrameID); err != nil || t.FrameID < 0 {
			return t, fmt.Errorf("tool %.128q: frameId is not a whole number from 0", t.Name)
		}
	}
	if json.Unmarshal(w.Annotations, &t.Annotations) != nil { // hints of the wrong type are not worth a tool
		t.Annotations = Annotations{}
	}
	return t, nil
}

func decodeTabID(raw json.RawMessage) (TabID, error) {
	n, err := wholeNumber(raw)
	if err != nil || n < 1 {
		return 0, errors.New("the tab's id is not a whole number from 1")
	}
	return TabID(n), nil
}

// wholeNumber reads a number as JavaScript writes those that it keeps exactly.
func wholeNumber(raw json.RawMessage) (int64, error) {
	var n float64
	if absent(raw) || json.Unmarshal(raw, &n) != nil || n != math.Trunc(n) || math.Abs(n) > 1<<53 {
		return 0, errors.New("not a whole number")
	}
	return int64(n), nil
}

func absent(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func requiredString(name string, raw json.RawMessage) (string, error) {
	if absent(raw) {
		return "", fmt.Errorf("%s is missing", name)
	}
	return optionalString(name, raw)
}

func optionalString(name string, raw json.RawMessage) (s string, err error) {
	if !absent(raw) && json.Unmarshal(raw, &s) != nil {
		return "", fmt.Errorf("%s is not a string", name)
	}
	return s, nil
}

func optionalObject(name string, raw json.RawMessage) (json.RawMessage, error) {
	switch {
	case absent(raw):
		return nil, nil
	case raw[0] != '{':
		return nil, fmt.Errorf("%s is not an object", name)
	}
	return bytes.Clone(raw), nil
}

func object(name string, raw json.RawMessage, into any) error {
	if absent(raw) || raw[0] != '{' {
		return fmt.Errorf("%s is not an object", name)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func array(name string, raw json.RawMessage) (all []json.RawMessage, err error) {
	if absent(raw) || json.Unmarshal(raw, &all) != nil {
		return nil, fmt.Errorf("%s is not an array", name)
	}
	return all, nil
}
