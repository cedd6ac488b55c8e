package exttest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"webmcphub/extlink"
)

// Browser is a browser with the extension.
type Browser struct {
	// Plain speaks the least of the protocol and none of the extras (documents,
	// frames, answers to orders). Set it before the first tab.
	Plain bool
	// Fixed says that it opens, focuses and closes no tabs, as an MCP-B proxy
	// does. Set it before it connects.
	Fixed bool
	// Automation says that it may debug tabs. Set it before it connects. It answers each
	// command with an empty result; a test that wants another has it ignored ([Browser.Ignore])
	// and says its own.
	Automation bool
	// AgentStatus says that its popup shows and sets what the user lets agents do. Set it before it connects.
	AgentStatus bool

	mu       sync.Mutex
	instance string
	wire     *Wire // the newest, nil before the first
	tabs     []*Tab
	lastTab  int
	lastDoc  int
	heard    []Order
	running  map[string]*running
	mute     map[string]bool
}

// Order is what the hub said. What it isn't about is zero.
type Order struct {
	Type, RequestID   string
	TabID             int
	URL               string
	Focus, Introspect bool
	Origins           json.RawMessage
	Debugged
	Call
	Answer
	Status
}

// Status is what an agentStatus says.
type Status struct {
	Paused        bool
	PausedOrigins []string
	PausedTabs    []int
	Permissions   map[string]string
}

// Debugged is what a debuggerAttach or debuggerCommand says.
type Debugged struct {
	ID, Attempt       uint64
	SessionID, Method string
	Params            json.RawMessage
}

// Call is what a callTool or cancelTool says.
type Call struct {
	CallID, ToolName, Doc string
	FrameID, TimeoutMs    int
	Args                  json.RawMessage
	Meta                  json.RawMessage `json:"_meta"`
	Extensions            json.RawMessage
}

// Answer is what a pageAnswer says.
type Answer struct {
	Result json.RawMessage
	Error  *extlink.AnswerError
}

// Tool is a tool of a page.
type Tool struct {
	Name, Description string
	InputSchema       string // JSON; "" is none
	Frame             int    // 0 is the main frame
	Runtime           string // what the extension says of it; "" is nothing
	// Execute runs it. Its context ends when the hub cancels the call, or the
	// document goes. nil answers "ok".
	Execute func(ctx context.Context, args json.RawMessage) (any, error)
}

// Never, returned by a tool, is no answer.
var Never = new(int)

type running struct {
	tab    *Tab
	cancel context.CancelFunc
}

// New makes a browser without tabs; instance tells it from others.
func New(instance string) *Browser {
	return &Browser{instance: instance, running: map[string]*running{}, mute: map[string]bool{}}
}

// Connect connects it to a hub, which gets the wire.
func (b *Browser) Connect() *Wire {
	w := NewWire()
	b.mu.Lock()
	b.wire = w
	b.mu.Unlock()
	go func() {
		for {
			msg, ok := w.Next()
			if !ok {
				return
			}
			var o Order
			if err := errors.Join(CheckSchema(ToExtension, []byte(msg)), json.Unmarshal([]byte(msg), &o)); err != nil {
				panic(fmt.Sprintf("the hub says %q: %v", msg, err))
			}
			b.obey(w, o)
		}
	}()
	return w
}

// Wire is the newest connection.
func (b *Browser) Wire() *Wire {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.wire
}

// Say sends a message, be it right or wrong.
func (b *Browser) Say(msg string) { b.Wire().Say(msg) }

// Die ends the connection without a word, and what runs.
func (b *Browser) Die() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.running {
		r.cancel()
	}
	if b.wire != nil {
		_ = b.wire.Close()
	}
}

// Ignore has the browser not carry out orders of a type.
func (b *Browser) Ignore(orders ...string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, o := range orders {
		b.mute[o] = true
	}
}

// Received are the orders of a type so far.
func (b *Browser) Received(kind string) (all []Order) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, o := range b.heard {
		if o.Type == kind {
			all = append(all, o)
		}
	}
	return all
}

// Tabs are the open ones.
func (b *Browser) Tabs() []*Tab {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.tabs)
}

func (b *Browser) obey(w *Wire, o Order) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.heard = append(b.heard, o)
	if b.mute[o.Type] {
		return
	}
	switch o.Type {
	case "connect":
		b.hello()
	case "callTool":
		b.call(w, o)
	case "cancelTool":
		if r := b.running[o.CallID]; r != nil {
			r.cancel()
		}
	case "debuggerAttach":
		b.send(map[string]any{"type": "debuggerReply", "tabId": o.TabID, "id": 0, "attempt": o.Attempt,
			"result": map[string]any{"targetId": fmt.Sprintf("target-%d", o.TabID)}})
	case "debuggerCommand":
		b.send(map[string]any{"type": "debuggerReply", "tabId": o.TabID, "id": o.ID, "result": map[string]any{}})
	case "openTab":
		t := b.open(o.URL)
		b.done(o, t.ID, "")
	case "focusTab":
		if t := b.find(o.TabID); t != nil {
			b.send(map[string]any{"type": "tabFocused", "tabId": t.ID, "doc": t.doc, "tools": t.list()})
			b.done(o, t.ID, "")
			return
		}
		b.done(o, 0, "there is no such tab")
	case "closeTab":
		if t := b.find(o.TabID); t != nil {
			t.close()
			b.done(o, t.ID, "")
			return
		}
		b.done(o, 0, "there is no such tab")
	}
}

// hello tells everything.
func (b *Browser) hello() {
	tabs := []any{}
	for _, t := range b.tabs {
		tabs = append(tabs, t.info())
	}
	browser := map[string]any{"name": "Chrome", "version": "156.0"}
	if !b.Plain {
		browser["instance"] = b.instance
	}
	if b.Fixed {
		browser["fixed"] = true
	}
	if b.Automation {
		browser["automation"] = true
	}
	if b.AgentStatus {
		browser["agentStatus"] = true
	}
	b.send(map[string]any{"type": "connected", "browser": browser, "tabs": tabs})
	for _, t := range b.tabs {
		if len(t.tools) > 0 {
			t.tellTools()
		}
	}
}

func (b *Browser) done(o Order, tab int, failure string) {
	if b.Plain || o.RequestID == "" {
		return
	}
	m := map[string]any{"type": "orderResult", "requestId": o.RequestID}
	if tab != 0 {
		m["tabId"] = tab
	}
	if failure != "" {
		m["error"] = failure
	}
	b.send(m)
}

func (b *Browser) find(id int) *Tab {
	for _, t := range b.tabs {
		if t.ID == id {
			return t
		}
	}
	return nil
}

func (b *Browser) send(m map[string]any) {
	if b.wire == nil {
		return
	}
	if b.Plain {
		delete(m, "doc")
	}
	raw, err := json.Marshal(m)
	if err := errors.Join(err, CheckSchema(FromExtension, raw)); err != nil {
		panic(err)
	}
	b.wire.Say(string(raw))
}

func (b *Browser) call(w *Wire, o Order) {
	t := b.find(o.TabID)
	answer := func(m map[string]any) {
		m["type"], m["callId"] = "toolResult", o.CallID
		b.send(m)
	}
	if t == nil {
		answer(map[string]any{"result": nil, "error": "there is no such tab"})
		return
	}
	i := slices.IndexFunc(t.tools, func(tool Tool) bool { return tool.Name == o.ToolName && tool.Frame == o.FrameID })
	if i < 0 {
		answer(map[string]any{"result": nil, "error": "there is no such tool"})
		return
	}
	tool, doc := t.tools[i], t.doc
	ctx, cancel := context.WithCancel(context.Background())
	b.running[o.CallID] = &running{t, cancel}
	run := func() (any, error) {
		if tool.Execute == nil {
			return "ok", nil
		}
		return tool.Execute(ctx, o.Args)
	}
	go func() {
		defer cancel()
		result, err := run()
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.running, o.CallID)
		switch {
		case result == any(Never), t.doc != doc, b.wire != w:
		case err != nil:
			answer(map[string]any{"result": nil, "error": err.Error()})
		default:
			answer(map[string]any{"result": result})
		}
	}()
}
