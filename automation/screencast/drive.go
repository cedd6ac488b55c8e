package screencast

import (
	"context"
	"errors"
	"time"

	"webmcphub/automation/page"
	"webmcphub/registry"
)

// driveTime bounds how long the page may take to accept input.
const driveTime = 10 * time.Second

// Reasons why input is not carried out.
var (
	errNotYours = errors.New("this tab is not yours now: take it over first")
	errEarlier  = errors.New("the tab shows another page by now: what you did last was meant for the one before, " +
		"and was left out")
	errNoPicture = errors.New("there was no picture of the page yet: what you did was left out")
)

// Drive carries out what a person does in the picture. raw is a list of events, as JSON. If Drive returns no error,
// all of them were carried out; otherwise the error says why not. An event that opens a dialog counts as carried out.
// Events that were meant for an earlier document of the tab are left out; see [View].Document.
func (s *Screen) Drive(ctx context.Context, raw []byte) error {
	all, err := decode(raw)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, driveTime, errors.New("the page doesn't take the input: a script of "+
		"it may be keeping it busy"))
	defer cancel()
	select {
	case s.driving <- struct{}{}:
		defer func() { <-s.driving }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	s.mu.Lock()
	mentioned := s.caption.dialog // the person hasn't seen a dialog that opens later
	s.mu.Unlock()
	var left error
	for i, e := range all {
		s.mu.Lock()
		h, shown := s.held, s.shown
		var p *page.Page
		if h != nil {
			p = h.page
		}
		s.mu.Unlock()
		if p == nil {
			return errNotYours
		}
		select {
		case h.touched <- struct{}{}:
		default:
		}
		if why := s.asks(ctx); why != "" {
			s.owe(h, all[i:]...)
			return errors.New(why)
		}
		if d, open := p.Dialog(); open {
			err = s.answer(ctx, h, p, d, mentioned, e)
		} else {
			s.lift(h, p)
			err = s.act(ctx, h, p, shown, e)
		}
		if open := new(page.DialogOpen); errors.As(err, &open) && open.Opened {
			continue // the event was carried out
		}
		if errors.Is(err, errEarlier) || errors.Is(err, errNoPicture) {
			left = err
			continue
		}
		if err != nil {
			s.owe(h, all[i+1:]...)
			return err
		}
	}
	return left
}

// input sends one command for an event. It doesn't if the tab now shows something that may not be operated, or
// another document than the person saw. This is checked at the moment of sending.
func (s *Screen) input(ctx context.Context, p *page.Page, e event, method string, params any) error {
	may := func(frames []page.Frame) error {
		if why := s.keptOut(); why != "" {
			return errors.New(why)
		}
		if e.Document == "" {
			s.wake() // a new view may be able to name the document by now
			return errNoPicture
		}
		if len(frames) == 0 || frames[0].Loader != e.Document {
			return errEarlier
		}
		return nil
	}
	return p.SendIf(ctx, may, "", page.Command{Method: method, Params: params})[0].Wait(ctx, nil)
}

// act carries out one event while no dialog is open.
func (s *Screen) act(ctx context.Context, h *hold, p *page.Page, shown geometry, e event) error {
	switch e.Kind {
	case "text":
		return s.input(ctx, p, e, "Input.insertText", map[string]any{"text": e.Text})
	case "key":
		for _, event := range e.chord().Events(1, s.options.Mac) {
			if err := s.input(ctx, p, e, "Input.dispatchKeyEvent", event); err != nil {
				return err
			}
		}
		return nil
	}
	at, in := shown.at(e.X, e.Y)
	s.mu.Lock()
	if !in {
		at = h.at
	}
	pressed := h.pressed
	switch h.at = at; {
	case e.Kind == "down" && in:
		h.pressed |= buttons[e.Button]
	case e.Kind == "up":
		h.pressed &^= buttons[e.Button]
	}
	s.mu.Unlock()
	if !in && e.Kind != "up" {
		return nil
	}
	err := s.input(ctx, p, e, "Input.dispatchMouseEvent", e.mouse(at, pressed))
	if open := new(page.DialogOpen); e.Kind == "down" && err != nil && !(errors.As(err, &open) && open.Opened) &&
		ctx.Err() == nil {
		s.mu.Lock()
		h.pressed = pressed
		s.mu.Unlock()
	}
	return err
}

// answer answers a dialog if the event is a key that answers it, and if a view has mentioned the dialog to the
// person. If the person releases a mouse button now, answer releases it in the page after the dialog has closed.
func (s *Screen) answer(ctx context.Context, h *hold, p *page.Page, d page.Dialog, mentioned int, e event) error {
	s.owe(h, e)
	if seen, open := s.page.Dialog(); !open || seen.Number != mentioned || e.Kind != "key" || e.Key != "Enter" &&
		e.Key != "Escape" {
		return nil
	}
	_, err := p.HandleDialog(page.DespiteDialog(ctx), d.Number, e.Key == "Enter", d.Default)
	if err == nil {
		s.lift(h, p)
	}
	return err
}

// sentence turns an error into a sentence for the person; "" if the error doesn't matter.
func sentence(err error) string {
	if err == nil || errors.Is(err, context.Canceled) {
		return ""
	}
	return registry.Sentence(err.Error())
}
