package storm

import "webmcphub/bench/storm/hubs"

// Kind is what stands between pages and clients.
type Kind = hubs.Kind

// Values of [Kind].
const (
	WebMCPHub      = hubs.WebMCPHub
	Plain          = hubs.Plain
	Stock          = hubs.Stock
	StockCoalesced = hubs.StockCoalesced
	Bare           = hubs.Bare
)

// Tuning is what the hub's user can set.
type Tuning = hubs.Tuning

// Child makes this process the hub of another's storm if it was started as one, and
// then doesn't return. It must be the first thing that a program does.
func Child() { hubs.Child() }
