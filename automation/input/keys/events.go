package keys

// Event is what Chrome's Input.dispatchKeyEvent takes. Chrome gives it to whatever has the focus.
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

// Events press a chord: its modifiers go down, the key goes down so many times, as one that is
// held does, and all come up again. mac says whether the browser runs on a Mac.
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

// commands are what a Mac's text fields do on a chord, which there is the system's matter.
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
