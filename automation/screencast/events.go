package screencast

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"unicode/utf8"

	"webmcphub/automation/input/keys"
)

// What is taken at once of a person's input at most.
const (
	maxEvents = 64
	maxText   = 10_000 // bytes
	maxWheel  = 5_000  // CSS pixels
)

// event is one thing that a person does.
type event struct {
	Kind      string         `json:"kind"` // "down", "up", "move", "wheel", "key" or "text"
	X         float64        `json:"x"`    // of the mouse, as parts of the picture
	Y         float64        `json:"y"`
	Button    string         `json:"button"` // "left", "middle" or "right"
	Clicks    int            `json:"clicks"` // one after the other
	DX        float64        `json:"dx"`     // of the wheel, in CSS pixels
	DY        float64        `json:"dy"`
	Modifiers keys.Modifiers `json:"modifiers"`
	Key       string         `json:"key"`      // what it gives, as "a" or "Enter"
	Text      string         `json:"text"`     // that is pasted
	Document  string         `json:"document"` // that the person saw, see [View]; with "" no page gets the event
}

// decode reads what a viewer has sent, and takes all of it or nothing.
func decode(raw []byte) (all []event, err error) {
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, fmt.Errorf("the input can't be read: %w", err)
	}
	if len(all) > maxEvents {
		return nil, fmt.Errorf("%d events at once; %d are the most", len(all), maxEvents)
	}
	for _, e := range all {
		if err := e.check(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

var buttons = map[string]int{"left": 1, "right": 2, "middle": 4}

func (e event) check() error {
	const known = keys.Alt | keys.Control | keys.Meta | keys.Shift
	if e.Modifiers&^known != 0 || e.Modifiers < 0 {
		return fmt.Errorf("modifiers %d", e.Modifiers)
	}
	switch e.Kind {
	case "down", "up", "move":
		if _, is := buttons[e.Button]; !is || e.Clicks < 0 || e.Clicks > 3 {
			return fmt.Errorf("button %.20q, %d clicks", e.Button, e.Clicks)
		}
	case "wheel":
		if math.Abs(e.DX) > maxWheel || math.Abs(e.DY) > maxWheel {
			return errors.New("the wheel turned too far")
		}
	case "key":
		if _, is := keys.Named(e.Key); !is {
			return fmt.Errorf("there is no key %.20q", e.Key)
		}
	case "text":
		if e.Text == "" || len(e.Text) > maxText || !utf8.ValidString(e.Text) {
			return fmt.Errorf("a text must have from 1 to %d bytes", maxText)
		}
	default:
		return fmt.Errorf("there is no input of kind %.20q", e.Kind)
	}
	return nil
}

// mouse is the command for an event of the mouse at a place. pressed are the buttons that are
// down already.
func (e event) mouse(at point, pressed int) map[string]any {
	kinds := map[string]string{"down": "mousePressed", "up": "mouseReleased", "move": "mouseMoved",
		"wheel": "mouseWheel"}
	is := map[string]any{"type": kinds[e.Kind], "x": at.x, "y": at.y, "modifiers": e.Modifiers, "pointerType": "mouse"}
	switch e.Kind {
	case "wheel":
		is["deltaX"], is["deltaY"] = e.DX, e.DY
		is["buttons"] = pressed
	case "move":
		if is["button"], is["buttons"] = e.Button, pressed; pressed == 0 {
			is["button"] = "none" // Chrome takes one for held
		}
	case "down":
		is["button"], is["buttons"], is["clickCount"] = e.Button, pressed|buttons[e.Button], max(1, e.Clicks)
	case "up":
		is["button"], is["buttons"], is["clickCount"] = e.Button, pressed&^buttons[e.Button], max(1, e.Clicks)
	}
	return is
}

// chord is a key with what is held.
func (e event) chord() keys.Chord {
	k, _ := keys.Named(e.Key) // checked
	c := keys.Chord{Key: k}
	for _, held := range []string{"Control", "Alt", "Meta", "Shift"} {
		if m, _ := keys.Named(held); e.Modifiers&m.Bit() != 0 && m.Bit() != k.Bit() {
			c.Held = append(c.Held, m)
		}
	}
	if e.Modifiers&(keys.Control|keys.Meta) != 0 {
		c.Key.Text = "" // a command, no letter
	}
	return c
}
