package page

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"webmcphub/cdpclient"
	"webmcphub/registry/sanitize"
)

// For is what is waited for: all of it at one time.
type Condition struct {
	Text []string // one of these is shown; nil for none
	Gone []string // none of these is
	URL  string   // the page's address contains this
}

// Found is what a wait came to.
type ConditionMet struct {
	Text  string // which of For.Text is shown; "" if none was asked for
	Kind  string // what shows it: "text", "label", "placeholder" or "value"
	Tag   string // of the element that does
	Role  string
	Words string // around it: the page's, untrusted
	Frame Frame
	Main  bool // it is the main frame
}

// Told are sentences on what was found, and on what is gone as was waited for.
func (f ConditionMet) Told(gone []string) (said []string) {
	if f.Text != "" {
		said = append(said, f.String()+".")
	}
	for _, text := range gone {
		said = append(said, fmt.Sprintf("%q is not shown.", sanitize.Text(text, 200)))
	}
	return said
}

const (
	// recheck is how often at most a document is looked at that says that nothing has changed.
	recheck = time.Second
	// rest is the least time between two looks at a document that does change. One that
	// takes long to look at rests longer, and is looked at for a sixth of the time at most,
	// unless that would keep what happens in it from being noticed in time.
	rest     = 50 * time.Millisecond
	restFor  = 5
	restMost = 3 * time.Second
	// lastMost is how long a document may take to hear that the wait is over.
	lastMost = 250 * time.Millisecond
	// tells is how often the caller is told that the wait goes on.
	tells = 5 * time.Second
)

// look is what was found in one document.
type look struct {
	Shown int `json:"shown"` // which text, -1 for none
	Where *struct{ Kind, Tag, Role, Text string }
	Still int     `json:"still"` // which text isn't gone, -1 for none
	Key   string  `json:"key"`
	Took  float64 `json:"took"` // milliseconds
}

// news are of one document.
type news struct {
	document FrameRef
	look     *look
	err      error // why it can't be looked at; ends the wait unless the document has gone
}

// wait is one that goes on. One goroutine owns it; each document has another, which
// looks.
type waitState struct {
	Condition
	p       *Page
	id      int64
	news    chan news
	looking map[FrameRef]context.CancelFunc
	looks   map[FrameRef]*look
	lookers sync.WaitGroup
	hidden  func(Frame) bool // it may not be looked into
}

var waits atomic.Int64 // so far

// Wait waits, for limit at most. It ends with *NotYet then, with *page.DialogOpen if a
// dialog holds the page up, with the page, or with ctx. tell is called now and then
// with how long it has waited.
func Wait(ctx context.Context, p *Page, f Condition, limit time.Duration,
	tell func(time.Duration)) (ConditionMet, error) {
	ctx, cancel := context.WithCancel(ctx)
	w := &waitState{Condition: f, p: p, id: waits.Add(1), news: make(chan news),
		looking: map[FrameRef]context.CancelFunc{}, looks: map[FrameRef]*look{}}
	w.hidden = func(f Frame) bool { return Hidden(ctx, f) != nil }
	defer w.lookers.Wait()
	defer cancel()
	moved := make(chan struct{}, 1)
	defer p.Subscribe(func(cdpclient.Event) {
		select {
		case moved <- struct{}{}:
		default:
		}
	}, "Page.frameNavigated", "Page.navigatedWithinDocument", "Page.frameDetached", "Page.lifecycleEvent",
		"Runtime.executionContextCreated", "Target.attachedToTarget", "Target.detachedFromTarget")()
	begun := time.Now()
	over := time.NewTimer(limit)
	defer over.Stop()
	again := time.NewTicker(recheck)
	defer again.Stop()
	told := begun
	for {
		frames := p.Frames()
		w.watch(ctx, frames)
		if found, met := w.met(frames); met {
			return found, nil
		}
		select {
		case n := <-w.news:
			if err := w.take(n); err != nil {
				return ConditionMet{}, err
			}
		case <-moved:
		case now := <-again.C:
			if tell != nil && now.Sub(told) >= tells {
				told = now
				tell(now.Sub(begun).Round(time.Second))
			}
		case <-over.C:
			return ConditionMet{}, w.notYet(p.Frames(), limit)
		case <-p.Done():
			return ConditionMet{}, p.Err()
		case <-ctx.Done():
			return ConditionMet{}, context.Cause(ctx)
		}
	}
}

// watch has somebody look at each document that is there, and at no other.
func (w *waitState) watch(ctx context.Context, frames []Frame) {
	if len(w.Text) == 0 && len(w.Gone) == 0 {
		return
	}
	there := map[FrameRef]bool{}
	for _, f := range frames {
		if w.hidden(f) {
			continue
		}
		there[f.FrameRef] = true
		if w.looking[f.FrameRef] == nil {
			ctx, cancel := context.WithCancel(ctx)
			w.looking[f.FrameRef] = cancel
			w.lookers.Go(func() { w.lookAt(ctx, f.FrameRef) })
		}
	}
	for f, stop := range w.looking {
		if !there[f] {
			stop()
			delete(w.looking, f)
			delete(w.looks, f)
		}
	}
}

// lookAt looks at a document whenever it may have changed, until ctx ends or it is gone.
func (w *waitState) lookAt(ctx context.Context, f FrameRef) {
	known, took := "", time.Duration(0)
	for {
		is, err := w.look(ctx, f, known, recheckAfter(took))
		if is != nil || err != nil {
			select {
			case w.news <- news{f, is, err}:
			case <-ctx.Done():
			}
		}
		if is != nil {
			known, took = is.Key, time.Duration(is.Took*float64(time.Millisecond))
		}
		if gone(err) || !pause(ctx, resting(took)) {
			return
		}
	}
}

// recheckAfter is how long after its beginning a look ends that finds nothing else than is known: it takes as long as
// the last one did, and then watches for changes.
func recheckAfter(took time.Duration) time.Duration { return max(recheck, took+2*resting(took)) }

// resting is how long a document is left alone after a look that took so long.
func resting(took time.Duration) time.Duration {
	return min(max(rest, restFor*took), restMost)
}

// look looks at a document, which answers once that finds something else than is known.
// After a while the document is told to look again; there is no answer then.
func (w *waitState) look(ctx context.Context, f FrameRef, known string, again time.Duration) (is *look, err error) {
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		err = w.p.Evaluate(ctx, f, Isolated, WaitingScript, []any{w.id, list(w.Text), list(w.Gone), known}, &is)
	}()
	stale := time.NewTimer(again)
	defer stale.Stop()
	const wake = `id => globalThis[Symbol.for('webmcp-hub-waiting')]?.get(id)?.(false)`
	select {
	case <-answered:
	case <-stale.C:
		_ = w.p.Evaluate(ctx, f, Isolated, wake, []any{w.id}, nil) // if it fails, so has the look
	case <-ctx.Done():
	}
	<-answered
	if ctx.Err() != nil { // nobody waits any more, and what the document watches for that ends
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastMost)
		defer cancel()
		_ = w.p.Evaluate(DespiteDialog(last), f, Isolated, wake, []any{w.id}, nil)
	}
	return is, err
}

// gone says whether an error is that a document can't be looked at any more.
func gone(err error) bool {
	return errors.As(err, new(*DocumentGone)) || errors.As(err, new(*NotPermitted))
}

// pause rests, and is false if ctx has ended.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// list is for JSON, which has no nil list.
func list(texts []string) []string { return append([]string{}, texts...) }

// take notes what was found in a document. An error is one that ends the wait.
func (w *waitState) take(n news) error {
	if w.looking[n.document] == nil {
		return nil
	}
	switch {
	case n.err == nil:
		w.looks[n.document] = n.look
	case gone(n.err):
		w.looking[n.document]()
		delete(w.looking, n.document) // if it is there after all, it is looked at anew
		delete(w.looks, n.document)
	case errors.As(n.err, new(*DialogOpen)):
		return n.err
	}
	return nil
}

// met says whether all that is waited for is there.
func (w *waitState) met(frames []Frame) (found ConditionMet, met bool) {
	if len(frames) == 0 || !w.there(frames[0]) {
		return found, false
	}
	best := -1
	for i, f := range frames {
		if w.hidden(f) || len(w.Text) == 0 && len(w.Gone) == 0 {
			continue
		}
		is := w.looks[f.FrameRef]
		switch {
		case len(w.Gone) > 0 && (is == nil || is.Still >= 0):
			return found, false
		case is != nil && is.Shown >= 0 && is.Where != nil && (best < 0 || is.Shown < best):
			best = is.Shown
			found = ConditionMet{Text: w.Text[is.Shown], Kind: is.Where.Kind, Tag: is.Where.Tag, Role: is.Where.Role,
				Words: is.Where.Text, Frame: f, Main: i == 0}
		}
	}
	return found, best >= 0 || len(w.Text) == 0
}

// there says whether the page is at the address that is waited for.
func (w *waitState) there(main Frame) bool {
	return !w.hidden(main) && strings.Contains(main.URL, w.URL)
}

// NotYet says what hadn't come when a wait ended.
type NotYet struct {
	After   time.Duration
	URL     string // where the page is; "" if it is nowhere, or is kept out
	Text    []string
	Still   []string // which of those that were to be gone
	Address string   // it hasn't been at
	Silent  []string // addresses of documents that haven't answered
}

func (w *waitState) notYet(frames []Frame, limit time.Duration) *NotYet {
	e := &NotYet{After: limit}
	if len(frames) > 0 && !w.hidden(frames[0]) {
		e.URL = frames[0].Address()
	}
	if len(frames) == 0 || !w.there(frames[0]) {
		e.Address = w.URL
	}
	shown := false
	for _, f := range frames {
		switch is := w.looks[f.FrameRef]; {
		case w.hidden(f) || w.looking[f.FrameRef] == nil:
		case is == nil:
			e.Silent = append(e.Silent, f.Address())
		default:
			shown = shown || is.Shown >= 0
			if is.Still >= 0 && !slices.Contains(e.Still, w.Gone[is.Still]) {
				e.Still = append(e.Still, w.Gone[is.Still])
			}
		}
	}
	if !shown {
		e.Text = w.Text
	}
	return e
}
