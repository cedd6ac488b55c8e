package input

import (
	"context"
	"errors"
	"slices"
	"time"

	"webmcphub/automation/page"
)

// effects tracks what happens in a page from the moment when an action begins.
type effects struct {
	page  *page.Page
	watch *page.Watch
	main  string
	frame string // the element's frame, or else the main one
	// answered is the number of the first dialog that counts. Earlier dialogs have been answered.
	answered int
	// loads are the ids of the frames whose requests count. earlier is how many of these requests each frame had
	// begun when the action began.
	loads   []string
	earlier map[string]int
	// unawaited says that settle doesn't wait for requests.
	unawaited bool
}

// begins marks the moment from which on the action counts as the cause of what happens, unless it was marked before.
func (f *effects) begins() {
	if f.earlier == nil {
		f.earlier = f.watch.Seen().Begun
	}
}

func (t *Tab) watch(frame string) *effects {
	f := &effects{page: t.page, watch: t.page.Watch(), frame: frame}
	if m, ok := t.page.Main(); ok {
		f.main = m.ID
	}
	if f.frame == "" {
		f.frame = f.main
	}
	f.loads = []string{f.main, f.frame}
	return f
}

// Effects calls do, for example to run a script in a frame, and reports what do began: the next documents of the main
// frame and of that frame, for which it waits as after an action, and windows. Effects doesn't take the turn for
// actions. The error is the one that do returned.
func (t *Tab) Effects(ctx context.Context, frame string, do func() error) (*Outcome, error) {
	f := t.watch(frame)
	defer f.close()
	f.unawaited = true // a script itself waits for the answers that it needs
	if err := do(); err != nil {
		return nil, err
	}
	for _, d := range f.watch.Seen().Dialogs {
		f.answered = max(f.answered, d.Number+1)
	}
	if d, open := t.page.Dialog(); open {
		f.answered = d.Number
	}
	out := &Outcome{}
	return out, f.settle(ctx, out)
}

func (f *effects) close() { f.watch.Close() }

// ours says whether a navigation is one for which the action waits.
func (f *effects) ours(n page.Navigation) bool { return n.Frame == f.main || n.Frame == f.frame }

// errNavigates says that a navigation of the page has begun.
var errNavigates = errors.New("the page is on its way to another document")

// unlessNavigating returns a context that ends with errNavigates when a navigation begins. From then until the next
// document comes, Chrome doesn't answer commands to the page.
func (f *effects) unlessNavigating(ctx context.Context) (in context.Context, stop func()) {
	in, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		err := f.watch.Wait(in, func(h page.Happened) bool {
			return slices.ContainsFunc(h.Navigations, func(n page.Navigation) bool {
				return f.ours(n) && n.Started &&
					!n.Over()
			})
		})
		if err == nil {
			cancel(errNavigates)
		}
	}()
	return in, func() {
		cancel(nil)
		<-done
	}
}

const (
	// unstarted is how long a navigation that was requested may take to begin. A navigation to another program
	// (mailto:) never begins.
	unstarted = time.Second
	// unopened is how long a window that was requested may take to open.
	unopened = 300 * time.Millisecond
	// unanswered is how long the requests that an action begins may take.
	unanswered = 3 * time.Second
)

// settle waits for what an action began and records it in out: the next documents of the main frame and of the
// element's frame, and windows and requests.
func (f *effects) settle(ctx context.Context, out *Outcome) error {
	before := f.answered
	if out.Dialog != nil {
		before = out.Dialog.Number
	}
	dialog := asks(before)
	every := func(h page.Happened, is func(page.Navigation) bool) bool {
		return dialog(h) || !slices.ContainsFunc(h.Navigations,
			func(n page.Navigation) bool { return f.ours(n) && !n.Over() && !is(n) })
	}
	err := f.wait(ctx, unstarted, func(h page.Happened) bool {
		return every(h, func(n page.Navigation) bool { return n.Started })
	})
	if err == nil {
		err = f.wait(ctx, navigationWait, func(h page.Happened) bool {
			return every(h, func(n page.Navigation) bool { return n.Committed || !n.Started })
		})
	}
	if err == nil {
		err = f.wait(ctx, unopened,
			func(h page.Happened) bool { return dialog(h) || len(h.Popups) >= h.Windows })
	}
	if err == nil && !f.unawaited {
		err = f.answers(ctx, dialog, out)
	}
	if err != nil {
		return err
	}
	seen := f.watch.Seen()
	out.Popups, out.Downloads = seen.Popups, seen.Downloads
	if d, open := f.page.Dialog(); open && out.Dialog == nil {
		out.Dialog = &d
	}
	out.Navigation = f.navigation(ctx, seen)
	return nil
}

// asks says whether a dialog with at least the given number has opened. The caller answers it, and nothing else
// happens before that.
func asks(number int) func(page.Happened) bool {
	return func(h page.Happened) bool {
		return slices.ContainsFunc(h.Dialogs, func(d page.Dialog) bool { return d.Number >= number })
	}
}

// answers waits until the requests that the action began are complete, and those that their answers began, and until
// the page had a turn to show the result. Requests of other frames don't count. If the document is being left,
// answers doesn't wait.
func (f *effects) answers(ctx context.Context, dialog func(page.Happened) bool, out *Outcome) error {
	in, cancel := context.WithTimeout(ctx, unanswered)
	defer cancel()
	pending := func(h page.Happened) (n int) {
		leaves := slices.ContainsFunc(h.Navigations, func(n page.Navigation) bool {
			return f.ours(n) && !n.Within &&
				n.Failed == ""
		})
		if leaves || dialog(h) {
			return 0
		}
		for _, r := range h.Requests {
			if slices.Contains(f.loads, r.Frame) && r.Number > f.earlier[r.Frame] {
				n++
			}
		}
		return n
	}
	begun := func(h page.Happened) (n int) {
		for frame, number := range h.Begun {
			if slices.Contains(f.loads, frame) {
				n += number - f.earlier[frame]
			}
		}
		return n
	}
	for seen := 0; ; {
		err := f.watch.Wait(in, func(h page.Happened) bool { return pending(h) == 0 })
		if err != nil && (ctx.Err() != nil || f.page.Err() != nil) {
			return err
		}
		h := f.watch.Seen()
		if out.Pending = pending(h); err != nil || begun(h) == seen || dialog(h) {
			return nil
		}
		seen = begun(h)
		f.runTasks(in)
	}
}

// runTasks gives the page time to run tasks that it has scheduled with setTimeout.
func (f *effects) runTasks(ctx context.Context) {
	ctx, stop := f.unlessNavigating(ctx)
	defer stop()
	if frame, there := page.FrameByID(f.page.Frames(), f.frame); there {
		_ = f.page.Evaluate(ctx, frame.FrameRef, page.Bare, "() => new Promise(done => setTimeout(() => "+
			"setTimeout(done)))", nil, nil)
	}
}

// wait waits until enough returns true, for most at most. A timeout is no error.
func (f *effects) wait(ctx context.Context, most time.Duration, enough func(page.Happened) bool) error {
	in, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	err := f.watch.Wait(in, enough)
	if err != nil && ctx.Err() == nil && f.page.Err() == nil {
		return nil
	}
	return err
}

// navigation returns the last navigation that counts, once the DOM of its document is there.
func (f *effects) navigation(ctx context.Context, seen page.Happened) *Navigation {
	var last *page.Navigation
	for i, n := range seen.Navigations {
		counts := n.Within || n.Committed || n.Started && n.Failed == "" && !n.Stopped
		if f.ours(n) && counts && (last == nil || !n.Within || last.Within) {
			last = &seen.Navigations[i]
		}
	}
	if last == nil {
		return nil
	}
	n := &Navigation{URL: last.URL, Within: last.Within, Ready: last.Within || last.Loaded, Failed: last.Failed}
	if last.Frame != f.main {
		n.Frame = last.Frame
	}
	if !n.Ready && last.Committed {
		in, cancel := context.WithTimeout(ctx, navigationWait)
		defer cancel()
		const there = "() => document.readyState !== 'loading' || new Promise(done => " +
			"addEventListener('DOMContentLoaded', () => done(true), { once: true }))"
		n.Ready = f.page.Evaluate(in, page.FrameRef{ID: last.Frame, Loader: last.Loader}, page.Bare, there, nil,
			nil) == nil
	}
	return n
}
