package trust

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/internal/fakeclock"
	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
	"webmcphub/registry/offer"
	"webmcphub/trust/pins"
)

const shop = "https://shop.example"

// kept is what is pinned, in memory.
type kept struct {
	book *pins.Book
	err  error
}

func (k *kept) Book() *pins.Book { return k.book }
func (k *kept) Accept(_ context.Context, origin string, shown []pins.Definition, by string) error {
	if k.err != nil {
		return k.err
	}
	s := k.book.Site(origin).Clone()
	_, err := s.AcceptThese(shown, by, time.Now())
	k.book = k.book.With(map[string]*pins.Site{origin: s})
	return err
}

// withheld is a catalog in which so many tools of a shop are withheld, and one is known.
func withheld(names ...string) (*kept, *registry.Catalog) {
	s := pins.NewSite(shop, time.Now())
	s.Seen(pins.Definition{Name: "pay", Description: "Pays."}, time.Now())
	s.Visit.Over = true
	k := &kept{book: pins.NewBook(pins.Rules{Mode: pins.Hold}).With(map[string]*pins.Site{shop: s})}
	state := registry.NewState(registry.Options{Pins: k.book})
	e := registry.ToolsReported{Page: "A", Gen: 1}
	for _, name := range names {
		e.Tools = append(e.Tools, &registry.PageTool{Name: name, Frame: "F", Doc: 1, Description: "Now " + name})
	}
	state.Step(registry.PageOpened{Page: "A", URL: shop})
	state.Step(registry.Navigated{Page: "A", Gen: 1, URL: shop})
	state.Step(e)
	state.Step(registry.FlushDue{})
	return k, state.Catalog()
}

// free lets everything be asked.
type free struct{}

func (free) OpenQuestion(context.Context, string, calls.Who, registry.PageID) string {
	return ""
}
func (free) CloseQuestion(string, calls.Who)                      {}
func (free) PinsAnswered(calls.Who, string, string, bool, string) {}

// user answers, and says what it was asked.
func user(session, answer string, asked *string) calls.Who {
	return calls.Who{Session: session, Ask: func(_ context.Context, params json.RawMessage) (json.RawMessage, error) {
		*asked += string(params)
		if answer == "" {
			return nil, errors.New("the client is gone")
		}
		return json.RawMessage(answer), nil
	}}
}

const pinYes = `{"action":"accept","content":{"decision":"accept"}}`

// One answer accepts all that was shown, and nothing else.
func TestAccept(t *testing.T) {
	k, now := withheld("pay", "new")
	asked := ""
	held := now.Tabs()[0].Withheld
	said := NewPinAsker(k, free{}).Ask(t.Context(), user("s", pinYes, &asked), now, held[1])
	if !strings.Contains(said, "has accepted it just now. List") {
		t.Errorf("said %q", said)
	}
	for _, want := range []string{shop, `\"new\": the site has no accepted tool`, `- \"pay\": its description was \"Pays.\" and is \"Now pay\"`, `"leave withheld"`} {
		if !strings.Contains(asked, want) {
			t.Errorf("asked %s, want %s", asked, want)
		}
	}
	if strings.Index(asked, `- \"new\"`) > strings.Index(asked, `- \"pay\"`) {
		t.Error("the tool that was called doesn't come first")
	}
	site := k.book.Site(shop)
	for _, d := range []pins.Definition{{Name: "pay", Description: "Now pay"}, {Name: "new", Description: "Now new"}} {
		if !site.Knows(&d) {
			t.Errorf("%s is not accepted", d.Name)
		}
	}
	if d := (pins.Definition{Name: "new", Description: "Now another"}); site.Knows(&d) {
		t.Error("what was not shown is accepted")
	}
}

// Any other answer accepts nothing.
func TestNoAnswerAccepts(t *testing.T) {
	for _, answer := range []string{"", `{}`, `null`, `[]`, `"accept"`, `{"action":"decline"}`, `{"action":"cancel","content":{"decision":"accept"}}`, `{"action":"accept"}`, `{"action":"accept","content":{}}`,
		`{"action":"accept","content":{"decision":"leave withheld"}}`, `{"action":"accept","content":{"decision":true}}`, `{"action":"accept","content":{"decision":["accept"]}}`, `{"action":"accept","content":{"decision":"accept "}}`, `{"action":"accept","content":null}`} {
		k, now := withheld("pay")
		asked := ""
		said := NewPinAsker(k, free{}).Ask(t.Context(), user("s", answer, &asked), now, now.Tabs()[0].Withheld[0])
		if d := (pins.Definition{Name: "pay", Description: "Now pay"}); k.book.Site(shop).Knows(&d) || asked == "" || said == "" || strings.Contains(said, "has accepted") {
			t.Errorf("the answer %s accepts: %q", answer, said)
		}
	}
}

// A user is not asked the same twice, nor while another is; others are.
func TestAskedOnce(t *testing.T) {
	k, now := withheld("pay")
	h := now.Tabs()[0].Withheld[0]
	a := NewPinAsker(k, free{})
	asked := ""
	no := user("s", `{"action":"decline"}`, &asked)
	a.Ask(t.Context(), no, now, h)
	first := asked
	if said := a.Ask(t.Context(), no, now, h); asked != first || !strings.Contains(said, "was asked before") {
		t.Errorf("asked again: %q", said)
	}
	if a.Ask(t.Context(), user("another", `{"action":"decline"}`, &asked), now, h); asked == first {
		t.Error("another client's user is not asked")
	}
	who := calls.Who{Session: "x", Ask: func(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
		if said := a.Ask(ctx, user("y", pinYes, &asked), now, h); !strings.Contains(said, "is being asked") {
			t.Errorf("meanwhile: %q", said)
		}
		return nil, errors.New("cancelled")
	}}
	a.Ask(t.Context(), who, now, h)
	if said := a.Ask(t.Context(), user("z", pinYes, &asked), now, h); !strings.Contains(said, "has accepted") {
		t.Errorf("afterwards: %q", said)
	}
}

// A client whose user doesn't answer keeps others from being asked for half a minute only.
func TestNobodyWaitsLongForAnothersAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, now := withheld("pay")
		h := now.Tabs()[0].Withheld[0]
		a := NewPinAsker(k, free{})
		silent := calls.Who{Session: "silent", Ask: func(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}}
		ctx, leave := context.WithCancel(t.Context())
		var left sync.WaitGroup
		left.Go(func() { a.Ask(ctx, silent, now, h) })
		defer left.Wait()
		defer leave()
		synctest.Wait()
		asked := ""
		fakeclock.Elapse(alone - time.Millisecond)
		if said := a.Ask(t.Context(), user("other", pinYes, &asked), now, h); asked != "" || !strings.Contains(said, "is being asked") {
			t.Errorf("meanwhile: %q", said)
		}
		fakeclock.Elapse(time.Millisecond)
		if said := a.Ask(t.Context(), silent, now, h); !strings.Contains(said, "is being asked") {
			t.Errorf("the silent client is told %q", said)
		}
		if said := a.Ask(t.Context(), user("other", pinYes, &asked), now, h); !strings.Contains(said, "has accepted") {
			t.Errorf("another client is told %q", said)
		}
	})
}

// A question has its limits, and says so; what it doesn't show it doesn't accept.
func TestManyAtOnce(t *testing.T) {
	var names []string
	for i := range 1000 {
		names = append(names, fmt.Sprint("new", i))
	}
	k, now := withheld(names...)
	asked := ""
	said := NewPinAsker(k, free{}).Ask(t.Context(), user("s", pinYes, &asked), now, now.Tabs()[0].Withheld[999])
	if !strings.Contains(asked, "and 980 more, which stay withheld") || !strings.Contains(said, "and not 980 more") || len(asked) > 2*maxText {
		t.Errorf("%d bytes asked, said %q", len(asked), said)
	}
	if n := len(k.book.Site(shop).Accepted); n != 1+maxShown {
		t.Errorf("%d are accepted", n)
	}
}

// Where nobody can be asked, or can accept, nobody is.
func TestNobodyToAsk(t *testing.T) {
	k, now := withheld("pay")
	h := now.Tabs()[0].Withheld[0]
	asked := ""
	if said := NewPinAsker(k, free{}).Ask(t.Context(), calls.Who{}, now, h); said != "" {
		t.Errorf("said %q", said)
	}
	for name, b := range map[string]*pins.Book{"no folder": k.book.Broken("x"), "no file": k.book.With(map[string]*pins.Site{shop: pins.BrokenSite(shop, "x")}), "forgotten": k.book.With(map[string]*pins.Site{shop: nil})} {
		if said := NewPinAsker(&kept{book: b}, free{}).Ask(t.Context(), user("s", pinYes, &asked), now, h); said != "" || asked != "" {
			t.Errorf("%s: said %q, asked %s", name, said, asked)
		}
	}
	if said := NewPinAsker(&kept{book: k.book, err: errors.New("the disk is full")}, free{}).Ask(t.Context(), user("s", pinYes, &asked), now, h); !strings.Contains(said, "could not be written down: the disk is full") {
		t.Errorf("said %q", said)
	}
	held := *h
	held.Tool = &offer.PageTool{Name: "other"}
	if said := NewPinAsker(k, free{}).Ask(t.Context(), user("s", pinYes, &asked), registry.EmptyCatalog(), &held); said != "" {
		t.Errorf("gone: %q", said)
	}
}

// The tab is shut while its client's user is asked, and if it is shut already nobody is.
func TestTheTabIsShut(t *testing.T) {
	k, now := withheld("pay")
	h := now.Tabs()[0].Withheld[0]
	shut := &shutter{}
	a := NewPinAsker(k, shut)
	asked := ""
	who := user("s", pinYes, &asked)
	ask := who.Ask
	who.Ask = func(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
		if shut.open != "s A" {
			t.Errorf("while its user is asked, %q is shut", shut.open)
		}
		return ask(ctx, params)
	}
	if said := a.Ask(t.Context(), who, now, h); !strings.Contains(said, "has accepted it") || shut.open != "" {
		t.Errorf("said %q, and %q is shut", said, shut.open)
	}
	k, now = withheld("pay")
	shut.why = "the user is being asked about another call in its tab"
	asked = ""
	if said := NewPinAsker(k, shut).Ask(t.Context(), who, now, now.Tabs()[0].Withheld[0]); !strings.Contains(said, "can't be asked to accept it now: the user is being asked about another call") || asked != "" {
		t.Errorf("said %q, asked %s", said, asked)
	}
}

// shutter notes which tab is shut for whom.
type shutter struct {
	free
	open, why string
}

func (s *shutter) OpenQuestion(_ context.Context, _ string, who calls.Who, page registry.PageID) string {
	if s.why == "" {
		s.open = who.Session + " " + string(page)
	}
	return s.why
}
func (s *shutter) CloseQuestion(string, calls.Who) { s.open = "" }

// What a page calls its tool passes for nothing else.
func TestNamesInQuestions(t *testing.T) {
	k, now := withheld("pay", "x\u202e\u200b\u2066\n- \"pay\"")
	asked := ""
	NewPinAsker(k, free{}).Ask(t.Context(), user("s", pinYes, &asked), now, now.Tabs()[0].Withheld[0])
	if strings.ContainsAny(asked, "\u202e\u200b\u2066") || !strings.Contains(asked, "pay") {
		t.Errorf("asked %s", asked)
	}
}

// noted is what is reported of answers.
type noted struct {
	free
	said []string
}

func (n *noted) PinsAnswered(_ calls.Who, origin, tool string, accepted bool, why string) {
	n.said = append(n.said, fmt.Sprint(origin, " ", tool, " ", accepted, ": ", why))
}

// Each answer is reported, and of the no's the last ones are remembered, however many there
// were.
func TestAnswersAreReported(t *testing.T) {
	k, now := withheld("a", "b")
	n := &noted{}
	a := NewPinAsker(k, n)
	h := now.Tabs()[0].Withheld[0]
	var asked string
	no := `{"action":"decline"}`
	a.Ask(t.Context(), user("1", "", &asked), now, h)
	for i := range maxDeclined + 5 {
		a.Ask(t.Context(), user(fmt.Sprint(i), no, &asked), now, h)
	}
	if said := a.Ask(t.Context(), user(fmt.Sprint(maxDeclined+4), pinYes, &asked), now, h); !strings.Contains(said, "was asked before") {
		t.Errorf("after a no: %s", said)
	}
	if len(a.declined) != maxDeclined {
		t.Errorf("%d answers are remembered", len(a.declined))
	}
	a.Ask(t.Context(), user("yes", pinYes, &asked), now, h)
	want := []string{
		shop + " a false: there was no answer: the client is gone", shop + " a false: the user did not accept what the site has changed",
		shop + " a true: the user accepted 2 definitions of the site",
	}
	if got := []string{n.said[0], n.said[1], n.said[len(n.said)-1]}; !slices.Equal(got, want) || len(n.said) != maxDeclined+7 {
		t.Errorf("%d are reported: %q", len(n.said), got)
	}
}
