package smoke

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"webmcphub/check/lint"
)

// The limits of results, in bytes.
const (
	maxResult = 1 << 20
	maxRead   = 8_000
)

// An Outcome is the result of a call.
type Outcome struct {
	Result  json.RawMessage // an MCP CallToolResult
	IsError bool
	// Ending says how the call ended if the tool didn't answer, such as "timeout" or "crashed"; otherwise it is "".
	Ending  string
	Took    time.Duration
	Dialogs []string // dialogs that the page opened during the call, such as alert("Done")
	Wrote   []string // what the page stored or posted, such as "localStorage cart"
	Changed []string // the places of the page's document that changed
	Thrown  []string // uncaught exceptions of the page's scripts during the call
}

// Stops reports whether the tool, or its page, can't be called any more.
func (o Outcome) Stops() bool { return o.Ending != "" }

// Rules are the rules that outcomes can break.
func Rules() []lint.Rule {
	return []lint.Rule{
		{ID: "smoke-hang", Severity: lint.Error, Title: "A call doesn't end", Why: "Agents wait for a minute, and " +
			"then tell their user that the page is broken.", Bad: `execute: () => new Promise(() => {})`,
			Good: `execute: async (args, { signal }) => (await fetch("/search", { signal })).json()`},
		{ID: "smoke-crash", Severity: lint.Error, Title: "A call crashes the page",
			Why: "All tools of the page are gone. In Chromium 156 a tool that returns a Symbol does this.",
			Bad: `execute: () => Symbol("done")`, Good: `execute: () => "done"`},
		{ID: "smoke-throws", Severity: lint.Error, Title: "A call ends with an error of the script",
			Why: "A TypeError tells an agent nothing that it could do better. Look at the arguments first, and say " +
				"what is wrong with them.", Bad: `execute: ({ words }) => words.trim()`,
			Good: `execute: ({ words }) => { if (typeof words !== "string") throw new Error("words must be a text"); return words.trim(); }`},
		{ID: "smoke-uncaught", Severity: lint.Error,
			Title: "A script throws while the tool runs, and nobody catches it",
			Why:   "The tool answers as if all were well.",
			Bad:   `execute: () => { setTimeout(() => { throw new Error("late"); }); return "done"; }`,
			Good:  `execute: async () => { await work(); return "done"; }`},
		{ID: "smoke-refuses", Severity: lint.Warning, Title: "The tool refuses what its schema permits",
			Why: "An agent that follows the schema fails, and can only guess why. Put the limits into the schema.",
			Bad: `inputSchema: { type: "object", properties: { n: { type: "integer" } } }, execute: ({ n }) => { if (n > 10) throw new Error("n is too large"); return n; }`, Good: `inputSchema: { type: "object", properties: { n: { type: "integer", maximum: 10 } } }, execute: ({ n }) => n`},
		{ID: "smoke-output", Severity: lint.Error, Title: "The result isn't what outputSchema says",
			Why:  "Clients that check results refuse it.",
			Bad:  `outputSchema: { type: "object", required: ["sum"] }, execute: () => ({ total: 3 })`,
			Good: `outputSchema: { type: "object", required: ["sum"] }, execute: () => ({ sum: 3 })`},
		{ID: "smoke-nothing", Severity: lint.Warning, Title: "The tool answers nothing",
			Why: "The agent reads \"undefined\", or nothing at all, and calls again.",
			Bad: `execute: () => { light.on(); }`, Good: `execute: () => { light.on(); return "The light is on."; }`},
		{ID: "smoke-huge", Severity: lint.Error, Title: "A result has more than a megabyte",
			Why:  "It doesn't fit into any model's context; clients cut it or refuse it.",
			Bad:  `execute: () => allProducts`,
			Good: `execute: ({ page = 0 }) => allProducts.slice(page * 20, page * 20 + 20)`},
		{ID: "smoke-long", Severity: lint.Warning, Title: "A result has more than 8,000 characters",
			Why: "Agents cut such results. Return what answers the question, and a way to ask for more.",
			Bad: `execute: () => document.body.innerHTML`, Good: `execute: () => document.title`},
		{ID: "smoke-navigates", Severity: lint.Error, Title: "A tool that says it only reads leaves the page",
			Why:  "The page's tools are gone, and what the user was doing there.",
			Bad:  `annotations: { readOnlyHint: true }, execute: () => { location.href = "/results"; }`,
			Good: `annotations: { readOnlyHint: true }, execute: () => results()`},
		{ID: "smoke-dialog", Severity: lint.Error, Title: "The tool opens a dialog",
			Why: "alert, confirm and prompt stop the page until a person answers. An agent that works alone waits " +
				"until its call times out.", Bad: `execute: () => { alert("Done"); return "done"; }`,
			Good: `execute: () => { status.textContent = "Done"; return "done"; }`},
		{ID: "smoke-object-text", Severity: lint.Error, Title: "The result has [object Object] in it",
			Why: "An object was made a text by +, a template or String(). The agent doesn't get what was in it.",
			Bad: "execute: () => `Found: ${{ name: \"tea\" }}`", Good: `execute: () => ({ found: { name: "tea" } })`},
		{ID: "smoke-writes", Severity: lint.Warning, Title: "A tool that says it only reads stores or posts something",
			Why: "Clients call it without asking their user. What the page does while no tool is called, requests that " +
				"only ask or count, and those by sendBeacon aren't meant.",
			Bad:  `annotations: { readOnlyHint: true }, execute: () => { localStorage.cart = "tea"; return "added"; }`,
			Good: `annotations: { readOnlyHint: true }, execute: () => localStorage.cart`},
		{ID: "smoke-changes-page", Severity: lint.Info, Title: "A tool that says it only reads changes the page",
			Why:  "That is fine if the page only shows what was found. If the user's work changes, the hint is wrong.",
			Bad:  `annotations: { readOnlyHint: true }, execute: () => { cart.append("tea"); return "added"; }`,
			Good: `annotations: { readOnlyHint: true }, execute: () => cart.textContent`},
		{ID: "smoke-lenient", Severity: lint.Info, Title: "The tool takes what its schema refuses",
			Why: "Chrome doesn't hold arguments against the schema. An agent that mistakes a parameter is told that " +
				"all is well.",
			Bad:  `inputSchema: { type: "object", properties: { n: { type: "integer" } } }, execute: ({ n }) => "n is " + n`,
			Good: `inputSchema: { type: "object", properties: { n: { type: "integer" } } }, execute: ({ n }) => { if (!Number.isInteger(n)) throw new Error("n must be an integer"); return "n is " + n; }`},
	}
}

// scriptError matches an engine's message about a script's mistake. It doesn't match a TypeError that the tool itself
// throws to report wrong arguments.
var scriptError = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(Uncaught )?(\(in promise\) )?(TypeError|ReferenceError|RangeError|SyntaxError|InternalError)\b.*(` +
		`Cannot (read|set|access|destructure|convert|assign|delete|define|mix|perform|create|use|call)\b|(is not|isn't) (a function|defined|iterable|async iterable|a constructor|valid JSON|an object)|` +
		`is (undefined|null)\b|Unexpected (token|end|identifier|string|number|non-whitespace)|Maximum call stack|[Ii]nvalid (array length|time value|count value|string length|regular expression|left-hand)|` +
		`before initialization|Assignment to constant|Class constructor|Reduce of empty array|Illegal invocation|Failed to (execute|construct|fetch|parse))`)
})

// outputError begins the answer of servers made with MCP's TypeScript SDK, such as @mcp-b/global, to a result that
// doesn't match the tool's outputSchema.
const outputError = "Output validation error"

// Judge returns findings for the rules that the outcome of a call breaks. ctx limits how long a result is validated
// against its schema.
func Judge(ctx context.Context, page string, t *lint.Tool, in Input, out Outcome) (all []lint.Finding) {
	found := func(rule, format string, args ...any) {
		for _, r := range Rules() {
			if r.ID == rule {
				all = append(all, lint.Finding{Rule: rule, Severity: r.Severity, Page: page, Tool: t.Name,
					Where: in.Name, Message: fmt.Sprintf(format, args...) + " (called with " +
						cut(string(in.Args), 200) + ")"})
			}
		}
	}
	for _, thrown := range out.Thrown {
		found("smoke-uncaught", "a script of the page threw: %s", cut(thrown, 300))
	}
	for _, dialog := range out.Dialogs {
		found("smoke-dialog", "it opened %s", cut(dialog, 200))
	}
	if t.ReadOnly() && len(out.Wrote) > 0 {
		found("smoke-writes", "it wrote %s", cut(strings.Join(out.Wrote, ", "), 300))
	}
	if t.ReadOnly() && len(out.Changed) > 0 {
		found("smoke-changes-page", "it changed %s", cut(strings.Join(out.Changed, ", "), 300))
	}
	switch out.Ending {
	case "":
	case "timeout":
		found("smoke-hang", "there was no answer within %v", out.Took.Round(100*time.Millisecond))
		return all
	case "crashed":
		found("smoke-crash", "the page crashed")
		return all
	case "navigated":
		if t.ReadOnly() {
			found("smoke-navigates", "the page went elsewhere")
		}
		return all
	default:
		return all // the page was closed or Chrome ended, which says nothing about the tool
	}
	text, structured := read(out.Result)
	switch {
	case out.IsError && in.Valid && len(t.OutputSchema) > 0 && strings.HasPrefix(text, outputError):
		found("smoke-output", "the page's own server refused the result: %s", cut(text, 300))
	case out.IsError && scriptError().MatchString(text):
		found("smoke-throws", "it failed with %s", cut(text, 300))
	case out.IsError && in.Valid:
		found("smoke-refuses", "it failed with %s", cut(text, 300))
		if invented := inventions(t.InputSchema, in.Args); len(invented) > 0 {
			last := &all[len(all)-1]
			last.Severity = lint.Info // the page may have nothing with that name
			last.Message += "; the check made up " + strings.Join(invented, " and ") +
				": give the parameter examples that are there"
		}
	case !out.IsError && !in.Valid:
		found("smoke-lenient", "it answered %s", cut(text, 100))
	}
	if out.IsError {
		return all
	}
	if strings.Contains(text, "[object Object]") {
		found("smoke-object-text", "the result is %q", cut(text, 200))
	}
	size := len(out.Result)
	switch {
	case size > maxResult:
		found("smoke-huge", "the result has %d bytes", size)
	case utf8.RuneCountInString(text) > maxRead:
		found("smoke-long", "the result has %d characters", utf8.RuneCountInString(text))
	case in.Valid && (text == "undefined" || text == "" && len(structured) == 0):
		found("smoke-nothing", "the result is %q", text)
	}
	if err := fitsOutput(ctx, t.OutputSchema, structured); err != nil && in.Valid {
		found("smoke-output", "%v", err)
	}
	return all
}

// read returns the texts of a result, and its structured content.
func read(result json.RawMessage) (text string, structured json.RawMessage) {
	var r struct {
		Content []struct{ Type, Text string }
		// The name is MCP's.
		StructuredContent json.RawMessage `json:"structuredContent"`
	}
	_ = json.Unmarshal(result, &r) // the hub itself wrote the result
	var texts []string
	for _, c := range r.Content {
		if c.Type == "text" {
			texts = append(texts, c.Text)
		} else {
			texts = append(texts, "["+c.Type+"]")
		}
	}
	return strings.Join(texts, "\n"), r.StructuredContent
}

// fitsOutput validates structured content against a tool's output schema. It ignores a schema that can't be read,
// because that is no fault of a call.
func fitsOutput(ctx context.Context, schema, structured json.RawMessage) error {
	if len(schema) == 0 {
		return nil
	}
	s, err := lint.CompileSchema(schema, true)
	if err != nil {
		return nil
	}
	if len(structured) == 0 {
		return fmt.Errorf("there is an outputSchema, and the result has no structuredContent")
	}
	if err := s.Validate(ctx, structured); err != nil && ctx.Err() == nil {
		return fmt.Errorf("the result isn't what outputSchema says: %w", err)
	}
	return nil
}

var key = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(^|[_.-])(id|ids|key|slug|code|sku|uuid|ref|handle)$|[a-z](Id|ID|Ids|Key|Slug|Code|Sku|Uuid|Ref|Handle)$`)
})

// inventions returns the arguments that name something on the page and that the check made up.
func inventions(schema, args json.RawMessage) (all []string) {
	var s struct {
		Properties map[string]map[string]any `json:"properties"`
	}
	var called map[string]json.RawMessage
	_ = json.Unmarshal(schema, &s) // without a schema, all arguments are invented
	_ = json.Unmarshal(args, &called)
	for _, name := range slices.Sorted(maps.Keys(called)) {
		if _, known := given(s.Properties[name]); key().MatchString(name) && !known {
			all = append(all, name)
		}
	}
	return all
}

// cut returns the beginning of a text.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
