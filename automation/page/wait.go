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

	"webmcphub/registry/sanitize"
)

// Condition is what [Wait] waits for. All parts must be true at the same time.
type Condition struct {
	Text []string // one of these is shown; nil means no such condition
	Gone []string // none of these is shown
	URL  string   // the page's address contains this
}

// ConditionMet describes what [Wait] has found.
type ConditionMet struct {
	Text  string // which of Condition.Text is shown; "" if there was none
	Kind  string // what shows it: "text", "label", "placeholder" or "value"
	Tag   string // the tag of that element
	Role  string
	Words string // the text around it; it comes from the page and is untrusted
	Frame Frame
	Main  bool // Frame is the main frame
}

// Sentences returns sentences that describe what was found, and that the texts of gone are not shown.
func (f ConditionMet) Sentences(gone []string) (sentences []string) {
	if f.Text != "" {
		sentences = append(sentences, f.String()+".")
	}
	for _, text := range gone {
		sentences = append(sentences, fmt.Sprintf("%q is not shown.", sanitize.Text(text, 200)))
	}
	return sentences
}

const (
	// recheck is the interval at which Wait looks at a document even if it reports no change.
	recheck = time.Second
	// rest is the least time between two looks at a document that changes. After a look that took long, the document
	// is left alone for restFor times as long, so that looking takes a sixth of the time at most. It is never left
	// alone for longer than restMost, so that changes are noticed in time.
	rest     = 50 * time.Millisecond
	restFor  = 5
	restMost = 3 * time.Second
	// lastMost is how long the script in a document may take to stop when the wait is over.
	lastMost = 250 * time.Millisecond
	// tells is the interval at which Wait calls its argument tell.
	tells = 5 * time.Second
)

// look is the result of looking at one document.
type look struct {
	Shown int `json:"shown"` // which text, -1 for none
	Where *struct{ Kind, Tag, Role, Text string }
	Still int     `json:"still"` // index of a text that is still shown; -1 for none
	Key   string  `json:"key"`
	Took  float64 `json:"took"` // milliseconds
}

// news is the result of a look at one document.
type news struct {
	document FrameRef
	look     *look
	err      error // why it can't be looked at; ends the wait unless it says that the document is gone
}

// waitState is the state of one [Wait]. One goroutine owns it. For each document, another goroutine looks at that
// document.
type waitState struct {
	Condition
	p       *Page
	id      int64
	news    chan news
	looking map[FrameRef]context.CancelFunc
	looks   map[FrameRef]*look
	lookers sync.WaitGroup
	hidden  func(Frame) bool // says that the frame may not be looked into
}

var waits atomic.Int64 // counts the waits so far

// Wait waits until all of f is true at the same time, for limit at most. After that the error is a [*NotYet]. If a
// dialog blocks the page, the error is a [*DialogOpen]. Wait also ends with the page and with ctx. Now and then it
// calls tell, unless tell is nil, with the time that it has waited.
func Wait(ctx context.Context, p *Page, f Condition, limit time.Duration,
	tell func(time.Duration)) (ConditionMet, error) {
	ctx, cancel := context.WithCancel(ctx)
	w := &waitState{Condition: f, p: p, id: waits.Add(1), news: make(chan news),
		looking: map[FrameRef]context.CancelFunc{}, looks: map[FrameRef]*look{}}
	w.hidden = func(f Frame) bool { return p.CheckRead(ctx, f) != nil }
	defer w.lookers.Wait()
	defer cancel()
	moved, stop := p.Next("Page.frameNavigated", "Page.navigatedWithinDocument", "Page.frameDetached",
		"Page.lifecycleEvent", "Runtime.executionContextCreated", "Target.attachedToTarget", "Target.detachedFromTarget")
	defer stop()
	begun := time.Now()
	over, again := time.After(limit), time.Tick(recheck)
	lastReport := begun
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
		case now := <-again:
			if tell != nil && now.Sub(lastReport) >= tells {
				lastReport = now
				tell(now.Sub(begun).Round(time.Second))
			}
		case <-over:
			return ConditionMet{}, w.notYet(p.Frames(), limit)
		case <-p.Done():
			return ConditionMet{}, p.Err()
		case <-ctx.Done():
			return ConditionMet{}, context.Cause(ctx)
		}
	}
}

// watch starts a goroutine for each document that is there, and stops those of documents that are gone. One script in
// the main frame that walked the frames by contentDocument would save nothing, because Chrome makes a world in each
// frame of which that script gets an object.
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

// lookAt looks at a document whenever it may have changed, until ctx ends or the document is gone.
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
		if gone(err) || w.p.Pause(ctx, resting(took)) != nil {
			return
		}
	}
}

// recheckAfter returns the time after which a look ends that finds nothing new. The look itself takes about as long
// as the last one did, and then the script watches for changes.
func recheckAfter(took time.Duration) time.Duration { return max(recheck, took+2*resting(took)) }

// resting returns how long a document is left alone after a look that took that long.
func resting(took time.Duration) time.Duration {
	return min(max(rest, restFor*took), restMost)
}

// look runs the waiting script in a document. The script answers once it finds something other than known. After the
// time again, look makes the script end and return nothing, and the caller calls look once more.
func (w *waitState) look(ctx context.Context, f FrameRef, known string, again time.Duration) (is *look, err error) {
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		err = w.p.Evaluate(ctx, f, Bare, WaitingScript, []any{w.id, list(w.Text), list(w.Gone), known}, &is)
	}()
	const wake = `id => globalThis[Symbol.for('webmcp-hub-waiting')]?.get(id)?.(false)`
	select {
	case <-answered:
	case <-time.After(again):
		_ = w.p.Evaluate(ctx, f, Bare, wake, []any{w.id}, nil) // if it fails, the look has failed too
	case <-ctx.Done():
	}
	<-answered
	if ctx.Err() != nil { // the wait is over, so the script in the document is stopped
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastMost)
		defer cancel()
		_ = w.p.Evaluate(DespiteDialog(last), f, Bare, wake, []any{w.id}, nil)
	}
	return is, err
}

// gone says whether an error means that a document can't be looked at any more.
func gone(err error) bool {
	return errors.As(err, new(*DocumentGone)) || errors.As(err, new(*NotPermitted))
}

// list returns an empty slice for nil, so that its JSON is [] and not null.
func list(texts []string) []string { return append([]string{}, texts...) }

// take records what was found in a document. It returns an error if that ends the wait.
func (w *waitState) take(n news) error {
	if w.looking[n.document] == nil {
		return nil
	}
	switch {
	case n.err == nil:
		w.looks[n.document] = n.look
	case gone(n.err):
		w.looking[n.document]()
		delete(w.looking, n.document) // if the document is still there, watch starts anew
		delete(w.looks, n.document)
	case errors.As(n.err, new(*DialogOpen)):
		return n.err
	}
	return nil
}

// met says whether everything that is waited for is there.
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

// there says whether the page's address contains the text that is waited for.
func (w *waitState) there(main Frame) bool {
	return !w.hidden(main) && strings.Contains(main.URL, w.URL)
}

// NotYet says what was missing when the time of a [Wait] was over.
type NotYet struct {
	After   time.Duration
	URL     string // the page's address; "" if it has none or is kept out
	Text    []string
	Still   []string // texts that are still shown but were to be gone
	Address string   // the text that the address doesn't contain; "" if it does
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
