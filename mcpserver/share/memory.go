package share

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"webmcphub/internal/jsonrpc"
	"webmcphub/registry/sanitize"
)

const (
	// maxAgain is the longest request in bytes that is kept so that it can be sent again.
	maxAgain = 64 << 10
	// maxKept is how many subscriptions to resources are repeated.
	maxKept = 1024
)

const hangsText = "the webmcp-hub process %d, which has this Chrome, doesn't answer: it may be stopped or hang. The " +
	"request may have taken effect, or not. Continue that process or end it (kill %d, then kill -9 %d)"

const lostText = "the webmcp-hub process that this request went to has ended, and another has taken its place: the " +
	"request may have taken effect, or not"

// replayID is the prefix of the ids of requests that are repeated on behalf of the client.
const replayID = `"webmcp-hub-again-`

// readOnly names the requests that may be sent twice.
var readOnly = map[string]bool{
	"ping": true, "initialize": true, "tools/list": true, "prompts/list": true,
	"resources/list": true, "resources/templates/list": true, "logging/setLevel": true,
}

// memory is what a relay remembers of the messages that pass through it, so that another owner can go on where the
// last one ended. It does no I/O.
type memory struct {
	initialize  json.RawMessage // the params; nil if there was none or it is unanswered
	initialized bool            // the client has sent notifications/initialized
	lists       []string        // the kinds of lists whose changes are announced

	level      json.RawMessage            // the params of the last logging/setLevel
	subscribed map[string]json.RawMessage // the params of resources/subscribe by URI

	inFlight map[string]pending // the client's requests, by id
	seen     int                // numbers the requests
	requests map[string]bool    // the owner's requests to the client, by id
	orphans  map[string]int     // how many unanswered requests of owners that are gone have an id
}

// pending is a request that was passed on and is not answered yet.
type pending struct {
	number int
	method string
	params json.RawMessage // only for initialize
	line   []byte          // only if the request may be sent again
}

func newMemory() *memory {
	return &memory{subscribed: map[string]json.RawMessage{}, inFlight: map[string]pending{},
		requests: map[string]bool{}, orphans: map[string]int{}}
}

// fromClient notes a message from the client, and reports whether to pass it on.
func (m *memory) fromClient(line []byte) bool {
	if !json.Valid(line) {
		return true // the owner says what is wrong
	}
	h := jsonrpc.Peek(line)
	id := string(h.ID)
	switch {
	case h.Response:
		if n := m.orphans[id]; n > 0 {
			if m.orphans[id]--; n == 1 {
				delete(m.orphans, id)
			}
			return false
		}
		delete(m.requests, id)
	case h.Request():
		m.request(id, h.Method, line)
	case h.Method == "notifications/initialized":
		m.initialized = true
	case h.Method == "notifications/cancelled":
		delete(m.inFlight, string(paramsOf(line).RequestID)) // it gets no answer
	}
	return true
}

// params are the members of params that matter here.
type params struct {
	raw       json.RawMessage
	RequestID json.RawMessage `json:"requestId"`
	URI       string          `json:"uri"`
}

func paramsOf(line []byte) (p params) {
	var whole struct{ Params json.RawMessage }
	if json.Unmarshal(line, &whole) == nil && whole.Params != nil {
		_ = json.Unmarshal(whole.Params, &p)
		p.raw = whole.Params
	}
	return p
}

func (m *memory) request(id, method string, line []byte) {
	if _, used := m.inFlight[id]; used {
		return // the owner refuses it
	}
	m.seen++
	r := pending{number: m.seen, method: method}
	if readOnly[method] && len(line) <= maxAgain {
		r.line = slices.Clip(bytes.Clone(line))
	}
	switch method {
	case "initialize":
		r.params, r.line = paramsOf(line).raw, slices.Clip(bytes.Clone(line))
	case "logging/setLevel":
		m.level = paramsOf(line).raw
	case "resources/subscribe":
		if p := paramsOf(line); len(m.subscribed) < maxKept && len(p.raw) <= maxAgain {
			m.subscribed[p.URI] = p.raw
		}
	case "resources/unsubscribe":
		delete(m.subscribed, paramsOf(line).URI)
	}
	m.inFlight[id] = r
}

// fromOwner notes a message from the owner, and reports whether to pass it on.
func (m *memory) fromOwner(line []byte) bool {
	h := jsonrpc.Peek(line)
	id := string(h.ID)
	switch {
	case h.Request():
		m.requests[id] = true
	case h.Response && strings.HasPrefix(id, replayID):
		return false
	case h.Response:
		if r := m.inFlight[id]; r.method == "initialize" {
			m.initializeAnswered(r, line)
		}
		delete(m.inFlight, id)
	case h.Method == "notifications/cancelled":
		delete(m.requests, string(paramsOf(line).RequestID))
	}
	return true
}

// initializeAnswered notes what the client was told about the server.
func (m *memory) initializeAnswered(r pending, line []byte) {
	var answer struct {
		Result *struct {
			Capabilities map[string]struct{ ListChanged bool }
		}
	}
	if json.Unmarshal(line, &answer) != nil || answer.Result == nil {
		return
	}
	m.initialize, m.lists = r.params, nil
	for _, kind := range []string{"tools", "resources", "prompts"} {
		if answer.Result.Capabilities[kind].ListChanged {
			m.lists = append(m.lists, kind)
		}
	}
}

// lost returns the messages for the client after its owner has gone: the answers to requests that can't be sent
// again, and cancellations of the owner's requests, which need no answer any more.
func (m *memory) lost(why string) (lines [][]byte) {
	for _, id := range m.waiting() {
		r := m.inFlight[id]
		if r.line != nil {
			continue
		}
		delete(m.inFlight, id)
		if r.method == "tools/call" && m.initialize != nil {
			lines = append(lines, failedCall(id, "Error: "+why+"."))
			continue
		}
		lines = append(lines, refusal(id, jsonrpc.CodeServer, why))
	}
	for _, id := range slices.Sorted(maps.Keys(m.requests)) {
		m.orphans[id]++
		lines = append(lines, notification("notifications/cancelled",
			json.RawMessage(`{"requestId":`+id+`,"reason":"the webmcp-hub that asked has ended"}`)))
	}
	clear(m.requests)
	return lines
}

// waiting returns the ids of the requests in flight, in the order of the requests.
func (m *memory) waiting() []string {
	return slices.SortedFunc(maps.Keys(m.inFlight), func(a, b string) int {
		return cmp.Compare(m.inFlight[a].number, m.inFlight[b].number)
	})
}

// replay returns the messages that introduce the client to the new owner.
func (m *memory) replay() (lines [][]byte) {
	again := func(method string, params json.RawMessage) {
		lines = append(lines, request(fmt.Sprintf(`%s%d"`, replayID, len(lines)), method, params))
	}
	if m.initialize != nil {
		again("initialize", m.initialize)
	}
	for _, id := range m.waiting() {
		if r := m.inFlight[id]; r.method == "initialize" {
			lines = append(lines, r.line)
		}
	}
	if m.initialized {
		lines = append(lines, notification("notifications/initialized", nil))
	}
	if m.level != nil {
		again("logging/setLevel", m.level)
	}
	for _, uri := range slices.Sorted(maps.Keys(m.subscribed)) {
		again("resources/subscribe", m.subscribed[uri])
	}
	for _, id := range m.waiting() {
		if r := m.inFlight[id]; r.method != "initialize" {
			lines = append(lines, r.line)
		}
	}
	return lines
}

// changed returns the messages for the client after the new owner knows it.
func (m *memory) changed() (lines [][]byte) {
	if m.initialized {
		for _, kind := range m.lists {
			lines = append(lines, notification("notifications/"+kind+"/list_changed", nil))
		}
	}
	return lines
}

// request, notification and refusal make the messages that a relay sends itself.
func request(id, method string, params json.RawMessage) []byte {
	return jsonrpc.Request(json.RawMessage(id), method, params).Bytes()
}

func notification(method string, params json.RawMessage) []byte {
	return jsonrpc.Notification(method, params).Bytes()
}

func refusal(id string, code int, why string) []byte {
	return jsonrpc.Failure(json.RawMessage(id), jsonrpc.Errorf(code, "%s", why)).Bytes()
}

// failedCall answers a call with a tool's error, because models read results.
func failedCall(id, why string) []byte {
	return jsonrpc.Result(json.RawMessage(id), sanitize.ErrorResult(why).JSON).Bytes()
}
