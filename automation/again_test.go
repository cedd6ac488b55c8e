package automation

import (
	"strings"
	"testing"

	"webmcphub/automation/automationtest"
)

// TestMadeAnew: pages make their elements anew between a snapshot and an action. The one that stands where the old one
// stood is acted on, and the answer says so; another one never is.
func TestMadeAnew(t *testing.T) {
	const script = `<script>
		var log = [];
		addEventListener('click', e => log.push(e.target.closest('[data-of]')?.dataset.of || e.target.textContent));
		const draw = (...names) => { list.innerHTML = names.map(n => row(n)).join('') };
	</script>`
	rows := func(row string) string {
		return `<main><h1>People</h1><div id=list></div><button>Reload</button></main>` + script + `<script>const row = n => ` + "`" + row + "`" + `; draw('Ada', 'Bob', 'Cy')</script>`
	}
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
		{"one that has come elsewhere", `<main><button>Save</button><p>Text</p></main>` + script, "Save", 0, `document.querySelector('main').innerHTML = '<p>Text</p><button>Save</button>'`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := openReal(t, automationtest.HTML(`<!doctype html>`+c.html))
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
		r := openReal(t, automationtest.HTML(`<!doctype html><main><button id=b disabled>Save</button></main><script>var log = []</script>`))
		uid := r.uid("Save")
		js[int](r, `setTimeout(() => { document.querySelector('main').innerHTML = '<button onclick="log.push(1)">Save</button>' }, 200)`)
		r.says("click", `{"uid":"`+uid+`"}`, "found again")
		if js[int](r, "log.length") != 1 {
			t.Error("it wasn't clicked")
		}
	})
}

// TestHiddenForAMoment: actions wait for an element that is hidden after the snapshot and shown again.
func TestHiddenForAMoment(t *testing.T) {
	for tool, c := range map[string]struct{ of, args, done string }{
		"click":     {"Save", ``, "b.dataset.done == 'click'"},
		"hover":     {"Save", ``, "b.matches(':hover')"},
		"fill":      {"Name", `,"value":"Ada"`, "f.value == 'Ada'"},
		"press_key": {"Name", `,"key":"a"`, "f.value == 'a'"},
	} {
		for how, hide := range map[string]string{"display": "hidden", "visibility": "style='visibility:hidden'", "around": ""} {
			t.Run(tool+" "+how, func(t *testing.T) {
				r := openReal(t, automationtest.HTML(`<!doctype html><main id=m><button id=b onclick="b.dataset.done = 'click'">Save</button><input id=f aria-label=Name></main>`))
				uid := r.uid(c.of)
				on, off := `m.hidden = true`, `m.hidden = false`
				switch hide {
				case "hidden":
					on, off = `b.hidden = f.hidden = true`, `b.hidden = f.hidden = false`
				case "":
				default:
					on, off = `b.style.visibility = f.style.visibility = 'hidden'`, `b.style.visibility = f.style.visibility = ''`
				}
				js[int](r, `(`+on+`, setTimeout(() => { `+off+` }, 400))`)
				if got := r.call(tool, `{"uid":"`+uid+`"`+c.args+`}`); got.IsError || !js[bool](r, c.done) {
					t.Errorf("it says %s", got.Text)
				}
			})
		}
	}
}
