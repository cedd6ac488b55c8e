package screencast

import (
	"context"
	"errors"
	"fmt"
	"time"

	"webmcphub/automation/page"
)

// Idle is how long a person keeps a tab without doing anything in it.
const Idle = 2 * time.Minute

const (
	// operateTime bounds the wait for [Options].Operate.
	operateTime = 10 * time.Second
	// focusTime bounds the wait for the page's focus emulation. A page with an open dialog doesn't answer that, and
	// the person may want to answer the dialog.
	focusTime = time.Second
)

// hold is a tab that a person has taken over or is about to take over.
type hold struct {
	end     context.CancelCauseFunc
	touched chan struct{} // filled at each input

	// The Screen's lock guards these.
	page    *page.Page // nil until the person has the turn
	at      point      // the mouse's position
	pressed int        // buttons that are down
	unsent  int        // those of them that the person released while the page couldn't get it, as during a dialog
}

// Reasons why a person's takeover has ended.
var (
	errGivenBack = errors.New("you gave the tab back. Agents can go on")
	errIdle      = fmt.Errorf("the tab was given back, as you did nothing with it for %.0f minutes. Agents can go on",
		Idle.Minutes())
	errStopped = errors.New("taking the tab over was stopped on the live page. Agents can go on")
)

// TakeOver gives the tab to the person once the running action of an agent has ended. It doesn't wait for that: see
// [View].State. Agents' input that already waits may come first. over is called when the person no longer has the
// tab. TakeOver returns false, and doesn't call over, if a takeover has begun already or the Screen has ended.
func (s *Screen) TakeOver(over func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held != nil || s.ctx.Err() != nil {
		return false
	}
	ctx, end := context.WithCancelCause(s.ctx)
	h := &hold{end: end, touched: make(chan struct{}, 1)}
	s.held, s.caption.note = h, ""
	s.wake()
	s.running.Go(func() {
		err := s.holds(ctx, h)
		end(nil)
		over()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.held, s.caption.note = nil, sentence(err)
		s.wake()
	})
	return true
}

// GiveBack ends the takeover.
func (s *Screen) GiveBack() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held != nil {
		s.held.end(errGivenBack)
	}
}

// holds keeps the tab for the person, and returns the reason why that has ended.
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
	// A page that is too busy to answer gets this before any input.
	_ = p.EmulateFocus(some)
	cancel()
	return keep(ctx, h.touched, p.Done(), p.Err)
}

// keep waits until the takeover ends: the person has given the tab back, or done nothing for [Idle], or the tab is
// gone.
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

// letGo waits for input that is under way and releases all mouse buttons.
func (s *Screen) letGo(h *hold) {
	s.driving <- struct{}{}
	defer func() { <-s.driving }()
	s.mu.Lock()
	p := h.page
	h.page = nil
	h.unsent = h.pressed
	s.mu.Unlock()
	s.lift(h, p)
}

// owe records which buttons the person releases by events that the page doesn't get now.
func (s *Screen) owe(h *hold, left ...event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range left {
		if e.Kind == "up" {
			h.unsent |= h.pressed & buttons[e.Button]
		}
	}
}

// lift releases the buttons in the page that the person has released while the page didn't get it.
func (s *Screen) lift(h *hold, p *page.Page) {
	s.mu.Lock()
	at, pressed, unsent := h.at, h.pressed, h.unsent
	h.pressed, h.unsent = pressed&^unsent, 0
	s.mu.Unlock()
	for name, bit := range buttons {
		if unsent&bit != 0 {
			p.Post("", "Input.dispatchMouseEvent", event{Kind: "up", Button: name}.mouse(at, pressed))
			pressed &^= bit
		}
	}
}
