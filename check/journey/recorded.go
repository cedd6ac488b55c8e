package journey

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"webmcphub/check/report"

	"webmcphub/internal/jsonrpc"
	"webmcphub/recording"
	"webmcphub/registry/sanitize"
)

// longest limits the text of a result that a journey expects, in bytes. For a longer result it expects nothing.
const longest = 500

// tool is a page's tool from a list of tools.
type tool struct {
	name   string // the page's name for the tool
	schema json.RawMessage
	from   place
}

// place is the location of a tool, as the hub reports it.
type place struct {
	FrameURL string `json:"frameUrl"`
	Tab      int    `json:"tabId"`
}

// RecordedSession describes a recorded session.
type RecordedSession struct {
	Journey  Journey
	Coverage *report.Coverage
	// Ends says why the journey ends before the recording does; otherwise it is "".
	Ends string
}

// FromRecording makes a journey with the given name of a recorded session.
func FromRecording(s *recording.Session, name string) (*RecordedSession, error) {
	if s.Mask == recording.Everything {
		return nil, errors.New("it was made with --record-mask=all, and has no arguments: record the session " +
			"anew without")
	}
	r := reader{
		out: RecordedSession{Journey: Journey{Name: name}}, listed: map[string]tool{},
		schemas: map[string]json.RawMessage{},
		open:    map[string]pendingCall{}, tabs: map[int]string{},
	}
	for _, l := range s.Lines {
		r.line(l)
	}
	relative(r.out.Journey.Steps)
	r.out.Coverage = report.CoverageOf(name, r.schemas, r.calls)
	return &r.out, nil
}

// pendingCall is a call without an answer so far.
type pendingCall struct {
	tool tool
	args json.RawMessage
}

type reader struct {
	out     RecordedSession
	listed  map[string]tool // by the hub's name
	schemas map[string]json.RawMessage
	calls   []report.CoveredCall
	open    map[string]pendingCall // by the request's id
	tabs    map[int]string         // by tab, the address of the last call
	goes    bool                   // the agent has navigated since the last call
}

func (r *reader) line(l recording.Line) {
	switch {
	case l.Client != nil:
		r.asks(l.Client)
	case l.Hub != nil:
		m, err := jsonrpc.Parse(l.Hub)
		a, ours := r.open[string(m.ID)]
		if err == nil && m.Response && ours {
			delete(r.open, string(m.ID))
			r.called(a, m.Outcome)
		}
	}
	if l.Tools != nil {
		r.lists(l.Tools)
	}
}

// ownName matches the hub's name for a tool (webmcp_{domain}_page{n}_{tool}, or MCP-B's). Its group is the page's
// name for the tool.
var ownName = regexp.MustCompile(`^(?:webmcp_.*?_page\d+|website_tool_.*?_tab\d+)_(.+)$`)

func (r *reader) lists(result json.RawMessage) {
	var list struct {
		Tools []struct {
			Name        string
			InputSchema json.RawMessage
			Meta        map[string]json.RawMessage `json:"_meta"`
		}
	}
	if json.Unmarshal(result, &list) != nil {
		return
	}
	for _, t := range list.Tools {
		is := tool{name: t.Name, schema: t.InputSchema}
		if json.Unmarshal(t.Meta[sanitize.ProvenanceKey], &is.from) != nil {
			continue // a tool of the hub itself
		}
		if own := ownName.FindStringSubmatch(t.Name); own != nil {
			is.name = own[1]
		}
		r.listed[t.Name] = is
		r.schemas[is.name] = is.schema
	}
}

// asks records a call that the client made.
func (r *reader) asks(message json.RawMessage) {
	m, err := jsonrpc.Parse(message)
	if err != nil || m.Method != "tools/call" {
		return
	}
	var p call
	if json.Unmarshal(m.Params, &p) != nil {
		return
	}
	if p.Name == "call_webmcp_tool" {
		var of call
		if json.Unmarshal(p.Arguments, &of) == nil {
			p = of
		}
	}
	t, known := r.listed[p.Name]
	switch {
	case known:
		r.open[string(m.ID)] = pendingCall{t, p.Arguments}
		r.calls = append(r.calls, report.CoveredCall{Tool: t.name, Arguments: p.Arguments})
	case p.Name == "call_webmcp_tools":
		r.batch(p.Arguments)
	case p.Name == "open_tab" || p.Name == "navigate_page":
		r.goes = true
	}
}

// batch counts the calls of a batch. A batch has one result for all its calls, so a journey accepts any result of
// these calls.
func (r *reader) batch(arguments json.RawMessage) {
	var many struct {
		Steps []struct {
			Tool      string          `json:"tool"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"steps"`
	}
	_ = json.Unmarshal(arguments, &many) // the hub has already reported an error
	for _, s := range many.Steps {
		if t, known := r.listed[s.Tool]; known {
			r.calls = append(r.calls, report.CoveredCall{Tool: t.name, Arguments: s.Arguments})
			if r.out.Ends == "" && refers(s.Arguments) {
				r.out.Ends = fmt.Sprintf("the journey ends before the call of %s in call_webmcp_tools, which takes "+
					"an argument from the result of another step ($ref): add that step with a value of its own, and "+
					"what follows it", t.name)
			}
			r.step(t, s.Arguments, nil, false)
		}
	}
}

// call holds the params of a call.
type call struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// called adds an answered call to the journey. A call that was answered with a protocol error never reached the page.
func (r *reader) called(a pendingCall, result json.RawMessage) {
	if result == nil {
		return
	}
	var outcome struct {
		IsError bool `json:"isError"`
	}
	_ = json.Unmarshal(result, &outcome)
	var expected any
	if answers := Answers(result); !outcome.IsError {
		expected = answers[0]
		if raw, err := json.Marshal(expected); err != nil || len(raw) > longest || len(raw) == len(`""`) ||
			strings.Contains(string(raw), recording.Masked) {
			expected = nil
		}
	}
	r.step(a.tool, a.args, expected, outcome.IsError)
}

// refers reports whether arguments contain a value that an earlier step must provide.
func refers(args json.RawMessage) bool {
	for name, is := range jsonrpc.Members(args) {
		if name == "$ref" || refers(is) {
			return true
		}
	}
	for is := range jsonrpc.Elements(args) {
		if refers(is) {
			return true
		}
	}
	return false
}

func (r *reader) step(t tool, args json.RawMessage, expected any, fails bool) {
	if r.out.Ends != "" {
		return
	}
	steps := &r.out.Journey.Steps
	tab := fmt.Sprintf("tab%d", t.from.Tab)
	was, opened := r.tabs[t.from.Tab]
	if !opened || r.goes && was != t.from.FrameURL {
		address, ok := unmaskedAddress(t.from.FrameURL)
		if !ok {
			r.out.Ends = fmt.Sprintf("the journey ends before the call of %s, because the address of its page is "+
				"masked in the recording: add a step that opens the page, and what follows it", t.name)
			return
		}
		*steps = append(*steps, Step{Open: address, Tab: tab})
	}
	r.tabs[t.from.Tab], r.goes = t.from.FrameURL, false
	var arguments map[string]any
	_ = json.Unmarshal(args, &arguments) // no arguments if it isn't an object
	unmask(arguments)
	*steps = append(*steps, Step{Call: t.name, Tab: tab, Arguments: arguments, Result: expected, Fails: fails})
}

// unmaskedAddress returns an address without the values of its query and without the fragment that the recording
// leaves out. ok is false if it isn't known where the address leads.
func unmaskedAddress(address string) (_ string, ok bool) {
	if !strings.Contains(address, recording.Masked) {
		return address, true
	}
	address, fragment, has := strings.Cut(address, "#")
	path, query, _ := strings.Cut(address, "?")
	if strings.Contains(path, recording.Masked) {
		return "", false
	}
	var kept []string
	for pair := range strings.SplitSeq(query, "&") {
		if !strings.Contains(pair, recording.Masked) {
			kept = append(kept, pair)
		}
	}
	if len(kept) > 0 {
		path += "?" + strings.Join(kept, "&")
	}
	if has && !strings.Contains(fragment, recording.Masked) {
		path += "#" + fragment
	}
	return path, true
}

// unmask replaces each value that the recording leaves out or truncates with a matcher.
func unmask(v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, is := range v {
			if masked(is) {
				v[name] = map[string]any{"$type": "string"}
			}
			unmask(is)
		}
	case []any:
		for i, is := range v {
			if masked(is) {
				v[i] = map[string]any{"$type": "string"}
			}
			unmask(is)
		}
	}
}

func masked(v any) bool {
	text, _ := v.(string)
	return strings.Contains(text, recording.Masked)
}

// relative removes the origin at which a journey begins from its addresses, so that the journey also runs where the
// pages are served from another origin.
func relative(steps []Step) {
	home := ""
	for i := range steps {
		u, err := url.Parse(steps[i].Open)
		if steps[i].Open == "" || err != nil || u.Host == "" {
			continue
		}
		origin := u.Scheme + "://" + u.Host
		if home == "" {
			home = origin
		}
		if origin == home {
			u.Scheme, u.Host, u.User = "", "", nil
			steps[i].Open = cmp.Or(u.String(), "/")
		}
	}
}
