package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// extensionID is what the key in the extension's manifest makes it.
const extensionID = "hcgmadpoiniangaogdpbdfdboofoifng"

// A scriptedHub is the hub's side of the extension's protocol, for tests of the
// extension alone. It says what it is told to, and believes what it hears as
// the protocol has it; a message of a wrong shape fails the test.
type scriptedHub struct {
	t      *testing.T
	token  string
	server *http.Server
	port   string
	served sync.WaitGroup // of the connections

	mu     sync.Mutex // guards what follows
	news   chan struct{}
	closed bool
	conn   *websocket.Conn
	open   map[*websocket.Conn]bool // all that are served, also refused ones
	// What the current connection has said.
	connections int
	refused     int
	browser     map[string]any
	tabs        map[int]*extTab
	answers     map[string]extMessage // of calls and orders, by id
	progress    []extMessage
	log         []string
}

// An extTab is a tab as the extension told it.
type extTab struct {
	URL, Title, Doc string
	Active          bool
	Tools           []extTool
	Changes         int // how often its tools were told
	Focused         int
}

type extTool struct {
	Name, Title, Description string
	InputSchema              map[string]any
	OutputSchema             map[string]any
	Annotations              map[string]any
	FrameID                  int
	FrameURL, Origin, Doc    string
}

type extTabInfo struct {
	ID              int
	Title, URL, Doc string
	Active          bool
	WindowID        int
}

type extMessage struct {
	Type      string          `json:"type"`
	Browser   map[string]any  `json:"browser"`
	Tabs      []extTabInfo    `json:"tabs"`
	Tab       *extTabInfo     `json:"tab"`
	TabID     *int            `json:"tabId"`
	Doc       string          `json:"doc"`
	Tools     *[]extTool      `json:"tools"`
	CallID    *string         `json:"callId"`
	Result    json.RawMessage `json:"result"`
	Error     *string         `json:"error"`
	Params    map[string]any  `json:"params"`
	RequestID *string         `json:"requestId"`
}

// startScriptedHub listens on a port of its own, or on the one given.
func startScriptedHub(t *testing.T, token, port string) *scriptedHub {
	t.Helper()
	if port == "" {
		port = freePort(t)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		t.Fatal(err)
	}
	h := &scriptedHub{t: t, token: token, news: make(chan struct{}), open: map[*websocket.Conn]bool{}}
	h.reset()
	_, h.port, _ = net.SplitHostPort(listener.Addr().String())
	h.server = &http.Server{Handler: h}
	go func() { _ = h.server.Serve(listener) }()
	t.Cleanup(h.stop)
	return h
}

// stop ends the hub and its connections, as a crash of it would. Nothing is heard
// any more when it returns: a test that has ended can't fail.
func (h *scriptedHub) stop() {
	h.mu.Lock()
	h.closed = true
	for conn := range h.open {
		_ = conn.Close()
	}
	h.mu.Unlock()
	_ = h.server.Close()
	h.served.Wait()
	if h.t.Failed() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.t.Logf("the extension said:\n%s", strings.Join(h.log[max(0, len(h.log)-60):], "\n"))
	}
}

// reset forgets the last connection. mu is held, or nobody else is there yet.
func (h *scriptedHub) reset() {
	h.browser, h.tabs, h.answers, h.progress = nil, map[int]*extTab{}, map[string]extMessage{}, nil
}

func (h *scriptedHub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if origin := r.Header.Get("Origin"); origin != "chrome-extension://"+extensionID {
		h.t.Errorf("a connection from %q", origin)
		http.Error(w, "wrong origin", http.StatusForbidden)
		return
	}
	up := websocket.Upgrader{Subprotocols: []string{"webmcp-hub.v2"}, CheckOrigin: func(*http.Request) bool { return true }}
	conn, err := up.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	defer conn.Close()
	if !h.serves(conn) {
		return
	}
	defer h.served.Done()
	defer h.update(func() { delete(h.open, conn) })
	if !h.believes(conn) {
		closing := websocket.FormatCloseMessage(4401, "wrong pairing token")
		_ = conn.WriteControl(websocket.CloseMessage, closing, time.Now().Add(patience))
		h.update(func() { h.refused++ })
		_, _, _ = conn.NextReader()
		return
	}
	h.update(func() {
		h.reset()
		h.conn = conn
		h.connections++
		_ = conn.WriteJSON(map[string]any{"type": "connect"})
	})
	for {
		_, data, err := conn.ReadMessage()
		if err != nil {
			return
		}
		h.update(func() {
			h.log = append(h.log, fmt.Sprintf("%.600s", data))
			if h.conn != conn {
				return
			}
			if err := h.heard(data); err != nil {
				h.t.Errorf("%v in %.600s", err, data)
			}
		})
	}
}

// believes is the hub's side of the handshake. The extension leaves where the
// hub has another token than it.
func (h *scriptedHub) believes(conn *websocket.Conn) bool {
	var m struct{ Type, Nonce, Proof string }
	if conn.ReadJSON(&m) != nil || m.Type != "hello" {
		return false
	}
	nonce, own := m.Nonce, newNonce()
	err := conn.WriteJSON(map[string]string{"type": "challenge", "nonce": own, "proof": proof(h.token, "webmcp-hub.v2", "hub", h.port, nonce, own)})
	return err == nil && conn.ReadJSON(&m) == nil && m.Proof == proof(h.token, "webmcp-hub.v2", "extension", h.port, nonce, own)
}

// serves notes a connection, for stop, unless that was called.
func (h *scriptedHub) serves(conn *websocket.Conn) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.closed {
		h.served.Add(1)
		h.open[conn] = true
	}
	return !h.closed
}

// update changes something and wakes those that wait.
func (h *scriptedHub) update(change func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	change()
	close(h.news)
	h.news = make(chan struct{})
}

// fromExtension holds a message to the protocol's schema.
func fromExtension(data []byte) error {
	s, err := extensionSchema()
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return err
	}
	return s.Validate(value)
}

// extensionSchema is the protocol's, but for others' extensions, which may say
// more: ours says nothing that isn't in it.
var extensionSchema = sync.OnceValues(func() (*jsonschema.Schema, error) {
	const name = "../extlink/exttest/from-extension.json"
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	for _, def := range value.(map[string]any)["$defs"].(map[string]any) {
		if def := def.(map[string]any); def["properties"] != nil {
			def["additionalProperties"] = false
		}
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(name, value); err != nil {
		return nil, err
	}
	return c.Compile(name)
})

var errShape = errors.New("a message of a wrong shape")

// heard believes one message. mu is held.
func (h *scriptedHub) heard(data []byte) error {
	var m extMessage
	if err := errors.Join(fromExtension(data), json.Unmarshal(data, &m)); err != nil {
		return err
	}
	if h.browser == nil && m.Type != "connected" && m.Type != "ping" {
		return fmt.Errorf("%s before connected", m.Type)
	}
	switch m.Type {
	case "ping":
		return h.conn.WriteJSON(map[string]any{"type": "pong"})
	case "connected":
		if m.Browser["name"] == "" || m.Browser["version"] == "" || m.Browser["instance"] == "" {
			return errShape
		}
		h.browser = m.Browser
		for _, info := range m.Tabs {
			h.tabs[info.ID] = &extTab{}
			h.tabs[info.ID].is(info)
		}
	case "tabCreated":
		if m.Tab == nil || m.Tab.ID < 1 || h.tabs[m.Tab.ID] != nil {
			return errShape
		}
		h.tabs[m.Tab.ID] = &extTab{}
		h.tabs[m.Tab.ID].is(*m.Tab)
	case "tabUpdated":
		if m.Tab == nil || h.tabs[m.Tab.ID] == nil {
			return errShape
		}
		h.tabs[m.Tab.ID].is(*m.Tab)
	case "tabClosed":
		if m.TabID == nil || h.tabs[*m.TabID] == nil {
			return errShape
		}
		delete(h.tabs, *m.TabID)
	case "toolsChanged", "tabFocused":
		if m.TabID == nil || m.Tools == nil || h.tabs[*m.TabID] == nil {
			return errShape
		}
		tab := h.tabs[*m.TabID]
		if m.Doc != tab.Doc {
			return fmt.Errorf("tools of the document %q, the tab has %q", m.Doc, tab.Doc)
		}
		tab.Tools = *m.Tools
		tab.Changes++
		if m.Type == "tabFocused" {
			tab.Focused++
		}
	case "toolResult":
		if m.CallID == nil || m.Result == nil && m.Error == nil {
			return errShape
		}
		if _, twice := h.answers[*m.CallID]; twice {
			return errors.New("a second answer")
		}
		h.answers[*m.CallID] = m
	case "toolProgress":
		if m.CallID == nil || m.Params == nil {
			return errShape
		}
		h.progress = append(h.progress, m)
	case "orderResult":
		if m.RequestID == nil || m.TabID == nil && m.Error == nil {
			return errShape
		}
		h.answers[*m.RequestID] = m
	default:
		return errors.New("an unknown message")
	}
	return nil
}

func (t *extTab) is(info extTabInfo) {
	if info.Doc != t.Doc {
		t.Tools = nil
	}
	t.URL, t.Title, t.Doc, t.Active = info.URL, info.Title, info.Doc, info.Active
}

// wait waits until what the extension has said makes ok true; it is asked with mu held.
func (h *scriptedHub) wait(what string, ok func() bool) {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		h.mu.Lock()
		done, news := ok(), h.news
		h.mu.Unlock()
		if done {
			return
		}
		select {
		case <-news:
		case <-ctx.Done():
			h.mu.Lock()
			defer h.mu.Unlock()
			truth, _ := json.Marshal(h.tabs)
			h.t.Fatalf("waited for %s in vain; the tabs are %s", what, truth)
		}
	}
}

// tab waits for a tab whose address contains part, and returns its id.
func (h *scriptedHub) tab(part string) (id int) {
	h.t.Helper()
	h.wait("a tab on "+part, func() bool {
		for i, tab := range h.tabs {
			if strings.Contains(tab.URL, part) {
				id = i
				return true
			}
		}
		return false
	})
	return id
}

// names are the tools of a tab, sorted. mu is held.
func (h *scriptedHub) names(id int) []string {
	names := []string{}
	if tab := h.tabs[id]; tab != nil {
		for _, tool := range tab.Tools {
			names = append(names, tool.Name)
		}
	}
	slices.Sort(names)
	return names
}

// lists waits until the tab has exactly these tools.
func (h *scriptedHub) lists(id int, want ...string) {
	h.t.Helper()
	slices.Sort(want)
	h.wait(fmt.Sprintf("the tools %v of tab %d", want, id), func() bool { return slices.Equal(h.names(id), want) })
}

// has waits until the tab has these tools, perhaps among others.
func (h *scriptedHub) has(id int, want ...string) {
	h.t.Helper()
	h.wait(fmt.Sprintf("the tools %v of tab %d", want, id), func() bool {
		names := h.names(id)
		return !slices.ContainsFunc(want, func(name string) bool { return !slices.Contains(names, name) })
	})
}

// tool is one of a tab's tools, which it has.
func (h *scriptedHub) tool(id int, name string) extTool {
	h.t.Helper()
	h.has(id, name)
	h.mu.Lock()
	defer h.mu.Unlock()
	tools := h.tabs[id].Tools
	return tools[slices.IndexFunc(tools, func(tool extTool) bool { return tool.Name == name })]
}

func (h *scriptedHub) say(m map[string]any) {
	h.t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.conn.WriteJSON(m); err != nil {
		h.t.Fatal(err)
	}
}

var lastCall struct {
	sync.Mutex
	n int
}

func nextID() string {
	lastCall.Lock()
	defer lastCall.Unlock()
	lastCall.n++
	return fmt.Sprint("c", lastCall.n)
}

// begin calls a tool and doesn't wait.
func (h *scriptedHub) begin(id int, name string, args map[string]any) (callID string) {
	h.t.Helper()
	tool := h.tool(id, name)
	callID = nextID()
	h.say(map[string]any{"type": "callTool", "callId": callID, "tabId": id, "toolName": name, "args": args,
		"frameId": tool.FrameID, "doc": tool.Doc})
	return callID
}

// answer waits for the answer to a call or an order.
func (h *scriptedHub) answer(id string) (m extMessage) {
	h.t.Helper()
	h.wait("the answer to "+id, func() (ok bool) { m, ok = h.answers[id]; return ok })
	return m
}

// call calls a tool and returns its result as JSON, or "error: …".
func (h *scriptedHub) call(id int, name string, args map[string]any) string {
	h.t.Helper()
	return h.answer(h.begin(id, name, args)).text()
}

func (m extMessage) text() string {
	if m.Error != nil && *m.Error != "" {
		return "error: " + *m.Error
	}
	return string(m.Result)
}

// order gives an order and waits for what came of it.
func (h *scriptedHub) order(m map[string]any) extMessage {
	h.t.Helper()
	id := nextID()
	m["requestId"] = id
	h.say(m)
	return h.answer(id)
}

// replace ends the connection as if another one of the same browser had come.
func (h *scriptedHub) replace() {
	h.t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	closing := websocket.FormatCloseMessage(4409, "replaced")
	if err := h.conn.WriteControl(websocket.CloseMessage, closing, time.Now().Add(patience)); err != nil {
		h.t.Fatal(err)
	}
}
