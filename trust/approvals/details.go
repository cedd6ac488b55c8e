package approvals

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"webmcphub/internal/jsonrpc"
)

// DetailsKey is the name of a question's [Details] in the _meta of its elicitation/create.
const DetailsKey = "webmcp-hub/question"

// Limits of Details.
const (
	maxMembers = 50   // of an object
	maxValue   = 3000 // of a member's value, in bytes
)

// Details is a question in parts, for programs that show it as a form instead of as a text. In the texts of pages and
// agents, codes replace invisible characters.
type Details struct {
	Tool        string   `json:"tool"`
	HubName     string   `json:"hubName"`
	Kind        string   `json:"kind"` // the hub's words
	Origin      string   `json:"origin,omitempty"`
	Tab         int      `json:"tabId,omitempty"`
	Browser     string   `json:"browser,omitempty"`
	To          string   `json:"to,omitempty"`
	Why         []string `json:"why,omitempty"`
	Shown       Member   `json:"shown,omitzero"` // as in [Question]
	Args        []Member `json:"args,omitempty"`
	Besides     []Member `json:"besides,omitempty"`
	On          Member   `json:"on,omitzero"`
	OnMore      string   `json:"onMore,omitempty"`  // the hub's words about the elements for which On has no room
	Changed     string   `json:"changed,omitempty"` // the hub's words
	Description Member   `json:"description,omitzero"`
}

// Member is a member of an object, or a whole value that is not an object; then it has no name. A string is shown
// without its quotes, unless it then looks like another value.
type Member struct {
	Name  string `json:"name,omitempty"`
	Value string `json:"value,omitempty"`
	More  int    `json:"more,omitempty"` // how many characters of the value, or of further members, are left out
}

func (q Question) details() Details {
	d := Details{Tool: line(q.Tool, 200), HubName: line(q.HubName, 200), Kind: q.Kind, Origin: line(q.Origin, 300),
		Tab: q.Tab, Browser: line(q.Browser, 100), To: line(q.To, maxArguments), Args: members(q.Args),
		Besides: members(q.Besides), Changed: q.Changed}
	on, more := withRoom(q.On)
	d.On, d.OnMore = plain(on, 2*maxElements), more
	d.Description, d.Shown = plain(q.Description, maxDescription), plain(q.Shown, maxWhy*2)
	for _, why := range q.Why {
		d.Why = append(d.Why, line(why, maxWhy))
	}
	return d
}

// plain returns a page's or an agent's text in at most max bytes.
func plain(text string, max int) (m Member) {
	m.Value, m.More = shown(text, true, max)
	return m
}

// members returns the members of a JSON object in their order.
func members(text json.RawMessage) (all []Member) {
	switch {
	case len(text) == 0:
		return nil
	case !json.Valid(text) || !jsonrpc.IsObject(text):
		return []Member{member("", text)}
	}
	left := 0
	for name, value := range jsonrpc.Members(text) {
		if len(all) < maxMembers {
			all = append(all, member(name, value))
		} else {
			left += utf8.RuneCount(value) + utf8.RuneCountInString(name)
		}
	}
	if left > 0 {
		all = append(all, Member{More: left})
	}
	return all
}

func member(name string, value json.RawMessage) (m Member) {
	var indented bytes.Buffer
	text := jsonrpc.Plain(value)
	if text == string(value) && nesting(value) <= maxNesting && len(value) <= maxArguments &&
		json.Indent(&indented, value, "", "  ") == nil {
		text = indented.String()
	}
	m = plain(text, maxValue)
	m.Name = line(name, 200)
	return m
}
