package trust

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
	"webmcphub/trust/pins"
)

// Limits.
const (
	// alone is how long the PinAsker asks the user of only one client about a site. After that it may ask another
	// client's user, too, so that a user who doesn't answer keeps only their own client waiting.
	alone = 30 * time.Second
	// maxShown is how many definitions a question shows, and maxText is how long their text may be, in bytes.
	maxShown = 20
	maxText  = 16 << 10
	// maxDeclined is how many refused questions are remembered.
	maxDeclined = 1000
)

// PinStore holds what is pinned. A store.Store implements it.
type PinStore interface {
	Book() *pins.Book
	Accept(ctx context.Context, origin string, shown []pins.Definition, by string) error
}

// QuestionTracker knows all open questions to clients' users. [Guard] implements it.
type QuestionTracker interface {
	// OpenQuestion opens a question about a tab. Until CloseQuestion is called, the client can do nothing else in the
	// tab. OpenQuestion may wait for the question's turn. why says why nobody can be asked now.
	OpenQuestion(ctx context.Context, id string, who calls.Who, page registry.PageID) (why string)
	CloseQuestion(id string, who calls.Who)
	// PinsAnswered reports the outcome of a question about a site's tool; tool is the one that was called.
	PinsAnswered(who calls.Who, origin, tool string, accepted bool, why string)
}

// PinAsker asks clients' users to accept withheld tools. It implements [calls.PinAsker].
type PinAsker struct {
	pins      PinStore
	questions QuestionTracker

	mu       sync.Mutex
	open     map[string]opened // open questions, by id
	declined []string          // the last questions that were refused
}

// opened is an open question to a user about a site.
type opened struct {
	origin, session string
	since           time.Time
}

// NewPinAsker returns a PinAsker for the tools that p withholds.
func NewPinAsker(p PinStore, q QuestionTracker) *PinAsker {
	return &PinAsker{pins: p, questions: q, open: map[string]opened{}}
}

// pinQuestion is a question about withheld tools.
type pinQuestion struct {
	origin string
	page   registry.PageID // the page of the tool that was called
	shown  []pins.Definition
	more   int // how many more tools of the site are withheld but not shown
	text   string
}

// Ask implements [calls.PinAsker].
func (a *PinAsker) Ask(ctx context.Context, who calls.Who, now *registry.Catalog, h *offer.Held) (decision string) {
	if who.Ask == nil {
		return ""
	}
	q, can := a.question(now, h)
	if !can {
		return ""
	}
	id := rand.Text()
	if why := a.begin(ctx, id, who, q); why != "" {
		return why
	}
	defer a.over(id, who)
	if q, can = a.question(now, h); !can { // tools may have changed while the question waited for its turn
		return "Somebody has accepted it meanwhile. List the tools again and call it."
	}
	ctx, cancel := context.WithTimeout(ctx, AnswerTime)
	defer cancel()
	raw, err := who.Ask(ctx, q.params())
	if err != nil {
		a.questions.PinsAnswered(who, q.origin, q.shown[0].Name, false, "there was no answer: "+
			sanitize.Text(err.Error(), 300))
		return "Its user was asked to accept what " + q.origin + " has changed, and gave no answer: " +
			sanitize.Text(err.Error(), 300) + "."
	}
	return a.answered(ctx, who, q, raw)
}

// answered carries out an answer, and returns its outcome as text.
func (a *PinAsker) answered(ctx context.Context, who calls.Who, q pinQuestion, raw json.RawMessage) string {
	if !accepts(raw) {
		a.decline(who, q)
		a.questions.PinsAnswered(who, q.origin, q.shown[0].Name, false,
			"the user did not accept what the site has changed")
		return "Its user was asked to accept what " + q.origin + " has changed, and did not."
	}
	a.questions.PinsAnswered(who, q.origin, q.shown[0].Name, true,
		fmt.Sprintf("the user accepted %d definitions of the site", len(q.shown)))
	if err := a.pins.Accept(ctx, q.origin, q.shown, pins.ByAnswer); err != nil {
		return "Its user has accepted what " + q.origin + " has changed, but that could not be written down: " +
			err.Error() + "."
	}
	text := "Its user has accepted it just now"
	if q.more > 0 {
		text += fmt.Sprintf(", and not %d more of this site, which are still withheld", q.more)
	}
	return text + ". List the tools again and call it."
}

// question makes a question about a tool and all other withheld tools of its site. can is false if nobody can accept
// the tool.
func (a *PinAsker) question(now *registry.Catalog, h *offer.Held) (q pinQuestion, can bool) {
	book := a.pins.Book()
	seen := map[pins.Hash]bool{}
	var of *pins.Site
	add := func(tab *registry.Tab, h *offer.Held) {
		d, owner, pinned := book.Define(h.Tool, h.Origin, tab.Origin)
		if !pinned || owner == "" || q.origin != "" && owner != q.origin {
			return
		}
		if q.origin == "" {
			q.origin, q.page, of = owner, tab.Page, book.Site(owner)
		}
		if of == nil || of.Broken != "" || seen[d.Hash()] || of.Knows(&d) {
			return
		}
		seen[d.Hash()] = true
		line := fmt.Sprintf("\n- %s: %s", pins.Quote(d.Name), strings.Join(of.Drift(&d), "; "))
		if len(q.shown) > 0 && (len(q.shown) >= maxShown || len(q.text)+len(line) > maxText) {
			q.more++
			return
		}
		q.shown = append(q.shown, d)
		q.text += line
	}
	for _, first := range []bool{true, false} { // the tool that was called comes first
		for _, tab := range now.Tabs() {
			for _, o := range tab.Withheld {
				if (o == h) == first {
					add(tab, o)
				}
			}
		}
	}
	return q, len(q.shown) > 0 && book.IsBroken() == ""
}

// begin waits for a question's turn and opens the question, or says why it asks nobody now.
func (a *PinAsker) begin(ctx context.Context, id string, who calls.Who, q pinQuestion) string {
	if why := a.only(id, who, q); why != "" {
		return why
	}
	why := a.questions.OpenQuestion(ctx, id, who, q.page)
	a.mu.Lock()
	defer a.mu.Unlock()
	if why != "" {
		delete(a.open, id)
		return "Its user can't be asked to accept it now: " + why + "."
	}
	a.open[id] = opened{origin: q.origin, session: who.Session, since: time.Now()}
	return ""
}

// only reserves a question to the client's user. It says why not if the user refused before, or if a question about
// the site is open to a user now.
func (a *PinAsker) only(id string, who calls.Who, q pinQuestion) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	now, open := time.Now(), false
	for _, o := range a.open {
		open = open || o.origin == q.origin && (o.session == who.Session || now.Before(o.since.Add(alone)))
	}
	switch {
	case slices.Contains(a.declined, q.key(who)):
		return "Its user was asked before to accept what " + q.origin + " has changed, and did not."
	case open:
		return "A user is being asked to accept what " + q.origin + " has changed. Wait for the answer."
	}
	a.open[id] = opened{origin: q.origin, session: who.Session, since: now}
	return ""
}

func (a *PinAsker) over(id string, who calls.Who) {
	a.questions.CloseQuestion(id, who)
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.open, id)
}

func (a *PinAsker) decline(who calls.Who, q pinQuestion) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if who.Session == "" {
		return
	}
	if len(a.declined) == maxDeclined {
		a.declined = slices.Delete(a.declined, 0, 1)
	}
	a.declined = append(a.declined, q.key(who))
}

// key identifies a question to a client.
func (q pinQuestion) key(who calls.Who) string {
	key := who.Session + "\n" + q.origin
	for i := range q.shown {
		key += "\n" + q.shown[i].Hash().String()
	}
	sum := sha256.Sum256([]byte(key))
	return string(sum[:])
}

// Parts of the question's form.
const (
	field  = "decision"
	accept = "accept"
	leave  = "leave withheld"
)

// params returns the params of elicitation/create.
func (q pinQuestion) params() json.RawMessage {
	text := "webmcp-hub asks: " + q.origin + " offers agents tools that differ from what was accepted of this site. " +
		"They are withheld until you accept them:" + q.text
	if q.more > 0 {
		text += fmt.Sprintf("\nand %d more, which stay withheld.", q.more)
	}
	text += "\nWhat stands between quotation marks is the site's. Accept it if you expected the site to change."
	return sanitize.Encode(map[string]any{
		"_meta":   map[string]any{sanitize.RequestNameKey: sanitize.NameOfPins},
		"message": text,
		"requestedSchema": map[string]any{
			"type": "object",
			"properties": map[string]any{field: map[string]any{"type": "string", "title": "Tools of " + q.origin,
				"enum": []string{leave, accept}}},
			"required": []string{field},
		},
	})
}

// accepts reports whether an answer accepts: it must be an ElicitResult with exactly the value that the question
// offers.
func accepts(raw json.RawMessage) bool {
	var answer struct {
		Action  string                     `json:"action"`
		Content map[string]json.RawMessage `json:"content"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil || answer.Action != "accept" {
		return false
	}
	var decision string
	return json.Unmarshal(answer.Content[field], &decision) == nil && decision == accept
}
