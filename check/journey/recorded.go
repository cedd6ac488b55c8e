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

// longest is the longest text of a result that a journey expects again, in bytes.
const longest = 500

// tool is a tool of a page, as a list of tools had it.
type tool struct {
	name   string // the page's own
	schema json.RawMessage
	from   place
}

// place is where a tool is, as the hub says.
type place struct {
	FrameURL string `json:"frameUrl"`
	Tab      int    `json:"tabId"`
}

// Session is what was done in a recorded session.
type RecordedSession struct {
	Journey  Journey
	Coverage *report.Coverage
	// Ends says why the journey ends before the recording does; "" if it doesn't.
	Ends string
}

// From reads a session. name is what its journey is called.
func FromRecording(s *recording.Session, name string) (*RecordedSession, error) {
	if s.Mask == recording.Everything {
		return nil, errors.New("it was made with --record-mask=all, and has no arguments: record the session " +
			"anew without")
	}
	r := reader{
		out: RecordedSession{Journey: Journey{Name: name}}, listed: map[string]tool{},
		schemas: map[string]json.RawMessage{},
		open:    map[string]asked{}, tabs: map[int]string{},
	}
	for _, l := range s.Lines {
		r.line(l)
	}
	relative(r.out.Journey.Steps)
	r.out.Coverage = report.CoverageOf(name, r.schemas, r.calls)
	return &r.out, nil
}

// asked is a call whose answer is still to come.
type asked struct {
	tool tool
	args json.RawMessage
}

type reader struct {
	out     RecordedSession
	listed  map[string]tool // by the hub's name
	schemas map[string]json.RawMessage
	calls   []report.CoveredCall
	open    map[string]asked // by the request's id
	tabs    map[int]string   // the address at which a tab's tool was called last
	goes    bool             // the agent has gone elsewhere since
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

// ownName is the page's name in the hub's (webmcp_{domain}_page{n}_{tool}, or MCP-B's).
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
			continue // the hub's own
		}
		if own := ownName.FindStringSubmatch(t.Name); own != nil {
			is.name = own[1]
		}
		r.listed[t.Name] = is
		r.schemas[is.name] = is.schema
	}
}

// asks reads a call of the client's.
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
		r.open[string(m.ID)] = asked{t, p.Arguments}
		r.calls = append(r.calls, report.CoveredCall{Tool: t.name, Arguments: p.Arguments})
	case p.Name == "call_webmcp_tools":
		r.batch(p.Arguments)
	case p.Name == "open_tab" || p.Name == "navigate_page":
		r.goes = true
	}
}

// batch counts the calls of many at once. Their results stand in one, so that a journey
// takes whatever they answer.
func (r *reader) batch(arguments json.RawMessage) {
	var many struct {
		Steps []struct {
			Tool      string          `json:"tool"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"steps"`
	}
	_ = json.Unmarshal(arguments, &many) // the hub has said what was wrong
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

// call are the params of a call.
type call struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// called adds a call that was answered to the journey. One that was answered with an error of
// the protocol never reached the page.
func (r *reader) called(a asked, result json.RawMessage) {
	if result == nil {
		return
	}
	var said struct {
		IsError bool `json:"isError"`
	}
	_ = json.Unmarshal(result, &said)
	var expected any
	if answers := Answers(result); !said.IsError {
		expected = answers[0]
		if raw, err := json.Marshal(expected); err != nil || len(raw) > longest || len(raw) == len(`""`) ||
			strings.Contains(string(raw), recording.Masked) {
			expected = nil
		}
	}
	r.step(a.tool, a.args, expected, said.IsError)
}

// refers says whether there is a value in some arguments that a step before has to give.
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
		*steps = append(*steps, Step{Open: t.from.FrameURL, Tab: tab})
	}
	r.tabs[t.from.Tab], r.goes = t.from.FrameURL, false
	var arguments map[string]any
	_ = json.Unmarshal(args, &arguments) // none, if it is no object
	unmask(arguments)
	*steps = append(*steps, Step{Call: t.name, Tab: tab, Arguments: arguments, Result: expected, Fails: fails})
}

// unmask puts a matcher in the place of each value that the recording leaves out, or has a
// part of only.
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

// relative has the addresses of the origin at which a journey begins without that origin, so
// that it can be done where the pages are served elsewhere.
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
