package lint

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/publicsuffix"

	"webmcphub/registry/tokencount"
)

const (
	mostTools  = 30
	mostTokens = 10_000
	// alike is the part of two descriptions' words from which they count as similar.
	alike = 0.8
)

var formRules = []entry{
	{Rule: Rule{
		ID: "form-incomplete", Severity: Error,
		Title:  "A form has toolname, and no tooldescription",
		Why:    "Chrome makes a tool of a form only if it has both; this one has been forgotten.",
		Bad:    `<form toolname="subscribe"><label>Address <input name="address"></label><button>Go</button></form>`,
		Good:   `<form toolname="subscribe" tooldescription="Orders the newsletter. Use it when the user wants news." toolautosubmit><label>Address <input name="address" toolparamdescription="Where to send it."></label><button>Go</button></form>`,
		Covers: []string{"playwright-webmcp: declarative-description"},
	}, page: func(p *page, found reportFunc) {
		for _, f := range p.Forms {
			if strings.TrimSpace(f.Description) == "" {
				found(f.Tool, "tooldescription",
					"the form with toolname=%q has no tooldescription, so that it is no tool", f.Tool)
			}
		}
	}},
	{Rule: Rule{
		ID: "form-autosubmit-sensitive", Severity: Error,
		Title: "A form for secrets is sent without a person",
		Why: "With toolautosubmit the agent fills and sends the form by itself. A form with a password or a " +
			"card's number needs its user.",
		Bad:    `<form toolname="signin" tooldescription="Signs the user in. Use it when asked." toolautosubmit><label>Name <input name="name"></label><label>Password <input name="secret" type="password"></label><button>Go</button></form>`,
		Good:   `<form action="/signin" method="post"><label>Name <input name="name"></label><label>Password <input name="secret" type="password"></label><button>Go</button></form>`,
		Covers: []string{"playwright-webmcp: declarative-autosubmit-sensitive"},
	}, page: func(p *page, found reportFunc) {
		for _, f := range p.Forms {
			if f.Autosubmit && len(f.Sensitive) > 0 {
				found(f.Tool, "toolautosubmit", "the form has a field for a secret (%s)",
					strings.Join(f.Sensitive, ", "))
			}
		}
	}},
	{Rule: Rule{
		ID: "form-no-tool", Severity: Info,
		Title: "A form could be a tool, and isn't",
		Why: "Agents fill in tools more reliably than forms. With `toolname` and `tooldescription` Chrome makes a " +
			"tool of the form. Forms with a secret are left out, and the check can't see whether a script offers the same.",
		Bad:    `<form name="feedback"><label>Remark <input name="remark"></label><button>Go</button></form>`,
		Good:   `<form toolname="write_comment" tooldescription="Leaves a remark. Use it when the user wants to say something." toolautosubmit><label>Remark <input name="remark" toolparamdescription="What to say."></label><button>Go</button></form>`,
		Covers: []string{"Lighthouse: webmcp-form-coverage"},
	}, page: func(p *page, found reportFunc) {
		for _, f := range p.PlainForms {
			found("", "", "the form %q (%s) is no tool", f.Name, strings.Join(f.Fields, ", "))
		}
	}},
}

var pageRules = []entry{
	{Rule: Rule{
		ID: "no-tools", Severity: Error,
		Title: "The page has no tools",
		Why:   "Mostly a script failed, or looks for a WebMCP of another name.",
		Bad:   `<p>Nothing here.</p>`,
		Good: example("get_greeting", "Get greeting", "Greets the visitor of this page. Use it at the beginning.",
			"", `"hello"`),
		Covers: []string{"playwright-webmcp: no-tools", "Lighthouse: webmcp-registered-tools", "webmcp-lint: WML-007"},
	}, page: noTools},
	{Rule: Rule{
		ID: "registration-failed", Severity: Error,
		Title: "The browser refused to register a tool",
		Why: "The promise of registerTool was rejected, and the tool doesn't exist. A frame of another origin " +
			"needs allow=\"tools\"; a definition needs name, description and execute.",
		Bad: `document.modelContext.registerTool({ name: "lazy", description: "Does nothing. Use it never." });`,
		Good: example("get_mood", "Get mood", "Tells how the cat feels. Use it before feeding.",
			"", `"lazy"`),
	}, page: func(p *page, found reportFunc) {
		for _, r := range p.Registrations {
			if r.Error == "" || !validName().MatchString(r.Name) && strings.Contains(r.Error, "ame") ||
				strings.Contains(r.Error, "uplicate tool name") ||
				strings.Contains(r.Error, "escription is required") || badOrigin(r.Exposed) != "" {
				continue // another rule reports it
			}
			where, hint := "", ""
			if r.Frame {
				where = "in a frame of " + r.Origin + ", "
			}
			if r.Frame && r.Origin != p.Origin && strings.Contains(r.Error, "NotAllowedError") {
				hint = "; give the <iframe> allow=\"tools\""
			}
			found(r.Name, "", "%sregisterTool was refused: %s%s", where, r.Error, hint)
		}
	}},
	{Rule: Rule{
		ID: "client-refuses", Severity: Error,
		Title: "The hub doesn't offer the tool to clients",
		Why:   "Its definition can't be made into one that MCP clients accept.",
		Bad:   `let nest = []; for (let i = 0; i < 80; i++) nest = [nest]; document.modelContext.registerTool({ name: "bottomless", description: "Draws a tree. Use it for gardens.", inputSchema: { type: "object", properties: {}, examples: nest }, execute: () => "done" });`,
		Good: acting("draw_tree", "Draw tree", "Draws a tree with branches. Use it for gardens.",
			`branches: { type: "integer", minimum: 1, maximum: 80, description: "How many branches." }`, `"done"`),
	}, page: func(p *page, found reportFunc) {
		for _, r := range p.Refused {
			found(r.Tool, "", "%s", r.Why)
		}
	}},
	{Rule: Rule{
		ID: "exposed-insecure", Severity: Error,
		Title: "exposedTo has something that is no secure origin",
		Why: "registerTool is rejected for \"*\" and for origins that aren't secure; a path narrows nothing, " +
			"because only the origin counts.",
		Bad: `document.modelContext.registerTool({ name: "exposed", description: "Shows the garden. Use it for visitors.", execute: () => "done" }, { exposedTo: ["https://shop.example/garden"] });`,
		Good: strings.Replace(example("show_garden", "Show garden", "Shows the roses. Use it for visitors.",
			"", `"roses"`),
			"});", "}, { exposedTo: [\"https://shop.example\"] });", 1),
		Covers: []string{"playwright-webmcp: exposed-to-secure-origins", "playwright-webmcp: exposed-to-origin-only"},
	}, page: func(p *page, found reportFunc) {
		for _, r := range p.Registrations {
			if why := badOrigin(r.Exposed); why != "" {
				found(r.Name, "exposedTo", "%s", why)
			}
		}
	}},
	{Rule: Rule{
		ID: "too-many-tools", Severity: Warning,
		Title: "The page has more than 30 tools, or they cost a model more than 10,000 tokens",
		Why: "Models choose worse among many, and small ones have no room for them. Register the tools that fit " +
			"what the page shows.",
		Bad: `for (let i = 0; i < 31; i++) document.modelContext.registerTool({ name: "many" + i, description: "Plays the key number " + i + " of " + "abcdefghijklmnopqrstuvwxyzabcdef"[i].repeat(i + 1) + ".", execute: () => "done" });`,
		Good: acting("play_key", "Play key", "Plays one key of the piano. Use it for music.",
			`key: { type: "integer", minimum: 1, maximum: 88, description: "The number of the key." }`, `"done"`),
		Covers: []string{"playwright-webmcp: too-many-tools"},
	}, page: func(p *page, found reportFunc) {
		if n := len(p.tools); n > mostTools {
			found("", "", "the page has %d tools; %d is where choosing gets hard", n, mostTools)
		}
		if n := p.tokens(); n > mostTokens {
			found("", "", "the tools cost about %d tokens; %d is where small models end", n, mostTokens)
		}
	}},
	{Rule: Rule{
		ID: "look-alike-descriptions", Severity: Warning,
		Title: "Two tools' descriptions are almost the same",
		Why:   "A model takes one for the other. Say what sets them apart.",
		Bad:   `document.modelContext.registerTool({ name: "north", description: "Shows the view from the tower at the river in the evening light.", execute: () => "n" }); document.modelContext.registerTool({ name: "south", description: "Shows the view from the tower at the river in the evening.", execute: () => "s" });`,
		Good: example("view_north", "View north", "Shows the view to the hills. Use it in the morning.",
			"", `"hills"`) + "\n" + example("view_south", "View south", "Shows what ships are on the river. Use it when they may arrive.",
			"", `"ships"`),
		Covers: []string{"playwright-webmcp: similar-descriptions"},
	}, page: similarDescriptions},
	{Rule: Rule{
		ID: "look-alike-names", Severity: Error,
		Title: "Two tools' names read alike",
		Why: "Names that differ in case, in separators or in letters that look the same can't be told apart; from " +
			"two scripts or frames one may imitate the other.",
		Bad: `document.modelContext.registerTool({ name: "order_list", description: "Tells what was ordered last year.", execute: () => "a" }); document.modelContext.registerTool({ name: "orderList", description: "Prints all that waits to be shipped.", execute: () => "b" });`,
		Good: example("list_past_orders", "Past orders", "Tells what was ordered last year. Use it for taxes.",
			"", `"tea"`) + "\n" + example("list_open_shipments", "Open shipments", "Prints all that waits to be sent. Use it in the store.",
			"", `"cups"`),
		Covers: []string{"playwright-webmcp: tool-shadowing"},
	}, page: func(p *page, found reportFunc) {
		first := map[string]*tool{}
		for _, t := range p.tools {
			shape := skeleton(t.Name)
			if o := first[shape]; o != nil && o.Name != t.Name {
				whose := ""
				if o.Script != t.Script || o.Origin != t.Origin {
					whose = ", which another script or frame registered"
				}
				found(t.Name, "name", "it reads like %q%s", o.Name, whose)
			} else if o == nil {
				first[shape] = t
			}
		}
	}},
	{Rule: Rule{
		ID: "third-party", Severity: Warning,
		Title: "A script or a frame from another site registered the tool",
		Why:   "It speaks in the page's name: its author decides what agents are told here, today and tomorrow.",
		Bad:   `<script src="http://other.localhost:PORT/third.js"></script>`,
		Good: example("get_own_catalog", "Own catalog", "Lists what this site itself sells. Use it before comparing.",
			"", `"tea"`),
		Covers: []string{"playwright-webmcp: third-party-registration"},
	}, tool: func(t *tool, found reportFunc) {
		page := siteOf(t.of.Origin)
		if s := siteOf(t.Script); s != "" && page != "" && s != page {
			found(t.Name, "", "the script %s registered it", t.Script)
		} else if o := siteOf(t.Origin); t.Frame && o != page {
			found(t.Name, "", "a frame of %s registered it", t.Origin)
		}
	}},
}

func noTools(p *page, found reportFunc) {
	if len(p.tools) > 0 {
		return
	}
	why := fmt.Sprintf("no script had registered any %.1f seconds after it had loaded, and no form has toolname and "+
		"tooldescription", p.Waited.Seconds())
	if p.Busy != "" {
		why += " (" + p.Busy + "; --wait waits for longer)"
	}
	switch {
	case len(p.Refused) > 0:
		why = "the hub offers none of those that it registered, such as " + p.Refused[0].Tool + ": " + p.Refused[0].Why
	case len(p.Legacy) > 0:
		why = "a script uses navigator.modelContext (" + strings.Join(p.Legacy, ", ") +
			"), which Chrome has replaced by document.modelContext"
	case !p.Secure:
		why = "the page's address is neither https: nor on this computer, and WebMCP is for secure pages only"
	case !p.WebMCP:
		why = "this browser offers it no document.modelContext; Chrome needs --enable-features=WebMCP, which it has " +
			"when check starts it"
	case len(p.Registrations) > 0 && p.Registrations[0].Error != "":
		why = "the browser refused what it registered: " + p.Registrations[0].Error
	case p.Password:
		why += "; it asks for a password, so it may have some for those who have logged in"
	}
	found("", "", "the page has no tools: %s", why)
}

// badOrigin says what is wrong with the origins of exposedTo, or returns "".
func badOrigin(list []string) string {
	for _, o := range list {
		u, err := url.Parse(o)
		switch {
		case err != nil || u.Host == "":
			return "\"" + o + "\" is no origin, such as https://shop.example"
		case u.Scheme != "https" && u.Hostname() != "localhost" && u.Hostname() != "127.0.0.1" &&
			!strings.HasSuffix(u.Hostname(), ".localhost"):
			return "\"" + o + "\" is no secure origin"
		case u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "" || u.User != nil:
			return "\"" + o + "\" has more than an origin, which is ignored"
		}
	}
	return ""
}

// tokens estimates how many tokens the page's tools take in a client's list of tools.
func (p *page) tokens() (n int) {
	for _, t := range p.tools {
		raw, err := json.Marshal(t.Tool)
		if err == nil {
			n += tokencount.Estimate(string(raw))
		}
	}
	return n
}

// These limit how much is compared. Each description is compared with each other, so a page could cause much work.
const (
	mostCompared = 300 // tools
	mostWords    = 100 // of each description
)

func similarDescriptions(p *page, found reportFunc) {
	all := p.tools[:min(len(p.tools), mostCompared)]
	sets := make([]map[string]bool, len(all))
	for i, t := range all {
		if p.ended() {
			return
		}
		sets[i] = map[string]bool{}
		for w := range strings.FieldsFuncSeq(strings.ToLower(t.Description),
			func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			if sets[i][w] = true; len(sets[i]) == mostWords {
				break
			}
		}
		for j := range i {
			if len(sets[i]) >= 4 && len(sets[j]) >= 4 && overlap(sets[i], sets[j]) >= alike &&
				!counted(sets[i], sets[j]) {
				found(t.Name, "description", "the description is almost that of %s", all[j].Name)
				break
			}
		}
	}
}

// number matches words that distinguish things of one kind.
var number = regexp.MustCompile(`^(\d+(st|nd|rd|th)?|one|two|three|four|five|first|second|third|fourth|fifth|last)$`)

// counted reports whether each of two sets of words has a number that the other lacks.
func counted(a, b map[string]bool) bool {
	own := func(of, than map[string]bool) bool {
		for w := range of {
			if !than[w] && number.MatchString(w) {
				return true
			}
		}
		return false
	}
	return own(a, b) && own(b, a)
}

// overlap returns how many words are in both sets, divided by how many are in either.
func overlap(a, b map[string]bool) float64 {
	both := 0
	for w := range a {
		if b[w] {
			both++
		}
	}
	return float64(both) / float64(len(a)+len(b)-both)
}

// lookAlikes replaces characters that look like others, in lower case.
var lookAlikes = strings.NewReplacer("0", "o", "1", "l", "i", "l", "5", "s", "_", "", "-", "", ".", "", "rn", "m", "vv",
	"w")

// skeleton returns the same text for names that look alike. It keeps a number at the end, so that such names differ.
func skeleton(name string) string {
	stem := strings.TrimRightFunc(name, unicode.IsDigit)
	return lookAlikes.Replace(strings.ToLower(stem)) + name[len(stem):]
}

// siteOf returns the registered domain of an address's host, the host itself if it has none, or "" for other
// addresses.
func siteOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || !slices.Contains([]string{"http", "https"}, u.Scheme) {
		return ""
	}
	if site, err := publicsuffix.EffectiveTLDPlusOne(u.Hostname()); err == nil {
		return site
	}
	return u.Hostname()
}
