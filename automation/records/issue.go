package records

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode"
)

// issue records an issue, unless it says that an extension's script uses a deprecated feature, because a page can't
// do anything about that. The hub's own extension listens for "unload", which keeps documents out of the back/forward
// cache.
func (t *Tab) issue(params json.RawMessage, session string) {
	var p struct {
		Issue struct {
			Details struct {
				DeprecationIssueDetails struct{ SourceCodeLocation struct{ URL string } }
			}
		}
	}
	const extension = "chrome-extension://"
	if bytes.Contains(params, []byte(extension)) && json.Unmarshal(params, &p) == nil &&
		strings.HasPrefix(p.Issue.Details.DeprecationIssueDetails.SourceCodeLocation.URL, extension) {
		return
	}
	t.console(kindIssue, params, session)
}

// decodeIssue makes a line of an issue of Chrome's Issues panel: its name, and the texts of its details.
func decodeIssue(raw json.RawMessage, out *Message, session string) error {
	var p struct {
		Issue struct {
			Code    string
			Details map[string]json.RawMessage
		}
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return err
	}
	out.Type, out.Source = "issue", p.Issue.Code
	text := words(strings.TrimSuffix(p.Issue.Code, "Issue"))
	for _, d := range p.Issue.Details { // there is exactly one
		var v any
		if json.Unmarshal(d, &v) != nil {
			continue
		}
		var facts []string
		out.facts(v, "", &facts)
		for i := range out.Nodes {
			out.Nodes[i].Session = session
		}
		slices.Sort(facts)
		if len(facts) > 0 {
			text += ": " + strings.Join(facts, ", ")
		}
	}
	out.Text = clip(text, maxText)
	return nil
}

// facts collects the texts of an issue's details, and its place.
func (m *Message) facts(v any, name string, to *[]string) {
	switch v := v.(type) {
	case map[string]any:
		for key, inner := range v {
			m.facts(inner, key, to)
		}
	case []any:
		for _, inner := range v[:min(len(v), 5)] {
			m.facts(inner, name, to)
		}
	case string:
		m.fact(name, v, to)
	case float64:
		switch name {
		case "violatingNodeId", "nodeId", "backendNodeId":
			m.Nodes = append(m.Nodes, Node{Backend: int(v)})
		case "lineNumber":
			m.Line = int(v) + 1
		case "columnNumber":
			m.Column = int(v) + 1
		}
	}
}

func (m *Message) fact(name, v string, to *[]string) {
	switch name {
	case "requestId":
		m.request = v
	case "frameId", "scriptId", "loaderId", "issueId": // ids that mean nothing to a reader
	case "url":
		if m.URL == "" {
			m.URL = clip(v, maxURL)
		}
		*to = append(*to, name+" "+clip(v, 200))
	default:
		if v != "" {
			*to = append(*to, name+" "+clip(v, 200))
		}
	}
}

// words splits a name into words: "MixedContent" becomes "Mixed content".
func words(name string) string {
	var b strings.Builder
	for i, r := range name {
		if i > 0 && unicode.IsUpper(r) {
			b.WriteByte(' ')
			r = unicode.ToLower(r)
		}
		b.WriteRune(r)
	}
	return b.String()
}
