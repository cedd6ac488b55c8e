package input

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"webmcphub/automation/input/keys"

	"webmcphub/automation/page"
)

// field is what the helper reports about a form field.
type field struct {
	State    State  `json:"state"`
	Kind     string `json:"kind"` // "text", "editable", "set", "toggle", "select", "file", "none"
	Type     string `json:"type"`
	Value    string `json:"value"`  // only its beginning if it is long
	Length   int    `json:"length"` // the length of the whole value, in UTF-16 code units
	Multiple bool   `json:"multiple"`
	Radio    bool   `json:"radio"`
	Secret   bool   `json:"secret"`
	What     string `json:"what"`
	Arrows   bool   `json:"arrows"` // the field is a slider or the like of the page's own
	Drawn    bool   `json:"drawn"`  // the field belongs to an editor that draws its text itself, elsewhere
	Look     *seen  `json:"look"`   // a first look at it, as for "look"
	// The rest is set for a value that the field refused.
	Became string `json:"became"`
	Min    string `json:"min"`
	Max    string `json:"max"`
	Step   string `json:"step"`
}

// Fill gives a form field a value. It types into text fields and editable content, sets dates, colours and sliders,
// switches toggles to "true" or "false", and chooses options of lists. Only a list with multiple choice takes several
// values, or none. The Outcome's Value is what the field then holds; a note says so if that isn't the given value.
func (t *Tab) Fill(ctx context.Context, n Node, values []string, l Limits) (*Outcome, error) {
	return t.onElement(ctx, n, l, func(ctx context.Context, e *element) (*Outcome, error) {
		return t.fill(ctx, e, values, l)
	})
}

func (t *Tab) fill(ctx context.Context, e *element, values []string, l Limits) (*Outcome, error) {
	var is field
	if err := e.call(ctx, &is, "field", forFill); err != nil {
		return nil, err
	}
	if is.State == Detached {
		return nil, &NotActionable{What: e.String(), State: Detached}
	}
	if is.Kind == "select" {
		return t.choose(ctx, e, choices(is, values), is.Look, l)
	}
	if len(values) != 1 {
		return nil, fmt.Errorf("%s takes one value, not %d", e, len(values))
	}
	value := values[0]
	switch is.Kind {
	case "toggle":
		return t.toggle(ctx, e, is, value, l)
	case "file":
		return nil, fmt.Errorf("%s takes files: use upload_file", e)
	case "set":
		return t.set(ctx, e, is, value, l)
	case "text", "editable":
		return t.write(ctx, e, is, value, l)
	}
	how := ""
	if is.Arrows {
		how = ". Use press_key with ArrowUp and ArrowDown, with uid and repeat: the page sets its value by keys"
	}
	return nil, fmt.Errorf("%s is no field to fill: it is %s%s", e, is.What, how)
}

// ready waits until an element can be acted on without the mouse, and calls act. first is what a look has just seen,
// or nil.
func (t *Tab) ready(ctx context.Context, e *element, n needs, first *seen, l Limits,
	act func() (Observation, error)) error {
	return t.lead(ctx, e, l.ready(), func(Decision) (Observation, error) {
		var is seen
		var err error
		if first != nil {
			is, first = *first, nil
		} else {
			err = e.call(ctx, &is, "look", map[string]any{"needs": n, "field": true})
		}
		return Observation{State: is.State, By: is.By, Unseen: is.Hidden}, err
	}, act)
}

// write replaces what a field holds by typed text.
func (t *Tab) write(ctx context.Context, e *element, is field, value string, l Limits) (*Outcome, error) {
	if is.Type == "number" {
		if s := strings.TrimSpace(value); s != "" {
			if _, err := strconv.ParseFloat(s, 64); err != nil {
				return nil, fmt.Errorf("%s takes a number, and %q is none", e, value)
			}
		}
	}
	out := &Outcome{}
	most := 2*len(value) + 20000 // what is longer differs from what was wanted
	var holds func(any) error
	err := t.ready(ctx, e, forFill, is.Look, l, func() (Observation, error) {
		if !is.Drawn {
			return t.keysAt(ctx, e, "selectAll", out, func(ctx context.Context) error {
				err := t.insert(ctx, value)
				if err == nil { // in one trip with what the guard is asked
					holds = t.ask(ctx, e.frame.Session, e.object, "held", most)
				}
				return err
			})
		}
		return t.keysAt(ctx, e, "toKeys", out, func(ctx context.Context) error { // only its own keys select in it
			if err := t.keys(ctx, chord("ControlOrMeta+A", t.mac), 1); err != nil {
				return err
			}
			return t.insert(ctx, value)
		})
	})
	if out, err := out.unless(err); err != nil || out.Dialog != nil {
		return out, err
	}
	held := func(into any) error { return e.explain(holds(into)) }
	if is.Drawn {
		held = func(into any) error { return t.copied(ctx, e, into, most) }
	}
	return out, t.readBack(ctx, e, is, value, out, held)
}

// copied reads all text of an editor that draws its text itself, and leaves the caret at the end.
func (t *Tab) copied(ctx context.Context, e *element, into any, length int) error {
	press := func(name string) (Observation, error) {
		return t.keysAt(ctx, e, "toKeys", &Outcome{},
			func(ctx context.Context) error { return t.keys(ctx, chord(name, t.mac), 1) })
	}
	switch o, err := press("ControlOrMeta+A"); {
	case err != nil:
		return err
	case o.State != Arrived:
		return &NotActionable{What: e.String(), State: o.State, By: o.By}
	}
	if err := e.call(ctx, into, "copied", length); err != nil {
		return err
	}
	end := "Control+End"
	if t.mac {
		end = "Meta+ArrowDown"
	}
	_, err := press(end)
	return err
}

// chord parses a chord that is known to be valid.
func chord(name string, mac bool) keys.Chord {
	c, err := keys.Parse(name, mac)
	if err != nil {
		panic(err)
	}
	return c
}

// insert types a text at the focus, in place of the selection, all at once. The page gets beforeinput and input
// events, as from an input method.
func (t *Tab) insert(ctx context.Context, text string) error {
	if text == "" {
		return t.keys(ctx, chord("Delete", t.mac), 1)
	}
	past, release, err := t.aside(ctx)
	if err != nil {
		return err
	}
	defer release()
	return t.enter(ctx, past, t.keysTo(past),
		page.Command{Method: "Input.insertText", Params: map[string]any{"text": text}})
}

// readBack reads what a field holds now and compares it with what was wanted.
func (t *Tab) readBack(ctx context.Context, e *element, was field, wanted string, out *Outcome,
	held func(into any) error) error {
	var is struct {
		State          State
		Value, Message string
		Length         int
		Valid          bool
	}
	err := held(&is)
	if dialog := opened(err); dialog != nil {
		out.Dialog = dialog
		return nil
	}
	var gone *page.DocumentGone
	if errors.As(err, &gone) || is.State == Detached {
		out.Note = "The page took the field away while it was filled."
		return nil
	}
	if err != nil && was.Drawn && ctx.Err() == nil {
		out.Note = "The text was typed, but what the editor holds now could not be read: " + err.Error() +
			". Look at it in a snapshot."
		return nil
	}
	if err != nil {
		return err
	}
	out.Value = is.Value
	if SameText(is.Value, wanted) {
		if was.Secret {
			out.Value = strings.Repeat("•", len([]rune(is.Value)))
		}
		return nil
	}
	if was.Drawn && is.Length == 0 {
		out.Note = "The text was typed, but the editor doesn't say what it holds now: look at it in a snapshot."
		out.Value = ""
		return nil
	}
	if !was.Drawn && is.Length == was.Length && strings.HasPrefix(is.Value, was.Value) {
		return fmt.Errorf("%s did not take the text: it still holds %s", e, QuoteValue(is.Value, was.Secret))
	}
	out.Note = fmt.Sprintf("The field holds %s, which is not what was given: the page changed it.",
		QuoteValue(is.Value, was.Secret))
	if was.Secret {
		out.Value = ""
	}
	return nil
}

// set gives a value to a field into which one doesn't type.
func (t *Tab) set(ctx context.Context, e *element, is field, value string, l Limits) (*Outcome, error) {
	out := &Outcome{}
	var now field
	err := t.ready(ctx, e, forFill, is.Look, l, func() (Observation, error) {
		if err := e.changing(ctx, out, &now, "set", value); err != nil {
			return Observation{}, err
		}
		if now.State == "malformed" {
			return Observation{}, Malformed(e.String(), value,
				RefusedField{Type: is.Type, Min: now.Min, Max: now.Max, Step: now.Step, Became: now.Became})
		}
		out.Value = now.Value
		return Observation{State: Arrived}, nil
	})
	return out.unless(err)
}

// opened returns the dialog that ended an action, or nil if none did. No dialog was open when the action began.
func opened(err error) *page.Dialog {
	if open, ok := errors.AsType[*page.DialogOpen](err); ok {
		return &open.Dialog
	}
	return nil
}
