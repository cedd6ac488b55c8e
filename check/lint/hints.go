package lint

import (
	"slices"
	"strings"

	"webmcphub/internal/wording"
)

var hintRules = []entry{
	{Rule: Rule{
		ID: "hints-missing", Severity: Info,
		Title: "The tool has no annotations",
		Why:   "Agents take a tool that says nothing for one that changes something, and ask their user each time.",
		Bad:   `document.modelContext.registerTool({ name: "unhinted", description: "Turns the page. Use it when the user has read this one.", execute: () => "done" });`,
		Good: acting("turn_page", "Turn page", "Turns over a leaf of the book. Use it when the user has read this one.",
			"", `"done"`),
		Covers: []string{"playwright-webmcp: annotations-explicit"},
	}, tool: func(t *tool, found reportFunc) {
		if t.Hints == (Hints{}) && !t.Form && t.silent("readOnlyHint", "consequentialHint") {
			found(t.Name, "annotations", "it says neither readOnlyHint nor consequentialHint")
		}
	}},
	{Rule: Rule{
		ID: "hint-readonly-missing", Severity: Warning,
		Title: "The tool is named like one that reads, and doesn't say that it does",
		Why:   "With `readOnlyHint: true` agents call it without asking. If it does change something, its name misleads.",
		Bad:   `document.modelContext.registerTool({ name: "get_weather", description: "Tells the weather of a day. Use it before a walk.", execute: () => "sun" });`,
		Good: example("get_weather", "Get weather", "Tells the weather of tomorrow. Use it before a hike.",
			"", `"sun"`),
		Covers: []string{"webmcp-lint: WML-001"},
	}, tool: func(t *tool, found reportFunc) {
		if reads(t.Tool) && t.Hints.ReadOnly == nil && !IsSet(t.Hints.Consequential) && !t.Form &&
			t.silent("readOnlyHint") {
			found(t.Name, "annotations.readOnlyHint", "the name reads like a lookup; say whether it changes something")
		}
	}},
	{Rule: Rule{
		ID: "hint-readonly-false", Severity: Error,
		Title: "The tool claims to change nothing, and its name says that it does",
		Why: "Clients call tools with `readOnlyHint: true` without asking their user. A wrong claim takes the " +
			"user's say from them.",
		Bad: `document.modelContext.registerTool({ name: "delete_note", description: "Removes a note. Use it when asked.", annotations: { readOnlyHint: true }, execute: () => "done" });`,
		Good: acting("remove_note", "Remove note", "Moves a note to the bin. Use it when asked.",
			"", `"done"`),
	}, tool: func(t *tool, found reportFunc) {
		if !IsSet(t.Hints.ReadOnly) {
			return
		}
		if changes(wording.Words(t.Name)) {
			found(t.Name, "annotations.readOnlyHint", "it is said to be read-only, and is called %q", t.Name)
		} else if what := t.irreversible(); what != "" {
			found(t.Name, "annotations.readOnlyHint", "it is said to be read-only, and its description says %q", what)
		}
	}},
	{Rule: Rule{
		ID: "hints-contradict", Severity: Error,
		Title: "The tool's annotations contradict each other",
		Why:   "A tool that changes nothing has no consequences. Clients decide differently which of the two to believe.",
		Bad:   `document.modelContext.registerTool({ name: "torn", description: "Rolls the dice. Use it in games.", annotations: { readOnlyHint: true, consequentialHint: true }, execute: () => "done" });`,
		Good: acting("roll_dice", "Roll dice", "Rolls the dice. Use it in games.",
			"", `"done"`),
	}, tool: func(t *tool, found reportFunc) {
		for _, hint := range []struct {
			name string
			is   *bool
		}{{"consequentialHint", t.Hints.Consequential}, {"destructiveHint", t.Hints.Destructive}} {
			if IsSet(t.Hints.ReadOnly) && IsSet(hint.is) {
				found(t.Name, "annotations."+hint.name, "both readOnlyHint and %s are true", hint.name)
			}
		}
	}},
	{Rule: Rule{
		ID: "hint-consequential-missing", Severity: Warning,
		Title: "The tool does something that can't be taken back, and doesn't say so",
		Why:   "With `consequentialHint: true` agents ask their user before they pay, send or delete.",
		Bad:   `document.modelContext.registerTool({ name: "pay_bill", description: "Settles what is due. Use it when the user wants that.", execute: () => "done" });`,
		Good: `document.modelContext.registerTool({
  name: "erase_disk",
  title: "Erase disk",
  description: "Irreversibly erases the disk. Use it only when the user asks for that.",
  inputSchema: { type: "object", properties: {} },
  annotations: { consequentialHint: true },
  execute: () => "erased"
});`,
		Covers: []string{"playwright-webmcp: navigation-consequential"},
	}, tool: func(t *tool, found reportFunc) {
		if t.Hints.Consequential != nil || t.Hints.Destructive != nil || IsSet(t.Hints.ReadOnly) || t.Form {
			return
		}
		if w := wording.Words(t.Name); changes(w) && slices.Contains(forGood, w[0]) {
			found(t.Name, "annotations.consequentialHint", "the name says that it has consequences, and no "+
				"annotation that agents see does")
		} else if what := t.irreversible(); what != "" {
			found(t.Name, "annotations.consequentialHint", "the description says %q, and no annotation that agents "+
				"see says that it has consequences", what)
		}
	}},
	{Rule: Rule{
		ID: "hint-untrusted-missing", Severity: Warning,
		Title: "The tool's results have others' words in them, and it doesn't say so",
		Why: "Reviews, messages and pages from elsewhere can carry orders to the agent. With " +
			"`untrustedContentHint: true` it takes them as data.",
		Bad: `document.modelContext.registerTool({ name: "list_reviews", description: "Tells what customers wrote. Use it before buying.", annotations: { readOnlyHint: true }, execute: () => "good" });`,
		Good: strings.Replace(example("list_reviews", "List reviews", "Tells what customers wrote. Use it before buying.",
			"", `"good"`),
			"untrustedContentHint: false", "untrustedContentHint: true", 1),
		Covers: []string{"webmcp-lint: WML-002"},
	}, tool: func(t *tool, found reportFunc) {
		if what := t.foreignContent(); what != "" && t.Hints.Untrusted == nil {
			found(t.Name, "annotations.untrustedContentHint", "its results seem to hold what others wrote (%q)", what)
		}
	}},
	{Rule: Rule{
		ID: "trifecta", Severity: Warning,
		Title: "A tool returns others' words unmarked beside tools that act for the user",
		Why:   "What a stranger wrote can steer the agent into calling the tools that act.",
		Bad:   `document.modelContext.registerTool({ name: "read_messages", description: "Tells what arrived. Use it in the morning.", annotations: { readOnlyHint: true }, execute: () => "hello" }); document.modelContext.registerTool({ name: "send_money", description: "Transfers money. Use it when the user asks.", annotations: { consequentialHint: true }, execute: () => "done" });`,
		Good: strings.Replace(example("read_messages", "Read messages", "Tells what arrived in the morning. Use it when the user wakes up.",
			"", `"hello"`),
			"untrustedContentHint: false", "untrustedContentHint: true", 1),
		Covers: []string{"playwright-webmcp: capability-trifecta"},
	}, page: trifecta},
	{Rule: Rule{
		ID: "members-lost", Severity: Info,
		Title: "Chrome doesn't pass on a part of the definition",
		Why: "Of a tool Chrome knows name, title, description, inputSchema, execute and four annotations; agents " +
			"never see the rest, such as outputSchema or destructiveHint.",
		Bad: `document.modelContext.registerTool({ name: "generous", description: "Gives more than is taken. Use it at feasts.", outputSchema: { type: "object" }, annotations: { destructiveHint: true }, execute: () => "done" });`,
		Good: example("serve_dinner_plan", "Dinner plan", "Tells what is served at the feast. Use it before inviting.",
			"", `"fish"`),
	}, page: func(p *page, found reportFunc) {
		for _, r := range p.Registrations {
			if len(r.Lost) > 0 && r.Error == "" {
				found(r.Name, "", "Chrome drops %s", strings.Join(r.Lost, ", "))
			}
		}
	}},
}

var (
	reading  = []string{"get", "list", "read", "search", "fetch", "view", "query", "find", "show", "lookup"}
	changing = []string{"delete", "remove", "pay", "buy", "purchase", "checkout", "transfer", "send", "cancel", "book",
		"create", "update", "set", "add", "edit", "place", "post", "publish", "submit", "upload", "clear", "reset",
		"erase", "wipe", "purge", "destroy"}
	forGood = []string{"delete", "pay", "buy", "purchase", "checkout", "transfer", "send", "publish", "erase", "wipe",
		"purge", "destroy"}
	// nouns are words of changing that also name things, or the result of a change.
	nouns = []string{"place", "book", "post", "purchase", "transfer", "checkout", "update", "edit", "set", "upload"}
	// results end names of lookups: "purchase_history" buys nothing.
	results = []string{"history", "list", "details", "detail", "status", "search", "summary", "info", "count",
		"results", "reports", "scores", "progress", "options", "log"}
	// outcomes are those of results that name only things: "update_order_status" changes something.
	outcomes = []string{"status", "list", "details", "detail", "info", "options"}
)

// forever matches statements that a tool does something for good. It doesn't match negations, as in "nothing is
// permanently deleted".
var forever = lazily(`(?i)(^|[.;:,]\s*|\band\s+|\bto\s+)(irreversibly|permanently|irrevocably)\s+(deletes?|removes?|erases?|wipes?|destroys?|` +
	`purges?|clears?|closes?|cancels?|overwrites?|drops?|resets?)\b|\b(this|it|the (action|change|deletion|operation))\s+` +
	`(can(no|')t|cannot|can not)\s+be\s+(undone|reversed|taken back|reverted)\b|\b(is|are) irreversible\b`)

// irreversible returns the description's words that say that the tool does something for good, or "".
func (t *tool) irreversible() string {
	return strings.TrimLeft(forever().FindString(t.Description), ".;:, ")
}

// lookup reports whether a name, as words, names something to read.
func lookup(w []string) bool { return len(w) > 1 && slices.Contains(results, w[len(w)-1]) }

// changes reports whether a tool's name, as words, is that of a tool that changes something.
func changes(w []string) bool {
	if len(w) == 0 || !slices.Contains(changing, w[0]) {
		return false
	}
	verb := slices.Contains([]string{"update", "edit", "set", "upload"}, w[0])
	return !slices.Contains(nouns, w[0]) || !lookup(w) || verb && slices.Contains(outcomes, w[len(w)-1]) &&
		w[0] != "upload"
}

// reads reports whether a tool's name is that of a tool that looks something up.
func reads(t *Tool) bool {
	w := wording.Words(t.Name)
	return len(w) > 0 && slices.Contains(reading, w[0])
}

// others matches words for texts that other people wrote, in tools' names, and in descriptions after a verb such as
// "returns". The page's own messages, and the page itself, are no such texts.
const others = `(reviews?|comments?|messages?|e?mails?|inbox|posts|tweets|forum|feeds?|user[- ]generated|user content|scrapes?|raw html|web ?pages?)`

var (
	foreignName = lazily(`\b` + others + `\b`)
	foreignText = lazily(`(?i)\b(returns?|lists?|reads?|gets?|fetch(?:es)?|finds?|searches|loads?|tells?|shows?|gives?|scrapes?)\b[^.;]{0,60}?\b` + others + `\b`)
	pagesOwn    = lazily(`(?i)\b(error|status|success|confirmation|warning|validation) messages?\b|\b(the|this|current) web ?page\b|\b(on|in) a web ?page\b|\bto review\b|\breview (the|your|their)\b`)
)

// foreignContent returns the word by which a reading tool seems to return texts that other people wrote; "" if there
// is none.
func (t *tool) foreignContent() string {
	if !reads(t.Tool) && !t.ReadOnly() {
		return ""
	}
	w := wording.Words(t.Name)
	if len(w) > 1 && slices.Contains([]string{"review", "comment", "message", "email", "mail"}, w[0]) && !lookup(w) {
		w = w[1:] // the first word is the verb
	}
	if s := foreignName().FindString(strings.Join(w, " ")); s != "" {
		return s
	}
	if s := foreignText().FindStringSubmatch(pagesOwn().ReplaceAllString(t.Description, "")); s != nil {
		return s[2]
	}
	return ""
}

func trifecta(p *page, found reportFunc) {
	var acts string
	for _, t := range p.tools {
		if changes(wording.Words(t.Name)) && !t.ReadOnly() {
			acts = t.Name
			break
		}
	}
	for _, t := range p.tools {
		if acts != "" && t.foreignContent() != "" && !IsSet(t.Hints.Untrusted) {
			found(t.Name, "annotations.untrustedContentHint",
				"its results are others' words, unmarked, and the page also has %s", acts)
		}
	}
}
