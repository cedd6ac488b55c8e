package keys

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text      string
		held      Modifiers
		code, key string
		typed     string
		vk        int
	}{
		{"a", 0, "KeyA", "a", "a", 65},
		{"A", 0, "KeyA", "A", "A", 65},
		{"KeyA", 0, "KeyA", "a", "a", 65},
		{"Shift+a", Shift, "KeyA", "A", "A", 65},
		{"Shift+A", Shift, "KeyA", "A", "A", 65},
		{"Shift+KeyA", Shift, "KeyA", "A", "A", 65},
		{"Shift+Digit3", Shift, "Digit3", "#", "#", 51},
		{"Shift+3", Shift, "Digit3", "#", "#", 51},
		{"5", 0, "Digit5", "5", "5", 53},
		{"%", 0, "Digit5", "%", "%", 53},
		{"Control+a", Control, "KeyA", "a", "", 65},
		{"ctrl+A", Control, "KeyA", "A", "", 65},
		{"Control+Shift+R", Control | Shift, "KeyR", "R", "", 82},
		{"ControlOrMeta+c", Control, "KeyC", "c", "", 67},
		{"Alt+Meta+F4", Alt | Meta, "F4", "F4", "", 115},
		{"+", 0, "Equal", "+", "+", 187},
		{"Control++", Control, "Equal", "+", "", 187},
		{"Shift++", Shift, "Equal", "+", "+", 187},
		{"Enter", 0, "Enter", "Enter", "\r", 13},
		{"enter", 0, "Enter", "Enter", "\r", 13},
		{"Return", 0, "Enter", "Enter", "\r", 13},
		{"NumpadEnter", 0, "NumpadEnter", "Enter", "\r", 13},
		{"Esc", 0, "Escape", "Escape", "", 27},
		{"Space", 0, "Space", " ", " ", 32},
		{" ", 0, "Space", " ", " ", 32},
		{"ArrowDown", 0, "ArrowDown", "ArrowDown", "", 40},
		{"down", 0, "ArrowDown", "ArrowDown", "", 40},
		{"Numpad7", 0, "Numpad7", "7", "7", 103},
		{"NumpadSubtract", 0, "NumpadSubtract", "-", "-", 109},
		{"-", 0, "Minus", "-", "-", 189},
		{"Shift", 0, "ShiftLeft", "Shift", "", 16},
		{"ShiftRight", 0, "ShiftRight", "Shift", "", 16},
		{"Control+Shift", Control, "ShiftLeft", "Shift", "", 16},
		{"AltGraph", 0, "AltGraph", "AltGraph", "", 225},
		{"MediaPlayPause", 0, "MediaPlayPause", "MediaPlayPause", "", 179},
		{"F12", 0, "F12", "F12", "", 123},
		{"é", 0, "", "é", "é", 0},
		{"😀", 0, "", "😀", "😀", 0},
		{"嗨", 0, "", "嗨", "嗨", 0},
	} {
		got, err := Parse(c.text, false)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if got.Mask() != c.held || got.Key.Code != c.code || got.Key.Name != c.key || got.Key.Text != c.typed || got.Key.VK != c.vk {
			t.Errorf("%q is %v %+v", c.text, got.Mask(), got.Key)
		}
	}
	if c, err := Parse("ControlOrMeta+c", true); err != nil || c.Mask() != Meta {
		t.Errorf("on a Mac ControlOrMeta is %v, %v", c.Mask(), err)
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                  `unknown key ""`,
		"NotARealKey":       `unknown key "NotARealKey"`,
		"Control+":          `unknown key ""`,
		"a+b":               `"a" in "a+b" is no modifier`,
		"Control+Control+a": "Control is given twice",
		"Ctrl+Control":      "Control is given twice",
		"Control+Foo+a":     `unknown key "Foo"`,
		"ab":                `unknown key "ab"`,
	} {
		if _, err := Parse(text, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, which does not say %q", text, err, want)
		}
	}
}

func TestEveryPrintableCharacterHasAKey(t *testing.T) {
	for r := ' '; r <= '~'; r++ {
		k, ok := Named(string(r))
		if !ok || k.Text != string(r) || k.Code == "" || strings.HasPrefix(k.Code, "Numpad") {
			t.Errorf("%q is typed by %+v", r, k)
		}
		shift := keyboard().shifted[k.Code].Name == string(r)
		if wants := strings.ContainsRune(`~!@#$%^&*()_+{}|:"<>?ABCDEFGHIJKLMNOPQRSTUVWXYZ`, r); wants != shift {
			t.Errorf("%q with Shift: %v", r, shift)
		}
	}
	if k, _ := Named("é"); k.Code != "" {
		t.Error("a key of this layout types é")
	}
}
