package automation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"webmcphub/automation/page"
	"webmcphub/automation/records"
	"webmcphub/internal/browsertool"
	"webmcphub/registry"
	"webmcphub/registry/names"
	"webmcphub/registry/sanitize"
)

// Refused is the error of a call that wasn't allowed.
type Refused struct{ error }

// Unwrap returns the reason.
func (r Refused) Unwrap() error { return r.error }

// Refuse returns a [Refused] with the given reason.
func Refuse(why error) error { return Refused{why} }

// Authorization holds what was decided about one call. The zero value, which has neither a Judge nor a Kept, allows
// everything. Any goroutine may use an Authorization while its call runs.
type Authorization struct {
	Judge func(ctx context.Context, d browsertool.Action) error
	// Address returns the form in which an origin and an address are shown to the agent. Tab returns the tab as it is
	// now.
	Address func(origin, url string) string
	Tab     func(context.Context) *registry.Tab
	// Kept returns an error if the call may no longer act on the tab because another client keeps it. It may be nil.
	Kept func() error
	// Emulated says whether settings of the emulate tool are in force in a tab; see [browsertool.Action].
	Emulated func(registry.PageID) bool
	// To, Anywhere and On are as in [browsertool.Action].
	To       string
	Anywhere bool
	On       string

	at scope

	mu    sync.Mutex
	shown map[string]error // by origins: why the answer may not contain what their documents say; nil if it may
}

// scope guards what is known of the page and documents that a call is about. The call's goroutine sets it; any
// goroutine may read it.
type scope struct {
	mu sync.Mutex
	where
}

// where is the content of a scope at one moment.
type where struct {
	page    *page.Page
	tab     *registry.Tab   // nil if the call acts without a tab
	origin  string          // the origin that the judge decided about; "" if it isn't known
	address string          // the address of the document of that origin
	main    page.FrameRef   // that document, once the page is open
	entered map[string]bool // keys (see frameKey) of further documents that the judge allowed; copied on change
}

func (s *scope) now() where {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.where
}

func (s *scope) set(change func(*where)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.where)
}

// Authorization is the [page.Permit] of its call.
var _ page.Permit = (*Authorization)(nil)

// CheckRead returns an error if the answer may not contain what a frame of the page says; see
// [Authorization.CheckOrigins].
func (c *Authorization) CheckRead(ctx context.Context, f page.Frame) error {
	if p := c.at.now().page; c.Judge != nil && p != nil {
		return c.CheckOrigins(ctx, page.Whose(p.Frames(), f)...)
	}
	return nil
}

// CheckDocument returns an error if the call may not act in a frame of the page, because the judge has not decided
// about its document.
func (c *Authorization) CheckDocument(frames []page.Frame, f page.Frame) error {
	at := c.at.now()
	if c.Judge == nil || f.FrameRef == at.main || at.own(page.Whose(frames, f)) || at.entered[frameKey(frames, f)] {
		return nil
	}
	return errUndecided
}

// errUndecided says that the judge has not decided about a document.
var errUndecided = errors.New("the call is not allowed for that document")

// AuthorizeCall asks the judge whether the call may be carried out in a tab, or without one if t is nil. An error
// says why not.
func (c *Authorization) AuthorizeCall(ctx context.Context, t *registry.Tab) error {
	if c.Judge == nil {
		return nil
	}
	if t != nil {
		c.at.set(func(w *where) { w.tab, w.origin, w.address, w.main = t, t.Origin, t.URL, page.FrameRef{} })
	}
	return c.judge(ctx, browsertool.Action{Tab: t, To: c.To, Anywhere: c.Anywhere, On: c.On})
}

// AuthorizeCallOn does the same as AuthorizeCall for a call that acts on elements. meant describes these elements in
// words. If later is true, AuthorizeCallOn only notes the description; the caller calls AuthorizeCall later.
func (c *Authorization) AuthorizeCallOn(ctx context.Context, t *registry.Tab, later bool, meant func() string) error {
	if c.Judge == nil {
		return nil
	}
	if c.On = meant(); later {
		return nil
	}
	if err := c.AuthorizeCall(ctx, t); err != nil {
		return err
	}
	if c.On != meant() { // the judge may have waited for a person
		return Refused{errors.New("nothing was done: the element's name has changed since the call was allowed. Look " +
			"at the page again")}
	}
	return nil
}

func (c *Authorization) judge(ctx context.Context, d browsertool.Action) error {
	d.Emulated = d.Tab != nil && c.Emulated != nil && c.Emulated(d.Tab.Page)
	if err := c.Judge(ctx, d); err != nil {
		return Refused{err}
	}
	return nil
}

// CheckAct checks that the call may still act now: much can have happened since the judge allowed it. An error says
// why it may not.
func (c *Authorization) CheckAct(ctx context.Context) error {
	if c.Kept != nil {
		if why := c.Kept(); why != nil {
			return Refused{why}
		}
	}
	if c.Judge == nil {
		return nil
	}
	at := c.at.now()
	if at.page != nil {
		if err := c.CheckPage(ctx, at.page); err != nil {
			return err
		}
	}
	return c.judge(ctx, browsertool.Action{Tab: at.tab, To: c.To, Anywhere: c.Anywhere, Stage: browsertool.StageAct})
}

// CheckPage checks that the page still shows the document that the judge decided about. If the judge has not decided
// about any document yet, CheckPage accepts the page's current document, and asks the judge first if its origin is
// another than the one that the judge was asked about. An error says why the call may not act.
func (c *Authorization) CheckPage(ctx context.Context, p *page.Page) error {
	if c.Judge == nil {
		return nil
	}
	main, there := p.Main()
	c.at.set(func(w *where) { w.page = p })
	at := c.at.now()
	switch {
	case !there || main.FrameRef == at.main:
		return nil
	case at.main != page.FrameRef{}:
		return Refused{fmt.Errorf("nothing was done: the page has navigated to %s since the call was allowed. "+
			"Look at the page again", c.Address(main.Origin, main.URL))}
	case !same(main.Origin, at.origin): // the page went there before the tab's actor reported it
		is := names.Whose(cmp.Or(main.Origin, names.OpaqueOrigin), main.URL)
		if err := c.judge(ctx, browsertool.Action{Tab: at.tab, Frame: is[0], Around: is[1:], To: c.To,
			Anywhere: c.Anywhere, On: c.On, Stage: browsertool.StageEnter}); err != nil {
			return err
		}
		if now, _ := p.Main(); now.FrameRef != main.FrameRef {
			return Refused{errors.New("nothing was done: the page navigated before the call was allowed. Look at the " +
				"page again")}
		}
		at.origin = main.Origin
	}
	c.at.set(func(w *where) { w.origin, w.address, w.main = at.origin, main.URL, main.FrameRef })
	return nil
}

// same says whether two origins of a tab's own document are equal.
func same(a, b string) bool { return a == b || names.ParseAddress(a) == names.ParseAddress(b) }

// AuthorizeDocument asks the judge whether the call may act in a further document of the page. An error says why not.
func (c *Authorization) AuthorizeDocument(ctx context.Context, p *page.Page, in page.FrameRef) error {
	return c.authorize(ctx, p, in, browsertool.StageEnter)
}

// Follow does the same as AuthorizeDocument for a call that has begun to act, and returns at once.
func (c *Authorization) Follow(ctx context.Context, p *page.Page, in page.FrameRef) error {
	return c.authorize(ctx, p, in, browsertool.StageFollow)
}

func (c *Authorization) authorize(ctx context.Context, p *page.Page, in page.FrameRef, stage browsertool.Stage) error {
	if c.Judge == nil {
		return nil
	}
	if err := c.CheckPage(ctx, p); err != nil || in == c.at.now().main {
		return err
	}
	frames := p.Frames()
	f, there := page.FrameByID(frames, in.ID)
	if !there || f.FrameRef != in {
		return &page.DocumentGone{Frame: in}
	}
	if c.CheckDocument(frames, f) == nil {
		return nil
	}
	is, key := page.Whose(frames, f), frameKey(frames, f)
	if err := c.judge(ctx, browsertool.Action{Tab: c.Tab(ctx), Frame: is[0], Around: is[1:], Stage: stage,
		Anywhere: c.Anywhere, On: c.On}); err != nil {
		return err
	}
	c.at.set(func(w *where) {
		if w.entered = maps.Clone(w.entered); w.entered == nil {
			w.entered = map[string]bool{}
		}
		w.entered[key] = true
	})
	return c.CheckPage(ctx, p)
}

// whose returns the origins of the document that the judge decided about.
func (w where) whose() []string { return names.Whose(cmp.Or(w.origin, names.OpaqueOrigin), w.address) }

// own says whether a document has the origin that the judge decided about. An opaque origin equals no other.
func (w where) own(whose []string) bool {
	return whose[0] == w.origin && names.ParseAddress(whose[0]) != (names.Origin{})
}

// frameKey returns the key under which a decision about a further document is kept. If the document has a known
// origin, the decision holds for all documents of that origin.
func frameKey(frames []page.Frame, f page.Frame) string {
	is := page.Whose(frames, f)
	if len(is) > 1 { // the origin is opaque, so the decision holds for this document only
		return f.ID + " " + f.Loader
	}
	return is[0]
}

// AuthorizeFrame does the same as AuthorizeDocument for the document that a frame has now. The frame "" is the main
// one.
func (c *Authorization) AuthorizeFrame(ctx context.Context, p *page.Page, frame string) error {
	if f, there := page.FrameByID(p.Frames(), frame); there {
		return c.AuthorizeDocument(ctx, p, f.FrameRef)
	}
	return c.CheckPage(ctx, p)
}

// CheckOrigins returns an error if the answer may not contain what a document says. The first of origins is the
// document's own; the others are those of [page.Whose]. CheckOrigins returns at once.
func (c *Authorization) CheckOrigins(ctx context.Context, origins ...string) error {
	at := c.at.now()
	if c.Judge == nil || len(origins) == 0 || same(origins[0], at.origin) &&
		(len(origins) == 1 || slices.Equal(origins, at.whose())) {
		return nil
	}
	key := strings.Join(origins, " ")
	c.mu.Lock()
	defer c.mu.Unlock()
	if err, known := c.shown[key]; known {
		return err
	}
	err := c.Judge(ctx, browsertool.Action{Tab: at.tab, Frame: origins[0], Around: origins[1:],
		Stage: browsertool.StageRead})
	if err != nil {
		err = Refused{fmt.Errorf("text of %s is left out: %w", sanitize.Text(origins[0], 200), err)}
	}
	if c.shown == nil {
		c.shown = map[string]error{}
	}
	c.shown[key] = err
	return err
}

// SeesTab returns an error if a list of tabs may not contain what the tab shows.
func (c *Authorization) SeesTab(ctx context.Context, t *registry.Tab) error {
	is := names.Whose(t.Origin, t.URL)
	if c.Judge == nil || slices.Equal(is, []string{names.OpaqueOrigin}) {
		return nil
	}
	return c.Judge(ctx, browsertool.Action{Tab: t, Frame: is[0], Around: is[1:], Stage: browsertool.StageRead})
}

// SeesAll returns an error if the answer may not contain what belongs to all of these origins.
func (c *Authorization) SeesAll(ctx context.Context, origins []string) error {
	for _, o := range origins {
		if err := c.CheckOrigins(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

// Hides returns a function that says whether records of documents of the given origins must be left out of the
// answer.
func (c *Authorization) Hides(ctx context.Context) records.Hides {
	if c.Judge == nil {
		return nil
	}
	return func(origins []string) bool { return c.SeesAll(ctx, origins) != nil }
}

// SeesDialog returns an error if the answer may not contain the text of a dialog.
func (c *Authorization) SeesDialog(ctx context.Context, d page.Dialog) error {
	if d.KeptOut != "" {
		return Refused{fmt.Errorf("text of %s is left out: it is %s", d.KeptOut, names.ByRules)}
	}
	of := names.Whose("", d.URL)
	if p := c.at.now().page; p != nil {
		frames := p.Frames()
		if f, there := page.FrameByID(frames, d.Frame); there {
			of = page.Whose(frames, f)
		}
	}
	return c.CheckOrigins(ctx, of...)
}

// AnswersDialog returns an error if the call may not answer dialog d by itself. The dialog opened while a script of
// the call ran in the document in. The call may not answer it if it belongs to a document of another origin, or to a
// document that the judge has not decided about. AnswersDialog returns at once; any goroutine may call it.
func (c *Authorization) AnswersDialog(ctx context.Context, p *page.Page, d page.Dialog, in page.FrameRef) error {
	if why := c.SeesDialog(ctx, d); why != nil {
		return why
	}
	frames := p.Frames()
	by, known := page.FrameByID(frames, d.Frame)
	switch {
	case known && by.FrameRef == in:
		return nil
	case c.Judge != nil && known && c.CheckDocument(frames, by) == nil:
		return nil
	case c.Judge != nil:
		return Refused{errors.New("it belongs to a document that the call is not allowed for")}
	}
	opener := names.DocumentOrigin("", d.URL) // if Chrome doesn't say which frame opened the dialog
	if known {
		opener = by.Origin
	}
	own, there := page.FrameByID(frames, in.ID)
	if there && opener == own.Origin && names.ParseAddress(opener) != (names.Origin{}) {
		return nil
	}
	return fmt.Errorf("it belongs to a document of %s, and a script answers only dialogs of its own site",
		sanitize.Text(cmp.Or(opener, names.OpaqueOrigin), 200))
}

// Read returns the origins of the documents whose text the call's result may contain: the documents of all frames of
// the page that the call used, and other documents that the result describes. p is the page with this permit.
func (c *Authorization) Read(ctx context.Context, p *page.Page) (origins []string) {
	add := func(o string) {
		if !slices.Contains(origins, o) {
			origins = append(origins, o)
		}
	}
	for _, f := range p.Frames() {
		if p.CheckRead(ctx, f) == nil {
			add(f.Origin)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, hidden := range c.shown {
		if hidden == nil {
			add(strings.Fields(key)[0])
		}
	}
	return origins
}
