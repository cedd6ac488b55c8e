package automation

import (
	"context"
	"time"

	"webmcphub/automation/page"
)

// stuckProbe is how long a page may take to show that it works, when a call has been given up.
const stuckProbe = 300 * time.Millisecond

// stuck says what keeps the page of a call that was given up from answering, "" if nothing
// does or nobody has time to look.
func (r *Request) stuck(ctx context.Context) string {
	if r.opened == nil {
		return ""
	}
	main, there := r.opened.Main()
	if !there {
		return ""
	}
	ctx, cancel := context.WithTimeout(page.DespiteDialog(context.WithoutCancel(ctx)), stuckProbe)
	defer cancel()
	timer := make(chan error, 1)
	go func() {
		timer <- r.opened.Evaluate(ctx, main.FrameRef, page.Isolated, "() => new Promise(done => setTimeout(done))", nil, nil)
	}()
	at := r.opened.Evaluate(ctx, main.FrameRef, page.Isolated, "() => 1", nil, nil)
	later := <-timer
	switch _, dialog := r.opened.Dialog(); {
	case r.opened.Err() != nil:
		return ""
	case dialog:
		return ". The page shows a dialog; answer it with handle_dialog"
	case at != nil && ctx.Err() != nil:
		return ". The page does not answer: one of its scripts keeps it busy, or a navigation of it hangs"
	case at == nil && later != nil && ctx.Err() != nil:
		return ". The page stands still, as the browser has frozen it; select_page with bringToFront wakes it"
	}
	return ""
}
