package input

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"webmcphub/automation/page"
	"webmcphub/registry/names"
)

// shield makes the mouse pass through the frames beside an element's, to the document around them. That document's
// guard then sees events that hit these frames. So no event for the element arrives in another document, even if a
// frame slides over the element. shield waits only until the frames' elements are known.
func (t *Tab) shield(ctx context.Context, e *element, guard int) error {
	if err := t.findBeside(ctx, e, e.documents()); err != nil {
		return err
	}
	anyway, frames := page.DespiteDialog(ctx), t.page.Frames()
	for _, s := range e.beside {
		t.ask(anyway, s.In.Session, s.Object, "shield", map[string]any{"number": guard, "must": !s.Inner.Permitted ||
			t.page.CheckDocument(frames, s.Inner) != nil})
	}
	return nil
}

// findBeside finds the elements of frames that are in the documents of chain but not part of chain, unless they are
// known already.
func (t *Tab) findBeside(ctx context.Context, e *element, chain []page.Frame) error {
	var missing []*page.FrameElement
	frames := t.page.Frames()
	for _, f := range frames {
		known := func(s *page.FrameElement) bool { return s.Inner.ID == f.ID }
		in := slices.IndexFunc(chain, func(c page.Frame) bool { return c.ID == f.Parent })
		if in < 0 || slices.ContainsFunc(chain, func(c page.Frame) bool { return c.ID == f.ID }) ||
			slices.ContainsFunc(e.beside, known) {
			continue
		}
		missing = append(missing, &page.FrameElement{In: chain[in], Inner: f})
	}
	found, err := t.owners(ctx, missing)
	e.beside = append(e.beside, found...)
	return err
}

// maxAtOnce bounds how many frames are asked about at the same time.
const maxAtOnce = 16

// owners finds the elements of frames, of several at the same time. It leaves out frames that are gone. It returns an
// error if the element of a frame that is kept out can't be found.
func (t *Tab) owners(ctx context.Context, of []*page.FrameElement) (found []*page.FrameElement, err error) {
	var group sync.WaitGroup
	errs, slots := make([]error, len(of)), make(chan struct{}, maxAtOnce)
	for i, s := range of {
		slots <- struct{}{}
		group.Go(func() {
			errs[i] = t.page.FindElement(ctx, s)
			<-slots
		})
	}
	group.Wait()
	for i, s := range of {
		switch e := errs[i]; {
		case e == nil:
			found = append(found, s)
		case page.IsGone(e):
		case s.Inner.Permitted:
		case err == nil && slices.ContainsFunc(t.page.Frames(),
			func(f page.Frame) bool { return f.FrameRef == s.Inner.FrameRef }):
			err = fmt.Errorf("nothing was done: a frame of %s, which is %s, could not be shielded: %w", s.Inner.Origin,
				names.ByRules, e)
		}
	}
	return found, err
}
