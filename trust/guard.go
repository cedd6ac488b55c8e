package trust

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"webmcphub/internal/browsertool"
	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
	"webmcphub/registry/names"
	"webmcphub/trust/approvals"
)

// Options are fixed for the life of a [Guard]. A nil member decides nothing.
type Options struct {
	// Paused refuses what the user has paused. The guard asks it first.
	Paused Decider
	Rules  Decider
	Flow   Flow
	// The guard asks Rates last, if the others don't refuse, because it counts what it allows. A question and its
	// answer count as one call.
	Rates Limiter
	// Delimit puts delimiters around a page's texts in a result.
	Delimit func(d calls.Action, r registry.Result) registry.Result
	// Answers keeps people's answers and permissions for later hubs. If it is nil, they are forgotten when the hub
	// ends.
	Answers Answers
	// Decided is called with every decision, except when all deciders allow the action silently. Many goroutines call
	// it, and it must not block.
	Decided func(Decision)
}

// Decides reports whether a guard with these options would decide anything.
func (o Options) Decides() bool { return o.Paused != nil || o.Answers != nil || o.set() }

// set reports whether an option other than Paused, Answers and Decided is set.
func (o Options) set() bool {
	return o.Rules != nil || o.Flow != nil || o.Rates != nil || o.Delimit != nil
}

// Decision is the decision about one action.
type Decision struct {
	Action calls.Action
	// By is "pause", "rule" (also a permission for a site), "flow", "rate", "question", "answer" (a person's) or "pin"
	// (a person's answer about pins).
	By      string
	Verdict Verdict
	Why     string
}

// Guard implements [calls.Trust] for the hub.
type Guard struct {
	options   Options
	asking    asking
	followers []func() // called after changes of permissions; asking.mu guards them
}

// New returns a Guard.
func New(o Options) *Guard {
	g := &Guard{options: o, asking: asking{book: approvals.NewBook(), keep: func(approvals.Lasting) {}}}
	if o.Answers != nil {
		g.asking.keep = o.Answers.Keep
		g.asking.book.Restore(o.Answers.Kept(), time.Now())
		o.Answers.Follow(g.revoke)
	}
	return g
}

// Judge decides about an action, see [calls.Trust].
func (g *Guard) Judge(ctx context.Context, d calls.Action) *calls.Refusal {
	refused := g.judge(ctx, d)
	if refused == nil && d.Stage != browsertool.StageAct && d.Stage != browsertool.StageRead && g.options.Flow != nil {
		g.options.Flow.Started(d)
	}
	return refused
}

func (g *Guard) judge(ctx context.Context, d calls.Action) *calls.Refusal {
	if why := g.asking.shut(d); why != "" && d.Stage != browsertool.StageRead {
		g.decided(Decision{d, "question", Refuse, why})
		return refusal(d, why)
	}
	if d.To != "" && !names.Plain(d.To) && (g.options.set() || g.asking.chosen()) {
		const why = "nobody can tell where its address leads by the way it is written. Write the host in ASCII " +
			"letters (a name in others begins with xn--), an IPv4 address as four numbers, the port without zeros " +
			"before it, and no user's name"
		g.decided(Decision{d, "rule", Refuse, why})
		return refusal(d, why)
	}
	asks, refused := g.decide(d, g.decided)
	switch {
	case refused != nil || d.Stage == browsertool.StageAct:
		return refused
	case d.Stage >= browsertool.StageRead && len(asks) > 0:
		return &calls.Refusal{Text: reasonsText(asks)}
	case d.Stage >= browsertool.StageRead:
		return nil
	case ctx.Err() != nil:
		return refusal(d, context.Cause(ctx).Error())
	}
	if refused = g.rated(d); refused != nil || len(asks) == 0 {
		return refused
	}
	refused, answer := g.asking.ask(ctx, d, asks)
	if refused != nil {
		g.decided(Decision{d, "answer", Refuse, answer.text})
		return refused
	}
	if refused = g.again(d, asks); refused != nil {
		return refused
	}
	g.decided(Decision{d, "answer", Allow, answer.text})
	for _, approve := range answer.approve {
		approve()
	}
	return nil
}

// reasonsText joins the reasons into one text.
func reasonsText(asks []reason) string {
	var all []string
	for _, r := range asks {
		all = append(all, r.text())
	}
	return strings.Join(all, "; ")
}

// decide asks every decider that needs no person. It returns the first refusal, or the reasons to ask a person.
func (g *Guard) decide(d calls.Action, report func(Decision)) (asks []reason, refused *calls.Refusal) {
	decided := func(r reason, v Verdict) {
		if v > Allow {
			report(Decision{d, r.by, v, r.why + owners(r.advice)}) // without shown, which is private
		}
		switch {
		case v == Refuse && refused == nil:
			refused = refusal(d, r.text())
		case v == Ask, v == AskSite:
			r.site = v == AskSite
			asks = append(asks, r)
		}
	}
	if g.options.Paused != nil {
		v, why := g.options.Paused.Decide(d)
		decided(reason{by: "pause", why: why}, v)
	}
	permission, chosen := g.asking.permission(d)
	asksFirst := permission == approvals.Ask && acts(d)
	switch {
	case refused != nil:
	case permission == approvals.Never:
		decided(chosen, Refuse)
	case asksFirst:
		decided(chosen, Ask)
	}
	if g.options.Rules != nil && refused == nil {
		v, why := g.options.Rules.Decide(d)
		if (v == Ask || v == AskSite) && (asksFirst || permission == approvals.Allow) {
			v = Allow // one question is enough, or none
		}
		decided(reason{by: "rule", why: why}, v)
	}
	if g.options.Flow != nil && refused == nil {
		v, r := g.options.Flow.Decide(d)
		decided(r, v)
	}
	if refused != nil {
		return nil, refused
	}
	return asks, nil
}

// again decides once more about an action that a person has allowed. It refuses the action if there is now a reason to
// ask that the question did not show: meanwhile the rules may have changed, or the client may have read more.
func (g *Guard) again(d calls.Action, before []reason) *calls.Refusal {
	var why []string
	now, refused := g.decide(d, func(is Decision) { why = append(why, is.Why) })
	if refused == nil && binding(d, now).Why != binding(d, before).Why && len(now) > 0 {
		refused = refusal(d, "while the question was open, another reason to ask has come up. Call it again")
	}
	if refused != nil { // without its text, which may quote what was read
		g.decided(Decision{d, "answer", Refuse, "while the question was open, this came up: " + strings.Join(why, "; ")})
	}
	return refused
}

// rated counts an action, or refuses it because it is one too many.
func (g *Guard) rated(d calls.Action) *calls.Refusal {
	if g.options.Rates == nil || d.Stage != browsertool.StageBegin {
		return nil
	}
	allowed, why := g.options.Rates.Count(d)
	if allowed {
		return nil
	}
	g.decided(Decision{d, "rate", Refuse, why})
	return refusal(d, why)
}

func (g *Guard) decided(d Decision) {
	if g.options.Decided != nil {
		g.options.Decided(d)
	}
}

// Sent notes what the hub sends to a client, see [calls.Trust].
func (g *Guard) Sent(d calls.Action) {
	if g.options.Flow != nil {
		g.options.Flow.Sent(d)
	}
}

// Read notes the content that the hub sends to a client, see [calls.Trust].
func (g *Guard) Read(d calls.Action, content json.RawMessage) {
	if g.options.Flow != nil {
		g.options.Flow.Read(d, content)
	}
}

// Delimit puts delimiters around a page's texts, see [calls.Trust].
func (g *Guard) Delimit(d calls.Action, r registry.Result) registry.Result {
	if g.options.Delimit == nil {
		return r
	}
	return g.options.Delimit(d, r)
}

// Resume restores what the previous hub remembered of a client.
func (g *Guard) Resume(session, remembered string) {
	if g.options.Flow != nil {
		g.options.Flow.Resume(session, remembered)
	}
}

// Follow calls changed with what the client's next hub must know: now and whenever there is more. changed must not
// block, and must not call the guard.
func (g *Guard) Follow(session string, changed func(remembered string)) {
	if g.options.Flow != nil {
		g.options.Flow.Follow(session, changed)
	}
}

// ClientGone deletes what is remembered of a client, see [calls.Trust].
func (g *Guard) ClientGone(session string) {
	g.asking.gone(session)
	if g.options.Flow != nil {
		g.options.Flow.ClientGone(session)
	}
}
