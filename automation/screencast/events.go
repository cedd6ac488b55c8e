package screencast

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"unicode/utf8"

	"webmcphub/automation/input/keys"
)

// Bounds on a person's input in one call.
const (
	maxEvents = 64
	maxText   = 10_000 // bytes
	maxWheel  = 5_000  // CSS pixels
)

// event is one action of a person.
type event struct {
	Kind      string         `json:"kind"` // "down", "up", "move", "wheel", "key" or "text"
	X         float64        `json:"x"`    // the mouse's position, as fractions of the picture's width and height
	Y         float64        `json:"y"`
	Button    string         `json:"button"` // "left", "middle" or "right"
	Clicks    int            `json:"clicks"` // how many clicks one after the other
	DX        float64        `json:"dx"`     // the wheel's movement, in CSS pixels
	DY        float64        `json:"dy"`
	Modifiers keys.Modifiers `json:"modifiers"`
	Key       string         `json:"key"`      // the value of event.key, such as "a" or "Enter"
	Text      string         `json:"text"`     // the text that is pasted
	Document  string         `json:"document"` // that the person saw, see [View]; if "", no page gets the event
}

// decode decodes a viewer's events. It accepts all of them or none.
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

// mouse returns the parameters of the command for a mouse event at a place. pressed are the buttons that are already
// down.
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
			is["button"] = "none" // Chrome would take a button for pressed
		}
	case "down":
		is["button"], is["buttons"], is["clickCount"] = e.Button, pressed|buttons[e.Button], max(1, e.Clicks)
	case "up":
		is["button"], is["buttons"], is["clickCount"] = e.Button, pressed&^buttons[e.Button], max(1, e.Clicks)
	}
	return is
}

// chord returns the event's key with its modifiers.
func (e event) chord() keys.Chord {
	k, _ := keys.Named(e.Key) // decode has checked it
	c := keys.Chord{Key: k}
	for _, held := range []string{"Control", "Alt", "Meta", "Shift"} {
		if m, _ := keys.Named(held); e.Modifiers&m.Bit() != 0 && m.Bit() != k.Bit() {
			c.Held = append(c.Held, m)
		}
	}
	if e.Modifiers&(keys.Control|keys.Meta) != 0 {
		c.Key.Text = "" // with these modifiers the key types no text
	}
	return c
}
