package live

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"time"

	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

// HAR is an HTTP archive, version 1.2, of calls that have ended. Each call is shown as a JSON-RPC request and its
// response, with the member names of the specification.
type HAR struct {
	Log harLog `json:"log"`
}

type harLog struct {
	Version string     `json:"version"`
	Creator harCreator `json:"creator"`
	Pages   []harPage  `json:"pages"`
	Entries []harEntry `json:"entries"`
}

type harCreator struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// harPage is a tab with calls.
type harPage struct {
	Started time.Time `json:"startedDateTime"` // when the first of these calls began
	ID      string    `json:"id"`
	Title   string    `json:"title"`
	Timings struct{}  `json:"pageTimings"`
}

type harEntry struct {
	Page     string      `json:"pageref,omitempty"`
	Started  time.Time   `json:"startedDateTime"`
	Time     float64     `json:"time"` // in milliseconds, like all times
	Request  harRequest  `json:"request"`
	Response harResponse `json:"response"`
	Cache    struct{}    `json:"cache"`
	Timings  harTimings  `json:"timings"`
	Call     harCall     `json:"_webmcp"`
}

// harCall has what the hub knows of a call but HAR has no member for.
type harCall struct {
	Session string `json:"session,omitempty"`
	Client  string `json:"client,omitempty"`
	Tool    string `json:"tool,omitempty"`
	Origin  string `json:"origin,omitempty"`
	Outcome string `json:"outcome"`
}

type harTimings struct {
	Blocked float64 `json:"blocked"` // before the page was asked, including a person's time
	Send    float64 `json:"send"`
	Wait    float64 `json:"wait"`    // in the page
	Receive float64 `json:"receive"` // in the hub, after the page
}

// harPart is what requests and responses have in common. Calls have no headers.
type harPart struct {
	HTTPVersion string     `json:"httpVersion"`
	Cookies     []struct{} `json:"cookies"`
	Headers     []struct{} `json:"headers"`
	HeadersSize int        `json:"headersSize"`
	BodySize    int        `json:"bodySize"`
}

type harRequest struct {
	Method string     `json:"method"`
	URL    string     `json:"url"`
	Query  []struct{} `json:"queryString"`
	Posted harBody    `json:"postData"`
	harPart
}

type harResponse struct {
	Status     int     `json:"status"`
	StatusText string  `json:"statusText"`
	Content    harBody `json:"content"`
	Redirect   string  `json:"redirectURL"`
	harPart
}

type harBody struct {
	Size     *int   `json:"size,omitempty"` // for a response, in bytes
	MIMEType string `json:"mimeType"`
	Text     string `json:"text"`
	Comment  string `json:"comment,omitempty"`
}

// HAR returns the archive of the calls that a filter selects, the oldest first, without secrets. version is the hub's
// version.
func (s *State) HAR(f Filter, version string) HAR {
	h := HAR{harLog{Version: "1.2", Creator: harCreator{"webmcp-hub", version}, Pages: []harPage{},
		Entries: []harEntry{}}}
	seen := map[registry.TabID]bool{}
	for _, c := range s.archived(f) {
		if c.Tab != 0 && !seen[c.Tab] {
			seen[c.Tab] = true
			h.Log.Pages = append(h.Log.Pages,
				harPage{Started: c.Began.UTC(), ID: pageOf(c.Tab), Title: s.titleOf(c.Tab)})
		}
		h.Log.Entries = append(h.Log.Entries, c.entry())
	}
	return h
}

// archived returns the calls that a filter selects and that have ended, at most MaxCalls, in the order in which they
// began.
func (s *State) archived(f Filter) []Call {
	calls := s.ended(nil, f, MaxCalls)
	slices.SortStableFunc(calls, func(a,
		b Call) int {
		return cmp.Or(a.Began.Compare(b.Began), cmp.Compare(a.ID, b.ID))
	})
	return calls
}

func pageOf(tab registry.TabID) string { return fmt.Sprintf("tab_%d", tab) }

// titleOf returns a tab's title. The title of a closed tab is unknown.
func (s *State) titleOf(id registry.TabID) string {
	if t := one(s.catalog, id); t != nil {
		return address(cmp.Or(t.Title, t.URL))
	}
	return fmt.Sprintf("tab %d, closed", id)
}

func (c Call) entry() harEntry {
	e := harEntry{
		Started: c.Began.UTC(), Time: millis(c.Ended.Sub(c.Began)),
		Call: harCall{Session: c.Session, Client: c.Client, Tool: c.Tool, Origin: c.Origin, Outcome: c.Outcome},
	}
	if c.Tab != 0 {
		e.Page = pageOf(c.Tab)
	}
	queue, person, page, after := c.Parts()
	e.Timings = harTimings{Blocked: millis(queue + person), Wait: millis(page), Receive: millis(after)}
	request := c.message("params", map[string]any{"name": c.Name, "arguments": exported(c.Args)})
	response := c.message("result", exported(c.Result))
	e.Request = harRequest{
		Method: "POST", URL: "mcp://webmcp-hub/tools/call/" + url.PathEscape(c.Name), Query: []struct{}{},
		Posted:  harBody{MIMEType: "application/json", Text: request, Comment: c.Args.cut()},
		harPart: part(len(request)),
	}
	e.Response = harResponse{
		Status: statusOf(c.Outcome), StatusText: c.Outcome, harPart: part(c.Result.Size),
		Content: harBody{Size: &c.Result.Size, MIMEType: "application/json", Text: response, Comment: c.Result.cut()},
	}
	return e
}

func part(size int) harPart {
	return harPart{HTTPVersion: "MCP", Cookies: []struct{}{}, Headers: []struct{}{}, HeadersSize: -1, BodySize: size}
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// message returns the JSON-RPC message of the call with the given member.
func (c Call) message(member string, is any) string {
	all := map[string]any{"jsonrpc": "2.0", "id": c.ID, member: is}
	if member == "params" {
		all["method"] = "tools/call"
	}
	return string(sanitize.Encode(all)) // exported values are JSON
}

// cut returns a note if a text was cut, or "".
func (t Text) cut() string {
	if t.Size <= len(t.JSON) {
		return ""
	}
	return fmt.Sprintf("a text, of the first %d of %d bytes", len(t.JSON), t.Size)
}

// statusOf returns the HTTP status that comes nearest to a call's outcome.
func statusOf(outcome string) int {
	switch outcome {
	case "ok":
		return 200
	case "refused":
		return 403
	case "timeout":
		return 504
	}
	return 500
}
