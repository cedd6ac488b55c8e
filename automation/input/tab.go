package input

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"webmcphub/automation/page"
	"webmcphub/cdpclient"
)

// How long an action waits, unless its [Limits] say otherwise.
const (
	DefaultLimit   = 5 * time.Second  // for an element to become ready for the action
	navigationWait = 10 * time.Second // for the next document, if an action begins a navigation
)

// Node is an element to act on, as a snapshot has named it.
type Node struct {
	Frame      page.FrameRef
	Backend    int // Chrome's backend node id
	Role, Name string

	// Place is where in the element to act. Nil means wherever the element can be pressed, preferably in its middle.
	Place *Place

	// Still returns an error that says why the node is no longer what the caller means; nil checks nothing. It is
	// called before the action if something may have happened since Checked, the time at which it last returned no
	// error. If the error is [NotShown], the action waits instead of failing.
	Still   func(ctx context.Context) error
	Checked time.Time
}

// NotShown says that a node exists, but that nobody can see it now.
type NotShown struct{ Err error }

// Error says what isn't shown.
func (e *NotShown) Error() string { return e.Err.Error() }
func (e *NotShown) Unwrap() error { return e.Err }

// Place is a place in an element: a point, or the beginning or end of a passage of its text.
type Place struct {
	X    float64 `json:"x"` // in CSS pixels, from the left of the element's box
	Y    float64 `json:"y"` // in CSS pixels, from its top
	Text string  `json:"text,omitempty"`
	End  bool    `json:"end,omitempty"` // the end of Text, not its beginning
}

// String names the node for errors, as in: button "Save".
func (n Node) String() string {
	role := cmp.Or(n.Role, "element")
	if n.Name == "" {
		return "the " + role
	}
	return role + " " + strconv.Quote(n.Name)
}

// Limits bound how long an action may take. Zero values mean the defaults.
type Limits struct {
	// Ready bounds how long the action may wait for its elements to become ready. If it is set, it also includes the
	// wait for the action's turn in the tab.
	Ready     time.Duration
	work      time.Duration // additional time for an action that takes long itself
	unawaited bool          // the caller itself waits for the requests that the action begins
}

func (l Limits) ready() time.Duration { return cmp.Or(l.Ready, DefaultLimit) }
func (l Limits) whole() time.Duration { return l.ready() + l.work + answerWait }

// Tab acts on one page. Any goroutine may call its methods. Actions take turns, by [page.Page.Input].
type Tab struct {
	page *page.Page
	*state
}

// state is what all values of [Tab] for one page have in common.
type state struct {
	mac  bool
	done atomic.Int64 // counts the turns that have ended

	// The fields below belong to whoever has the turn.
	mouse    struct{ x, y float64 }
	guard    int // the number of the last guard
	saw      *atomic.Pointer[sightings]
	prepared bool
	meant    []page.Frame // the documents that the action is meant for; nil for whatever has the focus
	acted    func()       // ends what [Tab.begins] began; nil if no action is doing anything
	patience
}

// patience is how long the action that has the turn may still wait.
type patience struct {
	queued time.Duration // how long the action has waited for its turn
	over   time.Time     // when its time is over; zero if Limits.Ready wasn't set
}

// left returns how much is left of the time most that the action would wait.
func (p patience) left(most time.Duration) time.Duration {
	if p.over.IsZero() {
		return most
	}
	return min(most, max(time.Until(p.over), 0))
}

// sightings are the event types that one guard has reported so far.
type sightings struct {
	guard int
	types []string
}

// New returns a Tab for a page, whose options must have [page.ActingScript] as the helper. mac says whether the
// browser runs on a Mac.
func New(p *page.Page, mac bool) *Tab {
	return &Tab{page: p, state: &state{mac: mac, saw: &atomic.Pointer[sightings]{}}}
}

// WithPage returns the Tab for one call: p is the same page with the call's permit; see [page.Page.With].
func (t *Tab) WithPage(p *page.Page) *Tab { return &Tab{page: p, state: t.state} }

// sawBinding is the name of the binding through which guards report what they see.
const sawBinding = "__webmcpHubSaw"

// turn waits for the caller's turn and prepares the page for input. The page's focus is emulated, so that Chrome
// draws the page and gives it events even in the background. turn waits as long as the limits allow, and subtracts
// that from the action's time.
func (t *Tab) turn(ctx context.Context, l Limits) (release func(), err error) {
	begun := time.Now()
	most := cmp.Or(l.Ready, l.whole()+navigationWait)
	queued, stop := context.WithTimeoutCause(ctx, most, fmt.Errorf("nothing was done: another action in this tab has "+
		"not ended within %s, and they take turns", most))
	defer stop()
	next, err := t.page.Input(queued)
	if err != nil {
		return nil, err
	}
	t.patience = patience{queued: time.Since(begun)}
	if l.Ready > 0 {
		t.over = begun.Add(l.Ready)
	}
	drawn := t.page.Draw()
	release = func() { t.done.Add(1); drawn(); next() }
	if t.prepared {
		if d, open := t.page.Dialog(); open {
			release()
			return nil, &page.DialogOpen{Dialog: d}
		}
		return release, nil
	}
	if err = t.prepare(ctx); err != nil {
		release()
		return nil, err
	}
	t.prepared = true
	return release, nil
}

// begins marks that the action does something in the page from now on, until [Tab.ends].
func (t *Tab) begins() {
	if t.acted == nil {
		t.acted = t.page.ActBegins()
	}
}

func (t *Tab) ends() {
	if t.acted != nil {
		t.acted()
		t.acted = nil
	}
}

func (t *Tab) prepare(ctx context.Context) (err error) {
	cancel := t.page.Subscribe(t.sawEvent, cdpclient.RuntimeBindingCalled)
	defer func() {
		if err != nil { // the next action tries again
			cancel()
		}
	}()
	if err := t.page.EmulateFocus(ctx); err != nil {
		return err
	}
	return t.page.Setup(ctx, cdpclient.RuntimeAddBinding,
		map[string]any{"name": sawBinding, "executionContextName": page.WorldName})
}

// sawEvent records what a guard reports. It is called on the page's own goroutine.
func (t *Tab) sawEvent(e cdpclient.Event) {
	var b cdpclient.BindingCalled
	if json.Unmarshal(e.Params, &b) != nil || b.Name != sawBinding {
		return
	}
	number, kind, _ := strings.Cut(b.Payload, " ")
	n, err := strconv.Atoi(number)
	if err != nil {
		return
	}
	next := &sightings{guard: n}
	if old := t.saw.Load(); old != nil && old.guard == n {
		next.types = append(next.types, old.types...)
	}
	if len(next.types) < 20 {
		next.types = append(next.types, kind)
	}
	t.saw.Store(next)
}

// seenBy returns the event types that a guard has reported.
func (t *Tab) seenBy(guard int) []string {
	if s := t.saw.Load(); s != nil && s.guard == guard {
		return s.types
	}
	return nil
}

// sees says whether a guard has reported anything. It waits for up to 100 ms, because the report may come a little
// after the news of a navigation or a dialog.
func (t *Tab) sees(ctx context.Context, guard int) bool {
	for range 20 {
		if len(t.seenBy(guard)) > 0 || t.page.Pause(ctx, 5*time.Millisecond) != nil {
			break
		}
	}
	return len(t.seenBy(guard)) > 0
}
