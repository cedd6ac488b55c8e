package page

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"webmcphub/cdpclient"
)

// Options are fixed for the life of a [Page].
type Options struct {
	// Permits says which origins the hub may look into ("null" is an opaque one, ""
	// one that isn't known yet); nil permits all. The page's own goroutine calls it.
	Permits func(origin string) bool
	// Helper is a script that is run in each isolated world before anything else there.
	// A world that the back/forward cache restores gets it again, so it must not mind.
	Helper string
	// Hear are methods of events that Heard is called with, as by [Page.Subscribe] but
	// from before the domains are on: Chrome repeats then what it has kept of the time
	// before, console messages above all.
	Hear  []string
	Heard func(cdpclient.Event)
	// Gone is closed when the tab is; may be nil.
	Gone <-chan struct{}
	// Answered says that somebody else answers dialogs at once (the hub's policy for
	// dialogs). Calls wait for that, where otherwise they end with [*DialogOpen].
	Answered bool
	// Earlier says which dialog another session knows to be open in the tab, since one
	// that opened before a session was there is neither announced to it nor can it
	// answer it; nil if nobody knows. It may wait for a moment.
	Earlier func() (EarlierDialog, bool)
	// Wake is what becomes of a page that has no process when it is opened: Chrome has discarded it
	// to save memory, or it has crashed.
	Wake Wake
	// Log may be nil.
	Log *slog.Logger
}

// Wake is what becomes of a page without a process.
type Wake int

const (
	// Stays has it be an error as after a crash.
	Stays Wake = iota
	// Reloads has it loaded again.
	Reloads
	// Leaves has it left for an empty page: one that crashes when it is loaded would do so for ever.
	Leaves
)

// Page is a tab that automation uses. Its methods may be called from any goroutine,
// but not from handlers of [Page.Subscribe], except Frames, Dialog, Done, Err, Dropped,
// Subscribe and Release.
type Page struct {
	conn   *cdpclient.Conn
	target string
	opt    Options

	mail    *mailbox
	view    atomic.Pointer[view]
	woken   atomic.Bool
	done    chan struct{}
	err     error // written before done is closed
	stopped chan struct{}
	closing sync.Once
}

// slowFrame is how long [Open] waits for out-of-process iframes that don't answer
// when the page itself has.
const slowFrame = 2 * time.Second

// Open attaches to a target and returns when its page has answered and its frames are
// known. A page that doesn't answer before ctx ends is an error, unless a dialog keeps
// it from that. Close the page when done.
func Open(ctx context.Context, conn *cdpclient.Conn, target string, o Options) (*Page, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	p := &Page{conn: conn, target: target, opt: o, mail: newMailbox(), done: make(chan struct{}),
		stopped: make(chan struct{})}
	p.view.Store(&view{})

	var browser, tab cdpclient.SessionParams
	if err := conn.Call(ctx, "", cdpclient.TargetAttachToBrowser, nil, &browser); err != nil {
		return nil, fmt.Errorf("reach the browser of the tab: %w", err)
	}
	conn.Attach(browser.SessionID, p.mail.inbox)
	err := conn.Call(ctx, browser.SessionID, cdpclient.TargetAttachToTarget,
		map[string]any{"targetId": target, "flatten": true}, &tab)
	if err != nil {
		conn.Detach(browser.SessionID)
		conn.Post("", cdpclient.TargetDetachFromTarget, browser, nil)
		return nil, fmt.Errorf("attach to the tab: %w", err)
	}
	conn.Attach(tab.SessionID, p.mail.inbox)
	own := newOwner(p, browser.SessionID, tab.SessionID)
	go own.run()

	if err := p.answers(ctx); err != nil {
		p.Close()
		return nil, err
	}
	if _, open := p.Dialog(); open { // the rest follows when it is closed
		return p, nil
	}
	some, cancel := context.WithTimeout(ctx, slowFrame)
	defer cancel()
	if p.await(some, (*owner).allReady) != nil { // a frame that hangs is no reason to do without the others
		p.ask(func(o *owner) {
			for _, s := range o.sessions {
				if s.asked > 0 {
					o.isLate(s)
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

// silence is how long a page may take to answer before [Open] asks whether a dialog that
// was there before keeps it from that.
const silence = 300 * time.Millisecond

// answers waits until the page has, or is known to show a dialog.
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

// Woken says that the page was loaded again when it was opened; see [Options].Wake.
func (p *Page) Woken() bool { return p.woken.Load() }

// Target is the tab's target id.
func (p *Page) Target() string { return p.target }

// Close detaches from the tab and returns when that is on its way to Chrome. Whoever
// waits for the page gets [ErrClosed].
func (p *Page) Close() {
	p.closing.Do(func() { p.mail.put(closePage{}) })
	<-p.stopped
}

type closePage struct{}

// Done is closed when the page can't be used any more; see [Page.Err].
func (p *Page) Done() <-chan struct{} { return p.done }

// Err is nil until the page has ended. Then it is [ErrClosed] or an [*Ended].
func (p *Page) Err() error {
	select {
	case <-p.done:
		return p.err
	default:
		return nil
	}
}

// Dropped is how many events were dropped so far, because too many waited.
func (p *Page) Dropped() uint64 { return p.mail.droppedRecords() }

// ask has the owner run f soon. It does not wait.
func (p *Page) ask(f func(*owner)) { p.mail.put(f) }

// wait is a condition that somebody waits for.
type wait struct {
	met  func(*owner) (bool, error)
	done chan error // of capacity 1
}

// await waits until met is, which the owner asks now and after each change, or until
// ctx or the page ends. met must not block; once await has returned, it isn't called
// any more, so that both may write and read the same variables.
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
