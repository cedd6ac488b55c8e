package page

import "context"

// InitScript makes new documents run a script before their own scripts, until remove is called. If the page doesn't
// answer before ctx ends, InitScript returns an error, and the script is removed once the page answers.
func (p *Page) InitScript(ctx context.Context, source string) (remove func(), err error) {
	sent := p.Send(ctx, "", "Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": source})
	var is struct {
		ID string `json:"identifier"`
	}
	end := func() { p.Post("", "Page.removeScriptToEvaluateOnNewDocument", map[string]any{"identifier": is.ID}) }
	added := make(chan error, 1)
	go func() { added <- sent.Wait(context.WithoutCancel(ctx), &is) }() // ends at the latest when the page ends
	select {
	case err := <-added:
		return end, err
	case <-ctx.Done():
		p.ask(func(o *owner) { o.late++ })
		go func() {
			if <-added == nil {
				_ = p.Call(DespiteDialog(context.WithoutCancel(ctx)), "", "Page.removeScriptToEvaluateOnNewDocument",
					map[string]any{"identifier": is.ID}, nil)
			}
			p.ask(func(o *owner) { o.late-- })
		}()
		return nil, context.Cause(ctx)
	}
}

// AwaitScriptRemovals waits a moment until scripts of failed calls of [Page.InitScript] have been removed, so that the
// next document doesn't get them. It doesn't wait longer if the page is still stuck.
func (p *Page) AwaitScriptRemovals(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, stuckProbe)
	defer cancel()
	_ = p.await(ctx, func(o *owner) (bool, error) { return o.late == 0, nil })
}
