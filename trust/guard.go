package trust

import (
	"context"

	"webmcphub/registry"
	"webmcphub/registry/mcpserver/calls"
	"webmcphub/trust/approvals"
)

// Options are fixed for the life of a [Guard]. What is nil decides nothing.
type Options struct {
	Rules Decider
	Flow  Flow
	// Rates is asked last, once the others don't refuse: it counts what it allows. A
	// question and its answer are one call.
	Rates Decider
	// Words marks a page's words in results.
	Words func(d calls.Deed, r registry.Result) registry.Result
	// Decided is told of every decision but those that all deciders allow silently. It
	// is called by many goroutines and must not block.
	Decided func(Decision)
}

// Decides says whether there is anything to decide: without, no guard is needed.
func (o Options) Decides() bool {
	return o.Rules != nil || o.Flow != nil || o.Rates != nil || o.Words != nil
}

// Decision is what became of one deed.
type Decision struct {
	Deed    calls.Deed
	By      string // "rule", "flow", "rate", "question", or "answer" of a person
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
	for _, d := range []namedDecider{{"rule", o.Rules}, {"flow", o.Flow}} {
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
	asks, refused := g.decide(d)
	switch {
	case refused != nil:
		return refused
	case ctx.Err() != nil:
		return refusal(d, context.Cause(ctx).Error())
	}
	answers := len(asks) > 0 && d.Rounds != nil && d.Rounds.State != "" // the question was counted
	if !answers {
		refused = g.rated(d)
	}
	if refused != nil || len(asks) == 0 {
		return refused
	}
	refused, answer := g.asking.ask(ctx, d, asks)
	switch {
	case refused == nil && answers && answer.choice == "": // it needed no answer, so nothing of it was counted
		refused = g.rated(d)
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

// decide has a deed judged by all that can be decided without asking: it gives the first
// refusal, or why a person is to be asked.
func (g *Guard) decide(d calls.Deed) (asks []reason, refused *calls.Refusal) {
	for _, by := range g.deciders {
		v, why := by.Decide(d)
		if v > Allow {
			g.decided(Decision{d, by.by, v, why})
		}
		switch v {
		case Refuse:
			return nil, refusal(d, why)
		case Ask:
			asks = append(asks, reason{by.by, why})
		}
	}
	return asks, nil
}

// rated counts a deed, or refuses it because it is one too many.
func (g *Guard) rated(d calls.Deed) *calls.Refusal {
	if g.options.Rates == nil {
		return nil
	}
	v, why := g.options.Rates.Decide(d)
	if v != Refuse {
		return nil
	}
	g.decided(Decision{d, "rate", v, why})
	return refusal(d, why)
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
