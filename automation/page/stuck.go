package page

import (
	"context"
	"time"
)

// stuckProbe is how long a page may take to show that it works.
const stuckProbe = 300 * time.Millisecond

// Stuck says what keeps the page from working, or returns "" if nothing does. It is for calls that were given up, and
// probes the page for up to stuckProbe even if ctx has ended.
func (p *Page) Stuck(ctx context.Context) string {
	main, there := p.Main()
	if !there {
		return ""
	}
	ctx, cancel := context.WithTimeout(DespiteDialog(context.WithoutCancel(ctx)), stuckProbe)
	defer cancel()
	timer := make(chan error, 1)
	go func() {
		timer <- p.Evaluate(ctx, main.FrameRef, Bare, "() => new Promise(done => setTimeout(done))", nil, nil)
	}()
	at := p.Evaluate(ctx, main.FrameRef, Bare, "() => 1", nil, nil)
	later := <-timer
	switch _, dialog := p.Dialog(); {
	case p.Err() != nil:
		return ""
	case dialog:
		return "the page shows a dialog; answer it with handle_dialog"
	case at != nil && ctx.Err() != nil:
		return "the page does not answer: one of its scripts keeps it busy, or a navigation of it hangs; " +
			"navigate_page leaves it, close_page closes it"
	case at == nil && later != nil && ctx.Err() != nil:
		return "the page stands still, as the browser has frozen it; select_page with bringToFront wakes it"
	}
	return ""
}

// leaveAfter is how long a page may keep busy before a navigation stops its scripts.
const leaveAfter = 2 * time.Second

// freeToLeave stops scripts that keep the renderer busy, because the next document of the same site begins in the
// same renderer. It is called before the navigation begins, because from then on Chrome holds back commands to the
// renderer.
func (p *Page) freeToLeave(ctx context.Context) {
	main, there := p.Main()
	if _, dialog := p.Dialog(); dialog || !there {
		return
	}
	probe, cancel := context.WithTimeout(ctx, leaveAfter)
	defer cancel()
	err := p.Evaluate(probe, main.FrameRef, Bare, "() => 1", nil, nil)
	busy := err != nil && probe.Err() != nil && ctx.Err() == nil
	if _, dialog := p.Dialog(); busy && !dialog {
		p.Post("", "Runtime.terminateExecution", nil)
	}
}
