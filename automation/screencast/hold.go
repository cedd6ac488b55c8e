package screencast

import (
	"context"
	"errors"
	"fmt"
	"time"

	"webmcphub/automation/page"
)

// Idle is how long a tab is a person's who does nothing with it.
const Idle = 2 * time.Minute

const (
	// operateTime is how long it may take to have the page that agents operate.
	operateTime = 10 * time.Second
	// focusTime is how long a person waits for the page to have the focus. One with an open
	// dialog says nothing to that; the person may want to answer the dialog.
	focusTime = time.Second
)

// hold is a tab that a person has taken over, or is about to.
type hold struct {
	end     context.CancelCauseFunc
	touched chan struct{} // filled at each input

	// The Screen's lock guards these.
	page    *page.Page // nil until it is the person's turn
	at      point      // of the mouse
	pressed int        // buttons that are down
	owed    int        // those of them that the person let go while the page didn't get it, as during a dialog
}

// Why a tab is a person's no longer.
var (
	errGivenBack = errors.New("you gave the tab back. Agents can go on")
	errIdle      = fmt.Errorf("the tab was given back, as you did nothing with it for %.0f minutes. Agents can go on",
		Idle.Minutes())
	errStopped = errors.New("taking the tab over was stopped on the live page. Agents can go on")
)

// TakeOver has the tab be the person's once an action of an agent that is going on has ended, and
// calls over when it is theirs no longer; agents' input that waited may go on before. It doesn't wait:
// see [View].State. It is false where that has begun already, or the Screen has ended: over isn't
// called then.
func (s *Screen) TakeOver(over func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held != nil || s.ctx.Err() != nil {
		return false
	}
	ctx, end := context.WithCancelCause(s.ctx)
	h := &hold{end: end, touched: make(chan struct{}, 1)}
	s.held, s.told.note = h, ""
	s.wake()
	s.running.Go(func() {
		err := s.holds(ctx, h)
		end(nil)
		over()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.held, s.told.note = nil, sentence(err)
		s.wake()
	})
	return true
}

// GiveBack ends what TakeOver began.
func (s *Screen) GiveBack() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held != nil {
		s.held.end(errGivenBack)
	}
}

// holds has the tab be the person's, and returns why it is no longer.
func (s *Screen) holds(ctx context.Context, h *hold) error {
	p := s.page
	if s.options.Operate != nil {
		some, cancel := context.WithTimeoutCause(ctx, operateTime, errors.New("the page doesn't answer: a script of "+
			"it may be keeping it busy. Try again later"))
		theirs, release, err := s.options.Operate(some)
		cancel()
		if err != nil {
			return err
		}
		defer release()
		p = theirs
	}
	release, err := p.TakeOver(ctx)
	if err != nil {
		return err
	}
	defer release()
	if s.options.Held != nil {
		defer s.options.Held(func() { h.end(errStopped) })()
	}
	s.mu.Lock()
	h.page = p
	s.mu.Unlock()
	s.wake()
	defer s.letGo(h)
	some, cancel := context.WithTimeout(page.DespiteDialog(ctx), focusTime)
	_ = p.Setup(some, "Emulation.setFocusEmulationEnabled", map[string]any{"enabled": true}) // a busy page gets it before all input
	cancel()
	return keep(ctx, h.touched, p.Done(), p.Err)
}

// keep waits until a tab is a person's no longer: they have given it back, or done nothing for
// [Idle], or it is gone.
func keep(ctx context.Context, touched <-chan struct{}, gone <-chan struct{}, why func() error) error {
	idle := time.NewTimer(Idle)
	defer idle.Stop()
	for {
		select {
		case <-touched:
			idle.Reset(Idle)
		case <-idle.C:
			return errIdle
		case <-gone:
			return why()
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// letGo waits for the input that is under way, and leaves no button down.
func (s *Screen) letGo(h *hold) {
	s.driving <- struct{}{}
	defer func() { <-s.driving }()
	s.mu.Lock()
	p := h.page
	h.page = nil
	h.owed = h.pressed
	s.mu.Unlock()
	s.lift(h, p)
}

// owe notes which buttons the person lets go by events that the page doesn't get now.
func (s *Screen) owe(h *hold, left ...event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range left {
		if e.Kind == "up" {
			h.owed |= h.pressed & buttons[e.Button]
		}
	}
}

// lift lets go of the buttons that the person holds no longer, though the page has not heard of it.
func (s *Screen) lift(h *hold, p *page.Page) {
	s.mu.Lock()
	at, pressed, owed := h.at, h.pressed, h.owed
	h.pressed, h.owed = pressed&^owed, 0
	s.mu.Unlock()
	for name, bit := range buttons {
		if owed&bit != 0 {
			p.Post("", "Input.dispatchMouseEvent", event{Kind: "up", Button: name}.mouse(at, pressed))
			pressed &^= bit
		}
	}
}
