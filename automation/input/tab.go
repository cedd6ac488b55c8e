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

// Limits of actions, where the caller sets none.
const (
	DefaultLimit      = 5 * time.Second  // for an element to become fit to be acted on
	DefaultNavigation = 10 * time.Second // for the next document, if an action begins a navigation
)

// Node is an element to act on, as a snapshot named it.
type Node struct {
	Frame      page.FrameRef
	Backend    int // Chrome's number for the node
	Role, Name string

	// Place is where in the element to act; nil is wherever it can be pressed, its middle first.
	Place *Place

	// Still says why the node isn't what the caller means any more; nil is never asked. It is asked
	// before the node is acted on, if something may have happened since Checked, when it last said
	// nothing. That it is [NotShown] keeps it from being acted on, but not from being waited for.
	Still   func(ctx context.Context) error
	Checked time.Time
}

// NotShown says that a node is there, but that nobody can see it now.
type NotShown struct{ Err error }

// Error says what isn't shown.
func (e *NotShown) Error() string { return e.Err.Error() }
func (e *NotShown) Unwrap() error { return e.Err }

// Place is a place in an element: a point, or the beginning or the end of a passage of its text.
type Place struct {
	X    float64 `json:"x"` // in CSS pixels from the left of its box
	Y    float64 `json:"y"` // from its top
	Text string  `json:"text,omitempty"`
	End  bool    `json:"end,omitempty"` // of Text
}

// String names the node in errors: button "Save".
func (n Node) String() string {
	role := cmp.Or(n.Role, "element")
	if n.Name == "" {
		return "the " + role
	}
	return role + " " + strconv.Quote(n.Name)
}

// Limits are how long an action may take. Zero values are the defaults.
type Limits struct {
	// Ready is how long the action may wait: for its turn in the tab, if Ready is given, and for its
	// elements until they can be acted on.
	Ready      time.Duration
	Navigation time.Duration // until the next document is there
	work       time.Duration // what the action itself may take besides, if it is long
	unawaited  bool          // the caller waits for the requests that the action begins
}

func (l Limits) ready() time.Duration      { return cmp.Or(l.Ready, DefaultLimit) }
func (l Limits) whole() time.Duration      { return l.ready() + l.work + answerWait }
func (l Limits) navigation() time.Duration { return cmp.Or(l.Navigation, DefaultNavigation) }

// Tab acts on one page. Its methods may be called from any goroutine: they take turns, by
// [page.Page.Input].
type Tab struct {
	page *page.Page
	mac  bool
	done atomic.Int64 // turns that have ended

	// The rest belongs to whoever has the turn.
	mouse    struct{ x, y float64 }
	guard    int // counts guards
	saw      *atomic.Pointer[sightings]
	prepared bool
	meant    []page.Frame // the documents that the action is meant for; nil for whatever has the focus
	acted    func()       // ends what [Tab.begins] began; nil if nothing is being done
	patience
}

// patience is how long the action that has the turn may wait.
type patience struct {
	queued time.Duration // how long it has waited for its turn
	over   time.Time     // when it has waited long enough; zero if no time was given for all of it
}

// left is what is left of a time that the action would wait.
func (p patience) left(most time.Duration) time.Duration {
	if p.over.IsZero() {
		return most
	}
	return min(most, max(time.Until(p.over), 0))
}

// sightings are what the guard of a number has told so far.
type sightings struct {
	guard int
	types []string
}

// New makes a Tab for a page, whose options must have the helper of scripts.Acting. mac says
// whether the browser runs on a Mac.
func New(p *page.Page, mac bool) *Tab {
	return &Tab{page: p, mac: mac, saw: &atomic.Pointer[sightings]{}}
}

// sawBinding is how guards tell what they see.
const sawBinding = "__webmcpHubSaw"

// turn waits for the caller's turn and has the page ready for input: it believes to have the
// focus, so that Chrome draws it and hands it events though it is in the background.
// It waits as long as the limits allow, and takes that off the time that was given.
func (t *Tab) turn(ctx context.Context, l Limits) (release func(), err error) {
	begun := time.Now()
	most := cmp.Or(l.Ready, l.whole()+l.navigation())
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

// begins notes that the action does something in the page from now on, until [Tab.ends].
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
		if err != nil { // the next action tries it anew
			cancel()
		}
	}()
	if err := t.page.Setup(ctx, "Emulation.setFocusEmulationEnabled", map[string]any{"enabled": true}); err != nil {
		return err
	}
	return t.page.Setup(ctx, cdpclient.RuntimeAddBinding,
		map[string]any{"name": sawBinding, "executionContextName": page.WorldName})
}

// sawEvent is called on the page's goroutine.
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

// seenBy is what the guard of a number has told.
func (t *Tab) seenBy(guard int) []string {
	if s := t.saw.Load(); s != nil && s.guard == guard {
		return s.types
	}
	return nil
}

// sees says whether a guard has told anything, which may be a little behind the news of a navigation
// or a dialog.
func (t *Tab) sees(ctx context.Context, guard int) bool {
	for range 20 {
		if len(t.seenBy(guard)) > 0 || pause(ctx, t.page.Done(), 5*time.Millisecond) != nil {
			break
		}
	}
	return len(t.seenBy(guard)) > 0
}
