package live

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

// Line is one line of an export. Times are UTC.
type Line struct {
	Time    time.Time       `json:"time"`
	Event   string          `json:"event"`            // "call", or the kind of a moment
	Tenant  string          `json:"tenant,omitempty"` // on a gateway that has several
	Tab     registry.TabID  `json:"tabId,omitempty"`
	Session string          `json:"session,omitempty"`
	Client  string          `json:"client,omitempty"`
	Origin  string          `json:"origin,omitempty"`
	Tool    string          `json:"tool,omitempty"`
	Name    string          `json:"name,omitempty"`
	Outcome string          `json:"outcome,omitempty"` // "running" if the call goes on
	Ms      float64         `json:"ms,omitempty"`
	Args    json.RawMessage `json:"args,omitempty"`   // without secrets; a JSON string if it was cut
	Result  json.RawMessage `json:"result,omitempty"` // likewise
	Text    string          `json:"text,omitempty"`
	More    int             `json:"more,omitempty"` // how many others of its kind a moment stands for
}

// Export returns the calls that a filter selects, the newest first, and what happened in the filter's tab.
func (s *State) Export(f Filter) ([]Call, []Moment) {
	return s.calls(f, MaxCalls), slices.Clone(s.past[f.Tab].moments)
}

// Line returns the call as a line of an export.
func (c Call) Line() Line {
	l := Line{Time: c.Began.UTC(), Event: "call", Tab: c.Tab, Session: c.Session, Client: c.Client, Origin: c.Origin,
		Tool: c.Tool, Name: c.Name, Outcome: cmp.Or(c.Outcome, "running"), Args: exported(c.Args),
		Result: exported(c.Result)}
	if !c.Ended.IsZero() {
		l.Ms = float64(c.Ended.Sub(c.Began).Microseconds()) / 1000
	}
	return l
}

// exported returns a text as JSON, even if it was cut.
func exported(text Text) json.RawMessage {
	shown, whole := Masked(text.JSON)
	if shown == "" {
		return nil
	}
	if !whole {
		return sanitize.Encode(shown)
	}
	return json.RawMessage(shown)
}

// Line returns the moment as a line of an export of a tab.
func (m Moment) Line(tab registry.TabID) Line {
	return Line{Time: m.At.UTC(), Event: string(m.Kind), Tab: tab, Text: m.Text, More: m.More}
}

// Unhidden returns arguments without the members that were hidden, and whether there were any.
func Unhidden(shown string) (args json.RawMessage, hid bool) {
	var all map[string]json.RawMessage
	if json.Unmarshal([]byte(shown), &all) != nil {
		return nil, false
	}
	for name, value := range all {
		if Hides(string(value)) {
			delete(all, name)
			hid = true
		}
	}
	return sanitize.Encode(all), hid // each value as it was written, because a choice is recognized by its text
}
