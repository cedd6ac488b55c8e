package input

import (
	"context"
	"fmt"
	"time"
	"unicode/utf8"

	"webmcphub/automation/input/keys"
	"webmcphub/automation/page"
)

// Modifiers are a set of held modifier keys.
type Modifiers = keys.Modifiers

// The modifiers.
const (
	Alt     = keys.Alt
	Control = keys.Control
	Meta    = keys.Meta
	Shift   = keys.Shift
)

// keyEvent is a command to the tab's keyboard. Chrome gives it to whatever has the focus.
type keyEvent struct {
	Type       string    `json:"type"`
	Modifiers  Modifiers `json:"modifiers"`
	Code       string    `json:"code,omitempty"`
	Key        string    `json:"key"`
	Text       string    `json:"text,omitempty"`
	Unmodified string    `json:"unmodifiedText,omitempty"`
	VK         int       `json:"windowsVirtualKeyCode,omitempty"`
	Location   int       `json:"location,omitempty"`
	Keypad     bool      `json:"isKeypad,omitempty"`
	Repeat     bool      `json:"autoRepeat,omitempty"`
	Commands   []string  `json:"commands,omitempty"`
}

// PressOptions say where a key is pressed and how often.
type PressOptions struct {
	Node *Node // gets the focus first; else the key goes to whatever has it
	// In, without Node, is the only document that the key may go to; nil is any.
	In     *page.FrameRef
	Repeat int // how often; 0 is once
	Limits Limits
}

// maxRepeat bounds how often a key is pressed, and how many characters are typed, in one action.
const (
	maxRepeat = 1000
	maxTyped  = 20000
)

// Press presses a key or a chord, as [keys.Parse] reads it.
func (t *Tab) Press(ctx context.Context, chord string, o PressOptions) (*Outcome, error) {
	c, err := keys.Parse(chord, t.mac)
	if err != nil {
		return nil, err
	}
	if o.Repeat < 0 || o.Repeat > maxRepeat {
		return nil, fmt.Errorf("a key can be pressed 1 to %d times, not %d", maxRepeat, o.Repeat)
	}
	o.Limits.work = time.Duration(o.Repeat) * perKey
	return t.withFocus(ctx, o.Node, o.Limits, func(ctx context.Context) error {
		if o.Node == nil && o.In != nil {
			return t.keysIn(ctx, *o.In, c, max(o.Repeat, 1))
		}
		return t.keys(ctx, c, max(o.Repeat, 1))
	})
}

// TypeOptions say where to type.
type TypeOptions struct {
	Node   *Node // gets the focus first, the caret behind what it holds; else the focus stays
	Limits Limits
}

// Type types a text key by key, as far as there are keys for it. Line breaks are Enter.
func (t *Tab) Type(ctx context.Context, text string, o TypeOptions) (*Outcome, error) {
	if n := utf8.RuneCountInString(text); n > maxTyped {
		return nil, fmt.Errorf("%d characters are too many to type key by key (%d at most): use fill", n, maxTyped)
	}
	o.Limits.work = time.Duration(len(text)) * perKey
	return t.withFocus(ctx, o.Node, o.Limits, func(ctx context.Context) error { return t.typeText(ctx, text) })
}

// withFocus has the turn, gives a node the focus if there is one, and acts.
func (t *Tab) withFocus(ctx context.Context, n *Node, l Limits, act func(context.Context) error) (*Outcome, error) {
	out := &Outcome{}
	acted := func(ctx context.Context) error {
		err := act(ctx)
		out.Delivered = went(err)
		return err
	}
	finish := func(err error) (*Outcome, error) {
		if dialog := opened(err); dialog != nil {
			out.Dialog, err = dialog, nil
		}
		if err != nil {
			return nil, err
		}
		return out, nil
	}
	if n != nil {
		return t.on(ctx, *n, l, func(ctx context.Context, e *element) (*Outcome, error) {
			err := t.ready(ctx, e, needs{}, l, func() (Observation, error) {
				var is seen
				if err := e.call(ctx, &is, "toEnd"); err != nil || is.State != Ready {
					return Observation{State: is.State, By: is.By}, err
				}
				return Observation{State: Arrived}, acted(ctx)
			})
			t.turnOver(ctx, e.effects, err)
			return finish(err)
		})
	}
	release, err := t.turn(ctx, l)
	if err != nil {
		return nil, err
	}
	defer release()
	fx := t.watch("")
	defer fx.close()
	bounded, cancel := context.WithTimeoutCause(ctx, l.whole(), ErrBusy)
	defer cancel()
	err = page.Act(ctx, func() error { return acted(bounded) })
	t.turnOver(bounded, fx, err)
	if _, err := finish(err); err != nil {
		return nil, err
	}
	return out, fx.settle(ctx, l.navigation(), out)
}

// turnOver gives the page one turn after an action, in which it does what it put off.
func (t *Tab) turnOver(ctx context.Context, fx *effects, err error) {
	ctx, stop := fx.unlessNavigating(ctx)
	defer stop()
	if main, ok := t.page.Main(); ok && err == nil {
		_ = t.page.Evaluate(ctx, main.FrameRef, page.Isolated, "() => new Promise(done => setTimeout(done))", nil, nil)
	}
}

// keys presses a chord some times. All of it is sent together, so that whatever happens
// meanwhile (a dialog, the end of ctx), no key stays down.
func (t *Tab) keys(ctx context.Context, c keys.Chord, times int) error {
	past, release, err := t.aside(ctx)
	if err != nil {
		return err
	}
	defer release()
	var events []page.Command
	var held Modifiers
	for _, k := range c.Held {
		held |= k.Bit()
		events = append(events, t.key(k, "rawKeyDown", held, false))
	}
	for i := range times {
		events = append(events, t.key(c.Key, down(c.Key), held|c.Key.Bit(), i > 0))
	}
	events = append(events, t.key(c.Key, "keyUp", held, false))
	for i := len(c.Held) - 1; i >= 0; i-- {
		held &^= c.Held[i].Bit()
		events = append(events, t.key(c.Held[i], "keyUp", held, false))
	}
	if times > 1 && c.Key.Text == "" { // it may take the focus elsewhere, and be meant for what has it then
		return t.enter(ctx, past, "", events...)
	}
	return t.enter(ctx, past, t.keysTo(past), events...)
}

// perKey is how long a page may take for one key.
const perKey = 20 * time.Millisecond

// batch is how many characters are typed before Chrome's answers are waited for.
const batch = 50

func (t *Tab) typeText(ctx context.Context, text string) error {
	var events []page.Command
	send := func() error {
		past, release, err := t.aside(ctx)
		if err != nil {
			return err
		}
		defer release()
		err = t.enter(ctx, past, "", events...)
		events = events[:0]
		return err
	}
	for _, r := range text {
		if len(events) >= 2*batch {
			if err := send(); err != nil {
				return err
			}
		}
		k, _, ok := keys.For(r)
		if !ok {
			events = append(events, page.Command{Method: "Input.insertText", Params: map[string]any{"text": string(r)}})
			continue
		}
		events = append(events, t.key(k, down(k), 0, false), t.key(k, "keyUp", 0, false))
	}
	return send()
}

// all waits for all replies and gives the first error.
func all(ctx context.Context, waits []page.Sent) error {
	var first error
	for _, w := range waits {
		if err := w.Wait(ctx, nil); err != nil && first == nil {
			first = err
		}
	}
	return first
}

func down(k keys.Key) string {
	if k.Text == "" {
		return "rawKeyDown"
	}
	return "keyDown"
}

func (t *Tab) key(k keys.Key, kind string, m Modifiers, repeat bool) page.Command {
	e := keyEvent{Type: kind, Modifiers: m, Code: k.Code, Key: k.Name, VK: k.VK, Location: k.Location, Keypad: k.Location == 3, Repeat: repeat}
	if kind != "keyUp" {
		e.Text, e.Unmodified = k.Text, k.Text
		e.Commands = t.commands(k, m)
	}
	return page.Command{Method: "Input.dispatchKeyEvent", Params: e}
}

// commands are what a Mac's text fields do on a chord, which there is the system's matter.
func (t *Tab) commands(k keys.Key, m Modifiers) []string {
	if !t.mac || m&^Shift != Meta {
		return nil
	}
	switch k.Code {
	case "KeyA":
		return []string{"selectAll"}
	case "KeyC":
		return []string{"copy"}
	case "KeyX":
		return []string{"cut"}
	case "KeyV":
		return []string{"paste"}
	case "KeyZ":
		if m&Shift != 0 {
			return []string{"redo"}
		}
		return []string{"undo"}
	}
	return nil
}
