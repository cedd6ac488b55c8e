package lint

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// deepest is how many objects and arrays may be nested in a schema.
const deepest = 4

var schemaRules = []entry{
	{Rule: Rule{
		ID: "schema-missing", Severity: Info,
		Title: "The tool has no input schema",
		Why:   "Without a schema an agent doesn't know that the tool takes nothing, and makes up arguments.",
		Bad:   `document.modelContext.registerTool({ name: "schemaless", description: "Tells the time of day. Use it when the user asks for it.", execute: () => "noon" });`,
		Good: example("get_time", "Get time", "Tells the time of day. Use it when the user asks for it.",
			"", `"noon"`),
	}, tool: func(t *tool, found reportFunc) {
		if len(t.InputSchema) == 0 {
			found(t.Name, "inputSchema", "there is no schema; say {\"type\": \"object\", \"properties\": {}} if the "+
				"tool takes nothing")
		}
	}},
	{Rule: Rule{
		ID: "schema-shape", Severity: Error,
		Title: "The input schema isn't one of an object, or requires what it doesn't have",
		Why:   "MCP and all model APIs want `type: \"object\"` at the root. What is required and no property can't be given.",
		Bad:   `document.modelContext.registerTool({ name: "shapeless", description: "Lights the lamp. Use it when it is dark.", inputSchema: { type: "object", properties: { on: { type: "boolean", description: "Whether it is to be lit." } }, required: ["lit"] }, execute: () => "done" });`,
		Good: acting("light_lamp", "Light lamp", "Lights the lamp or puts it out. Use it when it is dark.",
			`on: { type: "boolean", description: "Whether it is to be lit." }`, `"done"`),
		Covers: []string{"playwright-webmcp: schema-shape", "webmcp-lint: WML-006"},
	}, tool: schemaShape},
	{Rule: Rule{
		ID: "schema-invalid", Severity: Error,
		Title: "The input schema is no JSON Schema",
		Why: "Chrome takes any object for a schema and doesn't look into it. Clients that do refuse the tool, or " +
			"all of the page's tools.",
		Bad: `document.modelContext.registerTool({ name: "banana", description: "Peels a banana. Use it when the user is hungry.", inputSchema: { type: "object", properties: { ripe: { type: "banana", description: "How ripe it is." } } }, execute: () => "done" });`,
		Good: acting("peel_banana", "Peel banana", "Peels a fruit. Use it when the user is hungry.",
			`ripe: { type: "boolean", description: "Whether it is ripe." }`, `"done"`),
		Covers: []string{"webmcp-lint: WML-006", "Lighthouse: webmcp-schema-validity"},
	}, tool: func(t *tool, found reportFunc) {
		if t.wrong != nil && !errors.Is(t.wrong, ErrSchemaTooLarge) {
			found(t.Name, "inputSchema", "%v", t.wrong)
		}
	}},
	{Rule: Rule{
		ID: "schema-size", Severity: Warning,
		Title: "The input schema is too large to be looked into",
		Why: "Models don't fill in parameters by the hundred, and clients refuse schemas of this size, or stop at " +
			"them. What is beyond 2,000 parts, or 64 KB, isn't checked here either.",
		Bad: `document.modelContext.registerTool({ name: "endless", description: "Knits a scarf. Use it in winter.", inputSchema: { type: "object", properties: Object.fromEntries(Array.from({ length: 2100 }, (_, i) => ["p" + i, {}])) }, execute: () => "done" });`,
		Good: acting("knit_scarf", "Knit scarf", "Knits something warm. Use it in winter.",
			`color: { type: "string", enum: ["red", "blue"], description: "The color of the wool." }`, `"done"`),
	}, tool: func(t *tool, found reportFunc) {
		if errors.Is(t.wrong, ErrSchemaTooLarge) {
			found(t.Name, "inputSchema", "%v", t.wrong)
		}
	}},
	{Rule: Rule{
		ID: "schema-root", Severity: Error,
		Title: "The root of the input schema has allOf, anyOf, oneOf, not or enum",
		Why: "The APIs of several models refuse such a root, and with it the whole request, so that none of the " +
			"client's tools works.",
		Bad: `document.modelContext.registerTool({ name: "either", description: "Turns left or right. Use it when walking.", inputSchema: { type: "object", anyOf: [{ required: ["left"] }, { required: ["right"] }], properties: { left: { type: "boolean", description: "Left." }, right: { type: "boolean", description: "Right." } } }, execute: () => "done" });`,
		Good: acting("turn_car", "Turn car", "Turns the car. Use it at a crossing.",
			`to: { type: "string", enum: ["left", "right"], description: "Where to." }`, `"done"`),
	}, tool: func(t *tool, found reportFunc) {
		for _, key := range []string{"allOf", "anyOf", "oneOf", "not", "enum", "const"} {
			if t.schema.has(key) {
				found(t.Name, "inputSchema."+key, "model APIs refuse %s at the root of a schema; say in the "+
					"description which parameters go together", key)
			}
		}
	}},
	{Rule: Rule{
		ID: "schema-keywords", Severity: Warning,
		Title: "The input schema uses keywords that not every client understands",
		Why: "Clients translate schemas for their models, and drop or refuse oneOf, allOf, not, if, " +
			"patternProperties, dependentSchemas and references.",
		Bad: `document.modelContext.registerTool({ name: "composed", description: "Mixes a drink. Use it when the user is thirsty.", inputSchema: { type: "object", properties: { size: { oneOf: [{ type: "string" }, { type: "integer" }], description: "How large it is." } } }, execute: () => "done" });`,
		Good: acting("mix_drink", "Mix drink", "Mixes a drink. Use it when the user is thirsty.",
			`millilitres: { type: "integer", minimum: 50, maximum: 500, description: "How large it is." }`, `"done"`),
		Covers: []string{"playwright-webmcp: schema-unsupported-keywords"},
	}, tool: func(t *tool, found reportFunc) {
		for _, n := range t.nodes {
			for _, key := range []string{"oneOf", "allOf", "not", "if", "patternProperties", "dependentSchemas", "$ref",
				"$dynamicRef"} {
				if n.has(key) && (n.depth > 0 || key == "patternProperties" || key == "dependentSchemas" ||
					key == "if") {
					found(t.Name, n.path+"."+key, "not every client understands %s", key)
				}
			}
			if n.depth > 0 && n.has("anyOf") && !n.constants() && !choices(n.is["anyOf"]) {
				found(t.Name, n.path+".anyOf", "not every client understands anyOf")
			}
		}
	}},
	{Rule: Rule{
		ID: "schema-depth", Severity: Warning,
		Title: "The input schema is nested more than 4 deep",
		Why:   "Models fill flat schemas much more reliably than deep ones.",
		Bad:   `const nest = (n) => n ? { type: "object", description: "Level.", properties: { deeper: nest(n - 1) } } : { type: "string", description: "End." }; document.modelContext.registerTool({ name: "deep", description: "Digs a hole. Use it when looking for water.", inputSchema: nest(6), execute: () => "done" });`,
		Good: acting("dig_hole", "Dig hole", "Digs in the garden. Use it when looking for water.",
			`metres: { type: "number", minimum: 1, maximum: 9, description: "How deep." }`, `"done"`),
		Covers: []string{"playwright-webmcp: schema-depth"},
	}, tool: func(t *tool, found reportFunc) {
		for _, n := range t.nodes {
			if n.depth > deepest {
				found(t.Name, n.path, "it is nested more than %d deep", deepest)
				return
			}
		}
	}},
	{Rule: Rule{
		ID: "schema-null", Severity: Warning,
		Title: "The input schema has null in it",
		Why: "Chrome's Prompt API refuses null at any depth, and several models fill optional parameters with the " +
			"word \"null\". Leave a parameter out of `required` instead.",
		Bad: `document.modelContext.registerTool({ name: "nullish", description: "Names a file. Use it when the user saves one.", inputSchema: { type: "object", properties: { label: { type: ["string", "null"], default: null, description: "The label." } } }, execute: () => "done" });`,
		Good: acting("name_file", "Name file", "Names the file. Use it when the user saves one.",
			`label: { type: "string", maxLength: 80, description: "The label; without it the file keeps its name." }`, `"done"`),
		Covers: []string{"playwright-webmcp: schema-no-null-literals"},
	}, tool: func(t *tool, found reportFunc) {
		for _, n := range t.nodes {
			enum, _ := n.is["enum"].([]any)
			value, given := n.is["default"]
			if slices.Contains(n.types(), "null") || slices.Contains(enum, nil) || given && value == nil ||
				n.has("const") && n.is["const"] == nil {
				found(t.Name, n.path, "it permits or has null")
			}
		}
	}},
	{Rule: Rule{
		ID: "schema-contradicts", Severity: Warning,
		Title: "A default or a permitted value is not of the parameter's type",
		Why:   "An agent that follows the schema gives a value that the schema refuses.",
		Bad:   `document.modelContext.registerTool({ name: "mistyped", description: "Counts sheep. Use it when the user can't sleep.", inputSchema: { type: "object", properties: { count: { type: "integer", default: "ten", description: "How many sheep." } } }, execute: () => "done" });`,
		Good: acting("count_sheep", "Count sheep", "Counts sheep aloud. Use it when the user can't sleep.",
			`count: { type: "integer", default: 10, minimum: 1, maximum: 99, description: "How many sheep." }`, `"done"`),
	}, tool: func(t *tool, found reportFunc) {
		for _, n := range t.nodes {
			if value, given := n.is["default"]; given && !fits(value, n.types()) {
				found(t.Name, n.path+".default", "the default %s is not of the type %s", Short(value, 60),
					strings.Join(n.types(), " or "))
			}
			enum, _ := n.is["enum"].([]any)
			for _, value := range enum {
				if !fits(value, n.types()) {
					found(t.Name, n.path+".enum", "the value %s is not of the type %s", Short(value, 60),
						strings.Join(n.types(), " or "))
				}
			}
		}
	}},
	{Rule: Rule{
		ID: "schema-not-object", Severity: Error,
		Title: "The input schema isn't an object",
		Why: "registerTool takes any object for a schema, also an array, which is none. Clients refuse the tool, " +
			"or all of the page's tools.",
		Bad:  `document.modelContext.registerTool({ name: "listed", description: "Lists the rooms. Use it before booking.", inputSchema: [1, 2], execute: () => "done" });`,
		Good: example("list_rooms", "List rooms", "Lists the rooms of the hotel. Use it before booking.", "", `"a"`),
	}, page: func(p *page, found reportFunc) {
		reported := map[string]bool{}
		for _, t := range p.tools {
			if len(t.InputSchema) > 0 && t.schema.is == nil {
				reported[t.Name] = true
				found(t.Name, "inputSchema", "the schema is no object: %s", Short(t.InputSchema, 60))
			}
		}
		for _, r := range p.Registrations {
			if r.Error == "" && r.Schema != "" && r.Schema != "object" && !reported[r.Name] {
				found(r.Name, "inputSchema", "the schema is no object (%s)", r.Schema)
			}
		}
	}},
	{Rule: Rule{
		ID: "schema-items", Severity: Warning,
		Title: "A list doesn't say what is in it",
		Why: "The APIs of several models refuse an array without `items`, and with it the whole request. Others " +
			"let the model guess.",
		Bad:  `document.modelContext.registerTool({ name: "itemless", description: "Labels a photo. Use it when sorting.", inputSchema: { type: "object", properties: { labels: { type: "array", description: "The labels." } } }, execute: () => "done" });`,
		Good: example("find_photos", "Find photos", "Finds photos by their labels. Use it when sorting.", `labels: { type: "array", items: { type: "string" }, maxItems: 20, description: "The labels." }`, `"a"`),
	}, tool: func(t *tool, found reportFunc) {
		for _, n := range t.nodes {
			if slices.Contains(n.types(), "array") && !n.has("items", "prefixItems", "$ref") {
				found(t.Name, n.path, "it is an array without items")
			}
		}
	}},
	{Rule: Rule{
		ID: "schema-range", Severity: Error,
		Title: "A minimum is above its maximum",
		Why:   "No value is permitted, so that every call breaks the schema.",
		Bad:   `document.modelContext.registerTool({ name: "rangeless", description: "Warms the room. Use it in winter.", inputSchema: { type: "object", properties: { degrees: { type: "integer", minimum: 30, maximum: 10, description: "How warm." } } }, execute: () => "done" });`,
		Good:  example("get_forecast", "Get forecast", "Tells the weather of the next days. Use it before a walk.", `days: { type: "integer", minimum: 1, maximum: 10, description: "How many days." }`, `"sun"`),
	}, tool: func(t *tool, found reportFunc) {
		for _, n := range t.nodes {
			for _, r := range ranges {
				least, has := n.is[r[0]].(float64)
				most, hasMost := n.is[r[1]].(float64)
				if has && hasMost && (least > most || least == most && strings.HasPrefix(r[0]+r[1], "exclusive")) {
					found(t.Name, n.path, "%s %v is above %s %v", r[0], least, r[1], most)
				}
			}
		}
	}},
	{Rule: Rule{
		ID: "schema-enum-empty", Severity: Error,
		Title: "A list of permitted values is empty",
		Why:   "No value is permitted, and the APIs of several models refuse the whole request.",
		Bad:   `document.modelContext.registerTool({ name: "choiceless", description: "Picks a seat. Use it when travelling.", inputSchema: { type: "object", properties: { seat: { type: "string", enum: [], description: "Where to sit." } } }, execute: () => "done" });`,
		Good:  example("find_seats", "Find seats", "Finds free seats. Use it when travelling.", `side: { type: "string", enum: ["window", "aisle"], description: "Where to sit." }`, `"12A"`),
	}, tool: func(t *tool, found reportFunc) {
		for _, n := range t.nodes {
			if list, is := n.is["enum"].([]any); is && len(list) == 0 {
				found(t.Name, n.path+".enum", "the enum has no value")
			}
		}
	}},
	{Rule: Rule{
		ID: "schema-enum-long", Severity: Warning,
		Title: "A parameter permits more than 100 values, one by one",
		Why: "The list is in the model's context all the time, and model APIs limit it. Take a text, and offer a " +
			"tool that finds the values.",
		Bad:  `document.modelContext.registerTool({ name: "endlesschoice", description: "Names a town. Use it before a trip.", inputSchema: { type: "object", properties: { town: { type: "string", enum: Array.from({ length: 900 }, (_, i) => "town" + i), description: "Which town." } } }, execute: () => "done" });`,
		Good: example("find_towns", "Find towns", "Finds towns by the beginning of their names. Use it before a trip.", `name: { type: "string", maxLength: 80, description: "How the name begins." }`, `"Ulm"`),
	}, tool: func(t *tool, found reportFunc) {
		for _, n := range t.nodes {
			if list, _ := n.is["enum"].([]any); len(list) > mostValues {
				found(t.Name, n.path+".enum", "the enum has %d values; %d is the limit", len(list), mostValues)
			}
		}
	}},
}

// mostValues is how many values an enum may have.
const mostValues = 100

// ranges are pairs of keywords for a lower and an upper bound.
var ranges = [][2]string{{"minimum", "maximum"}, {"exclusiveMinimum", "maximum"}, {"minimum", "exclusiveMaximum"},
	{"exclusiveMinimum", "exclusiveMaximum"}, {"minLength", "maxLength"}, {"minItems", "maxItems"},
	{"minProperties", "maxProperties"}, {"minContains", "maxContains"}}

func schemaShape(t *tool, found reportFunc) {
	if t.schema.is == nil {
		return
	}
	if types := t.schema.types(); !slices.Equal(types, []string{"object"}) {
		found(t.Name, "inputSchema.type", "the root's type must be \"object\"")
	}
	for _, n := range t.nodes {
		required, _ := n.is["required"].([]any)
		fields, _ := n.is["properties"].(map[string]any)
		for _, r := range required {
			if name, ok := r.(string); ok && fields[name] == nil && !n.branch &&
				(n.path == t.schema.path || n.has("properties")) {
				found(t.Name, n.path+".required", "%q is required, and no property", name)
			}
		}
	}
}

// choices reports whether each branch is a single value, as in schemas of a form's fields.
func choices(branches any) bool {
	list, _ := branches.([]any)
	return !slices.ContainsFunc(list, func(one any) bool {
		is, _ := one.(map[string]any)
		return !node{is: is}.has("const")
	})
}

// Short returns a value's JSON, cut to about most bytes.
func Short(value any, most int) string {
	raw, err := json.Marshal(value)
	if err != nil {
		return "?"
	}
	if len(raw) > most {
		return strings.ToValidUTF8(string(raw[:most]), "") + "…"
	}
	return string(raw)
}
