package storm

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"webmcphub/bench/storm/hubs"
)

// Runtime is where the pages live.
type Runtime string

// Values of [Runtime].
const (
	Fake   Runtime = "fake"   // cdptest
	Native Runtime = "native" // a real Chrome's own WebMCP
	MCPB   Runtime = "mcpb"   // @mcp-b/global in a real Chrome without WebMCP
	// Extension is a real Chrome's own WebMCP that the hub reaches by the
	// browser's extension.
	Extension Runtime = "extension"
)

// driver makes pages change. Its methods are called by one goroutine.
type driver interface {
	// browser is how a hub reaches the pages.
	browser() hubs.Browser
	// storm makes changes until ctx ends or there were enough, and returns when
	// the last one is made, with the time of it.
	storm(ctx context.Context) (ended time.Time, err error)
	// truth is what all pages have now: version by the page's own tool name.
	truth() (map[string]int, error)
	// stamps are those made so far.
	stamps() []stamp
	// changes says how many registrations and removals there were. It may be
	// called from any goroutine.
	changes() int64
	// cpu is what the browser has used, 0 if it is part of this process.
	cpu() time.Duration
	// close ends the browser.
	close()
}

// stamp is a time at which a page was a certain way, in µs since the epoch.
type stamp struct{ page, at int64 }

// stampMark begins the name of a stamp after its page's prefix, and occurs in
// no other text.
const stampMark = "_zz"

func stampName(page, at int64) string {
	return "k" + strconv.FormatInt(page, 10) + stampMark + strconv.FormatInt(at, 36)
}

// parseStamp reads what follows "_k", up to the first odd byte.
func parseStamp(page, at string) (stamp, bool) {
	p, err1 := strconv.ParseInt(page, 10, 64)
	t, err2 := strconv.ParseInt(at, 36, 64)
	return stamp{p, t}, err1 == nil && err2 == nil
}

// stampEvery is how often one page or another stamps in a storm with a rate, so
// that the stamps of a trickle aren't a storm themselves.
func stampEvery(rate float64) time.Duration {
	if rate == 0 {
		return 20 * time.Millisecond
	}
	return min(max(time.Duration(2*float64(time.Second)/rate), 20*time.Millisecond), 200*time.Millisecond)
}

// toolName is the page's own name of its i-th tool; the 0th echoes.
func toolName(page int64, i int) string {
	if i == 0 {
		return fmt.Sprintf("k%d_echo", page)
	}
	return fmt.Sprintf("k%d_t%d", page, i)
}

// filler is in each description and in each schema.
const filler = "This text stands for what a page says about its tool: what it does, when to use it, what it gives " +
	"back and what not. This text stands for what a page "

// describe gives a description that carries the tool's version.
func describe(version int) string { return fmt.Sprintf("version %d. %s", version, filler) }

// schema is every tool's.
var schema = json.RawMessage(`{"type":"object","properties":{"text":{"type":"string","description":"` + filler +
	`"}},"required":["text"]}`)

// act is one of the mix.
type act int

const (
	actAdd act = iota
	actRemove
	actUpdate
	actFlipFlop
	actNavigate
	actReopen
)

func (m Mix) pick(r *rand.Rand) act {
	n := r.IntN(m.sum())
	for a, weight := range []int{m.Add, m.Remove, m.Update, m.FlipFlop, m.Navigate, m.Reopen} {
		if n -= weight; n < 0 {
			return act(a)
		}
	}
	panic("unreachable")
}
