package input

import (
	"context"
	"strings"
	"testing"
	"time"
)

// react is what a framework does that controls its inputs: an accessor on the element tells it
// what was set by scripts, and events that bring nothing new are no events.
const react = `<script>
function control(el, take) {
  const own = Object.getOwnPropertyDescriptor(el.constructor.prototype, 'value');
  let known = el.value;
  Object.defineProperty(el, 'value', { configurable: true, get() { return own.get.call(this) }, set(v) { known = v; own.set.call(this, v) } });
  for (const type of ['input', 'change']) el.addEventListener(type, () => { const now = own.get.call(el); if (now !== known) { known = now; take(now) } });
}
</script>`

func TestFill(t *testing.T) {
	t.Parallel()
	// holds fills #i and looks at what it holds by the page's own eyes.
	holds := func(value, want string) func(s *scene) {
		return func(s *scene) {
			out := s.fill("#i", value)
			s.is("i.value", want)
			if out.Value != want || out.Note != "" {
				s.Errorf("it says %q %q", out.Value, out.Note)
			}
		}
	}
	play(t, []row{
		{"a text field", `<input id=i>`, holds("some value", "some value")},
		{"in place of the old text", `<input id=i value="old text">`, holds("new", "new")},
		{"with nothing", `<input id=i value="old text"><script>i.oninput = () => log.push('input')</script>`, func(s *scene) {
			holds("", "")(s)
			s.is("log.length > 0", "true")
		}},
		{"an empty one with nothing", `<input id=i>`, holds("", "")},
		{"a textarea", `<textarea id=i>old</textarea>`, holds("line one\nline two", "line one\nline two")},
		{"an editor that can't be read once it was typed into", `<div style="width:200px;height:60px;position:relative">
			<textarea id=i style="width:1px;height:1px;border:0;padding:0"></textarea></div>
			<script>i.addEventListener('input', () => i.disabled = true)</script>`, func(s *scene) {
			out := s.fill("#i", "x")
			if !out.Delivered || !strings.Contains(out.Note, "could not be read") {
				s.Errorf("%+v", out)
			}
			s.is("i.value", "x")
		}},
		{"a textarea's label", `<label id=l for=i>Text</label><textarea id=i>old</textarea>`, func(s *scene) {
			s.fill("#l", "x")
			s.is("i.value", "x")
		}},
		{"a label's text that the page replaces", `<label id=l for=i>Text</label><input id=i><script>i.oninput = () => l.textContent = 'Typed'</script>`, func(s *scene) {
			out, err := s.tab.Fill(s.in.Ctx, s.object("l.firstChild"), []string{"x"}, Limits{Ready: s.limit})
			if err != nil || !out.Delivered || !strings.Contains(out.Note, "took the field away") {
				s.Errorf("%+v, %v", out, err)
			}
			s.is("i.value", "x")
		}},
		{"a label's text that the page replaces at the focus", `<label id=l for=i>Text</label><input id=i><script>i.onfocus = () => l.textContent = 'Typed'</script>`, func(s *scene) {
			_, err := s.tab.Fill(s.in.Ctx, s.object("l.firstChild"), []string{"x"}, Limits{Ready: s.limit})
			s.refuses(err, "was removed from the page")
		}},
		{"a label around", `<label id=l>Text<input id=i></label>`, func(s *scene) {
			s.fill("#l", "x")
			s.is("i.value", "x")
		}},
		{"a span in a label", `<label><span id=l>Text</span><input id=i></label>`, func(s *scene) {
			s.fill("#l", "x")
			s.is("i.value", "x")
		}},
		{"a wrapper around one field", `<div id=l role=textbox><input id=i></div>`, func(s *scene) {
			s.fill("#l", "x")
			s.is("i.value", "x")
		}},
		{"type=search", `<input id=i type=search>`, holds("x y", "x y")},
		{"type=tel", `<input id=i type=tel>`, holds("+43 1 23", "+43 1 23")},
		{"type=url", `<input id=i type=url>`, holds("https://example.com", "https://example.com")},
		{"type=email", `<input id=i type=email>`, holds("a@example.com", "a@example.com")},
		{"an unknown type", `<input id=i type=strange>`, holds("x", "x")},
		{"no type", `<input id=i type="">`, holds("x", "x")},
		{"type=number", `<input id=i type=number value=7>`, holds("42", "42")},
		{"type=number, a fraction", `<input id=i type=number step=any>`, holds("-13.5", "-13.5")},
		{"type=number, an exponent", `<input id=i type=number>`, holds("-10e5", "-10e5")},
		{"type=number, nothing", `<input id=i type=number value=7>`, holds("", "")},
		{"type=password, which isn't told", `<input id=i type=password>`, func(s *scene) {
			out := s.fill("#i", "secret")
			s.is("i.value", "secret")
			if strings.Contains(out.Value, "secret") {
				s.Errorf("it tells %q", out.Value)
			}
		}},
		{"type=date", `<input id=i type=date><script>watch('input','change')</script>`, func(s *scene) {
			holds("2026-03-02", "2026-03-02")(s)
			s.is("log.join(' ')", "input@i change@i")
		}},
		{"type=time", `<input id=i type=time>`, holds("13:15", "13:15")},
		{"type=month", `<input id=i type=month>`, holds("2026-07", "2026-07")},
		{"type=week", `<input id=i type=week>`, holds("2026-W26", "2026-W26")},
		{"type=datetime-local", `<input id=i type=datetime-local>`, holds("2026-03-02T05:15", "2026-03-02T05:15")},
		{"type=color", `<input id=i type=color value="#e66465">`, holds("#aaaaaa", "#aaaaaa")},
		{"type=color in capitals", `<input id=i type=color>`, holds("#AABBCC", "#aabbcc")},
		{"type=range", `<input id=i type=range min=0 max=10 value=5>`, holds("7", "7")},
		{"type=range with steps", `<input id=i type=range min=0 max=1 step=0.25>`, holds("0.75", "0.75")},
		{"type=date, emptied", `<input id=i type=date value=2026-03-02>`, holds("", "")},
		{"contenteditable", `<div id=i contenteditable>old <b>text</b></div>`, func(s *scene) {
			s.fill("#i", "some value")
			s.is("i.innerText", "some value")
		}},
		{"contenteditable, from inside", `<div contenteditable><p id=i>old</p></div>`, func(s *scene) {
			s.fill("#i", "new")
			s.is("i.innerText", "new")
		}},
		{"contenteditable, emptied", `<div id=i contenteditable>old</div>`, func(s *scene) {
			s.fill("#i", "")
			s.is("i.innerText.trim()", "")
		}},
		{"contenteditable=plaintext-only", `<div id=i contenteditable=plaintext-only>old</div>`, func(s *scene) {
			s.fill("#i", "new")
			s.is("i.textContent", "new")
		}},
		{"designMode of a frame", `<iframe srcdoc="<body>old"></iframe><script>onload = () => frames[0].document.designMode = 'on'</script>`, func(s *scene) {
			s.frame = "srcdoc"
			if out := s.fill("body", "new"); out.Value != "new" {
				s.Errorf("it says %q", out.Value)
			}
			s.is("document.body.innerText.trim()", "new")
		}},
		{"emoji", `<input id=i>`, holds("👩‍👩‍👧 嗨 é ñ", "👩‍👩‍👧 嗨 é ñ")},
		{"right to left", `<input id=i dir=rtl>`, holds("שלום עולם", "שלום עולם")},
		{"a long text", `<textarea id=i></textarea>`, holds(strings.Repeat("abc ", 1000)+"end", strings.Repeat("abc ", 1000)+"end")},
		{"the events of typing", `<input id=i><script>watch('focus','beforeinput','input')</script>`, func(s *scene) {
			s.fill("#i", "x")
			s.is("log.join(' ')", "focus@i beforeinput@i input@i")
		}},
		{"change comes when the field is left", `<input id=i><button id=b>x</button><script>watch('change')</script>`, func(s *scene) {
			s.fill("#i", "x")
			s.click("#b")
			s.is("log.join(' ')", "change@i")
		}},
		{"controlled like React's", `<input id=i>` + react + `<script>control(i, v => log.push(v))</script>`, func(s *scene) {
			s.fill("#i", "first")
			s.fill("#i", "second")
			s.is("log.join()", "first,second")
		}},
		{"controlled, a date", `<input id=i type=date>` + react + `<script>control(i, v => log.push(v))</script>`, func(s *scene) {
			s.fill("#i", "2026-01-02")
			s.is("log.join()", "2026-01-02")
		}},
		{"controlled, a slider", `<input id=i type=range>` + react + `<script>control(i, v => log.push(v))</script>`, func(s *scene) {
			s.fill("#i", "12")
			s.is("log.join()", "12")
		}},
		{"like Vue's v-model", `<input id=i><p id=p></p><script>const state = new Proxy({ v: '' }, { set(o, k, v) { o[k] = v; p.textContent = v; i.value = v; return true } }); i.addEventListener('input', e => { if (!e.target.composing) state.v = e.target.value })</script>`, func(s *scene) {
			s.fill("#i", "hello")
			s.is("p.textContent", "hello")
		}},
		{"a mask", `<input id=i><script>i.oninput = () => { const d = i.value.replace(/\D/g, ''); i.value = d.length > 3 ? '(' + d.slice(0, 3) + ') ' + d.slice(3) : d }</script>`, func(s *scene) {
			out := s.fill("#i", "5551234")
			s.is("i.value", "(555) 1234")
			if out.Value != "(555) 1234" || !strings.Contains(out.Note, "not what was given") {
				s.Errorf("%+v", out)
			}
		}},
		{"cut at maxlength", `<input id=i maxlength=3>`, func(s *scene) {
			out := s.fill("#i", "abcdef")
			if out.Value != "abc" || !strings.Contains(out.Note, "not what was given") {
				s.Errorf("%+v", out)
			}
		}},
		{"waits until it is enabled", `<input id=i disabled><script>setTimeout(() => i.disabled = false, 300)</script>`, holds("x", "x")},
		{"waits until it isn't read-only", `<input id=i readonly><script>setTimeout(() => i.readOnly = false, 300)</script>`, holds("x", "x")},
		{"waits until it is visible", `<input id=i style="display:none"><script>setTimeout(() => i.style.display = '', 300)</script>`, holds("x", "x")},
		{"on a page with a focus trap of one turn", `<input id=t><input id=i><script>let once; i.onfocus = () => { if (!once) { once = true; t.focus() } }</script>`, holds("x", "x")},
		{"covered, as typing needs no mouse", `<input id=i><div style="position:fixed;inset:0;background:red"></div>`, holds("x", "x")},
		{"in a shadow root", `<div id=h></div><script>h.attachShadow({mode:'open'}).innerHTML = '<input>'; var inner = h.shadowRoot.firstChild</script>`, func(s *scene) {
			n := s.object("inner")
			if _, err := s.tab.Fill(s.in.Ctx, n, []string{"x"}, Limits{}); err != nil {
				s.Fatal(err)
			}
			s.is("inner.value", "x")
		}},
		{"a custom element around a field", `<div id=i></div><script>i.attachShadow({mode:'open'}).innerHTML = '<input>'</script>`, func(s *scene) {
			s.fill("#i", "x")
			s.is("i.shadowRoot.firstChild.value", "x")
		}},
		{"a read-back after the page took it away", `<div id=p><input id=i></div><script>i.oninput = () => p.innerHTML = 'thanks'</script>`, func(s *scene) {
			if out := s.fill("#i", "x"); out.Note == "" {
				s.Error("it does not say so")
			}
		}},
	})
}

func TestFillRefuses(t *testing.T) {
	t.Parallel()
	refused := func(value, want string) func(s *scene) {
		return func(s *scene) {
			s.limit = 250 * time.Millisecond
			before := s.js("i.value ?? ''")
			_, err := s.tryFill("#i", value)
			s.refuses(err, want)
			s.is("i.value ?? ''", before)
		}
	}
	play(t, []row{
		{"a bad date", `<input id=i type=date value=2026-01-01>`, refused("2026-13-05", `does not take "2026-13-05": a date looks like 2026-01-31`)},
		{"a date in words", `<input id=i type=date>`, refused("tomorrow", "a date looks like")},
		{"a bad time", `<input id=i type=time>`, refused("25:05", "a time looks like 23:59")},
		{"a bad month", `<input id=i type=month>`, refused("2026-13", "a month looks like")},
		{"a bad week", `<input id=i type=week>`, refused("2026-W54", "a week looks like")},
		{"a bad datetime", `<input id=i type=datetime-local>`, refused("abc", "a datetime-local looks like")},
		{"a bad color", `<input id=i type=color value="#112233">`, refused("badvalue", "a color looks like #1a2b3c")},
		{"a color's name", `<input id=i type=color>`, refused("red", "a color looks like")},
		{"a slider's text", `<input id=i type=range min=0 max=10>`, refused("foo", "it is a slider from 0 to 10")},
		{"beyond a slider's end", `<input id=i type=range min=0 max=10>`, refused("15", "the nearest value is 10")},
		{"between a slider's steps", `<input id=i type=range min=0 max=10 step=5>`, refused("7", "in steps of 5")},
		{"a text for a number", `<input id=i type=number>`, refused("abc", "takes a number")},
		{"disabled", `<input id=i disabled>`, refused("x", "is disabled")},
		{"read-only", `<input id=i readonly value=y>`, refused("x", "is read-only")},
		{"aria-readonly", `<input id=i aria-readonly=true>`, refused("x", "is aria-readonly")},
		{"in a disabled fieldset", `<fieldset disabled><input id=i></fieldset>`, refused("x", "is disabled by its fieldset")},
		{"hidden", `<input id=i style="display:none">`, refused("x", "is not visible")},
		{"type=hidden", `<input id=i type=hidden>`, refused("x", "is no field to fill")},
		{"a button", `<button id=i>x</button>`, refused("x", "is no field to fill: it is <button")},
		{"a div", `<div id=i>x</div>`, refused("x", "is no field to fill")},
		{"an image button", `<input id=i type=submit>`, refused("x", "is no field to fill")},
		{"ARIA's slider", `<div id=i role=slider tabindex=0 aria-valuenow=5>x</div>`, refused("7", "press_key with ArrowUp and ArrowDown")},
		{"ARIA's spinbutton", `<div id=i role=spinbutton tabindex=0 aria-valuenow=5>5</div>`, refused("7", "press_key with ArrowUp and ArrowDown")},
		{"a file field", `<input id=i type=file>`, refused("/etc/passwd", "use upload_file")},
		{"a page that refuses all input", `<input id=i value=y><script>i.addEventListener('beforeinput', e => e.preventDefault())</script>`, refused("x", `did not take the text: it still holds "y"`)},
		{"a page that puts the old text back", `<input id=i value=y><script>i.addEventListener('input', () => i.value = 'y')</script>`, refused("x", "did not take the text")},
		{"several values", `<input id=i>`, func(s *scene) {
			_, err := s.tab.Fill(s.in.Ctx, s.node("#i"), []string{"a", "b"}, Limits{})
			s.refuses(err, "takes one value, not 2")
		}},
	})
}

func TestToggle(t *testing.T) {
	t.Parallel()
	switched := func(value, want string) func(s *scene) {
		return func(s *scene) {
			if out := s.fill("#i", value); out.Value != want {
				s.Errorf("it says %q", out.Value)
			}
			s.is("String(i.checked ?? i.getAttribute('aria-checked'))", want)
		}
	}
	const aria = ` onclick="this.setAttribute('aria-checked', this.getAttribute('aria-checked') !== 'true')"`
	play(t, []row{
		{"a box, on", `<input id=i type=checkbox>`, switched("true", "true")},
		{"a box, off", `<input id=i type=checkbox checked>`, switched("false", "false")},
		{"a box that is on already", `<input id=i type=checkbox checked><script>watch('click')</script>`, func(s *scene) {
			switched("true", "true")(s)
			s.is("log.length", "0")
		}},
		{"a box that is off already", `<input id=i type=checkbox>`, switched("false", "false")},
		{"a box in between", `<input id=i type=checkbox><script>i.indeterminate = true</script>`, switched("true", "true")},
		{"a box in between, off", `<input id=i type=checkbox><script>i.indeterminate = true</script>`, switched("false", "false")},
		{"by its label", `<label id=l for=i>x</label><input id=i type=checkbox>`, func(s *scene) {
			s.fill("#l", "true")
			s.is("i.checked", "true")
		}},
		{"a box that isn't drawn", `<label>x<input id=i type=checkbox style="position:absolute;clip:rect(0 0 0 0);width:0;height:0;margin:0"></label>`, switched("true", "true")},
		{"a radio button", `<input type=radio name=r checked><input id=i type=radio name=r>`, switched("true", "true")},
		{"ARIA's box", `<div id=i role=checkbox aria-checked=false` + aria + `>x</div>`, switched("true", "true")},
		{"ARIA's switch, off", `<div id=i role=switch aria-checked=true` + aria + `>x</div>`, switched("off", "false")},
		{"ARIA's box in between", `<div id=i role=checkbox aria-checked=mixed` + aria + `>x</div>`, switched("true", "true")},
		{"a menu's box", `<div id=i role=menuitemcheckbox aria-checked=false` + aria + `>x</div>`, switched("yes", "true")},
		{"a radio button can't be switched off", `<input id=i type=radio checked>`, func(s *scene) {
			_, err := s.tryFill("#i", "false")
			s.refuses(err, "choosing another one")
		}},
		{"a page that keeps it off", `<input id=i type=checkbox onclick="event.preventDefault()">`, func(s *scene) {
			_, err := s.tryFill("#i", "true")
			s.refuses(err, "was clicked, but it is false, not true")
		}},
		{"disabled", `<input id=i type=checkbox disabled>`, func(s *scene) {
			s.limit = 200 * time.Millisecond
			_, err := s.tryFill("#i", "true")
			s.refuses(err, "is disabled")
		}},
		{"neither true nor false", `<input id=i type=checkbox>`, func(s *scene) {
			_, err := s.tryFill("#i", "maybe")
			s.refuses(err, `by "true" or "false"`)
		}},
		{"controlled like React's", `<input id=i type=checkbox onchange="log.push(this.checked)">`, func(s *scene) {
			s.fill("#i", "true")
			s.fill("#i", "false")
			s.is("log.join()", "true,false")
		}},
	})
}

func TestSelect(t *testing.T) {
	t.Parallel()
	const colors = `<option value="black">Black</option><option value="blue">Blue</option><option value="gray" label="Gray  tone">g</option><optgroup label="g" disabled><option value="off">Off</option></optgroup><option value="dis" disabled>Dis</option>`
	one := `<select id=i onchange="log.push('change:' + value)" oninput="log.push('input:' + value)">` + colors + `</select>`
	many := `<select id=i multiple onchange="log.push('change')">` + colors + `</select>`
	chosen := func(want string, values ...string) func(s *scene) {
		return func(s *scene) {
			if _, err := s.tab.Fill(s.in.Ctx, s.node("#i"), values, Limits{}); err != nil {
				s.Fatal(err)
			}
			s.is("[...i.selectedOptions].map(o => o.value).join()", want)
		}
	}
	refused := func(want string, values ...string) func(s *scene) {
		return func(s *scene) {
			before := s.js("[...i.selectedOptions].map(o => o.value).join()")
			_, err := s.tab.Fill(s.in.Ctx, s.node("#i"), values, Limits{Ready: 200 * time.Millisecond})
			s.refuses(err, want)
			s.is("[...i.selectedOptions].map(o => o.value).join()", before)
		}
	}
	play(t, []row{
		{"by value", one, chosen("blue", "blue")},
		{"by label", one, chosen("blue", "Blue")},
		{"by label without regard to spaces", one, chosen("gray", "Gray tone")},
		{"by label without regard to case", one, chosen("blue", "bLUE")},
		{"input and change, once each", one, func(s *scene) {
			chosen("blue", "blue")(s)
			s.is("log.join()", "input:blue,change:blue")
		}},
		{"the events bubble", `<div onchange="log.push('outer')">` + one + `</div>`, func(s *scene) {
			chosen("blue", "blue")(s)
			s.is("log.includes('outer')", "true")
		}},
		{"what is chosen already", one, chosen("black", "black")},
		{"by its label element", `<label id=l for=i>Color</label>` + one, func(s *scene) {
			s.fill("#l", "Blue")
			s.is("i.value", "blue")
		}},
		{"the value goes before a label", `<select id=i><option value=a>b</option><option value=b>a</option></select>`, chosen("b", "b")},
		{"an empty value", `<select id=i><option value="">none</option><option selected>x</option></select>`, chosen("", "")},
		{"several", many, chosen("black,gray", "black", "Gray tone")},
		{"several as JSON", many, chosen("black,blue", `["black","Blue"]`)},
		{"of several, the others are given up", many, func(s *scene) {
			chosen("black,blue", "black", "blue")(s)
			chosen("gray", "gray")(s)
		}},
		{"none of several", many, func(s *scene) {
			chosen("black,blue", "black", "blue")(s)
			chosen("", `[]`)(s)
		}},
		{"an option that comes later", one, func(s *scene) {
			s.js("void setTimeout(() => i.add(new Option('New', 'new')), 200)")
			chosen("new", "new")(s)
		}},
		{"an option that is enabled later", one, func(s *scene) {
			s.js("void setTimeout(() => i.querySelector('[value=dis]').disabled = false, 200)")
			chosen("dis", "dis")(s)
		}},
		{"a list that is enabled later", `<select id=i disabled>` + colors + `</select><script>setTimeout(() => i.disabled = false, 300)</script>`, chosen("blue", "blue")},
		{"a list that isn't drawn", `<select id=i style="opacity:0;position:absolute;width:0">` + colors + `</select>`, chosen("blue", "blue")},
		{"an accessor on the list", one + react + `<script>control(i, v => log.push('react:' + v))</script>`, func(s *scene) {
			chosen("blue", "blue")(s)
			s.is("log.includes('react:blue')", "true")
		}},
		{"a listbox", `<select id=i size=4>` + colors + `</select>`, chosen("blue", "blue")},
		{"a listbox's option, clicked", `<select id=i size=6>` + colors + `</select>`, func(s *scene) {
			s.click("#i option:nth-child(2)")
			s.is("i.value", "blue")
		}},
		{"an unknown option", one, refused(`has no option "pink"; it has "Black", "Blue", "Gray  tone", "Off (disabled)", "Dis (disabled)"`, "pink")},
		{"a disabled option", one, refused("is disabled", "dis")},
		{"an option of a disabled group", one, refused("is disabled", "off")},
		{"several of one", one, refused("takes one choice only", "black", "blue")},
		{"one unknown of several", many, refused(`has no option "pink"`, "black", "pink")},
		{"a disabled list", `<select id=i disabled>` + colors + `</select>`, refused("is disabled", "blue")},
		{"an empty list", `<select id=i></select>`, refused("it has no options", "x")},
		{"not a list", `<div id=i></div><script>i.selectedOptions = []</script>`, func(s *scene) {
			_, err := s.tab.onElement(s.in.Ctx, s.node("#i"), Limits{}, func(ctx context.Context, e *element) (*Outcome, error) {
				return s.tab.choose(ctx, e, []string{"x"}, nil, Limits{Ready: 200 * time.Millisecond})
			})
			s.refuses(err, "is no list to choose from")
		}},
	})
}

func TestFillForm(t *testing.T) {
	t.Parallel()
	play(t, []row{
		{"goes on after a field that can't be filled", `<input id=a><input id=b readonly><input id=c type=checkbox><select id=d><option>x<option>y</select>`, func(s *scene) {
			fields := []Field{{s.node("#a"), []string{"one"}}, {s.node("#b"), []string{"two"}}, {s.node("#c"), []string{"true"}}, {s.node("#d"), []string{"y"}}}
			got, err := s.tab.FillForm(s.in.Ctx, fields, Limits{Ready: 200 * time.Millisecond})
			if err != nil {
				s.Fatal(err)
			}
			for i, want := range []string{"one", "", "true", "y"} {
				if got[i].Err == nil && got[i].Value != want {
					s.Errorf("field %d holds %q", i, got[i].Value)
				}
			}
			s.refuses(got[1].Err, "is read-only")
			s.is("[a.value, c.checked, d.value].join()", "one,true,y")
		}},
		{"stops at a dialog", `<input id=a oninput="alert('hello')"><input id=b>`, func(s *scene) {
			fields := []Field{{s.node("#a"), []string{"one"}}, {s.node("#b"), []string{"two"}}}
			got, err := s.tab.FillForm(s.in.Ctx, fields, Limits{})
			if err != nil {
				s.Fatal(err)
			}
			if got[0].Err != nil || got[0].Dialog == nil || got[0].Dialog.Message != "hello" {
				s.Errorf("%+v %v", got[0].Outcome, got[0].Err)
			}
			if got[1].Err != ErrNotFilled {
				s.Errorf("the second: %v", got[1].Err)
			}
			s.answer(true)
			s.is("a.value + b.value", "one")
		}},
		{"stops at a navigation", `<select id=a onchange="location = '/?next'"><option>x<option>y</select><input id=b>`, func(s *scene) {
			fields := []Field{{s.node("#a"), []string{"y"}}, {s.node("#b"), []string{"two"}}}
			got, err := s.tab.FillForm(s.in.Ctx, fields, Limits{})
			if err != nil {
				s.Fatal(err)
			}
			if got[0].Err != nil || got[0].Navigation == nil || !strings.HasSuffix(got[0].Navigation.URL, "/?next") {
				s.Errorf("%+v %v", got[0].Outcome, got[0].Err)
			}
			if got[1].Err != ErrNotFilled {
				s.Errorf("the second: %v", got[1].Err)
			}
		}},
	})
}
