package main

import (
	"time"

	"webmcphub/bench/storm"
)

// flags are the command line. Those that are not given leave the scenario as it is.
type flags struct {
	Scenario []string      `default:"all" placeholder:"NAME" help:"Run a named scenario, or all. Repeatable. There are ${scenarios}."`
	Runtime  storm.Runtime `enum:"fake,native,mcpb,extension" default:"fake" help:"Where the pages live: fake (a fake Chrome), native (a real one with its own WebMCP), mcpb (a real one with @mcp-b/global) or extension (native, and the hub is reached by the browser's extension)."`
	Bare     bool          `help:"Measure a client of Chrome that serves nobody and makes the calls itself, in the place of the hub: what Chrome itself takes."`
	Apart    bool          `help:"Give the hub its own process at the fake Chrome too, so that its figures are its own."`

	Pages          *int           `help:"Open tabs."`
	Tools          *int           `help:"Tools of each page."`
	Rate           *float64       `help:"Changes a second of all pages together; 0 is as fast as they are taken in."`
	Duration       *time.Duration `help:"How long the storm lasts."`
	NotifyInterval time.Duration  `help:"The hub's flush interval."`

	Quiet      bool   `help:"Show no progress."`
	CPUProfile string `name:"cpuprofile" type:"path" placeholder:"FILE" help:"Profile processor time: of this process, or of the hub's if it has its own."`
	MemProfile string `name:"memprofile" type:"path" placeholder:"FILE" help:"Profile memory, likewise."`
	Trace      string `type:"path" placeholder:"FILE" help:"Write an execution trace of this process."`
}

// scenarios gives those that the flags name.
func (f *flags) scenarios() ([]storm.Scenario, error) {
	names := f.Scenario
	if len(names) == 1 && names[0] == "all" {
		names = storm.Names()
	}
	var all []storm.Scenario
	for _, name := range names {
		s, err := storm.Named(name, f.Runtime)
		if err != nil {
			return nil, err
		}
		given(f.Pages, &s.Pages)
		given(f.Tools, &s.Tools)
		given(f.Rate, &s.Rate)
		given(f.Duration, &s.Duration)
		all = append(all, s)
	}
	return all, nil
}

func given[T any](flag *T, to *T) {
	if flag != nil {
		*to = *flag
	}
}
