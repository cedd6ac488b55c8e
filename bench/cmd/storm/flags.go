package main

import (
	"fmt"
	"time"

	"webmcphub/bench/storm"
)

// flags are the command line. Those that are not given leave the scenario as
// it is; without a scenario they make one.
type flags struct {
	Scenario []string      `default:"" placeholder:"NAME" help:"Run a named scenario, or all. Repeatable. There are ${scenarios}."`
	Runtime  storm.Runtime `enum:"fake,native,mcpb,extension" default:"fake" help:"Where the pages live: fake (a fake Chrome), native (a real one with its own WebMCP), mcpb (a real one with @mcp-b/global) or extension (native, and the hub is reached by the browser's extension)."`
	Hub      storm.Kind    `enum:"hub,plain,stock,stock-coalesced,bare" default:"hub" help:"What is measured: hub, or for comparison plain (a mutex and a map), stock (mcp-go's server, AddTool and DeleteTools at each change), stock-coalesced (the same, but list_changed at the hub's flush interval) or bare (a client of Chrome that serves nobody and makes the calls itself)."`
	Apart    bool          `help:"Give the hub its own process at the fake Chrome too, so that its figures are its own."`

	stormFlags   `group:"Storm"`
	clientFlags  `group:"Clients"`
	hubFlags     `group:"Hub"`
	outputFlags  `group:"Output"`
	profileFlags `group:"Profiles"`
}

// stormFlags say what happens.
type stormFlags struct {
	Pages    *int           `help:"Open tabs."`
	Tools    *int           `help:"Tools of each page."`
	Stormy   *int           `help:"How many of the pages change; 0 is all."`
	Rate     *float64       `help:"Changes a second of all pages together; 0 is as fast as they are taken in."`
	Mix      map[string]int `mapsep:"," placeholder:"KIND=WEIGHT,…" help:"How often each kind of change happens: add, remove, update, flipflop, navigate, reopen."`
	Payload  *int           `help:"Bytes of each tool's description and schema together."`
	Duration *time.Duration `help:"How long the storm lasts."`
	Gap      *time.Duration `help:"How long a tool of an update or a flip-flop stays away."`
	Ops      *int           `help:"End the storm after so many acts."`
	Window   *int           `help:"Without a rate: about how many changes may be on their way into the hub."`
}

// clientFlags say who listens.
type clientFlags struct {
	Clients  *int    `help:"Clients that list at each list_changed."`
	Slow     *int    `help:"Clients that read slowly."`
	Deaf     *int    `help:"Clients that never read."`
	Listers  *int    `help:"Clients that list all the time."`
	Listless *bool   `help:"Let the clients read, but list at the end only."`
	Calls    *string `enum:"none,quiet,stormy" help:"Call tools of pages that don't change (quiet), or that do (stormy), or none."`
}

// hubFlags say how the hub is set.
type hubFlags struct {
	NotifyInterval time.Duration `help:"The hub's flush interval."`
	Settle         time.Duration `help:"How long a page must be quiet before the hub shows what it removed."`
	Bundle         string        `type:"path" placeholder:"FILE" help:"The script of @mcp-b/global. Default: the one in e2e/node_modules."`
}

// outputFlags say what becomes of the results.
type outputFlags struct {
	JSON         string `name:"json" type:"path" placeholder:"FILE" help:"Write the results as JSON."`
	SVG          string `name:"svg" type:"path" placeholder:"FILE" help:"Plot them."`
	PlotTradeoff string `type:"path" placeholder:"FILE" help:"Plot what --notify-interval trades, by the scenario at several, and what --settle trades, by the scenario render."`
	Quiet        bool   `help:"Show no progress."`
}

// profileFlags say what is profiled.
type profileFlags struct {
	CPUProfile string `name:"cpuprofile" type:"path" placeholder:"FILE" help:"Profile processor time: of this process, or of the hub's if it has its own."`
	MemProfile string `name:"memprofile" type:"path" placeholder:"FILE" help:"Profile memory, likewise."`
	Trace      string `type:"path" placeholder:"FILE" help:"Write an execution trace of this process."`
}

// scenarios gives those that the flags name or make.
func (f *flags) scenarios() ([]storm.Scenario, error) {
	names := f.Scenario
	switch {
	case len(names) == 0:
		s := storm.Scenario{Name: "custom", Pages: 50, Tools: 10, Rate: 1000}
		return []storm.Scenario{s}, f.set(&s)
	case len(names) == 1 && names[0] == "all":
		names = storm.Names()
	}
	var all []storm.Scenario
	for _, name := range names {
		s, err := storm.Named(name, f.Runtime)
		if err != nil {
			return nil, err
		}
		if err := f.set(&s); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// set puts what was given into a scenario.
func (f *flags) set(s *storm.Scenario) error {
	given(f.Pages, &s.Pages)
	given(f.Tools, &s.Tools)
	given(f.Stormy, &s.Stormy)
	given(f.Rate, &s.Rate)
	given(f.Payload, &s.Payload)
	given(f.Duration, &s.Duration)
	given(f.Ops, &s.Ops)
	given(f.Gap, &s.Gap)
	given(f.Window, &s.Window)
	given(f.Clients, &s.Clients)
	given(f.Slow, &s.Slow)
	given(f.Deaf, &s.Deaf)
	given(f.Listers, &s.Listers)
	given(f.Listless, &s.Listless)
	if f.Calls != nil {
		s.Calls = storm.Calls(*f.Calls)
		if *f.Calls == "none" {
			s.Calls = storm.NoCalls
		}
	}
	if f.Mix == nil {
		return nil
	}
	s.Mix = storm.Mix{}
	weights := map[string]*int{"add": &s.Mix.Add, "remove": &s.Mix.Remove, "update": &s.Mix.Update,
		"flipflop": &s.Mix.FlipFlop, "navigate": &s.Mix.Navigate, "reopen": &s.Mix.Reopen}
	for kind, n := range f.Mix {
		to := weights[kind]
		if to == nil {
			return fmt.Errorf("--mix: there is no change of the kind %q; there are add, remove, update, flipflop, "+
				"navigate and reopen", kind)
		}
		*to = n
	}
	return nil
}

func given[T any](flag *T, to *T) {
	if flag != nil {
		*to = *flag
	}
}
