package input

import (
	"sync"
	"testing"
	"time"
)

func TestKeyboard(t *testing.T) {
	t.Parallel()
	const area = `<textarea id=i autofocus></textarea>`
	const keys = area + `<script>for (const type of ['keydown','keypress','keyup']) i.addEventListener(type, e => log.push(type.slice(3) + ':' + e.key + ':' + e.code + ':' + e.location + (e.repeat ? ':r' : '') + [e.shiftKey && 's', e.ctrlKey && 'c', e.altKey && 'a', e.metaKey && 'm'].filter(Boolean).map(x => ':' + x).join('')))</script>`
	start := func(s *scene) { s.click("#i") }
	pressed := func(chord, want string) func(s *scene) {
		return func(s *scene) {
			start(s)
			s.press(chord)
			s.is("log.join(' ')", want)
		}
	}
	typed := func(text, want string) func(s *scene) {
		return func(s *scene) {
			start(s)
			s.typeText(text)
			s.is("i.value", want)
		}
	}
	holds := func(want string, chords ...string) func(s *scene) {
		return func(s *scene) {
			start(s)
			for _, c := range chords {
				s.press(c)
			}
			s.is("i.value", want)
		}
	}
	var clipboard sync.Mutex // all tabs have the same
	withClipboard := func(test func(*scene)) func(*scene) {
		return func(s *scene) {
			clipboard.Lock()
			defer clipboard.Unlock()
			test(s)
		}
	}
	play(t, []row{
		{"a letter", keys, pressed("a", "down:a:KeyA:0 press:a:KeyA:0 up:a:KeyA:0")},
		{"a capital", keys, pressed("A", "down:A:KeyA:0 press:A:KeyA:0 up:A:KeyA:0")},
		{"a capital with Shift", keys, pressed("Shift+A", "down:Shift:ShiftLeft:1:s down:A:KeyA:0:s press:A:KeyA:0:s up:A:KeyA:0:s up:Shift:ShiftLeft:1")},
		{"a letter with Shift", keys, pressed("Shift+a", "down:Shift:ShiftLeft:1:s down:A:KeyA:0:s press:A:KeyA:0:s up:A:KeyA:0:s up:Shift:ShiftLeft:1")},
		{"a sign with Shift", keys, pressed("Shift+Digit3", "down:Shift:ShiftLeft:1:s down:#:Digit3:0:s press:#:Digit3:0:s up:#:Digit3:0:s up:Shift:ShiftLeft:1")},
		{"plus", keys, pressed("+", "down:+:Equal:0 press:+:Equal:0 up:+:Equal:0")},
		{"Shift and plus", keys, pressed("Shift++", "down:Shift:ShiftLeft:1:s down:+:Equal:0:s press:+:Equal:0:s up:+:Equal:0:s up:Shift:ShiftLeft:1")},
		{"minus", keys, pressed("-", "down:-:Minus:0 press:-:Minus:0 up:-:Minus:0")},
		{"Control and a letter types nothing", keys, func(s *scene) {
			pressed("Control+b", "down:Control:ControlLeft:1:c down:b:KeyB:0:c up:b:KeyB:0:c up:Control:ControlLeft:1")(s)
			s.is("i.value", "")
		}},
		{"three modifiers", keys, pressed("Control+Alt+Shift+F2", "down:Control:ControlLeft:1:c down:Alt:AltLeft:1:c:a down:Shift:ShiftLeft:1:s:c:a down:F2:F2:0:s:c:a up:F2:F2:0:s:c:a up:Shift:ShiftLeft:1:c:a up:Alt:AltLeft:1:c up:Control:ControlLeft:1")},
		{"Enter", keys, func(s *scene) {
			pressed("Enter", "down:Enter:Enter:0 press:Enter:Enter:0 up:Enter:Enter:0")(s)
			s.is("i.value", "\n")
		}},
		{"the number pad's Enter", keys, pressed("NumpadEnter", "down:Enter:NumpadEnter:3 press:Enter:NumpadEnter:3 up:Enter:NumpadEnter:3")},
		{"the number pad's 7", keys, pressed("Numpad7", "down:7:Numpad7:3 press:7:Numpad7:3 up:7:Numpad7:3")},
		{"ShiftRight", keys, pressed("ShiftRight", "down:Shift:ShiftRight:2:s up:Shift:ShiftRight:2")},
		{"Escape", keys, pressed("Escape", "down:Escape:Escape:0 up:Escape:Escape:0")},
		{"Space", keys, func(s *scene) {
			pressed("Space", "down: :Space:0 press: :Space:0 up: :Space:0")(s)
			s.is("i.value", " ")
		}},
		{"a letter without a key", keys, holds("é", "é")},
		{"repeated", keys, func(s *scene) {
			start(s)
			if _, err := s.tab.Press(s.in.Ctx, "a", PressOptions{Repeat: 3}); err != nil {
				s.Fatal(err)
			}
			s.is("i.value", "aaa")
			s.is("log.filter(e => e.startsWith('down')).join(' ')", "down:a:KeyA:0 down:a:KeyA:0:r down:a:KeyA:0:r")
			s.is("log.filter(e => e.startsWith('up')).length", "1")
		}},
		{"on an element that isn't focused", `<input id=a><input id=i>`, func(s *scene) {
			s.click("#a")
			n := s.node("#i")
			if _, err := s.tab.Press(s.in.Ctx, "x", PressOptions{Node: &n}); err != nil {
				s.Fatal(err)
			}
			s.is("i.value", "x")
		}},
		{"on an element that holds text, behind it", `<input id=i value="ab">`, func(s *scene) {
			n := s.node("#i")
			if _, err := s.tab.Type(s.in.Ctx, "cd", TypeOptions{Node: &n}); err != nil {
				s.Fatal(err)
			}
			s.is("i.value", "abcd")
		}},
		{"on one that takes no focus", `<div id=i>x</div>`, func(s *scene) {
			n := s.node("#i")
			_, err := s.tab.Press(s.in.Ctx, "x", PressOptions{Node: &n, Limits: Limits{Ready: 200 * time.Millisecond}})
			s.refuses(err, "does not take the focus")
		}},
		{"a thousand and one times", area, func(s *scene) {
			_, err := s.tab.Press(s.in.Ctx, "x", PressOptions{Repeat: 1001})
			s.refuses(err, "1 to 1000 times")
		}},
		{"an unknown key", area, func(s *scene) {
			_, err := s.tab.Press(s.in.Ctx, "Foo", PressOptions{})
			s.refuses(err, `unknown key "Foo"`)
		}},
		{"a text", area, typed("Hello, World! 42%", "Hello, World! 42%")},
		{"a text of several lines", area, typed("one\ntwo", "one\ntwo")},
		{"a text with emoji", area, typed("👹 Tokyo street Japan 🇯🇵", "👹 Tokyo street Japan 🇯🇵")},
		{"another script", area, typed("嗨你好", "嗨你好")},
		{"every key's character", area, typed("`1234567890-=qwertyuiop[]\\asdfghjkl;'zxcvbnm,./~!@#$%^&*()_+QWERTYUIOP{}|ASDFGHJKL:\"ZXCVBNM<>?", "`1234567890-=qwertyuiop[]\\asdfghjkl;'zxcvbnm,./~!@#$%^&*()_+QWERTYUIOP{}|ASDFGHJKL:\"ZXCVBNM<>?")},
		{"a long text", area + `<script>i.onkeydown = () => log.push(1)</script>`, func(s *scene) {
			start(s)
			long := ""
			for range 60 {
				long += "abcde "
			}
			s.typeText(long)
			s.is("i.value.length + ',' + log.length", "360,360")
		}},
		{"too long a text", area, func(s *scene) {
			_, err := s.tab.Type(s.in.Ctx, string(make([]byte, maxTyped+1)), TypeOptions{})
			s.refuses(err, "use fill")
		}},
		{"characters by keys that are prevented", area + `<script>i.onkeydown = e => { if (e.key == 'l' || e.key == 'o') e.preventDefault() }</script>`, typed("Hello World!", "He Wrd!")},
		{"Backspace", area, holds("ac", "a", "b", "Backspace", "c")},
		{"the caret by arrows", area, holds("bac", "a", "c", "ArrowLeft", "ArrowLeft", "b")},
		{"Delete", area, holds("b", "a", "b", "Home", "Delete")},
		{"select by Shift and arrows", area, holds("x", "a", "b", "Shift+ArrowLeft", "Shift+ArrowLeft", "x")},
		{"Control+A", area, holds("x", "a", "b", "Control+A", "x")},
		{"copy and paste", area, withClipboard(holds("abab", "a", "b", "Control+A", "Control+C", "End", "Control+V"))},
		{"cut", area, withClipboard(holds("", "a", "b", "ControlOrMeta+A", "ControlOrMeta+X"))},
		{"undo", area, func(s *scene) {
			start(s)
			s.typeText("ab")
			s.press("Control+A")
			s.press("Delete")
			s.press("Control+Z")
			s.is("i.value", "ab")
		}},
		{"Tab goes on", `<input id=i><input id=j>`, func(s *scene) {
			s.click("#i")
			s.press("Tab")
			s.typeText("x")
			s.is("j.value", "x")
			s.press("Shift+Tab")
			s.typeText("y")
			s.is("i.value", "y")
		}},
		{"Space on a button", `<button id=i onclick="log.push('clicked')">x</button>`, func(s *scene) {
			n := s.node("#i")
			if _, err := s.tab.Press(s.in.Ctx, "Space", PressOptions{Node: &n}); err != nil {
				s.Fatal(err)
			}
			s.is("log.join()", "clicked")
		}},
		{"arrows in a native list", `<select id=i><option>one<option>two</select>`, func(s *scene) {
			n := s.node("#i")
			if _, err := s.tab.Press(s.in.Ctx, "ArrowDown", PressOptions{Node: &n}); err != nil {
				s.Fatal(err)
			}
			s.is("i.value", "two")
		}},
		{"Escape closes a dialog element", `<dialog id=d><button>x</button></dialog><script>d.showModal()</script>`, func(s *scene) {
			s.press("Escape")
			s.becomes("d.open", "false")
		}},
		{"in contenteditable", `<div id=i contenteditable>one</div>`, func(s *scene) {
			n := s.node("#i")
			if _, err := s.tab.Type(s.in.Ctx, " two", TypeOptions{Node: &n}); err != nil {
				s.Fatal(err)
			}
			s.is("i.innerText", "one two")
		}},
		{"no modifier stays held", area + `<script>addEventListener('click', e => log.push(e.ctrlKey + ',' + e.shiftKey))</script>`, func(s *scene) {
			s.press("Control+Shift+b")
			s.click("#i")
			s.is("log.join()", "false,false")
		}},
	})
}
