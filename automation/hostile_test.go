package automation

import (
	"strings"
	"testing"

	"webmcphub/automation/automationtest"
)

// TestHostilePages: pages that change between what a client was shown and its click, over
// the whole way from the snapshot to the press. A click either reaches what the client
// meant, or is an error and reaches nothing else.
func TestHostilePages(t *testing.T) {
	t.Parallel()
	tabs := automationtest.NewTable(t)
	const log = `<!doctype html><script>var log = []</script>`
	const save = `<button id=b style="width:120px;height:40px" onclick="log.push('clicked')">Save</button>`
	const cover = `<div id=over hidden style="position:fixed;inset:0" onclick="log.push('wrong')">cover</div>`
	for _, c := range []struct {
		name, html string
		between    string // script, between the snapshot and the click
		says       string // the click's error; "" if it is to succeed
		log        string // what the page notes
	}{
		{"an overlay on mousedown", save + cover + `<script>b.onmousedown = () => over.hidden = false</script>`, "", "came over it", ""},
		{"an overlay as the mouse comes", save + cover + `<script>b.onpointermove = () => over.hidden = false</script>`, "", "is covered by", ""},
		{"an overlay after the snapshot", save + cover, "over.hidden = false", "is covered by", ""},
		{"a layout shift between look and press", `<div id=ad></div>` + save + `<button onclick="log.push('wrong')" style="display:block;width:120px;height:40px">Delete</button><script>b.onpointerover = () => { ad.style.height = '44px'; b.onpointerover = null }</script>`, "", "", "clicked"},
		{"a layout shift after the snapshot", `<div id=ad></div>` + save, "ad.style.height = '300px'", "", "clicked"},
		{"a node of the same name takes its place", `<div id=p>` + save + `</div>`, `b.replaceWith(b.cloneNode(true))`, "", "clicked"},
		{"two nodes of the same name take its place", `<div id=p>` + save + `</div>`, `const fresh = b.cloneNode(true); fresh.onclick = () => log.push('wrong'); b.replaceWith(fresh, fresh.cloneNode(true))`, "removed from the page", ""},
		{"its text becomes another's", `<ul>` + save + `<li><button onclick="log.push('wrong')">Delete</button></ul>`, `b.textContent = 'Delete'`, `it is now button "Delete"`, ""},
		{"a list sorted by changing texts in place", `<button id=b onclick="log.push(b.textContent)">Save</button><button id=c onclick="log.push(c.textContent)">Delete</button>`, `[b.textContent, c.textContent] = [c.textContent, b.textContent]`, `it is now button "Delete"`, ""},
		{"a list sorted by moving nodes", `<div id=l>` + save + `<button onclick="log.push('wrong')" style="width:120px;height:40px">Delete</button></div>`, `l.append(b)`, "", "clicked"},
		{"its role becomes another", save, `b.setAttribute('role', 'link')`, `it is now link "Save"`, ""},
		{"it is disabled after the snapshot", save, `b.disabled = true`, "disabled", ""},
		{"it is hidden after the snapshot", save, `b.hidden = true`, "is not visible", ""},
		{"it is hidden, and shown as another later", save, `b.hidden = true; setTimeout(() => { b.textContent = 'Delete'; b.onclick = () => log.push('wrong'); b.hidden = false }, 100)`, `it is now button "Delete"`, ""},
		{"a closed shadow root", `<div id=h></div><script>const r = h.attachShadow({mode: 'closed'}); r.innerHTML = "<button>Save</button>"; r.firstChild.onclick = () => log.push('clicked')</script>`, "", "", "clicked"},
		{"inert after the snapshot", `<main id=m>` + save + `</main>`, `m.inert = true`, "", ""},
		{"a modal dialog element after the snapshot", save + `<dialog id=d>Sure?</dialog>`, `d.showModal()`, "", ""},
		{"pointer-events none after the snapshot", `<div onclick="log.push('wrong')">` + save + `</div>`, `b.style.pointerEvents = 'none'`, "covered", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := openRealIn(t, tabs, automationtest.HTML(log+c.html))
			uid := r.uid(`"Save"`)
			automationtest.JS[any](r.Tab, "(() => { "+c.between+" })()")
			got := r.call("click", `{"uid":"`+uid+`","timeout":500}`)
			notes := strings.Join(automationtest.JS[[]string](r.Tab, "log"), ",")
			switch clicked := strings.Contains(notes, "clicked"); {
			case strings.Contains(notes, "wrong"):
				t.Errorf("something else was pressed: %s", got.Text)
			case !got.IsError && !clicked:
				t.Errorf("a wrong success: %s", got.Text)
			case c.says != "" && (!got.IsError || !strings.Contains(got.Text, c.says)):
				t.Errorf("it says %s, and not %q", got.Text, c.says)
			case c.log != "" && got.IsError:
				t.Errorf("it failed: %s", got.Text)
			case notes != c.log:
				t.Errorf("the page noted %q, not %q", notes, c.log)
			}
		})
	}
}

// TestHostileDialogs: dialogs that open at odd moments of a click.
func TestHostileDialogs(t *testing.T) {
	t.Parallel()
	tabs := automationtest.NewTable(t)
	for _, c := range []struct{ name, tool, handler string }{
		{"on mousedown", "click", `onmousedown="alert('Well?')"`},
		{"on mouseup", "click", `onmouseup="alert('Well?')"`},
		{"on click", "click", `onclick="alert('Well?')"`},
		{"on hover", "click", `onmouseover="if (!window.asked) { asked = true; alert('Well?') }"`},
		{"on hover alone", "hover", `onmouseover="alert('Well?')"`},
		{"on a timer", "click", `onclick="setTimeout(() => alert('Well?'))"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := openRealIn(t, tabs, automationtest.HTML(`<!doctype html><button style="width:100px;height:40px" `+c.handler+`>Save</button><button onclick="document.title = 'well'">Other</button>`))
			uid, other := r.uid(`"Save"`), r.uid(`"Other"`)
			if got := r.call(c.tool, `{"uid":"`+uid+`"}`); !strings.Contains(got.Text, "Well?") && c.name != "on a timer" {
				t.Errorf("it doesn't tell of the dialog: %s", got.Text)
			}
			answered := r.call("handle_dialog", `{"action":"accept"}`)
			for answered.IsError && r.Ctx.Err() == nil && c.name == "on a timer" { // it opens soon
				answered = r.call("handle_dialog", `{"action":"accept"}`)
			}
			if answered.IsError {
				t.Errorf("the dialog was not answered: %s", answered.Text)
			}
			r.says("click", `{"uid":"`+other+`"}`, "Clicked")
			if got := js[string](r, "document.title"); got != "well" {
				t.Errorf("the title is %q", got)
			}
		})
	}
}

// TestHostileFrames: a button in three levels of frames of other sites, each transformed.
func TestHostileFrames(t *testing.T) {
	r := openReal(t, automationtest.Pages{
		"/":      `<!doctype html><body style="margin:40px"><iframe src="{{b}}/one" style="transform:scale(.8) rotate(10deg);width:500px;height:400px;border:7px solid"></iframe>`,
		"/one":   `<!doctype html><body style="margin:0"><div style="height:500px"></div><iframe src="{{c}}/two" style="transform:scale(.9);width:400px;height:300px;border:3px solid"></iframe>`,
		"/two":   `<!doctype html><iframe src="{{d}}/three" style="transform:rotate(-20deg);width:300px;height:200px"></iframe>`,
		"/three": `<!doctype html><title>no</title><button onclick="document.title = 'clicked'">Save</button><button onclick="document.title = 'wrong'">Delete</button>`,
	})
	r.says("wait_for", `{"text":["Save"]}`, "Save")
	r.says("click", `{"uid":"`+r.uid(`"Save"`)+`"}`, `Clicked button "Save"`)
	r.says("evaluate_script", `{"function":"() => document.title","frame":"/three"}`, "clicked")
}
