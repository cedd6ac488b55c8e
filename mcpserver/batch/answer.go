package batch

import (
	"encoding/json"
	"fmt"
	"strings"

	"webmcphub/internal/jsonrpc"
	"webmcphub/mcpserver/results"
	"webmcphub/registry/sanitize"
)

// StepResult is the part of a step's result that the answer shows.
type StepResult struct {
	Tab    int // the tab of its tool; 0 if unknown
	Result json.RawMessage
	Note   string // the hub's note about the result, such as what is missing
	results.Attribution
}

// stepJSON describes a step in the structured result.
type stepJSON struct {
	Step    int             `json:"step"`
	As      string          `json:"as,omitempty"`
	Outcome State           `json:"outcome"`
	Tab     int             `json:"tab,omitempty"`
	Origin  string          `json:"origin,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"` // the result's structuredContent
	Text    string          `json:"text,omitempty"`   // the result's text, if it says something else
	Why     string          `json:"why,omitempty"`    // why it failed or was not run
	Note    string          `json:"note,omitempty"`
}

// answerJSON is the structured result.
type answerJSON struct {
	Steps    []stepJSON                 `json:"steps"`
	Returned map[string]json.RawMessage `json:"returned,omitempty"`
	Missing  map[string]string          `json:"missing,omitempty"`
}

// answer is the answer that is being built.
type answer struct {
	steps  answerJSON
	blocks []json.RawMessage
	lines  []string // the hub's own lines, which become a block before the next block
}

// Answer returns the CallToolResult of a plan whose steps have all ended; failed repeats its isError. The text says
// the same as the structured result, because some clients read only one of them. A page's words are in blocks of
// their own.
func (p *Plan) Answer(results []StepResult, wanted []Selected) (result json.RawMessage, failed bool) {
	var a answer
	succeeded, stopped := false, false
	for i, s := range p.steps {
		it := results[i]
		whose := it
		if s.quotes >= 0 {
			whose = results[s.quotes]
		}
		step := stepJSON{Step: i, As: s.As, Outcome: s.state, Tab: it.Tab, Origin: it.Origin, Note: it.Note}
		if step.Why = s.why; s.state == Failed {
			step.Why = whose.text(s.why)
		}
		succeeded, stopped = succeeded || s.state == Done, stopped || s.state != Done
		a.line(p.Name(i), step, it.Result != nil)
		if it.Result != nil {
			if s.state == Done {
				step.Result, step.Text = forms(it.Result)
				step.Text = it.text(step.Text)
			}
			a.content(it.Marked(it.Result))
		}
		if it.Note != "" {
			a.lines = append(a.lines, p.Name(i)+": "+it.Note)
		}
		a.steps.Steps = append(a.steps.Steps, step)
	}
	a.selected(results, wanted)
	a.flush()
	failed = stopped && (!succeeded || !p.goesOn)
	out := map[string]any{"content": a.blocks, "structuredContent": a.steps}
	if failed {
		out["isError"] = true
	}
	return jsonrpc.MustEncode(out), failed
}

// text returns a text of the result with marks around the page's words.
func (s StepResult) text(text string) string {
	if s.Mark == nil || text == "" {
		return text
	}
	return TextOf(s.Mark(jsonrpc.MustEncode(map[string]any{"content": []json.RawMessage{textBlock(text)}})))
}

// line adds a step's outcome in words. follows reports that the step's result comes next.
func (a *answer) line(name string, step stepJSON, follows bool) {
	text := name + ": " + string(step.Outcome)
	if step.Tab != 0 {
		text += fmt.Sprintf(", tab %d", step.Tab)
	}
	if step.Origin != "" {
		text += ", " + step.Origin
	}
	if step.Why != "" && !follows {
		text += ": " + step.Why
	}
	a.lines = append(a.lines, text)
}

// content adds the content of a result, after the lines so far.
func (a *answer) content(result json.RawMessage) {
	var blocks []json.RawMessage
	_ = json.Unmarshal(jsonrpc.Member(result, "content"), &blocks) // it is an array
	if len(blocks) > 0 {
		a.flush()
		a.blocks = append(a.blocks, blocks...)
	}
}

func (a *answer) flush() {
	if len(a.lines) > 0 {
		a.blocks = append(a.blocks, textBlock(strings.Join(a.lines, "\n")))
		a.lines = nil
	}
}

func textBlock(text string) json.RawMessage {
	return jsonrpc.MustEncode(map[string]string{"type": "text", "text": text})
}

// selected adds the values that the client asked for.
func (a *answer) selected(results []StepResult, wanted []Selected) {
	if len(wanted) == 0 {
		return
	}
	a.steps.Returned, a.steps.Missing = map[string]json.RawMessage{}, map[string]string{}
	for _, v := range wanted {
		name := cut(v.Path, 200)
		if v.Value != nil {
			a.steps.Returned[v.Path] = v.Value
			line := fmt.Sprintf("%s: %s", name, v.Value)
			if it := results[v.Step]; it.Mark != nil {
				a.content(it.Mark(jsonrpc.MustEncode(map[string]any{"content": []json.RawMessage{textBlock(line)}})))
			} else {
				a.lines = append(a.lines, line)
			}
		}
		switch {
		case v.Why == "":
		case v.Value == nil:
			why := v.Why
			if v.Quotes {
				why = results[v.Step].text(why)
			}
			a.steps.Missing[v.Path] = why
			a.lines = append(a.lines, name+": nothing: "+why)
		default:
			a.steps.Missing[v.Path] = v.Why
			a.lines = append(a.lines, name+": "+v.Why)
		}
	}
}

// forms returns a result's structured content and, if it says something else, its text.
func forms(result json.RawMessage) (structured json.RawMessage, text string) {
	structured, text = parts(result)
	if jsonrpc.IsObject(structured) && (wraps(structured, text) || jsonrpc.Same(structured, sanitize.Structure(text))) {
		text = ""
	}
	return structured, text
}

// Selects reports whether the client wants only certain values.
func (p *Plan) Selects() bool { return len(p.wants) > 0 }

// A Selected is one value that the client wants.
type Selected struct {
	Path  string
	Step  int
	Value json.RawMessage // nil if there is none
	Why   string          // why there is no value, or not all of it
	// Quotes reports that Why quotes the step's result.
	Quotes bool
}

// Wanted returns the values that the client wants, if they exist and together have at most most bytes. When over
// returns true, it looks for no more values.
func (p *Plan) Wanted(most int, over func() bool) []Selected {
	all := make([]Selected, len(p.wants))
	for i, path := range p.wants {
		all[i] = Selected{Path: path.text, Step: path.step}
		s := p.steps[path.step]
		if s.state != Done {
			all[i].Why = fmt.Sprintf("%s has no result", p.Name(path.step))
			continue
		}
		if over() {
			all[i].Why = "the call was cancelled"
			continue
		}
		v, err := s.value.find(path)
		if err != nil {
			all[i].Why, all[i].Quotes = err.Error(), true
			continue
		}
		if len(v) > most {
			all[i].Why = fmt.Sprintf("it has %d bytes, and with those before it the answer would be too long: ask "+
				"for less, or for it alone", len(v))
			continue
		}
		all[i].Value = v
		most -= len(v)
	}
	return all
}
