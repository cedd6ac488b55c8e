package trust

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"webmcphub/mcpserver/calls"
	"webmcphub/registry/names"
	"webmcphub/registry/sanitize"
	"webmcphub/trust/approvals"
	"webmcphub/trust/rules"
)

// AnswerTime is how long a person may take to answer.
const AnswerTime = 5 * time.Minute

var (
	errNoAnswer = errors.New("nobody answered in time")
	errEnded    = errors.New("its page has changed, navigated or was closed while the question was open")
	errLeft     = errors.New("its page has changed, navigated or was closed before the question's turn came")
)

// asking asks people. Any goroutine may use it.
type asking struct {
	keep func(approvals.Lasting) // for the hubs to come; it doesn't block

	mu       sync.Mutex
	book     *approvals.Book
	departed departed
	changes  chan struct{} // closed when the book changes; nil if nobody waits for that
}

// change locks what is to be changed. Once it is done, those who wait for their turn look
// whether that makes room for their questions, or answers them.
func (a *asking) change() (done func()) {
	a.mu.Lock()
	return func() {
		if a.changes != nil {
			close(a.changes)
			a.changes = nil
		}
		a.mu.Unlock()
	}
}

// revoke takes answers back.
func (a *asking) revoke(all []approvals.Lasting) {
	defer a.change()()
	a.book.Revoke(all)
}

// shut says why an action must wait for an answer about its tab, or is empty. An agent must
// not press the page's own buttons while its user is asked.
func (a *asking) shut(d calls.Action) string {
	if d.Document.Page == "" || d.Kind == calls.BrowserTool && d.Class == calls.ReadOnly {
		return ""
	}
	answers := ""
	if d.Rounds != nil {
		answers = d.Rounds.State
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.book.Shut(d.Session, d.Client, string(d.Document.Page), answers, time.Now()) {
		return ""
	}
	return fmt.Sprintf("the user is being asked about another call in tab %d, and until that is answered nothing "+
		"else is done there. Wait for that call to end", d.Tab)
}

// answer is what came of a question: what a person chose, "" for nothing, and that in
// words.
type answer struct {
	choice approvals.Choice
	text   string
}

// ask has a person asked about an action. Nil allows it.
func (a *asking) ask(ctx context.Context, d calls.Action, asks []reason) (*calls.Refusal, answer) {
	about := binding(d, asks)
	a.mu.Lock()
	allowed := a.book.Allows(about, time.Now())
	a.mu.Unlock()
	if allowed {
		return nil, earlier
	}
	q := question(d, asks)
	switch {
	case d.Ask != nil:
		return a.elicit(ctx, d, about, q)
	case d.Rounds != nil && d.Rounds.Elicits:
		return a.round(ctx, d, about, q)
	}
	return &calls.Refusal{Text: fmt.Sprintf("%s was not carried out: a person would have to allow it (%s), and this "+
		"client can't ask its user (it declares no elicitation by forms).%s", d.HubName, strings.Join(q.Why, "; "),
		advice(d, asks))}, answer{text: "nobody could be asked"}
}

// earlier is that somebody has allowed it before.
var earlier = answer{text: "allowed by an earlier answer"}

// elicit asks while the call waits.
func (a *asking) elicit(ctx context.Context, d calls.Action, about approvals.Binding,
	q approvals.Question) (*calls.Refusal, answer) {
	ctx, stop := untilEnded(ctx, d)
	defer stop()
	id := rand.Text()
	switch allowed, why := a.openInTurn(ctx, id, d, about, 0); {
	case allowed:
		return nil, earlier
	case why != "":
		return refusal(d, why), answer{text: why}
	}
	defer a.close(id, about)
	ctx, cancel := context.WithTimeoutCause(ctx, AnswerTime, errNoAnswer)
	defer cancel()
	raw, err := d.Ask(ctx, q.Params())
	switch cause := context.Cause(ctx); {
	case cause != nil:
		return refusal(d, cause.Error()), answer{text: cause.Error()}
	case err != nil:
		why := "the user could not be asked: " + sanitize.Text(err.Error(), 300)
		return refusal(d, why), answer{text: why}
	}
	return a.answered(d, about, q, raw)
}

// untilEnded gives a context that ends with errEnded, too, once an action's document no longer
// has what it is about.
func untilEnded(ctx context.Context, d calls.Action) (ending context.Context, stop func()) {
	ending, end := context.WithCancelCause(ctx)
	if d.Ended != nil {
		go func() {
			if d.Ended(ending) {
				end(errEnded)
			}
		}()
	}
	return ending, func() { end(nil) }
}

// rounds is what a request of protocol 2026-07-28 has been allowed: one request may be
// judged several times, for its tab and for a frame in it, say.
type rounds struct {
	about   approvals.Binding // what its requestState was about
	open    bool              // it was open, and its answer has not been read yet
	granted []approvals.Binding
	matched bool // something of that was what was judged
}

// of gives what an action's request has been allowed so far. Its requestState is used up.
func (a *asking) of(d calls.Action, now time.Time) *rounds {
	if r, is := d.Rounds.Seen.(*rounds); is {
		return r
	}
	r := &rounds{}
	if d.Rounds.State != "" {
		r.about, r.granted, r.open = a.book.Take(d.Rounds.State, d.Session, now)
	}
	d.Rounds.Seen = r
	return r
}

// round asks by the result, and is told the answer by the same request in a later round.
func (a *asking) round(ctx context.Context, d calls.Action, about approvals.Binding,
	q approvals.Question) (*calls.Refusal, answer) {
	done := a.change() // a question that is taken up makes room
	r := a.of(d, time.Now())
	answers := r.open && r.about == about
	granted := slices.Contains(r.granted, about)
	r.open = r.open && !answers
	r.matched = r.matched || answers || granted
	astray := d.Rounds.State != "" && !r.matched
	done()
	switch {
	case answers:
		var all map[string]json.RawMessage
		_ = json.Unmarshal(d.Rounds.Answers, &all)
		no, said := a.answered(d, about, q, all[sanitize.NameOfApproval])
		if no == nil {
			a.mu.Lock()
			r.granted = append(r.granted, about)
			a.mu.Unlock()
		}
		return no, said
	case granted:
		return nil, answer{approvals.Once, "the user allowed it: " + string(approvals.Once)}
	case astray:
		why := "the answer is not to this call as it is now: what it would do has changed since, or the answer came " +
			"too late or was used before. Call it again without requestState"
		return refusal(d, why), answer{text: why}
	}
	ctx, stop := untilEnded(ctx, d)
	defer stop()
	id := rand.Text()
	switch allowed, why := a.openInTurn(ctx, id, d, about, AnswerTime, r.granted...); {
	case allowed:
		return nil, earlier
	case why != "":
		return refusal(d, why), answer{text: why}
	}
	return &calls.Refusal{Input: calls.InputRequired(sanitize.NameOfApproval, q.Params(), id)},
		answer{text: "the user is being asked"}
}

// openInTurn opens a question, once there is room among those that are open. It waits for
// that no longer than for an answer, nor than ctx. lasts, if not zero, is how long the question
// is open then. An earlier answer may have come meanwhile, which allows it; else why says why
// it can't be opened.
func (a *asking) openInTurn(ctx context.Context, id string, d calls.Action, about approvals.Binding,
	lasts time.Duration, granted ...approvals.Binding) (allowed bool, why string) {
	over := time.NewTimer(AnswerTime)
	defer over.Stop()
	for waited, last := false, false; ; waited = true {
		if waited && ctx.Err() != nil {
			if errors.Is(context.Cause(ctx), errEnded) {
				why = errLeft.Error()
			}
			return false, why
		}
		a.mu.Lock()
		if waited && a.book.Allows(about, time.Now()) {
			a.mu.Unlock()
			return true, ""
		}
		var room turn
		if why, room = a.opens(id, d, about, lasts, granted); room.changes == nil || last {
			a.mu.Unlock()
			return false, why
		}
		a.mu.Unlock()
		last = !room.await(ctx, over.C)
	}
}

// turn is what a question waits for that there is no room for.
type turn struct {
	changes <-chan struct{} // closed when the book has changed
	ends    time.Time       // an open one is over by then; zero if that is not known
}

// await returns when there may be room, or ctx ends, or with false once the time for waiting
// is over.
func (t turn) await(ctx context.Context, over <-chan time.Time) bool {
	var ends <-chan time.Time
	if !t.ends.IsZero() {
		timer := time.NewTimer(time.Until(t.ends))
		defer timer.Stop()
		ends = timer.C
	}
	select {
	case <-t.changes:
	case <-ends:
	case <-ctx.Done():
	case <-over:
		return false
	}
	return true
}

// opens opens a question, or says why it can't, and what it would have to wait for if there is
// no room for it. The caller holds mu.
func (a *asking) opens(id string, d calls.Action, about approvals.Binding, lasts time.Duration,
	granted []approvals.Binding) (why string, room turn) {
	page, now, until := string(d.Document.Page), time.Now(), time.Time{}
	if lasts > 0 {
		until = now.Add(lasts)
	}
	switch {
	case a.book.Shut(d.Session, d.Client, page, "", now):
		return "the user is being asked about another call in its tab. Try again once that is answered", room
	case a.book.Open(id, about, page, until, now, granted...):
		return "", room
	}
	if a.changes == nil {
		a.changes = make(chan struct{})
	}
	return fmt.Sprintf("too many questions to users are open already (%d of one client, %d in all). Try again once "+
		"some are answered", approvals.MaxOpenOf, approvals.MaxOpen), turn{a.changes, a.book.NextEnd()}
}

func (a *asking) close(id string, about approvals.Binding) {
	defer a.change()()
	a.book.Close(id, about, time.Now())
}

// answered is what an answer means.
func (a *asking) answered(d calls.Action, about approvals.Binding, q approvals.Question,
	raw json.RawMessage) (*calls.Refusal, answer) {
	said, why := q.ReadAnswer(raw)
	if said.Choice == approvals.Refuse {
		return refusal(d, why), answer{text: why}
	}
	defer a.change()()
	if now := time.Now(); !a.departed.has(about.Session) {
		a.book.Keep(about, said, now)
		if lasting, lasts := about.Lasts(said, now); lasts {
			a.keep(lasting)
		}
	}
	return nil, answer{said.Choice, "the user allowed it: " + said.String()}
}

func (a *asking) gone(session string) {
	defer a.change()()
	a.book.Gone(session, time.Now())
	a.departed.add(session)
}

func refusal(d calls.Action, why string) *calls.Refusal {
	if d.Stage == calls.Shows {
		return &calls.Refusal{Text: why}
	}
	return &calls.Refusal{Text: fmt.Sprintf("%s was not carried out: %s.", d.HubName, why)}
}

// advice says how to allow an action that a rule asks about; what else asks says so itself.
func advice(d calls.Action, asks []reason) string {
	switch {
	case !slices.ContainsFunc(asks, func(r reason) bool { return r.by == "rule" }):
		return ""
	case d.To != "": // two sites are concerned, and one rule names one
		return " Whoever runs the hub can change its rules (--policy, --ask)."
	}
	if rule := rules.For(subject(d)); rule != "" {
		return fmt.Sprintf(" Whoever runs the hub can allow it by a rule before those: --allow %s.",
			quoted(sanitize.Text(rule, 400)))
	}
	return " Whoever runs the hub can change its rules (--policy, --ask)."
}

// reason is why a person is asked. approve, if not nil, allows for good what it is about.
type reason struct {
	by, why string
	approve func()
}

// binding is what an answer about an action is bound to.
func binding(d calls.Action, asks []reason) approvals.Binding {
	definition := d.Name
	if d.Definition != nil {
		definition = d.Definition()
	}
	args := sha256.Sum256(slices.Concat(d.Args, []byte{0}, d.Besides, []byte{0}, []byte(d.On)))
	return approvals.Binding{
		Session: d.Session, Client: d.Client, Browser: d.Browser,
		Document: fmt.Sprint(d.Document.Page, " ", d.Document.Frame, " ", d.Document.Doc), Origin: d.Origin,
		Kind: string(d.Kind), Tool: d.Name, Definition: definition, Args: hex.EncodeToString(args[:]), To: d.To,
		Why: causes(asks),
	}
}

// causes are what somebody is asked for: "rule", whichever asks, or a hash. An answer to one
// change or one flow is none to another, and what was read where isn't kept.
func causes(asks []reason) string {
	var why []string
	for _, r := range asks {
		if r.by == "rule" {
			why = append(why, r.by)
		} else {
			why = append(why, r.by+" "+r.why)
		}
	}
	all := strings.Join(why, "\n")
	if all == "rule" {
		return all
	}
	sum := sha256.Sum256([]byte(all))
	return hex.EncodeToString(sum[:])
}

// kinds are the kinds of actions in words.
var kinds = map[calls.Kind]string{
	calls.PageTool:     "a tool of the web page",
	calls.Introspected: "a tool that the hub made of what the web page shows",
	calls.BrowserTool:  "a browser tool of the hub",
	calls.Resource:     "a resource of the web page",
	calls.Prompt:       "a prompt of the web page",
	calls.PageAsks:     "what the web page asks of the agent",
}

func question(d calls.Action, asks []reason) approvals.Question {
	q := approvals.Question{Tool: d.Name, HubName: d.HubName, Kind: kinds[d.Kind], Origin: d.Origin, Tab: int(d.Tab),
		Browser: d.Browser, To: d.To, Description: d.Description, Changed: history(d, time.Now()), Args: d.Args,
		Besides: d.Besides, On: d.On, Now: time.Now()}
	for _, r := range asks {
		q.Why = append(q.Why, r.why)
	}
	q.Choices = []approvals.Choice{approvals.Once}
	if d.Session != "" && d.To == "" && d.Document.Page != "" {
		q.Choices = append(q.Choices, approvals.Document)
		if names.ParseAddress(d.Origin) != (names.Origin{}) {
			q.Choices = append(q.Choices, approvals.Hour, approvals.Day, approvals.Date)
		}
	}
	if len(asks) == 1 && asks[0].approve != nil {
		q.Choices = append(q.Choices, approvals.Always)
	}
	return q
}
