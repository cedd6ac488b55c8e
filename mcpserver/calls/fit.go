package calls

import (
	"context"
	"encoding/json"

	"webmcphub/internal/jsonrpc"
	"webmcphub/mcpserver/results"
	"webmcphub/mcpserver/view"
	"webmcphub/mcpserver/wire"
	"webmcphub/registry"
	"webmcphub/registry/focus"
	"webmcphub/registry/sanitize"
)

const (
	readResult = "read_result"

	readResultInput = `{"type":"object","properties":{"uri":{"type":"string"}},"required":["uri"]}`
)

// ownBudget contains the browser tools that limit the length of their results themselves.
var ownBudget = map[string]bool{"take_snapshot": true}

func (s *Handler) readResultTool() staticTool {
	return ownTool(s, focus.NewTool(readResult, "Reads more of a result that was cut, by the webmcp-result:// "+
		"address in it.", readResultInput, "", `{"readOnlyHint":true,"openWorldHint":false}`), s.readResult)
}

// readResultArguments are the arguments of read_result.
type readResultArguments struct {
	URI string `json:"uri"`
}

// answered reports to Trust that the action's result is about to be sent, and then does what worded does.
func (s *Handler) answered(c ToolCall, d Action, tool *registry.HubTool, r registry.Result) registry.Result {
	if s.options.Trust != nil && d.Kind != "" {
		s.options.Trust.Sent(d)
	}
	return s.worded(c, d, tool, r)
}

// Noting returns a function that reports to Trust the page's messages that to passes on to the client.
func (s *Handler) Noting(d Action, to func(json.RawMessage)) func(json.RawMessage) {
	trust := s.options.Trust
	if trust == nil || to == nil {
		return to
	}
	return func(params json.RawMessage) {
		trust.Read(d, params)
		to(params)
	}
}

// worded reports an action's result to Trust, cuts it to the length that the client accepts, and marks the page's
// words in it. tool is the page's tool that returned r, or nil. The result of a step of a batch is cut and marked
// later, for the answer, because other steps refer to the page's unmarked result.
func (s *Handler) worded(c ToolCall, d Action, tool *registry.HubTool, r registry.Result) registry.Result {
	if s.options.Trust != nil && d.Kind != "" {
		s.options.Trust.Read(d, r.JSON)
	}
	if c.step != nil {
		c.step.words = s.words(d)
		return r
	}
	r, notice := s.fit(c, d, tool, r)
	r.JSON = s.words(d).Marked(r.JSON)
	if notice != "" {
		r = sanitize.WithNotice(r, notice)
	}
	return r
}

// fit cuts a result to the length that the client accepts, and keeps the whole result. notice is the notice about
// that, or "" if nothing was cut. tool is the page's tool that returned r, or nil.
func (s *Handler) fit(c ToolCall, d Action, tool *registry.HubTool,
	r registry.Result) (fitted registry.Result, notice string) {
	max := c.Client.View.Settings().MaxResult
	if len(r.JSON) <= max || max <= 0 || tool == nil && ownBudget[c.Name] { // no token is shorter than a byte
		return r, ""
	}
	var valid func(json.RawMessage) bool
	if schema := outputSchema(tool); schema != nil {
		valid = func(content json.RawMessage) bool { return s.schemas.Satisfies(schema, content) }
	}
	r.JSON, notice = s.Wholes.Fit(r.JSON, s.reader(c.Client, max, s.words(d)), valid)
	return r, notice
}

// words returns the Attribution of an action's result. It refers to little of the action, because the Store keeps it
// as long as the whole result.
func (s *Handler) words(d Action) (w results.Attribution) {
	trust := s.options.Trust
	if trust == nil || d.Kind == "" {
		return w
	}
	whose := Action{Where: Where{Origin: d.Origin, Document: d.Document}, What: What{Kind: d.Kind}}
	return results.Attribution{Origin: d.Origin, Mark: func(result json.RawMessage) json.RawMessage {
		return trust.Delimit(whose, registry.Result{JSON: result}).JSON
	}}
}

// reader describes the client as a reader of whole results.
func (s *Handler) reader(c *view.Client, max int, words results.Attribution) results.Reader {
	r := results.Reader{Session: c.Session(), Max: max, Tool: readResult, Attribution: words}
	if c.View.Settings().Mode == view.FocusedTab { // read_result is not listed in focus mode
		r.Tool = ""
	}
	return r
}

// ReadWhole returns one part of the whole text of a result that was cut for the client.
func (s *Handler) ReadWhole(c *view.Client, uri, cursor string) (results.Part, error) {
	return s.Wholes.Read(s.reader(c, c.View.Settings().MaxResult, results.Attribution{}), uri, cursor)
}

// outputSchema returns the output schema of a page's tool, or nil.
func outputSchema(tool *registry.HubTool) json.RawMessage {
	if tool == nil || !tool.Structured {
		return nil
	}
	return jsonrpc.Member(tool.Encoded, "outputSchema")
}

// readResult implements read_result.
func (s *Handler) readResult(_ context.Context, c ToolCall, a readResultArguments) wire.Reply {
	page, err := s.ReadWhole(c.Client, a.URI, "")
	if err != nil {
		return failed(err)
	}
	r := sanitize.TextResult(page.Text)
	if c.step != nil { // a step's result is marked later, for the answer
		c.step.words, c.step.own, c.step.note = page.Attribution, r.JSON, page.Note
		return done(r)
	}
	r.JSON = page.Marked(r.JSON)
	return done(sanitize.WithOwn(r, page.Note))
}
