package calls

import (
	"encoding/json"
	"fmt"
	"strings"

	"webmcphub/internal/jsonrpc"
	"webmcphub/registry"
	"webmcphub/registry/mcpserver/batch"
	"webmcphub/registry/sanitize"
)

// stepJSON is what call_webmcp_tools says of a step.
type stepJSON struct {
	Step    int             `json:"step"`
	As      string          `json:"as,omitempty"`
	Outcome batch.State     `json:"outcome"`
	Tab     int             `json:"tab,omitempty"`
	Origin  string          `json:"origin,omitempty"` // whose words the result has
	Result  json.RawMessage `json:"result,omitempty"` // its structuredContent
	Text    string          `json:"text,omitempty"`   // where that says something else
	Why     string          `json:"why,omitempty"`    // it failed, or was not run
}

// stepsJSON is the structured result of call_webmcp_tools.
type stepsJSON struct {
	Steps    []stepJSON                 `json:"steps"`
	Returned map[string]json.RawMessage `json:"returned,omitempty"`
	Missing  map[string]string          `json:"missing,omitempty"`
}

// stepsAnswer is the answer that is being put together.
type stepsAnswer struct {
	said   stepsJSON
	blocks []json.RawMessage
	lines  []string // the hub's own, which become a block before the next one
}

// answer is the result of the whole call. The text says the same as the structured result,
// for clients that read one of them only; a page's words are in blocks of their own.
func (b *stepsCall) answer() registry.Result {
	var a stepsAnswer
	succeeded, stopped := 0, false
	for i := range b.steps {
		it := &b.steps[i]
		given, label := b.plan.Given(i), b.plan.Name(i)
		is, why := b.plan.Outcome(i)
		said := stepJSON{Step: i, As: given.As, Outcome: is, Why: why}
		if it.tool != nil {
			said.Tab, said.Origin = int(it.tab), it.tool.Origin()
		}
		switch is {
		case batch.Done:
			succeeded++
		case batch.Failed, batch.NotRun:
			stopped = true
		}
		a.line(label, said, it.result.JSON != nil)
		if is == batch.Done && it.result.JSON != nil {
			said.Result, said.Text = told(it.result.JSON)
			a.content(b.handler.marked(it.deed, it.result))
		} else if is == batch.Failed && it.result.JSON != nil {
			a.content(b.handler.marked(it.deed, it.result))
		}
		a.said.Steps = append(a.said.Steps, said)
	}
	b.selected(&a)
	a.flush()
	failed := stopped && (succeeded == 0 || !b.plan.GoesOn())
	out := map[string]any{"content": a.blocks, "structuredContent": a.said}
	if failed {
		out["isError"] = true
	}
	return registry.Result{JSON: sanitize.Encode(out), IsError: failed}
}

// line is a step's outcome in words; follows says that its result does.
func (a *stepsAnswer) line(label string, said stepJSON, follows bool) {
	text := label + ": " + string(said.Outcome)
	if said.Tab != 0 {
		text += fmt.Sprintf(", tab %d", said.Tab)
	}
	if said.Origin != "" {
		text += ", " + said.Origin
	}
	if said.Why != "" && !follows {
		text += ": " + said.Why
	}
	a.lines = append(a.lines, text)
}

// content adds what a step's result has to show, after the lines so far.
func (a *stepsAnswer) content(r registry.Result) {
	var blocks []json.RawMessage
	for name, value := range jsonrpc.Members(r.JSON) {
		if name == "content" {
			_ = json.Unmarshal(value, &blocks) // made here, or checked
		}
	}
	if len(blocks) > 0 {
		a.flush()
		a.blocks = append(a.blocks, blocks...)
	}
}

func (a *stepsAnswer) flush() {
	if len(a.lines) > 0 {
		a.blocks = append(a.blocks, sanitize.Encode(map[string]string{"type": "text", "text": strings.Join(a.lines, "\n")}))
		a.lines = nil
	}
}

// selected adds the values that the client asks for.
func (b *stepsCall) selected(a *stepsAnswer) {
	for _, v := range b.plan.Wanted() {
		if v.Value == nil {
			if a.said.Missing == nil {
				a.said.Missing = map[string]string{}
			}
			a.said.Missing[v.Path] = v.Why
			a.lines = append(a.lines, fmt.Sprintf("%s: nothing: %s", sanitize.Text(v.Path, 200), v.Why))
			continue
		}
		if a.said.Returned == nil {
			a.said.Returned = map[string]json.RawMessage{}
		}
		a.said.Returned[v.Path] = v.Value
		line := fmt.Sprintf("%s: %s", sanitize.Text(v.Path, 200), v.Value)
		plain := sanitize.TextResult(line)
		if marked := b.handler.marked(b.steps[v.Step].deed, plain); string(marked.JSON) != string(plain.JSON) {
			a.content(marked)
		} else {
			a.lines = append(a.lines, line)
		}
	}
}

// marked marks a page's words in what is shown of a step's result.
func (s *Handler) marked(d Deed, r registry.Result) registry.Result {
	if s.options.Trust == nil || d.Kind == "" || r.JSON == nil {
		return r
	}
	return s.options.Trust.Words(d, r)
}

// told is a result's structured content, and its text where that says something else.
func told(result json.RawMessage) (structured json.RawMessage, text string) {
	for name, value := range jsonrpc.Members(result) {
		if name == "structuredContent" {
			structured = value
		}
	}
	if structured == nil || !batch.SaysTheSame(result) {
		text = batch.TextOf(result)
	}
	return structured, text
}
