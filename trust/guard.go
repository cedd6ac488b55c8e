package trust

import (
	"context"
	"fmt"

	"webmcphub/registry"
	"webmcphub/registry/mcpserver/calls"
	"webmcphub/trust/approvals"
)

// Options are fixed for the life of a [Guard]. What is nil decides nothing.
type Options struct {
	Rules Decider
	Pins  Decider
	Flow  Flow
	// Rates is asked last, once the others don't refuse: it counts what it allows.
	Rates Decider
	// Words marks a page's words in results.
	Words func(d calls.Deed, r registry.Result) registry.Result
	// Decided is told of every decision but those that all deciders allow silently. It
	// is called by many goroutines and must not block.
	Decided func(Decision)
}

// Decides says whether there is anything to decide: without, no guard is needed.
func (o Options) Decides() bool {
	return o.Rules != nil || o.Pins != nil || o.Flow != nil || o.Rates != nil || o.Words != nil
}

// Decision is what became of one deed.
type Decision struct {
	Deed    calls.Deed
	By      string // "rule", "pin", "flow", "rate", or "answer" of a person
	Verdict Verdict
	Why     string
}

// Guard is the hub's [calls.Trust].
type Guard struct {
	options  Options
	deciders []namedDecider
	asking   asking
}

type namedDecider struct {
	by string
	Decider
}

// New makes a guard.
func New(o Options) *Guard {
	g := &Guard{options: o, asking: asking{book: approvals.NewBook()}}
	for _, d := range []namedDecider{{"rule", o.Rules}, {"pin", o.Pins}, {"flow", o.Flow}, {"rate", o.Rates}} {
		if d.Decider != nil {
			g.deciders = append(g.deciders, d)
		}
	}
	return g
}

// Judge decides about a deed, see [calls.Trust].
func (g *Guard) Judge(ctx context.Context, d calls.Deed) *calls.Refusal {
	if why := g.asking.shut(d); why != "" {
		g.decided(Decision{d, "question", Refuse, why})
		return refusal(d, why)
	}
	var asks []reason
	for _, by := range g.deciders {
		v, why := by.Decide(d)
		if v > Allow {
			g.decided(Decision{d, by.by, v, why})
		}
		switch v {
		case Refuse:
			return &calls.Refusal{Text: fmt.Sprintf("%s was not carried out: %s.", d.HubName, why)}
		case Ask:
			asks = append(asks, reason{by.by, why})
		}
	}
	if ctx.Err() != nil {
		return &calls.Refusal{Text: fmt.Sprintf("%s was not carried out: %v.", d.HubName, context.Cause(ctx))}
	}
	if len(asks) == 0 {
		return nil
	}
	refused, answer := g.asking.ask(ctx, d, asks)
	switch {
	case refused == nil:
		g.decided(Decision{d, "answer", Allow, answer.text})
		if answer.choice == approvals.Always {
			g.options.Flow.Approved(d)
		}
	case refused.Input == nil:
		g.decided(Decision{d, "answer", Refuse, answer.text})
	}
	return refused
}

func (g *Guard) decided(d Decision) {
	if g.options.Decided != nil {
		g.options.Decided(d)
	}
}

// Sent is told what is sent to a client, see [calls.Trust].
func (g *Guard) Sent(d calls.Deed) {
	if g.options.Flow != nil {
		g.options.Flow.Sent(d)
	}
}

// Words marks a page's words, see [calls.Trust].
func (g *Guard) Words(d calls.Deed, r registry.Result) registry.Result {
	if g.options.Words == nil {
		return r
	}
	return g.options.Words(d, r)
}

// ClientGone ends what is remembered of a client, see [calls.Trust].
func (g *Guard) ClientGone(session string) {
	g.asking.gone(session)
	if g.options.Flow != nil {
		g.options.Flow.ClientGone(session)
	}
}
