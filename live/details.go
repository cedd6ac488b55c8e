package live

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"webmcphub/internal/jsonrpc"
	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

// Details are the details of a call.
type Details struct {
	Call
	ShownArgs   []Member
	ShownResult string
	Again       bool // a person can make the call again
	Description string
	Claim       string  // what the tool's annotations claim: "read-only", "destructive" or nothing
	Params      []Field // the tool's parameters
	Definition  string  // the tool as clients get it; "" if the tool is gone
}

// details returns the details of a call. now has the definition of the call's tool, if there still is one.
func (s *Server) details(c Call, now *registry.Catalog) *Details {
	d := &Details{Call: c, ShownResult: shown(c.Result)}
	args, whole := Masked(c.Args.JSON)
	d.ShownArgs = membersOf(args, whole)
	if c.Args.Size > len(c.Args.JSON) {
		d.ShownArgs = append(d.ShownArgs, Member{Value: cutShort(c.Args)})
	}
	d.Again = c.Tool != "" && whole && !c.Ended.IsZero()
	if tool := now.Lookup(c.Name); tool != nil {
		d.Description, d.Params = sanitize.Text(tool.Description, 2000), Fields(tool.InputSchema, nil)
		if claims := tool.Claims(); claims.ReadOnly {
			d.Claim = "read-only"
		} else if claims.Destructive {
			d.Claim = "destructive"
		}
		var b bytes.Buffer
		if json.Indent(&b, tool.Encoded, "", "  ") == nil {
			d.Definition = strings.ToValidUTF8(b.String()[:min(b.Len(), 8*MaxText)], "")
		}
	}
	return d
}

// membersOf returns the members of an object that Masked has returned, or the whole text if it isn't an object.
func membersOf(text string, whole bool) (all []Member) {
	switch {
	case text == "":
		return nil
	case !whole || !jsonrpc.IsObject(json.RawMessage(text)):
		return []Member{{Value: text}}
	}
	for name, value := range jsonrpc.Members([]byte(text)) {
		all = append(all, Member{Name: name, Value: jsonrpc.Plain(value)})
	}
	return all
}

// Span is a part of a call's time, as a part of a drawing that is 1000 wide.
type Span struct {
	Name, Class, Text string
	X, Width          int
}

// Longest returns the duration of the longest of the shown calls that have ended.
func (p Page) Longest() (longest time.Duration) {
	for _, c := range p.Calls {
		longest = max(longest, c.Ended.Sub(c.Began))
	}
	return longest
}

// Split returns the parts of the time of a call that has ended, without parts of no length.
func (c Call) Split() []Span { return c.SplitOf(c.Ended.Sub(c.Began)) }

// SplitOf does what Split does, for a drawing whose width stands for a longer time.
func (c Call) SplitOf(whole time.Duration) (all []Span) {
	if c.Ended.IsZero() {
		return nil
	}
	queue, person, page, after := c.Parts()
	whole, x := max(whole, 1), 0
	for _, part := range []struct {
		name, class string
		took        time.Duration
	}{{"queue", "queue", queue}, {"a person", "person", person}, {"page", "page", page}, {"after", "queue", after}} {
		if part.took <= 0 {
			continue
		}
		width := int(1000 * part.took / whole)
		all = append(all, Span{part.name, part.class, duration(part.took), x, max(width, 4)})
		x = min(x+width, 996)
	}
	return all
}

func shown(text Text) string {
	s, _ := Masked(text.JSON)
	if text.Size > len(text.JSON) {
		s += "\n" + cutShort(text)
	}
	return s
}

// Member is a member of an object, for people to read. More is how many characters are left out.
type Member struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	More  int    `json:"more"`
}

// A value that has more characters or lines than these is folded until a person opens it.
const (
	maxUnfolded = 400
	maxLines    = 12
)

// Long reports whether the value is folded until a person opens it.
func (m Member) Long() bool {
	return utf8.RuneCountInString(m.Value) > maxUnfolded || strings.Count(m.Value, "\n") >= maxLines
}

// First returns the beginning of a long value, in one line.
func (m Member) First() string {
	letters := []rune(strings.Join(strings.Fields(m.Value), " "))
	return string(letters[:min(len(letters), maxUnfolded/4)])
}

// Size returns the number of the value's characters.
func (m Member) Size() int { return utf8.RuneCountInString(m.Value) + m.More }

// Title returns the name under which the call is shown.
func (c Call) Title() string { return c.title() }

// Preview returns the arguments in one line, without secrets.
func (c Call) Preview() string {
	text, _ := Masked(c.Args.JSON)
	return sanitize.Text(strings.Join(strings.Fields(text), " "), maxPart)
}

// Took returns how long a call that has ended has taken.
func (c Call) Took() string {
	if c.Ended.IsZero() {
		return ""
	}
	return duration(c.Ended.Sub(c.Began))
}
