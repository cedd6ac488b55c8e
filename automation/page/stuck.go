package page

import (
	"context"
	"time"
)

// stuckProbe is how long a page may take to show that it works.
const stuckProbe = 300 * time.Millisecond

// Stuck says what keeps the page from working, "" if nothing does. It is for calls that have
// been given up, and looks for a moment even if ctx has ended.
func (p *Page) Stuck(ctx context.Context) string {
	main, there := p.Main()
	if !there {
		return ""
	}
	ctx, cancel := context.WithTimeout(DespiteDialog(context.WithoutCancel(ctx)), stuckProbe)
	defer cancel()
	timer := make(chan error, 1)
	go func() {
		timer <- p.Evaluate(ctx, main.FrameRef, Isolated, "() => new Promise(done => setTimeout(done))", nil, nil)
	}()
	at := p.Evaluate(ctx, main.FrameRef, Isolated, "() => 1", nil, nil)
	later := <-timer
	switch _, dialog := p.Dialog(); {
	case p.Err() != nil:
		return ""
	case dialog:
		return "the page shows a dialog; answer it with handle_dialog"
	case at != nil && ctx.Err() != nil:
		return "the page does not answer: one of its scripts keeps it busy, or a navigation of it hangs"
	case at == nil && later != nil && ctx.Err() != nil:
		return "the page stands still, as the browser has frozen it; select_page with bringToFront wakes it"
	}
	return ""
}

// InitScript has new documents run a script before their own, until remove is called. If the
// page doesn't answer before ctx ends, the script is removed once it does.
func (p *Page) InitScript(ctx context.Context, source string) (remove func(), err error) {
	sent := p.Send(ctx, "", "Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": source})
	var is struct {
		ID string `json:"identifier"`
	}
	end := func() { p.Post("", "Page.removeScriptToEvaluateOnNewDocument", map[string]any{"identifier": is.ID}) }
	added := make(chan error, 1)
	go func() { added <- sent.Wait(context.WithoutCancel(ctx), &is) }() // ends with the page
	select {
	case err := <-added:
		return end, err
	case <-ctx.Done():
		p.ask(func(o *owner) { o.late++ })
		go func() {
			if <-added == nil {
				_ = p.Call(DespiteDialog(context.WithoutCancel(ctx)), "", "Page.removeScriptToEvaluateOnNewDocument", map[string]any{"identifier": is.ID}, nil)
			}
			p.ask(func(o *owner) { o.late-- })
		}()
		return nil, context.Cause(ctx)
	}
}

// Tidied waits a moment until scripts are removed whose [Page.InitScript] was given up, so
// that the next document doesn't get them. A page that is still stuck isn't waited for.
func (p *Page) Tidied(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, stuckProbe)
	defer cancel()
	_ = p.await(ctx, func(o *owner) (bool, error) { return o.late == 0, nil })
}
