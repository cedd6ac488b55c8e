package automation

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// changing is a page whose DOM can be had to change all the time, also in the background.
const changing = `<script>
var stop = false;
function change(ms) {
	const began = performance.now(), next = new MessageChannel();
	stop = false;
	document.title = 'changing';
	next.port1.onmessage = () => {
		document.body.setAttribute('data-at', performance.now());
		if (stop || performance.now() - began > ms) return document.title = 'rested';
		next.port2.postMessage(0);
	};
	next.port2.postMessage(0);
	return 1;
}
</script>`

// TestPortedScript has the cases of script.test.ts.
func TestPortedScript(t *testing.T) {
	port(t, []ported{
		{name: "evaluate_script gives a value", do: func(r real) {
			r.evaluates(`() => 2 * 5`, "", "10")
		}},
		{name: "evaluate_script doesn't wait for the page to be quiet if told so", page: changing, do: func(r real) {
			for args, waits := range map[string]string{`"waitForStableDom":false`: "", `"format":"function"`: "", `"waitForStableDom":true`: "The DOM still changed 3s after the script"} {
				got := r.call("evaluate_script", `{"function":"() => change(60000)",`+args+`}`).Text
				if !strings.HasPrefix(got, "1") || strings.Contains(got, "still changed") != (waits != "") || !strings.Contains(got, waits) {
					r.t.Errorf("%s: %s", args, got)
				}
			}
			r.evaluates(`() => stop = true`, `,"waitForStableDom":true`, "true")
			r.evaluates(`() => change(400)`, `,"waitForStableDom":true`, "1")
			r.evaluates(`() => document.title`, "", `"rested"`)
		}},
		{name: "evaluate_script waits for a navigation, and says where to", do: func(r real) {
			r.Site.Set("/next", "<main>arrived</main>")
			r.evaluates(`() => { location.href = "/next" }`, "", "The page went to "+r.Site.URL("a", "/next"))
			r.evaluates(`() => document.querySelector("main").innerText`, "", `"arrived"`)
		}},
		{name: "evaluate_script runs in the current page", page: "<title>One</title>", tabs: func(d *desk) {
			d.says("evaluate_script", `{"function":"() => document.title"}`, `"One"`)
			d.opens("")
			d.says("evaluate_script", `{"function":"() => document.title"}`, `"Two"`)
		}},
		{name: "evaluate_script gives an object", page: `<script src=/none.js defer></script>`, do: func(r real) {
			r.evaluates(`() => ({scripts: [...document.scripts].map(s => ({async: s.async, defer: s.defer}))})`, "", `{"scripts":[{"async":false,"defer":true}]}`)
		}},
		{name: "evaluate_script goes on after a dialog of its own", do: func(r real) {
			r.evaluates(`() => { alert("hello"); return "works" }`, "", `"works"`)
		}},
		{name: "evaluate_script dismisses dialogs if told so", do: func(r real) {
			r.evaluates(`() => confirm("hello")`, `,"dialogAction":"dismiss"`, "false")
		}},
		{name: "evaluate_script answers prompts", do: func(r real) {
			r.evaluates(`() => prompt("Your name?")`, `,"dialogAction":"Ann"`, `"Ann"`)
		}},
		{name: "evaluate_script waits for what is asynchronous", do: func(r real) {
			r.evaluates(`async () => { await new Promise(done => setTimeout(done)); return "works" }`, "", `"works"`)
		}},
		{name: "evaluate_script takes an element", page: "<button id=it>test</button>", do: func(r real) {
			r.evaluates(`async el => el.id`, `,"args":["<test>"]`, `"it"`)
		}},
		{name: "evaluate_script takes several elements, also the page", page: "<button>test</button>", do: func(r real) {
			r.evaluates(`(around, el) => around.contains(el)`, `,"args":["<page>","<test>"]`, "true")
		}},
		{name: "evaluate_script takes an element of a frame", page: `<iframe srcdoc="<button>inside</button>"></iframe>`, do: func(r real) {
			r.evaluates(`el => el.textContent`, `,"args":["<inside>"]`, `"inside"`)
		}},
		{name: "evaluate_script saves what it gives", do: func(r real) {
			dir := r.t.TempDir()
			r.client.Roots = roots(dir)
			path := filepath.Join(dir, "out.json")
			r.evaluates(`() => ({hello: "world"})`, `,"filePath":"`+path+`"`, "The result was saved to "+path)
			if got, err := os.ReadFile(path); err != nil || string(got) != `{"hello":"world"}` {
				r.t.Errorf("the file has %s (%v)", got, err)
			}
		}},
		{name: "evaluate_script runs in the worker of an extension", none: noExtensions},
		{name: "evaluate_script with a page and a worker is an error", none: noExtensions},
		{name: "evaluate_script with elements and a worker is an error", none: noExtensions},
	})
}

// evaluates runs a function in the page, with more arguments, and wants the answer to
// have a text.
func (r real) evaluates(function, more, text string) {
	r.t.Helper()
	script, _ := json.Marshal(function)
	r.says("evaluate_script", `{"function":`+string(script)+r.filled(more)+`}`, text)
}
