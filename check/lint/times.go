package lint

import (
	"time"
)

// Late is how long after the page's load event a registered tool counts as late.
const Late = time.Second

var timeRules = []entry{
	{Rule: Rule{
		ID: "late", Severity: Warning,
		Title: "The tool was registered more than a second after the page had loaded",
		Why:   "An agent that has opened the page reads its tools at once, and finds none.",
		Bad:   `addEventListener("load", () => setTimeout(() => document.modelContext.registerTool({ name: "latecomer", description: "Comes late. Use it then.", execute: () => "done" }), 1200));`,
		Good: example("get_arrival", "Get arrival", "Tells when the train comes. Use it at the station.",
			"", `"9:15"`),
	}, page: func(p *page, found reportFunc) {
		there := map[string]bool{}
		for _, r := range p.Registrations {
			if r.Error == "" && !there[r.Name] && r.After > Late {
				found(r.Name, "", "it came %.1f s after the page had loaded", r.After.Seconds())
			}
			there[r.Name] = there[r.Name] || r.Error == ""
		}
	}},
	{Rule: Rule{
		ID: "flapping", Severity: Warning,
		Title: "The tool goes and comes back though nothing happens",
		Why: "Each time all clients read the list of tools again, and calls in between find no tool. Often a " +
			"component registers anew each time it renders.",
		Bad: `let n = 0; const flap = () => { const c = new AbortController(); document.modelContext.registerTool({ name: "flicker", description: "Flickers. Use it for candles.", execute: () => "done" }, { signal: c.signal }); if (n++ < 4) setTimeout(() => { c.abort(); flap(); }, 60); }; flap();`,
		Good: example("get_candle", "Get candle", "Tells whether the candle burns. Use it in the evening.",
			"", `"yes"`),
	}, page: func(p *page, found reportFunc) {
		added := map[string]int{}
		for _, c := range p.Changes {
			if c.Added {
				added[c.Tool]++
			}
		}
		for tool, n := range added {
			if n > 2 {
				found(tool, "", "it was registered %d times while the page was only looked at", n)
			}
		}
	}},
	{Rule: Rule{
		ID: "vanished", Severity: Info,
		Title: "A tool was there while the page loaded, and is gone",
		Why:   "An agent may have read of it.",
		Bad:   `const gone = new AbortController(); document.modelContext.registerTool({ name: "ghost", description: "Haunts. Use it at night.", execute: () => "done" }, { signal: gone.signal }); setTimeout(() => gone.abort(), 100);`,
		Good: example("find_ghost", "Find ghost", "Looks for ghosts in the castle. Use it at midnight.",
			"", `"none"`),
	}, page: func(p *page, found reportFunc) {
		there := map[string]bool{}
		for _, t := range p.tools {
			there[t.Name] = true
		}
		for _, r := range p.Refused {
			there[r.Tool] = true // it still exists, and another rule reports it
		}
		for _, c := range p.Changes {
			if c.Added && !there[c.Tool] {
				there[c.Tool] = true
				found(c.Tool, "", "it was registered and removed again")
			}
		}
	}},
	{Rule: Rule{
		ID: "deprecated-api", Severity: Warning,
		Title: "A script uses navigator.modelContext",
		Why:   "Chrome has replaced it by document.modelContext; what is registered there only, no agent sees.",
		Bad:   `if ("modelContext" in navigator) navigator.modelContext.registerTool({ name: "old", description: "Is old.", execute: () => "done" });`,
		Good: example("get_version", "Get version", "Tells the version of this program. Use it in reports of bugs.",
			"", `"2"`),
		Covers: []string{"webmcp-lint: WML-011"},
	}, page: func(p *page, found reportFunc) {
		for _, script := range p.Legacy {
			found("", "", "%s uses navigator.modelContext", script)
		}
	}},
}
