// Package keys is the keyboard: it says what each key types, and how agents name keys and chords.
package keys

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Key is one key of the keyboard (US layout) as Chrome's input events describe it.
type Key struct {
	Code     string // the key's place on the keyboard, such as "KeyA"; "" for a character that no key types
	Name     string // the value of event.key in the page
	VK       int    // the Windows virtual key code
	Text     string // the text that the key types; "" if none
	Location int    // event.location: 1 left, 2 right, 3 number pad
}

// Modifiers is a set of held modifier keys, in CDP's bits.
type Modifiers int

// The modifiers.
const (
	Alt     Modifiers = 1
	Control Modifiers = 2
	Meta    Modifiers = 4
	Shift   Modifiers = 8
)

// Chord is a key with modifiers held, such as Control+Shift+R.
type Chord struct {
	Held []Key // the modifiers, in the order in which they go down
	Key  Key
}

// Mask returns the set of the chord's held modifiers.
func (c Chord) Mask() Modifiers {
	var m Modifiers
	for _, k := range c.Held {
		m |= k.Bit()
	}
	return m
}

// Bit returns the modifier that a key is, or 0 for other keys.
func (k Key) Bit() Modifiers { return modifierBits[k.Name] }

var modifierBits = map[string]Modifiers{"Alt": Alt, "Control": Control, "Meta": Meta, "Shift": Shift}

// keyAliases are other common names of keys.
var keyAliases = map[string]string{
	"ctrl": "ControlLeft", "cmd": "MetaLeft", "command": "MetaLeft", "win": "MetaLeft", "super": "MetaLeft",
	"option": "AltLeft", "opt": "AltLeft",
	"esc": "Escape", "return": "Enter", "del": "Delete", "ins": "Insert", "pgup": "PageUp", "pgdn": "PageDown",
	"pagedn": "PageDown",
	"up":     "ArrowUp", "down": "ArrowDown", "left": "ArrowLeft", "right": "ArrowRight", "spacebar": "Space",
	"plus": "+", "minus": "-",
	"back": "Backspace", "apps": "ContextMenu", "menu": "ContextMenu",
}

type layout struct {
	keys    map[string]Key // by code, by what they type, and by what they type with Shift
	shifted map[string]Key // by code
	lower   map[string]string
}

// keyboard is the US layout.
var keyboard = sync.OnceValue(func() layout {
	l := layout{map[string]Key{}, map[string]Key{}, map[string]string{}}
	add := func(code, name string, vk int, shifted string, location int) {
		k := Key{Code: code, Name: name, VK: vk, Location: location}
		if utf8.RuneCountInString(name) == 1 {
			k.Text = name
		}
		if name == "Enter" {
			k.Text = "\r"
		}
		l.keys[code] = k
		l.lower[strings.ToLower(code)] = code
		for _, n := range []string{name, shifted} {
			if _, taken := l.keys[n]; n != "" && !taken {
				with := k
				with.Name = n
				if k.Text != "" && n != "Enter" {
					with.Text = n
				}
				l.keys[n] = with
				if len(n) > 1 {
					l.lower[strings.ToLower(n)] = n
				}
			}
		}
		if shifted != "" {
			l.shifted[code] = l.keys[shifted]
		}
	}
	for c := 'a'; c <= 'z'; c++ {
		upper := strings.ToUpper(string(c))
		add("Key"+upper, string(c), int(c-'a')+65, upper, 0)
	}
	for i, shifted := range strings.Split(")!@#$%^&*(", "") {
		add(fmt.Sprint("Digit", i), fmt.Sprint(i), 48+i, shifted, 0)
	}
	for i := 1; i <= 24; i++ {
		add(fmt.Sprint("F", i), fmt.Sprint("F", i), 111+i, "", 0)
	}
	for _, k := range symbolKeys {
		add(k.code, k.name, k.vk, k.shifted, k.location)
	}
	for i := range 10 {
		add(fmt.Sprint("Numpad", i), fmt.Sprint(i), 96+i, "", 3)
	}
	for _, k := range namedKeys {
		add(k.code, cmp.Or(k.name, k.code), k.vk, "", k.location)
	}
	return l
})

type keyRow struct {
	code, name string
	vk         int
	shifted    string
	location   int
}

var symbolKeys = []keyRow{
	{"Backquote", "`", 192, "~", 0}, {"Minus", "-", 189, "_", 0}, {"Equal", "=", 187, "+", 0},
	{"BracketLeft", "[", 219, "{", 0}, {"BracketRight", "]", 221, "}", 0}, {"Backslash", `\`, 220, "|", 0},
	{"Semicolon", ";", 186, ":", 0}, {"Quote", "'", 222, `"`, 0}, {"Comma", ",", 188, "<", 0},
	{"Period", ".", 190, ">", 0}, {"Slash", "/", 191, "?", 0}, {"Space", " ", 32, "", 0},
	{"Enter", "Enter", 13, "", 0}, {"NumpadEnter", "Enter", 13, "", 3}, {"IntlBackslash", `\`, 226, "|", 0},
	{"NumpadMultiply", "*", 106, "", 3}, {"NumpadAdd", "+", 107, "", 3}, {"NumpadSubtract", "-", 109, "", 3},
	{"NumpadDecimal", ".", 110, "", 3}, {"NumpadDivide", "/", 111, "", 3}, {"NumpadEqual", "=", 187, "", 3},
}

var namedKeys = []keyRow{
	{"ShiftLeft", "Shift", 16, "", 1}, {"ShiftRight", "Shift", 16, "", 2},
	{"ControlLeft", "Control", 17, "", 1}, {"ControlRight", "Control", 17, "", 2},
	{"AltLeft", "Alt", 18, "", 1}, {"AltRight", "Alt", 18, "", 2},
	{"MetaLeft", "Meta", 91, "", 1}, {"MetaRight", "Meta", 92, "", 2}, {"AltGraph", "", 225, "", 2},
	{"Escape", "", 27, "", 0}, {"Backspace", "", 8, "", 0}, {"Tab", "", 9, "", 0}, {"CapsLock", "", 20, "", 0},
	{"PageUp", "", 33, "", 0}, {"PageDown", "", 34, "", 0}, {"End", "", 35, "", 0}, {"Home", "", 36, "", 0},
	{"ArrowLeft", "", 37, "", 0}, {"ArrowUp", "", 38, "", 0}, {"ArrowRight", "", 39, "", 0},
	{"ArrowDown", "", 40, "", 0},
	{"Insert", "", 45, "", 0}, {"Delete", "", 46, "", 0}, {"ContextMenu", "", 93, "", 0},
	{"PrintScreen", "", 44, "", 0}, {"ScrollLock", "", 145, "", 0}, {"Pause", "", 19, "", 0},
	{"NumLock", "", 144, "", 3},
	{"Cancel", "", 3, "", 0}, {"Help", "", 47, "", 0}, {"Clear", "", 12, "", 0}, {"Select", "", 41, "", 0},
	{"Execute", "", 43, "", 0},
	{"Convert", "", 28, "", 0}, {"NonConvert", "", 29, "", 0}, {"Accept", "", 30, "", 0}, {"ModeChange", "", 31, "", 0},
	{"Process", "", 229, "", 0},
	{"Attn", "", 246, "", 0}, {"CrSel", "", 247, "", 0}, {"ExSel", "", 248, "", 0}, {"EraseEof", "", 249, "", 0},
	{"Play", "", 250, "", 0}, {"ZoomOut", "", 251, "", 0},
	{"AudioVolumeMute", "", 173, "", 0}, {"AudioVolumeDown", "", 174, "", 0}, {"AudioVolumeUp", "", 175, "", 0},
	{"MediaTrackNext", "", 176, "", 0}, {"MediaTrackPrevious", "", 177, "", 0}, {"MediaStop", "", 178, "", 0},
	{"MediaPlayPause", "", 179, "", 0},
	{"BrowserBack", "", 166, "", 0}, {"BrowserForward", "", 167, "", 0}, {"BrowserRefresh", "", 168, "", 0},
	{"BrowserStop", "", 169, "", 0},
	{"BrowserSearch", "", 170, "", 0}, {"BrowserFavorites", "", 171, "", 0}, {"BrowserHome", "", 172, "", 0},
	{"Sleep", "", 95, "", 0},
	{"LaunchMail", "", 180, "", 0}, {"LaunchApplication1", "", 182, "", 0}, {"LaunchApplication2", "", 183, "", 0},
}

// Named returns the key with the given code ("KeyA"), the key that types the given text ("a", "A", "Enter"), or the
// key with another common name ("Esc"). A character that no key types ("é", "😀") gives a key without a place on the
// keyboard.
func Named(name string) (Key, bool) {
	l := keyboard()
	if k, ok := l.keys[name]; ok {
		return k, true
	}
	lower := strings.ToLower(name)
	if code, ok := l.lower[lower]; ok {
		return l.keys[code], true
	}
	if other, ok := keyAliases[lower]; ok {
		return l.keys[other], true
	}
	if utf8.RuneCountInString(name) == 1 {
		return Key{Name: name, Text: name}, true
	}
	return Key{}, false
}

// Parse parses a key or a chord such as "Enter", "Control+Shift+R" or "Control++". ControlOrMeta means Meta if mac is
// true, else Control.
func Parse(text string, mac bool) (Chord, error) {
	parts := splitChord(text)
	var c Chord
	for i, part := range parts {
		if strings.EqualFold(part, "ControlOrMeta") || strings.EqualFold(part, "CtrlOrCmd") {
			part = "Control"
			if mac {
				part = "Meta"
			}
		}
		k, ok := Named(part)
		if !ok {
			return Chord{}, fmt.Errorf("unknown key %q in %q: use names such as a, Enter, ArrowDown, F5, "+
				"Control+Shift+R or Control++", part, text)
		}
		if i == len(parts)-1 {
			c.Key = k
			break
		}
		bit := k.Bit()
		if bit == 0 {
			return Chord{}, fmt.Errorf("%q in %q is no modifier: only Control, Shift, Alt and Meta can be held, and "+
				"the key comes last", part, text)
		}
		if c.Mask()&bit != 0 {
			return Chord{}, fmt.Errorf("%s is given twice in %q", k.Name, text)
		}
		c.Held = append(c.Held, k)
	}
	if bit := c.Key.Bit(); bit != 0 && c.Mask()&bit != 0 {
		return Chord{}, fmt.Errorf("%s is given twice in %q", c.Key.Name, text)
	}
	c.Key = c.Key.under(c.Mask())
	return c, nil
}

// splitChord splits text at + signs. A + at the end, or alone, is the key.
func splitChord(text string) []string {
	if text == "+" {
		return []string{"+"}
	}
	if rest, ok := strings.CutSuffix(text, "++"); ok {
		return append(strings.Split(rest, "+"), "+")
	}
	return slices.Collect(strings.SplitSeq(text, "+"))
}

// under returns what a key types while modifiers are held: its other character with Shift, and no text with the other
// modifiers.
func (k Key) under(m Modifiers) Key {
	if m&Shift != 0 {
		if s, ok := keyboard().shifted[k.Code]; ok {
			k = s
		}
	}
	if m&^Shift != 0 {
		k.Text = ""
	}
	return k
}
