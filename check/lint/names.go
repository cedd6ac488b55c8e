package lint

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"webmcphub/internal/wording"
)

// Limits of Chrome's guidance for secure tools, in characters.
const (
	maxName             = 30
	maxDescription      = 500
	maxParamDescription = 150
)

// search registers a tool that keeps all rules about a single tool.
const search = `document.modelContext.registerTool({
  name: "search_products",
  title: "Search products",
  description: "Finds products of this shop by words. Use it when the user looks for something to buy.",
  inputSchema: {
    type: "object",
    properties: {
      words: { type: "string", description: "What to look for, such as \"red shoes\".", maxLength: 200 },
      limit: { type: "integer", minimum: 1, maximum: 50, description: "How many products to return." }
    },
    required: ["words"],
    additionalProperties: false
  },
  annotations: { readOnlyHint: true, untrustedContentHint: false },
  execute: ({ words, limit = 10 }) => ({ found: ["red shoes", "blue shoes"].slice(0, limit), words })
});`

// example returns JavaScript that registers a read-only tool which keeps all rules about a single tool. properties
// are those of its schema, and result is its result, both as JavaScript.
func example(name, title, description, properties, result string) string {
	if properties != "" {
		properties = " " + properties + " "
	}
	return fmt.Sprintf(`document.modelContext.registerTool({
  name: %q,
  title: %q,
  description: %q,
  inputSchema: { type: "object", properties: {%s} },
  annotations: { readOnlyHint: true, untrustedContentHint: false },
  execute: () => %s
});`, name, title, description, properties, result)
}

// acting does the same as example for a tool that changes something.
func acting(name, title, description, properties, result string) string {
	return strings.Replace(example(name, title, description, properties, result), "readOnlyHint: true, untrustedContentHint: false",
		"readOnlyHint: false", 1)
}

var nameRules = []entry{
	{Rule: Rule{
		ID: "name-invalid", Severity: Error,
		Title: "The browser refuses the tool's name",
		Why: "A name has 1 to 128 characters of A–Z, a–z, 0–9, `_`, `-` and `.`. registerTool rejects any other, " +
			"and the tool doesn't exist.",
		Bad:    `document.modelContext.registerTool({ name: "search products", description: "Finds products by words.", execute: () => "none" });`,
		Good:   search,
		Covers: []string{"playwright-webmcp: tool-name-valid", "webmcp-lint: WML-007"},
	}, page: func(p *page, found reportFunc) {
		for _, r := range p.Registrations {
			if strings.Contains(r.Error, "nvalid tool name") || r.Error != "" && !validName().MatchString(r.Name) {
				found(r.Name, "name", "registerTool was refused: %s", r.Error)
			}
		}
		for _, t := range p.tools {
			if !validName().MatchString(t.Name) {
				found(t.Name, "name", "%q is no valid name: only A–Z, a–z, 0–9, _, - and . are, up to 128 of them",
					t.Name)
			}
		}
	}},
	{Rule: Rule{
		ID: "name-duplicate", Severity: Error,
		Title: "Two tools of the page have the same name",
		Why: "The browser refuses the second one of a document; of two in different frames an agent can't tell " +
			"which one it calls.",
		Bad: `for (const d of ["Starts the music of the first room.", "Stops the lamp of the second room."]) document.modelContext.registerTool({ name: "twice", description: d, execute: () => "done" });`,
		Good: acting("start_music", "Start music", "Starts the music of the first room. Use it for parties.",
			"", `"done"`) + "\n" + acting("stop_lamp", "Stop lamp", "Turns off the light of the bedroom. Use it at night.",
			"", `"done"`),
		Covers: []string{"playwright-webmcp: duplicate-tool-name", "webmcp-lint: WML-007"},
	}, page: func(p *page, found reportFunc) {
		reported := map[string]bool{}
		for _, r := range p.Registrations {
			if strings.Contains(r.Error, "uplicate tool name") && !reported[r.Name] {
				reported[r.Name] = true
				found(r.Name, "name", "it was registered again while it was there, and the browser refused that: %s",
					r.Error)
			}
		}
		count := map[string]int{}
		for _, t := range p.tools {
			if count[t.Name]++; count[t.Name] == 2 && !reported[t.Name] {
				found(t.Name, "name", "several documents of the page register a tool of this name")
			}
		}
	}},
	{Rule: Rule{
		ID: "name-length", Severity: Warning,
		Title: "The tool's name is longer than 30 characters",
		Why: "Chrome's guidance for tools sets this limit. Clients put a prefix before the name and cut what is " +
			"over their own limit.",
		Bad: `document.modelContext.registerTool({ name: "get_the_current_balance_of_the_account", description: "Tells what is on the account.", execute: () => "1" });`,
		Good: example("get_balance", "Get balance", "Tells what is on the account. Use it before a payment.",
			"", `"12.50"`),
		Covers: []string{"webmcp-lint: WML-009", "Chrome: secure tools"},
	}, tool: func(t *tool, found reportFunc) {
		if n := utf8.RuneCountInString(t.Name); n > maxName {
			found(t.Name, "name", "the name has %d characters; %d is the limit", n, maxName)
		}
	}},
	{Rule: Rule{
		ID: "name-style", Severity: Warning,
		Title: "Names of tools and parameters follow several styles",
		Why: "A model reproduces names from memory; where snake_case, camelCase and kebab-case stand side by side " +
			"it mixes them up.",
		Bad: `for (const name of ["open_door", "closeDoor"]) document.modelContext.registerTool({ name, description: "Moves the " + name + " of the hall.", execute: () => "done" });`,
		Good: acting("open_door", "Open door", "Opens the door of the cellar. Use it when the user wants to go down.",
			"", `"done"`) + "\n" + example("look_around", "Look around", "Describes the room. Use it when the user arrives.",
			"", `"a table"`),
		Covers: []string{"playwright-webmcp: naming-consistency", "playwright-webmcp: tool-name-style"},
	}, page: nameStyle},
	{Rule: Rule{
		ID: "title-missing", Severity: Info,
		Title: "The tool has no title",
		Why: "The title is what a client shows to people, for example when it asks whether the tool may run. " +
			"Without one they read the name.",
		Bad: `document.modelContext.registerTool({ name: "untitled", description: "Counts the letters of a text. Use it when the user asks for a length.", execute: () => "1" });`,
		Good: example("get_menu", "Today's menu", "Lists what the restaurant serves today. Use it before ordering.",
			"", `"soup"`),
		Covers: []string{"playwright-webmcp: tool-title-missing"},
	}, tool: func(t *tool, found reportFunc) {
		if t.Form || t.Title != "" {
			return
		}
		if r := t.registration(); t.Runtime == "native" && (r == nil || r.Titled) {
			return // Chrome doesn't pass titles on
		}
		found(t.Name, "title", "the tool has no title")
	}},
}

var validName = lazily(`^[A-Za-z0-9_.-]{1,128}$`)

// nameStyle reports if names of tools, or names of parameters, differ in style.
func nameStyle(p *page, found reportFunc) {
	var tools, params []string
	for _, t := range p.tools {
		tools = append(tools, t.Name)
		for _, n := range t.nodes {
			if n.name != "" && !t.Form { // a form's parameters are its fields
				params = append(params, n.name)
			}
		}
	}
	for what, all := range map[string][]string{"tools": tools, "parameters": params} {
		if styles := styles(all); len(styles) > 1 {
			found("", what, "the names of %s have %d styles: %s", what, len(styles), strings.Join(styles, ", "))
		}
	}
}

// styles returns the styles of names, each with the first name that has it.
func styles(all []string) (with []string) {
	seen := map[string]bool{}
	for _, name := range all {
		if s := style(name); s != "" && !seen[s] {
			seen[s] = true
			with = append(with, s+" ("+name+")")
		}
	}
	return with
}

// style returns the style of a name without its namespace, as in "cart.add_one". A name of one word has none: "".
func style(name string) string {
	name = name[strings.LastIndex(name, ".")+1:]
	switch {
	case len(wording.Words(name)) < 2:
		return ""
	case strings.Contains(name, "_"):
		return "snake_case"
	case strings.Contains(name, "-"):
		return "kebab-case"
	case name[0] >= 'A' && name[0] <= 'Z':
		return "PascalCase"
	}
	return "camelCase"
}
