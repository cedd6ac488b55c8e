package automation

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"webmcphub/automation/automationtest"
)

// TestMadeAnew: pages make their elements anew between a snapshot and an action. The one that stands where the old one
// stood is acted on, and the answer says so; another one never is.
func TestMadeAnew(t *testing.T) {
	tabs := automationtest.NewTable(t)
	const script = `<script>
		var log = [];
		addEventListener('click', e => log.push(e.target.closest('[data-of]')?.dataset.of || e.target.textContent));
		const draw = (...names) => { list.innerHTML = names.map(n => row(n)).join('') };
	</script>`
	rows := func(row string) string {
		return `<main><h1>People</h1><div id=list></div><button>Reload</button></main>` + script + `<script>const row = n => ` + "`" + row + "`" + `; draw('Ada', 'Bob', 'Cy')</script>`
	}
	only := func(row string) string { return rows(row) + `<script>draw('Ada')</script>` }
	for _, c := range []struct {
		name, html, of string
		nth            int // of the lines that have it
		then, want     string
	}{
		{"a button by itself", `<main><button data-of=save>Save</button></main>` + script, "Save", 0, `document.querySelector('main').innerHTML += ''`, "save"},
		{"a row's button", rows(`<div data-of=${n}>${n} <button>Delete</button></div>`), "Delete", 1, `draw('Ada', 'Bob', 'Cy')`, "Bob"},
		{"a row's button, and the row is gone", rows(`<div data-of=${n}>${n} <button>Delete</button></div>`), "Delete", 1, `draw('Ada', 'Cy')`, ""},
		{"the only row's, and another has come", rows(`<div data-of=${n}>${n} <button>Delete</button></div>`), "Delete", 0, `draw('Bob')`, ""},
		{"the last row's, and another has come", rows(`<div data-of=${n}><a href=#>${n}</a> <button>Edit</button> <button>Delete</button></div>`), "Delete", 2, `draw('Ada', 'Bob', 'Di')`, ""},
		{"a list item's, and the item is gone", rows(`<li data-of=${n}><b>${n}</b><p><button>Edit</button><button>Delete</button></p></li>`), "Delete", 1, `draw('Ada', 'Cy')`, ""},
		{"a card's, nested", rows(`<section data-of=${n}><div><h2>${n}</h2></div><div><div><button>Edit</button><button>Delete</button></div></div></section>`), "Delete", 0, `draw('Bob', 'Cy')`, ""},
		{"a table's row", `<table><tbody id=list></table>` + script + "<script>const row = n => `<tr data-of=${n}><td>${n}<td><button>Delete</button>`; draw('Ada', 'Bob')</script>", "Delete", 0, `draw('Ada', 'Bob')`, "Ada"},
		{"a table's row that is gone", `<table><tbody id=list></table>` + script + "<script>const row = n => `<tr data-of=${n}><td>${n}<td><button>Delete</button>`; draw('Ada', 'Bob')</script>", "Delete", 0, `draw('Bob')`, ""},
		{"buttons alone, and one is gone", rows(`<button data-of=${n}>Delete</button>`), "Delete", 0, `draw('Bob', 'Cy')`, ""},
		{"a row with a field, and the row is gone", rows(`<div data-of=${n}><input aria-label=Name value=${n}> <button>Remove</button></div>`), "Remove", 0, `draw('Bob', 'Cy', 'Di')`, ""},
		{"a row with a field", rows(`<div data-of=${n}><input aria-label=Name value=${n} autofocus> <button>Remove</button></div>`), "Remove", 1, `draw('Ada', 'Bob', 'Cy')`, "Bob"},
		{"a row with links, and the row is gone", rows(`<div data-of=${n}><a href=/of/${n}>Open</a> <button>Remove</button></div>`), "Remove", 0, `draw('Bob', 'Cy', 'Di')`, ""},
		{"one that shows another", only(`<div data-of=${n}><h2>${n}</h2><p>Admin</p><button>Edit</button><button>Reset</button><button>Delete</button></div>`), "Delete", 0, `draw('Bob')`, ""},
		{"one of a part of what shows another", only(`<section data-of=${n}><h2>${n}</h2><fieldset><legend>Care</legend><p>No way back</p><button>Delete</button></fieldset></section>`), "Delete", 0, `draw('Bob')`, ""},
		{"rows that are alike, and one is gone", rows(`<button data-of=${n}>Delete</button>`) + `<script>draw(...'12345678')</script>`, "Delete", 4, `draw(...'1234678')`, ""},
		{"list items that are alike, and one is gone", rows(`<li data-of=${n}><p>Item</p><button>Delete</button></li>`) + `<script>draw(...'12345678')</script>`, "Delete", 4, `draw(...'1234678')`, ""},
		{"list items that are alike, and one is left", rows(`<li data-of=${n}><p>Item</p><button>Delete</button></li>`), "Delete", 0, `draw('Bob')`, ""},
		{"one that has come elsewhere", `<main><button>Save</button><p>Text</p></main>` + script, "Save", 0, `document.querySelector('main').innerHTML = '<p>Text</p><button>Save</button>'`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := openRealIn(t, tabs, automationtest.HTML(`<!doctype html>`+c.html))
			uid, n := "", 0
			for line := range strings.Lines(r.call("take_snapshot", `{}`).Text) {
				if id, rest, _ := strings.Cut(strings.TrimSpace(line), " "); strings.Contains(rest, c.of) {
					if n == c.nth {
						uid = id
					}
					n++
				}
			}
			js[any](r, "("+c.then+", 0)")
			got := r.call("click", `{"uid":"`+uid+`","timeout":500}`)
			if log := js[string](r, "log.join()"); log != c.want {
				t.Errorf("%q was clicked, not %q: %s", log, c.want, got.Text)
			}
			if c.want != "" && !strings.Contains(got.Text, "The page had made "+uid+" anew: it was found again in the same place, as ") {
				t.Errorf("it says %s", got.Text)
			}
			if c.want == "" && !strings.Contains(got.Text, "Nothing was done") {
				t.Errorf("it says %s", got.Text)
			}
		})
	}
	t.Run("while it is waited for", func(t *testing.T) {
		r := openRealIn(t, tabs, automationtest.HTML(`<!doctype html><main><button id=b disabled>Save</button></main><script>var log = []</script>`))
		uid := r.uid("Save")
		js[int](r, `setTimeout(() => { document.querySelector('main').innerHTML = '<button onclick="log.push(1)">Save</button>' }, 200)`)
		r.says("click", `{"uid":"`+uid+`"}`, "found again")
		if js[int](r, "log.length") != 1 {
			t.Error("it wasn't clicked")
		}
	})
}

// TestHiddenForAMoment: actions wait for an element that is hidden after the snapshot and shown again. Nothing is done
// to it before, and nothing at all if it stays hidden.
func TestHiddenForAMoment(t *testing.T) {
	tabs := automationtest.NewTable(t)
	path := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for tool, c := range map[string]struct{ of, args, done string }{
		"click":       {"Save", ``, "b.dataset.done == 'click'"},
		"hover":       {"Save", ``, "b.matches(':hover')"},
		"fill":        {"Name", `,"value":"Ada"`, "f.value == 'Ada'"},
		"press_key":   {"Name", `,"key":"a"`, "f.value == 'a'"},
		"upload_file": {"File", `,"filePaths":["` + path + `"]`, "u.files.length == 1"},
	} {
		for how, set := range map[string]string{
			"display": `b.hidden = f.hidden = u.hidden = %s`, "visibility": `b.style.visibility = f.style.visibility = u.style.visibility = %s ? 'hidden' : ''`,
			"around": `m.hidden = %s`, "aria-hidden": `m.ariaHidden = %s`,
		} {
			if tool == "upload_file" && how != "aria-hidden" { // pages hide such fields
				continue
			}
			t.Run(tool+" "+how, func(t *testing.T) {
				r := openRealIn(t, tabs, automationtest.HTML(`<!doctype html><main id=m><button id=b onclick="b.dataset.done = 'click'">Save</button><input id=f aria-label=Name><input id=u type=file aria-label=File></main>
					<script>var hides = false, early = ''; for (const type of ['mousemove', 'mousedown', 'keydown', 'input']) m.addEventListener(type, e => { if (hides) early += e.type }, true)</script>`))
				r.client.Roots = roots(filepath.Dir(path))
				uid := r.uid(c.of)
				hide := func(hides string) string { return "hides = " + hides + "; " + fmt.Sprintf(set, hides) }
				js[int](r, `(() => { `+hide("true")+` })() || setTimeout(() => { `+hide("false")+` }, 400)`)
				if got := r.call(tool, `{"uid":"`+uid+`"`+c.args+`}`); got.IsError || !js[bool](r, c.done) {
					t.Errorf("it says %s", got.Text)
				}
				if early := js[string](r, "early"); early != "" {
					t.Errorf("while it was hidden it got %s", early)
				}
				if how != "aria-hidden" {
					return
				}
				js[int](r, `(() => { document.activeElement.blur(); `+hide("true")+` })() || 1`) // Chrome hides nothing around the focus
				if got := r.call(tool, `{"uid":"`+uid+`"`+c.args+`,"timeout":300}`); !got.IsError || !strings.Contains(got.Text, "hidden") {
					t.Errorf("of one that stays hidden it says %s", got.Text)
				}
				if early := js[string](r, "early"); early != "" {
					t.Errorf("while it stayed hidden it got %s", early)
				}
			})
		}
	}
}

// TestDraggedToWhatIsHidden: a drag waits until its target is shown, too.
func TestDraggedToWhatIsHidden(t *testing.T) {
	r := openReal(t, automationtest.HTML(`<!doctype html><button id=a>From</button><p><main id=m><button id=b>To</button></main>
		<script>var got = 0; b.addEventListener('mouseup', () => got++)</script>`))
	from, to := r.uid("From"), r.uid("To")
	js[int](r, `(() => { m.ariaHidden = true })() || 1`)
	if got := r.call("drag", `{"from_uid":"`+from+`","to_uid":"`+to+`","timeout":300}`); !got.IsError || js[int](r, "got") > 0 {
		t.Errorf("it says %s", got.Text)
	}
	js[int](r, `setTimeout(() => { m.ariaHidden = null }, 300)`)
	if got := r.call("drag", `{"from_uid":"`+from+`","to_uid":"`+to+`"}`); got.IsError || js[int](r, "got") != 1 {
		t.Errorf("of one that is shown again it says %s", got.Text)
	}
}
