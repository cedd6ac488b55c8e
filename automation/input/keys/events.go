package keys

// Event holds the parameters of Chrome's Input.dispatchKeyEvent. Chrome sends the key to whatever has the focus.
type Event struct {
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

// Events returns the events that press a chord: its modifiers go down, the key goes down times times, as a held key
// does, and all come up again. mac says whether the browser runs on a Mac.
func (c Chord) Events(times int, mac bool) []Event {
	var events []Event
	var held Modifiers
	for _, k := range c.Held {
		held |= k.Bit()
		events = append(events, k.event("rawKeyDown", held, mac))
	}
	down := "keyDown"
	if c.Key.Text == "" {
		down = "rawKeyDown"
	}
	for i := range times {
		e := c.Key.event(down, held|c.Key.Bit(), mac)
		e.Repeat = i > 0
		events = append(events, e)
	}
	events = append(events, c.Key.event("keyUp", held, mac))
	for i := len(c.Held) - 1; i >= 0; i-- {
		held &^= c.Held[i].Bit()
		events = append(events, c.Held[i].event("keyUp", held, mac))
	}
	return events
}

func (k Key) event(kind string, m Modifiers, mac bool) Event {
	e := Event{Type: kind, Modifiers: m, Code: k.Code, Key: k.Name, VK: k.VK, Location: k.Location,
		Keypad: k.Location == 3}
	if kind != "keyUp" {
		e.Text, e.Unmodified = k.Text, k.Text
		if mac {
			e.Commands = k.commands(m)
		}
	}
	return e
}

// commands returns the editing commands of a chord in a Mac's text fields. On a Mac the system carries these out, not
// the browser.
func (k Key) commands(m Modifiers) []string {
	if m&^Shift != Meta {
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
