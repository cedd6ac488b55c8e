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
	"webmcphub/registry"
	"webmcphub/registry/names"
	"webmcphub/registry/sanitize"
)

// Action is what a call is about to do.
type Action struct {
	Tab *registry.Tab // nil if it does it without one
	// Frame is the origin of the document that it does it in, where that isn't the tab's
	// own; else "". Around are those of its address and of the documents around it, where its
	// own tells nobody whose it is, see [page.Whose].
	Frame  string
	Around []string
	To     string // the address that it goes to, or ""
	// Emulated says that the tab is made to see other conditions, which the page at To would get to know.
	Emulated bool
	Stage    Stage
	// Anywhere says that any site may get to know what it says.
	Anywhere bool
	// On are the elements that it acts on, in words; "" if there are none.
	On string
}

// Stage is how far a call has come.
type Stage int

// The stages.
const (
	Begins Stage = iota // it is to be carried out
	Enters              // and in this further document, too
	Goes                // it was judged, and acts now
	Shows               // it acts no more, and tells what a further document says
)

// Refused is why a call is not carried out.
type Refused struct{ error }

// Unwrap is the reason.
func (r Refused) Unwrap() error { return r.error }

// Refuse makes one of a reason.
func Refuse(why error) error { return Refused{why} }

// Authorization is what was decided of one call. The zero value, without a Judge and Kept, allows everything.
type Authorization struct {
	Judge func(ctx context.Context, d Action) error
	// Address is how an origin and an address are told, and Tab the tab as it is now.
	Address func(origin, url string) string
	Tab     func(context.Context) *registry.Tab
	// Kept says why the tab is not the call's to act on now; nil says nothing.
	Kept func() error
	// Emulated says whether a tab is, see [Action].
	Emulated func(registry.PageID) bool
	// To, Anywhere and On are as in [Action].
	To       string
	Anywhere bool
	On       string

	at scope

	mu    sync.Mutex
	shown map[string]error // why those of these origins may not be told of; nil if they may
}

// scope is what a call is about, as far as it is known: its own goroutine finds it out, and any may ask.
type scope struct {
	mu sync.Mutex
	where
}

// where is a scope as of a moment.
type where struct {
	page    *page.Page
	tab     *registry.Tab   // nil if the call does without one
	origin  string          // for which the call was judged; "" if that isn't known
	address string          // of the document of that origin
	main    page.FrameRef   // the page's document of that origin, once the page is open
	entered map[string]bool // further documents that it acts in, by whose they are; replaced, not changed
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

// Supervised is a context in which the page's documents are looked into, and its elements
// acted on, as the judge allows.
func (c *Authorization) Supervised(ctx context.Context) context.Context {
	ctx = page.Acting(ctx, func() error { return c.Goes(ctx) })
	if c.Judge == nil {
		return ctx
	}
	ctx = page.Within(ctx, c.acts)
	return page.Seeing(ctx, func(f page.Frame) error {
		p := c.at.now().page
		if p == nil {
			return nil
		}
		return c.Sees(ctx, page.Whose(p.Frames(), f)...)
	})
}

// acts says why nothing of the call may arrive in a frame of the page: nobody decided that it may.
func (c *Authorization) acts(frames []page.Frame, f page.Frame) error {
	if at := c.at.now(); f.FrameRef == at.main || at.own(page.Whose(frames, f)) || at.entered[frameKey(frames, f)] {
		return nil
	}
	return errUndecided
}

// errUndecided says why a call leaves a document alone.
var errUndecided = errors.New("the call was not decided for that document")

// Begins says why the call may not be carried out in a tab, or without one (nil).
func (c *Authorization) Begins(ctx context.Context, t *registry.Tab) error {
	if c.Judge == nil {
		return nil
	}
	if t != nil {
		c.at.set(func(w *where) { w.tab, w.origin, w.address, w.main = t, t.Origin, t.URL, page.FrameRef{} })
	}
	return c.judge(ctx, Action{Tab: t, To: c.To, Anywhere: c.Anywhere, On: c.On})
}

// BeginsOn is Begins for a call that acts on elements, which meant gives in words. later says
// that Begins is asked later: then nothing is decided yet.
func (c *Authorization) BeginsOn(ctx context.Context, t *registry.Tab, later bool, meant func() string) error {
	if c.Judge == nil {
		return nil
	}
	if c.On = meant(); later {
		return nil
	}
	if err := c.Begins(ctx, t); err != nil {
		return err
	}
	if c.On != meant() { // a person may have taken a while
		return Refused{errors.New("nothing was done: what it names is called otherwise than when the call was " +
			"decided. Look at the page again")}
	}
	return nil
}

func (c *Authorization) judge(ctx context.Context, d Action) error {
	d.Emulated = d.Tab != nil && c.Emulated != nil && c.Emulated(d.Tab.Page)
	if err := c.Judge(ctx, d); err != nil {
		return Refused{err}
	}
	return nil
}

// Goes says why the call may not act now, though it was judged: much may have happened since.
func (c *Authorization) Goes(ctx context.Context) error {
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
		if err := c.Stands(ctx, at.page); err != nil {
			return err
		}
	}
	return c.judge(ctx, Action{Tab: at.tab, To: c.To, Anywhere: c.Anywhere, Stage: Goes})
}

// Stands says why the page's document is not the one that the call was judged for, which it
// is judged for now if it wasn't for any.
func (c *Authorization) Stands(ctx context.Context, p *page.Page) error {
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
		return Refused{fmt.Errorf("nothing was done: since the call was decided the page has gone to %s. Look at the page again", c.Address(main.Origin, main.URL))}
	case !same(main.Origin, at.origin): // the hub heard of it later than we do
		is := names.Whose(cmp.Or(main.Origin, names.OpaqueOrigin), main.URL)
		if err := c.judge(ctx, Action{Tab: at.tab, Frame: is[0], Around: is[1:], To: c.To, Anywhere: c.Anywhere,
			On: c.On, Stage: Enters}); err != nil {
			return err
		}
		if now, _ := p.Main(); now.FrameRef != main.FrameRef {
			return Refused{errors.New("nothing was done: the page moved on while the call was decided. Look at the page again")}
		}
		at.origin = main.Origin
	}
	c.at.set(func(w *where) { w.origin, w.address, w.main = at.origin, main.URL, main.FrameRef })
	return nil
}

// same says whether two origins are one, as far as a tab's own document is concerned.
func same(a, b string) bool { return a == b || names.ParseAddress(a) == names.ParseAddress(b) }

// Enters says why the call may not act in a document of the page.
func (c *Authorization) Enters(ctx context.Context, p *page.Page, in page.FrameRef) error {
	if c.Judge == nil {
		return nil
	}
	if err := c.Stands(ctx, p); err != nil || in == c.at.now().main {
		return err
	}
	frames := p.Frames()
	at := slices.IndexFunc(frames, func(f page.Frame) bool { return f.FrameRef == in })
	if at < 0 {
		return &page.DocumentGone{Frame: in}
	}
	if c.acts(frames, frames[at]) == nil {
		return nil
	}
	is, key := page.Whose(frames, frames[at]), frameKey(frames, frames[at])
	if err := c.judge(ctx, Action{Tab: c.Tab(ctx), Frame: is[0], Around: is[1:], Stage: Enters, Anywhere: c.Anywhere,
		On: c.On}); err != nil {
		return err
	}
	c.at.set(func(w *where) {
		if w.entered = maps.Clone(w.entered); w.entered == nil {
			w.entered = map[string]bool{}
		}
		w.entered[key] = true
	})
	return c.Stands(ctx, p)
}

// whose are the origins of the document that the call was judged for.
func (w where) whose() []string { return names.Whose(cmp.Or(w.origin, names.OpaqueOrigin), w.address) }

// own says whether a document is of the origin that the call was judged for.
func (w where) own(whose []string) bool {
	return whose[0] == w.origin && names.ParseAddress(whose[0]) != (names.Origin{})
}

// key is what a further document is known by once the call was judged for it.
func frameKey(frames []page.Frame, f page.Frame) string {
	is := page.Whose(frames, f)
	if len(is) > 1 { // no other document is known to be of the same origin
		return f.ID + " " + f.Loader
	}
	return is[0]
}

// EntersFrame is Enters for the document that a frame has now; "" is the main one.
func (c *Authorization) EntersFrame(ctx context.Context, p *page.Page, frame string) error {
	for _, f := range p.Frames() {
		if f.ID == frame {
			return c.Enters(ctx, p, f.FrameRef)
		}
	}
	return c.Stands(ctx, p)
}

// Sees says why what a document says may not be told; its origin comes first, then the
// others by which it is judged, see [page.Whose]. It answers at once.
func (c *Authorization) Sees(ctx context.Context, origins ...string) error {
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
	err := c.Judge(ctx, Action{Tab: at.tab, Frame: origins[0], Around: origins[1:], Stage: Shows})
	if err != nil {
		err = Refused{fmt.Errorf("what %s says is not told: %w", sanitize.Text(origins[0], 200), err)}
	}
	if c.shown == nil {
		c.shown = map[string]error{}
	}
	c.shown[key] = err
	return err
}

// SeesTab says why a list of tabs may not tell what a tab shows.
func (c *Authorization) SeesTab(ctx context.Context, t *registry.Tab) error {
	is := names.Whose(t.Origin, t.URL)
	if c.Judge == nil || slices.Equal(is, []string{names.OpaqueOrigin}) {
		return nil
	}
	return c.Judge(ctx, Action{Tab: t, Frame: is[0], Around: is[1:], Stage: Shows})
}

// SeesAll says why what is of all of these origins may not be told.
func (c *Authorization) SeesAll(ctx context.Context, origins []string) error {
	for _, o := range origins {
		if err := c.Sees(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

// Hides says whether records of documents of these origins may not be told.
func (c *Authorization) Hides(ctx context.Context) records.Hides {
	if c.Judge == nil {
		return nil
	}
	return func(origins []string) bool { return c.SeesAll(ctx, origins) != nil }
}

// SeesDialog says why the text of a dialog may not be told.
func (c *Authorization) SeesDialog(ctx context.Context, d page.Dialog) error {
	if d.KeptOut != "" {
		return Refused{fmt.Errorf("what %s says is not told: it is kept out by the user's rules for sites "+
			"(--allow-origin, --deny-origin, --browsers)", d.KeptOut)}
	}
	of := names.Whose("", d.URL)
	if p := c.at.now().page; p != nil {
		frames := p.Frames()
		if at := slices.IndexFunc(frames, func(f page.Frame) bool { return f.ID == d.Frame }); at >= 0 {
			of = page.Whose(frames, frames[at])
		}
	}
	return c.Sees(ctx, of...)
}

// AnswersDialog says why a call may not answer a dialog by itself that opened while its script ran in a
// document of the page: it is of a document of another origin, or of one that the call wasn't judged for.
// It answers at once, in any goroutine.
func (c *Authorization) AnswersDialog(ctx context.Context, p *page.Page, d page.Dialog, in page.FrameRef) error {
	if why := c.SeesDialog(ctx, d); why != nil {
		return why
	}
	frames := p.Frames()
	find := func(id string) int {
		return slices.IndexFunc(frames, func(f page.Frame) bool { return f.ID == id })
	}
	at, own := find(d.Frame), find(in.ID)
	switch {
	case at >= 0 && frames[at].FrameRef == in:
		return nil
	case c.Judge != nil && at >= 0 && c.acts(frames, frames[at]) == nil:
		return nil
	case c.Judge != nil:
		return Refused{errors.New("it is of a document that the call was not decided for")}
	}
	opener := names.DocumentOrigin("", d.URL) // where Chrome doesn't say which frame it is of
	if at >= 0 {
		opener = frames[at].Origin
	}
	if own >= 0 && opener == frames[own].Origin && names.ParseAddress(opener) != (names.Origin{}) {
		return nil
	}
	return fmt.Errorf("it is of another document, of %s, and a script answers those of its own site only",
		sanitize.Text(cmp.Or(opener, names.OpaqueOrigin), 200))
}

// Read are the origins whose words the call's result may have: those of all frames of the page
// that it used, and of other documents that it tells of. The context is a supervised one.
func (c *Authorization) Read(ctx context.Context, p *page.Page) (origins []string) {
	add := func(o string) {
		if !slices.Contains(origins, o) {
			origins = append(origins, o)
		}
	}
	for _, f := range p.Frames() {
		if page.Hidden(ctx, f) == nil {
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
