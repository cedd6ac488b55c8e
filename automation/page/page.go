package page

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"webmcphub/cdpclient"
)

// Options are fixed for the life of a [Page].
type Options struct {
	// Permits says which origins the hub may look into. The origin "null" is an opaque one, and "" one that isn't
	// known yet. If Permits is nil, all are permitted. It is called on the page's own goroutine.
	Permits func(origin string) bool
	// Helper is a script that runs in each isolated world before anything else does. It runs again in a world that
	// the back/forward cache restores, so it must tolerate that.
	Helper string
	// Events lists methods of events with which OnEvent is called. It works as [Page.Subscribe], but begins before the
	// domains are enabled, because on enabling Chrome repeats events that it has kept from before, above all console
	// messages.
	Events  []string
	OnEvent func(cdpclient.Event)
	// Gone is closed when the tab is gone; it may be nil.
	Gone <-chan struct{}
	// Answered says that somebody else (the hub's policy for dialogs) answers dialogs at once. Calls then wait until
	// a dialog has been answered, where otherwise they would end with [*DialogOpen].
	Answered bool
	// Earlier returns the dialog that another session knows to be open in the tab. Chrome doesn't announce a dialog
	// to sessions that attach after it opened, and they can't answer it. Earlier may block for a moment; it may be
	// nil.
	Earlier func() (cdpclient.OpenDialog, bool)
	// Wake says what Open does with a page that has no process, because Chrome has discarded it to save memory or
	// because it has crashed.
	Wake Wake
}

// Wake says what [Open] does with a page without a process.
type Wake int

const (
	// Stays makes Open fail as after a crash.
	Stays Wake = iota
	// Reloads loads the page again.
	Reloads
	// Leaves replaces the page by an empty one. It is for a page that crashes whenever it is loaded.
	Leaves
)

// Page is a tab that automation uses. Any goroutine may call its methods. Handlers of [Page.Subscribe] may call only
// Frames, Dialog, Done, Err, Dropped, Subscribe and Release.
type Page struct {
	*shared
	permit     Permit // nil for all calls
	reachesAll bool
}

// shared is what all values of [Page] for one page have in common.
type shared struct {
	conn   *cdpclient.Conn
	target string
	opt    Options

	mail    *mailbox
	view    atomic.Pointer[view]
	woken   atomic.Bool
	focused atomic.Bool // see [Page.EmulateFocus]
	input   Turn        // for acting on the page
	person  atomic.Bool // a person has the turn for that
	hiding  Turn        // for hiding frames
	done    chan struct{}
	err     error // written before done is closed
	stopped chan struct{}
	closing sync.Once
}

// slowFrame is how long [Open] waits for out-of-process iframes once the page itself has answered.
const slowFrame = 2 * time.Second

// Open attaches to a target and returns when its page has answered and its frames are known. If the page doesn't
// answer before ctx ends, Open returns an error, unless an open dialog is the reason. The caller closes the page when
// done.
func Open(ctx context.Context, conn *cdpclient.Conn, target string, o Options) (*Page, error) {
	p := &Page{shared: &shared{conn: conn, target: target, opt: o, mail: newMailbox(), input: NewTurn(),
		hiding: NewTurn(), done: make(chan struct{}), stopped: make(chan struct{})}}
	p.view.Store(&view{})

	browser, tab, err := attach(ctx, conn, target, p.mail.inbox)
	if err != nil {
		return nil, err
	}
	own := newOwner(p, browser, tab)
	go own.run()

	if err = p.answers(ctx); err != nil {
		p.Close()
		return nil, err
	}
	if _, open := p.Dialog(); open { // the other frames follow when it is closed
		return p, nil
	}
	some, cancel := context.WithTimeout(ctx, slowFrame)
	defer cancel()
	if p.await(some, (*owner).allReady) != nil { // a frame that hangs doesn't keep the caller from using the others
		p.ask(func(o *owner) {
			for _, s := range o.sessions {
				if s.pending > 0 {
					o.markLate(s)
				}
			}
		})
	}
	if err := p.Err(); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// attach opens a session with the browser and, through it, one with a tab. [detach] ends both.
func attach(ctx context.Context, conn *cdpclient.Conn, target string,
	inbox func(cdpclient.Message)) (browser, tab cdpclient.SessionID, err error) {
	var outer, inner cdpclient.SessionParams
	if err := conn.Call(ctx, "", cdpclient.TargetAttachToBrowser, nil, &outer); err != nil {
		return "", "", fmt.Errorf("reach the browser of the tab: %w", err)
	}
	conn.Attach(outer.SessionID, inbox)
	if err := conn.Call(ctx, outer.SessionID, cdpclient.TargetAttachToTarget,
		map[string]any{"targetId": target, "flatten": true}, &inner); err != nil {
		detach(conn, outer.SessionID)
		if refusal := chromeError(err); refusal != nil && refusal.Code == cdpclient.CodeInvalidParams {
			err = &Ended{Why: Closed, Cause: err} // there is no such target
		}
		return "", "", fmt.Errorf("attach to the tab: %w", err)
	}
	conn.Attach(inner.SessionID, inbox)
	return outer.SessionID, inner.SessionID, nil
}

// detach ends a session with the browser, and with it all sessions that were opened through it.
func detach(conn *cdpclient.Conn, browser cdpclient.SessionID) {
	conn.Detach(browser)
	conn.Post("", cdpclient.TargetDetachFromTarget, cdpclient.SessionParams{SessionID: browser}, nil)
}

// silence is how long a page may take to answer before [Open] asks whether a dialog that opened earlier keeps it from
// answering.
const silence = 300 * time.Millisecond

// answers waits until the page has answered or is known to show a dialog.
func (p *Page) answers(ctx context.Context) error {
	for {
		some, cancel := context.WithTimeout(ctx, silence)
		err := p.await(some, func(o *owner) (bool, error) { return o.mainReady() || o.open != nil, nil })
		cancel()
		switch {
		case err == nil || p.Err() != nil:
			return err
		case ctx.Err() != nil:
			return fmt.Errorf("the page does not answer; a script of it may be keeping it busy: %w", context.Cause(ctx))
		case p.opt.Earlier == nil:
		default:
			if d, open := p.opt.Earlier(); open {
				p.ask(func(o *owner) { o.earlierDialog(d) })
			}
		}
	}
}

// Woken says whether Open has loaded the page again; see [Options].Wake.
func (p *Page) Woken() bool { return p.woken.Load() }

// Close detaches from the tab and returns when the command is on its way to Chrome. Whoever waits for something in
// the page gets [ErrClosed].
func (p *Page) Close() {
	p.closing.Do(func() { p.mail.put(closePage{}) })
	<-p.stopped
}

type closePage struct{}

// Done returns a channel that is closed when the page can't be used any more; see [Page.Err].
func (p *Page) Done() <-chan struct{} { return p.done }

// Err returns nil until the page has ended, and then [ErrClosed] or an [*Ended].
func (p *Page) Err() error {
	select {
	case <-p.done:
		return p.err
	default:
		return nil
	}
}

// Dropped returns how many events have been dropped because too many waited in the queue.
func (p *Page) Dropped() uint64 { return p.mail.droppedRecords() }

// Pause waits for d. It ends early with the page or ctx, and returns the reason.
func (p *Page) Pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-p.done:
		return p.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// ask makes the owner run f soon. It does not wait for that.
func (p *Page) ask(f func(*owner)) { p.mail.put(f) }

// wait is a condition that a goroutine waits for.
type wait struct {
	met  func(*owner) (bool, error)
	done chan error // of capacity 1
}

// await waits until met returns true or an error, or until ctx or the page ends. The owner calls met at once and
// after each change. met must not block. It isn't called any more once await has returned, so both may use the same
// variables.
func (p *Page) await(ctx context.Context, met func(*owner) (bool, error)) error {
	w := &wait{met, make(chan error, 1)}
	p.ask(func(o *owner) { o.wait(w) })
	select {
	case err := <-w.done:
		return err
	case <-ctx.Done():
		left := make(chan struct{})
		p.ask(func(o *owner) {
			delete(o.waits, w)
			close(left)
		})
		select {
		case <-left:
		case <-p.done:
		}
		return context.Cause(ctx)
	case <-p.done:
		select {
		case err := <-w.done:
			return err
		default:
			return p.err
		}
	}
}
