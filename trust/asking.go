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

	"webmcphub/registry/mcpserver/calls"
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
)

// asking asks people. Any goroutine may use it.
type asking struct {
	mu   sync.Mutex
	book *approvals.Book
}

// shut says why a deed must wait for an answer about its tab, or is empty. An agent must
// not press the page's own buttons while its user is asked.
func (a *asking) shut(d calls.Deed) string {
	if d.Document.Page == "" || d.Kind == calls.BrowserTool && d.Class == calls.ReadOnly {
		return ""
	}
	answers := ""
	if d.Rounds != nil {
		answers = d.Rounds.State
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.book.Shut(d.Session, string(d.Document.Page), answers, time.Now()) {
		return ""
	}
	return fmt.Sprintf("the user is being asked about another call in tab %d, and until that is answered nothing else is done there. Wait for that call to end", d.Tab)
}

// answer is what came of a question: what a person chose, "" for nothing, and that in
// words.
type answer struct {
	choice approvals.Choice
	text   string
}

// ask has a person asked about a deed. Nil allows it.
func (a *asking) ask(ctx context.Context, d calls.Deed, asks []reason) (*calls.Refusal, answer) {
	about := binding(d, asks)
	a.mu.Lock()
	allowed := a.book.Allows(about, time.Now())
	a.mu.Unlock()
	if allowed {
		return nil, answer{text: "allowed by an earlier answer"}
	}
	q := question(d, asks)
	switch {
	case d.Ask != nil:
		return a.elicit(ctx, d, about, q)
	case d.Rounds != nil && d.Rounds.Elicits:
		return a.round(d, about, q)
	}
	return &calls.Refusal{Text: fmt.Sprintf("%s was not carried out: a person would have to allow it (%s), and this client can't ask its user (it declares no elicitation by forms). %s", d.HubName, strings.Join(q.Why, "; "), advice(d))}, answer{text: "nobody could be asked"}
}

// elicit asks while the call waits.
func (a *asking) elicit(ctx context.Context, d calls.Deed, about approvals.Binding, q approvals.Question) (*calls.Refusal, answer) {
	id := rand.Text()
	if why := a.open(id, d, about, time.Time{}); why != "" {
		return refusal(d, why), answer{text: why}
	}
	defer a.close(id, about)
	ctx, cancel := context.WithTimeoutCause(ctx, AnswerTime, errNoAnswer)
	defer cancel()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	if d.Ended != nil {
		go func() {
			if d.Ended(ctx) {
				end(errEnded)
			}
		}()
	}
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

// round asks by the result, and is told the answer by the same request in a later round.
func (a *asking) round(d calls.Deed, about approvals.Binding, q approvals.Question) (*calls.Refusal, answer) {
	now := time.Now()
	if d.Rounds.State != "" {
		a.mu.Lock()
		same := a.book.Close(d.Rounds.State, about, now)
		a.mu.Unlock()
		if !same {
			why := "the answer is not to this call as it is now: what it would do has changed since, or the answer came too late or was used before. Call it again without requestState"
			return refusal(d, why), answer{text: why}
		}
		var answers map[string]json.RawMessage
		_ = json.Unmarshal(d.Rounds.Answers, &answers)
		return a.answered(d, about, q, answers[roundName])
	}
	id := rand.Text()
	if why := a.open(id, d, about, now.Add(AnswerTime)); why != "" {
		return refusal(d, why), answer{text: why}
	}
	return &calls.Refusal{Input: sanitize.Encode(struct {
		Type     string `json:"resultType"`
		Requests any    `json:"inputRequests"`
		State    string `json:"requestState"`
	}{"input_required", map[string]any{roundName: map[string]any{"method": sanitize.MethodElicitation, "params": q.Params()}}, id})}, answer{text: "the user is being asked"}
}

// roundName is the one input request of a round.
const roundName = "approval"

func (a *asking) open(id string, d calls.Deed, about approvals.Binding, until time.Time) (why string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	page := string(d.Document.Page)
	switch now := time.Now(); {
	case a.book.Shut(d.Session, page, "", now):
		return "the user is being asked about another call in its tab. Try again once that is answered"
	case !a.book.Open(id, about, page, until, now):
		return fmt.Sprintf("%d questions to users are open already. Try again once some are answered", approvals.MaxOpen)
	}
	return ""
}

func (a *asking) close(id string, about approvals.Binding) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.book.Close(id, about, time.Now())
}

// answered is what an answer means.
func (a *asking) answered(d calls.Deed, about approvals.Binding, q approvals.Question, raw json.RawMessage) (*calls.Refusal, answer) {
	choice, why := q.ReadAnswer(raw)
	if choice == approvals.Refuse {
		return refusal(d, why), answer{text: why}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.book.Keep(about, choice, time.Now())
	return nil, answer{choice, "the user allowed it: " + string(choice)}
}

func (a *asking) gone(session string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.book.Gone(session)
}

func refusal(d calls.Deed, why string) *calls.Refusal {
	return &calls.Refusal{Text: fmt.Sprintf("%s was not carried out: %s.", d.HubName, why)}
}

// advice says how to allow a deed.
func advice(d calls.Deed) string {
	if rule := rules.For(subject(d)); rule != "" {
		return fmt.Sprintf("Whoever runs the hub can allow it by a rule before those: --allow %s.", quoted(sanitize.Text(rule, 400)))
	}
	return "Whoever runs the hub can change its rules (--policy, --ask)."
}

// reason is why a person is asked. approve, if not nil, allows for good what it is about.
type reason struct {
	by, why string
	approve func()
}

// binding is what an answer about a deed is bound to.
func binding(d calls.Deed, asks []reason) approvals.Binding {
	var why []string
	for _, r := range asks {
		if r.by == "rule" {
			why = append(why, r.by)
		} else { // an answer to one change or one flow is none to another
			why = append(why, r.by+" "+r.why)
		}
	}
	definition := d.Name
	if d.Definition != nil {
		definition = d.Definition()
	}
	args := sha256.Sum256(slices.Concat(d.Args, []byte{0}, d.Besides))
	return approvals.Binding{
		Session: d.Session, Document: fmt.Sprint(d.Document.Page, " ", d.Document.Frame, " ", d.Document.Doc), Origin: d.Origin,
		Kind: string(d.Kind), Tool: d.Name, Definition: definition, Args: hex.EncodeToString(args[:]), To: d.To, Why: strings.Join(why, "\n"),
	}
}

// kinds are the kinds of deeds in words.
var kinds = map[calls.Kind]string{
	calls.PageTool:     "a tool of the web page",
	calls.Introspected: "a tool that the hub made of what the web page shows",
	calls.BrowserTool:  "a browser tool of the hub",
	calls.Resource:     "a resource of the web page",
	calls.Prompt:       "a prompt of the web page",
	calls.PageAsks:     "what the web page asks of the agent",
}

func question(d calls.Deed, asks []reason) approvals.Question {
	q := approvals.Question{Tool: d.Name, HubName: d.HubName, Kind: kinds[d.Kind], Origin: d.Origin, Tab: int(d.Tab), To: d.To, Description: d.Description, Changed: history(d, time.Now()), Args: d.Args, Besides: d.Besides}
	for _, r := range asks {
		q.Why = append(q.Why, r.why)
	}
	q.Choices = []approvals.Choice{approvals.Once}
	if d.Session != "" && d.To == "" && d.Document.Page != "" {
		q.Choices = append(q.Choices, approvals.Document)
		if names.ParseAddress(d.Origin) != (names.Origin{}) {
			q.Choices = append(q.Choices, approvals.Hour, approvals.Day)
		}
	}
	if len(asks) == 1 && asks[0].approve != nil {
		q.Choices = append(q.Choices, approvals.Always)
	}
	return q
}
