package lint

import (
	"slices"
	"strings"
	"unicode/utf8"

	"webmcphub/internal/wording"
)

var paramRules = []entry{
	{Rule: Rule{
		ID: "param-description-missing", Severity: Warning,
		Title: "A parameter has no description",
		Why: "A model guesses what a parameter means from its name, and its format not at all. A form's field " +
			"takes it from `toolparamdescription` or its label.",
		Bad: `document.modelContext.registerTool({ name: "undocumented", description: "Rings the bell. Use it at the door.", inputSchema: { type: "object", properties: { times: { type: "integer" } } }, execute: () => "done" });`,
		Good: acting("ring_bell", "Ring bell", "Rings at the door. Use it when nobody opens.",
			`times: { type: "integer", minimum: 1, maximum: 3, description: "How often." }`, `"done"`),
		Covers: []string{"playwright-webmcp: param-description-missing",
			"playwright-webmcp: declarative-field-description"},
	}, tool: func(t *tool, found reportFunc) {
		for _, n := range t.nodes {
			if n.name != "" && strings.TrimSpace(n.text("description")) == "" && !n.has("$ref") {
				found(t.Name, n.path, "the parameter %q has no description", n.name)
			}
		}
	}},
	{Rule: Rule{
		ID: "param-description-length", Severity: Warning,
		Title: "A parameter's description is longer than 150 characters",
		Why:   "Chrome's guidance sets this limit: one sentence that says what the value is, and its format.",
		Bad:   `document.modelContext.registerTool({ name: "verbose", description: "Paints the wall. Use it for renovations.", inputSchema: { type: "object", properties: { color: { type: "string", description: "The color that the wall is to have. ".repeat(6) } } }, execute: () => "done" });`,
		Good: acting("paint_wall", "Paint wall", "Paints a wall. Use it for renovations.",
			`color: { type: "string", maxLength: 30, description: "The color, such as \"sea green\"." }`, `"done"`),
		Covers: []string{"playwright-webmcp: param-description-length", "webmcp-lint: WML-009", "Chrome: secure tools"},
	}, tool: func(t *tool, found reportFunc) {
		for _, n := range t.nodes {
			if count := utf8.RuneCountInString(n.text("description")); n.name != "" && count > maxParamDescription {
				found(t.Name, n.path+".description", "the description has %d characters; %d is the limit", count,
					maxParamDescription)
			}
		}
	}},
	{Rule: Rule{
		ID: "param-name-length", Severity: Warning,
		Title: "A parameter's name is longer than 30 characters",
		Why:   "Chrome's guidance sets this limit.",
		Bad:   `document.modelContext.registerTool({ name: "longparam", description: "Waters the flowers. Use it in summer.", inputSchema: { type: "object", properties: { amount_of_water_in_litres_for_each: { type: "number", description: "Litres." } } }, execute: () => "done" });`,
		Good: acting("water_flowers", "Water flowers", "Waters all plants. Use it in summer.",
			`litres: { type: "number", minimum: 1, maximum: 20, description: "Litres for each." }`, `"done"`),
		Covers: []string{"webmcp-lint: WML-009", "Chrome: secure tools"},
	}, tool: func(t *tool, found reportFunc) {
		for _, n := range t.nodes {
			if count := utf8.RuneCountInString(n.name); count > maxName {
				found(t.Name, n.path, "the name %q has %d characters; %d is the limit", n.name, count, maxName)
			}
		}
	}},
	{Rule: Rule{
		ID: "param-name-refused", Severity: Error,
		Title: "Model APIs refuse a parameter's name",
		Why: "Names of parameters have 1 to 64 characters of A–Z, a–z, 0–9, `_`, `-` and `.` in the APIs of " +
			"several models; one other name and the whole request fails. The hub gives such parameters other names.",
		Bad: `document.modelContext.registerTool({ name: "umlaut", description: "Weighs a parcel. Use it before sending one.", inputSchema: { type: "object", properties: { "größe": { type: "number", description: "How large it is." } } }, execute: () => "done" });`,
		Good: example("weigh_parcel", "Weigh parcel", "Tells what a box of a size may weigh. Use it before sending one.",
			`size: { type: "number", minimum: 1, description: "How large it is, in centimetres." }`, `"2 kg"`),
	}, tool: func(t *tool, found reportFunc) {
		for _, n := range t.nodes {
			if n.name != "" && !paramName().MatchString(n.name) || strings.HasSuffix(n.path, ".properties.") {
				found(t.Name, n.path, "model APIs refuse the name %q", n.name)
			}
		}
	}},
	{Rule: Rule{
		ID: "param-sensitive", Severity: Warning,
		Title: "A parameter asks for a secret",
		Why: "What an agent gives has been in a model's context and in its client's log. Let the user type " +
			"passwords and card numbers into the page.",
		Bad: `document.modelContext.registerTool({ name: "unlock", description: "Unlocks the account. Use it when it is locked.", inputSchema: { type: "object", properties: { password: { type: "string", description: "The user's own.", maxLength: 50 } } }, execute: () => "done" });`,
		Good: acting("start_unlocking", "Start unlocking", "Shows the form where the user types the password. Use it when the account is locked.",
			"", `"done"`),
		Covers: []string{"playwright-webmcp: sensitive-params"},
	}, tool: func(t *tool, found reportFunc) {
		for _, n := range t.nodes {
			if types := n.types(); n.name != "" && wording.Secret(n.name) &&
				(len(types) == 0 || slices.Contains(types, "string") || slices.Contains(types, "integer") ||
					slices.Contains(types, "number")) {
				found(t.Name, n.path, "the parameter %q asks the agent for a secret", n.name)
			}
		}
	}},
	{Rule: Rule{
		ID: "param-unbounded", Severity: Warning,
		Title: "A parameter for an address, a path, code or markup takes any text",
		Why: "Whoever steers the agent's words steers where such a value leads or what it runs. Give it an enum, " +
			"a format, a pattern or at least a maxLength. (webmcp-lint also counts `query`, `code`, `prompt` and " +
			"`cmd`'s like; words to search for and vouchers' codes aren't meant here.)",
		Bad: `document.modelContext.registerTool({ name: "visit", description: "Goes to a place. Use it for travels.", inputSchema: { type: "object", properties: { url: { type: "string", description: "Where to go." } } }, execute: () => "done" });`,
		Good: acting("visit_city", "Visit city", "Goes to a city of the tour. Use it for travels.",
			`url: { type: "string", format: "uri", maxLength: 200, description: "The address of the city's page." }`, `"done"`),
		Covers: []string{"webmcp-lint: WML-004"},
	}, tool: func(t *tool, found reportFunc) {
		for _, n := range t.nodes {
			types := n.types()
			if !slices.Contains(risky, strings.Join(wording.Words(n.name), " ")) || t.Form || len(types) > 0 &&
				!slices.Contains(types, "string") {
				continue
			}
			if !n.has("enum", "const", "format", "pattern", "maxLength", "allOf", "anyOf", "oneOf", "$ref") {
				found(t.Name, n.path, "the parameter %q takes any text", n.name)
			}
		}
	}},
	{Rule: Rule{
		ID: "param-type-missing", Severity: Warning,
		Title: "A parameter has no type",
		Why: "The APIs of several models refuse such a parameter, also one with only an enum; the others get a " +
			"text where the page wants a number.",
		Bad:  `document.modelContext.registerTool({ name: "typeless", description: "Slices the bread. Use it at breakfast.", inputSchema: { type: "object", properties: { slices: { description: "How many slices." } } }, execute: () => "done" });`,
		Good: example("get_recipe", "Get recipe", "Tells how bread is baked. Use it when the user wants to bake.", `loaves: { type: "integer", minimum: 1, maximum: 9, description: "How many loaves." }`, `"Knead."`),
	}, tool: func(t *tool, found reportFunc) {
		for _, n := range t.nodes {
			if n.name != "" && !n.branch && !n.has("type", "$ref", "$dynamicRef", "const", "anyOf", "oneOf", "allOf", "not", "if") {
				found(t.Name, n.path, "the parameter %q has no type", n.name)
			}
		}
	}},
	{Rule: Rule{
		ID: "too-many-params", Severity: Warning,
		Title: "The tool has more than 30 parameters",
		Why: "Models leave out or mix up parameters when there are many, and model APIs limit them. Offer several " +
			"tools, each with what one task needs.",
		Bad:  `document.modelContext.registerTool({ name: "manifold", description: "Tunes the organ. Use it before a concert.", inputSchema: { type: "object", properties: Object.fromEntries(Array.from({ length: 80 }, (_, i) => ["pipe" + i, { type: "number", description: "Its pitch." }])) }, execute: () => "done" });`,
		Good: example("get_pitch", "Get pitch", "Tells the pitch of one pipe of the organ. Use it before tuning.", `pipe: { type: "integer", minimum: 1, maximum: 80, description: "Which pipe." }`, `"440 Hz"`),
	}, tool: func(t *tool, found reportFunc) {
		n := 0
		for _, one := range t.nodes {
			if one.name != "" && !one.branch {
				n++
			}
		}
		if n > mostParams {
			found(t.Name, "inputSchema", "it has %d parameters; %d is the limit", n, mostParams)
		}
	}},
}

// mostParams is how many parameters a tool may have.
const mostParams = 30

var (
	paramName = lazily(`^[a-zA-Z0-9_.-]{1,64}$`)
	risky     = []string{"command", "cmd", "script", "exec", "sql", "html", "template", "payload", "path", "file",
		"url", "uri", "endpoint", "host", "redirect", "redirect url", "callback", "callback url"}
)
