package trust

import (
	"cmp"
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

	"webmcphub/internal/browsertool"
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

// asking asks people about actions. Any goroutine may use it.
type asking struct {
	keep func(approvals.Lasting) // keeps an answer for later hubs; it doesn't block

	mu       sync.Mutex
	book     *approvals.Book
	departed departed
	changes  chan struct{} // closed when book changes; nil if no call waits for that
}

// change locks a for a change of the book. done unlocks a, and wakes the calls that wait for their questions' turns.
// The change may have made room for their questions, or answered them.
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

// shut says why an action has to wait for an answer about its tab, or returns "". An agent must not press the page's
// own buttons while its user is being asked.
func (a *asking) shut(d calls.Action) string {
	if d.Document.Page == "" || d.Kind == calls.BrowserTool && d.Class == calls.ReadOnly {
		return ""
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.book.Shut(d.Session, d.Client, string(d.Document.Page)) {
		return ""
	}
	return fmt.Sprintf("the user is being asked about another call in tab %d, and until that is answered nothing "+
		"else is done there. Wait for that call to end", d.Tab)
}

// answer is the outcome of a question: what a person chose ("" if nothing), the outcome in words, and functions that
// allow for good what the person allowed for good.
type answer struct {
	choice  approvals.Choice
	text    string
	approve []func()
}

// ask asks a person about an action. A nil Refusal allows the action. The reasons about a site, the reasons about a
// pair of sites, and all others are separate questions.
func (a *asking) ask(ctx context.Context, d calls.Action, asks []reason) (no *calls.Refusal, result answer) {
	for _, of := range []func(reason) bool{
		func(r reason) bool { return r.site },
		func(r reason) bool { return r.key != "" },
		func(r reason) bool { return !r.site && r.key == "" },
	} {
		group := slices.DeleteFunc(slices.Clone(asks), func(r reason) bool { return !of(r) })
		if len(group) == 0 {
			continue
		}
		approve := result.approve
		if no, result = a.askFor(ctx, d, group); no != nil {
			return no, result
		}
		if result.approve = approve; result.choice == approvals.Always && group[0].approve != nil {
			result.approve = append(result.approve, group[0].approve)
		}
	}
	return nil, result
}

// askFor asks one question for all of these reasons.
func (a *asking) askFor(ctx context.Context, d calls.Action, asks []reason) (*calls.Refusal, answer) {
	about := binding(d, asks)
	a.mu.Lock()
	allowed, refused := a.book.Allows(about, time.Now()), a.book.RefusedUntil(about, time.Now())
	a.mu.Unlock()
	switch {
	case allowed:
		return nil, earlier
	case !refused.IsZero():
		return refusal(d, noUntil(refused)+", because "+reasonsText(asks)), answer{text: noUntil(refused)}
	}
	if d.Ask != nil {
		return a.elicit(ctx, d, about, question(d, asks))
	}
	return &calls.Refusal{Text: fmt.Sprintf("%s was not carried out: a person would have to allow it (%s), and this "+
			"client can't ask its user (it declares no elicitation by forms, or its protocol has no questions during this request). Tell the user: a hub that is started with "+
			"--ui asks on its live page", d.HubName, reasonsText(asks))},
		answer{text: "nobody could be asked" + advice(d, asks)}
}

// noUntil says that a person has refused something, and until when the guard asks nobody about it.
func noUntil(t time.Time) string {
	return "the user refused it, and isn't asked about the same before " + clock(t, time.Now())
}

// earlier is the outcome if an earlier answer allows the action.
var earlier = answer{text: "allowed by an earlier answer"}

// elicit asks the client's user while the call waits.
func (a *asking) elicit(ctx context.Context, d calls.Action, about approvals.Binding,
	q approvals.Question) (*calls.Refusal, answer) {
	ctx, stop := untilEnded(ctx, d)
	defer stop()
	id := rand.Text()
	switch allowed, why := a.openInTurn(ctx, id, d, about); {
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

// untilEnded returns a context that also ends, with errEnded, when the action's document no longer has the thing that
// the action uses.
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

// openInTurn opens a question as soon as there is room among the open ones. It waits at most [AnswerTime], and not
// after ctx ends. If an earlier answer allows the action meanwhile, allowed is true. Otherwise why says why the
// question can't be opened. It is "" if the question was opened, and also if ctx ended for a reason other than the
// document's end.
func (a *asking) openInTurn(ctx context.Context, id string, d calls.Action,
	about approvals.Binding) (allowed bool, why string) {
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
		if until := a.book.RefusedUntil(about, time.Now()); waited && !until.IsZero() {
			a.mu.Unlock()
			return false, noUntil(until)
		}
		var changed <-chan struct{}
		why, changed = a.opens(id, d, about)
		a.mu.Unlock()
		if changed == nil || last {
			return false, why
		}
		select {
		case <-changed:
		case <-ctx.Done():
		case <-over.C:
			last = true
		}
	}
}

// opens opens a question. Otherwise it says why the question can't be opened and, if there is no room for it, returns
// a channel that is closed when the book has changed. The caller holds mu.
func (a *asking) opens(id string, d calls.Action, about approvals.Binding) (why string, changed <-chan struct{}) {
	page := string(d.Document.Page)
	switch {
	case a.book.Shut(d.Session, d.Client, page):
		return "the user is being asked about another call in its tab. Try again once that is answered", nil
	case a.book.Open(id, about, page):
		return "", nil
	}
	if a.changes == nil {
		a.changes = make(chan struct{})
	}
	return fmt.Sprintf("too many questions to users are open already (%d of one client, %d in all). Try again once "+
		"some are answered", approvals.MaxOpenOf, approvals.MaxOpen), a.changes
}

func (a *asking) close(id string, about approvals.Binding) {
	defer a.change()()
	a.book.Close(id, about)
}

// answered carries out an answer: it refuses the action, or allows it and keeps what the answer allows for longer.
func (a *asking) answered(d calls.Action, about approvals.Binding, q approvals.Question,
	raw json.RawMessage) (*calls.Refusal, answer) {
	reply, why := q.ReadAnswer(raw)
	defer a.change()()
	if reply.Choice == approvals.Refuse {
		if why == approvals.UserRefused && (about.Kind == "site" || about.Kind == "flow") {
			if until := a.book.Refused(about, time.Now()); !until.IsZero() {
				why = noUntil(until)
			}
		}
		return refusal(d, why), answer{text: why}
	}
	if now := time.Now(); !a.departed.has(about.Session) {
		a.book.Keep(about, reply, now)
		if lasting, lasts := about.Lasts(reply, now); lasts {
			a.keep(lasting)
		}
	}
	return nil, answer{choice: reply.Choice, text: "the user allowed it: " + reply.String()}
}

func (a *asking) gone(session string) {
	defer a.change()()
	a.book.Gone(session, time.Now())
	a.departed.add(session)
}

func refusal(d calls.Action, why string) *calls.Refusal {
	if d.Stage >= browsertool.StageRead {
		return &calls.Refusal{Text: why}
	}
	return &calls.Refusal{Text: fmt.Sprintf("%s was not carried out: %s.", d.HubName, why)}
}

// advice returns text for the hub's log: the flags that would allow an action without a question. Agents must not read
// it, because some of them can change the rules.
func advice(d calls.Action, asks []reason) string {
	for _, r := range asks {
		if r.advice != "" {
			return owners(r.advice)
		}
	}
	if d.To != "" || !slices.ContainsFunc(asks, func(r reason) bool { return r.by == "rule" }) {
		return "" // a rule names only one of two sites
	}
	if rule := rules.For(subject(d)); rule != "" {
		return owners(" --allow " + quoted(sanitize.Text(rule, 400)))
	}
	return ""
}

// owners returns a clause for the hub's owner about the flags that would allow an action, or "" for no flags.
func owners(flags string) string {
	if flags == "" {
		return ""
	}
	return "; what allows it is" + flags
}

// reason says why the guard asks a person. approve, if not nil, allows for good what the reason is about.
type reason struct {
	by, why    string
	permission bool // the reason is a permission for a site
	approve    func()
	site       bool   // the answer is for all actions of this kind on the site
	key        string // the answer is for all actions with this key; "" if it is for one action
	to         string // with a key: the origin that it is about
	shown      string // with a key: the texts that would go there, a line for each origin
	advice     string // for the hub's owner: the flags that would allow it
}

// text returns why and shown as one text for an agent.
func (r reason) text() string {
	if r.shown == "" {
		return r.why
	}
	return r.why + " (" + strings.ReplaceAll(r.shown, "\n", "; ") + ")"
}

// binding returns the Binding of an answer about an action.
func binding(d calls.Action, asks []reason) approvals.Binding {
	definition := d.Name
	if d.Definition != nil {
		definition = d.Definition()
	}
	args := sha256.Sum256(slices.Concat(d.Args, []byte{0}, d.Besides, []byte{0}, []byte(d.On)))
	about := approvals.Binding{
		Session: d.Session, Client: d.Client, Browser: d.Browser,
		Document: fmt.Sprint(d.Document.Page, " ", d.Document.Frame, " ", d.Document.Doc), Origin: d.Origin,
		Kind: string(d.Kind), Tool: d.Name, Definition: definition, Args: hex.EncodeToString(args[:]), To: d.To,
		Why: causes(asks),
	}
	switch {
	case onSite(asks):
		about.Kind, about.Tool, about.Definition = "site", string(siteKindOf(d)), "any"
	case len(asks) == 1 && asks[0].approve != nil:
		about.Kind, about.Tool, about.Definition = "flow", asks[0].key, "any"
		about.Origin, about.To, about.Document = asks[0].to, "", ""
	}
	return about
}

// causes returns "rule" if only one rule asks, whichever it is, and otherwise a hash of all reasons. So an answer to
// one flow or permission counts for no other, and the reasons' text, which names what the client has read, isn't kept.
func causes(asks []reason) string {
	var why []string
	for _, r := range asks {
		if r.by == "rule" && !r.permission {
			why = append(why, r.by)
		} else {
			why = append(why, r.by+" "+cmp.Or(r.key, r.why))
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
	calls.PageRequest:  "what the web page asks of the agent",
}

func question(d calls.Action, asks []reason) approvals.Question {
	q := approvals.Question{Tool: d.Name, HubName: d.HubName, Kind: kinds[d.Kind], Origin: d.Origin, Tab: int(d.Tab),
		Browser: d.Browser, To: d.To, Description: d.Description, Changed: history(d, time.Now()), Args: d.Args,
		Besides: d.Besides, On: d.On, Now: time.Now()}
	for _, r := range asks {
		q.Why, q.Shown = append(q.Why, r.why), cmp.Or(q.Shown, r.shown)
	}
	if len(asks) == 1 && asks[0].key != "" { // the answer is about two sites
		q.Scope = "such data to " + sanitize.Text(asks[0].to, 200)
		q.Choices = []approvals.Choice{approvals.Once}
		if asks[0].approve == nil {
			return q
		}
		if d.Session != "" {
			q.Choices = append(q.Choices, approvals.Hour, approvals.Day, approvals.Date)
		}
		q.Choices = append(q.Choices, approvals.Always)
		return q
	}
	if onSite(asks) {
		q.Scope = siteKinds[siteKindOf(d)]
	}
	q.Choices = []approvals.Choice{approvals.Once}
	if d.Session != "" && d.To == "" && d.Document.Page != "" {
		q.Choices = append(q.Choices, approvals.Document)
		if names.ParseAddress(d.Origin) != (names.Origin{}) {
			q.Choices = append(q.Choices, approvals.Hour, approvals.Day, approvals.Date)
		}
	}
	return q
}
