package automation

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const clickable = `<button onclick="this.innerText = 'clicked'">test</button>`

// TestPortedClick has the cases of input.test.ts about the mouse.
func TestPortedClick(t *testing.T) {
	port(t, []ported{
		{name: "click clicks", page: clickable, do: func(r real) {
			r.does("click", `{"uid":"<test>"}`, `Clicked button "test".`)
			r.is(`document.querySelector("button").innerText`, "clicked")
		}},
		{name: "click clicks twice", page: `<button ondblclick="this.innerText = 'twice'">test</button>`, do: func(r real) {
			r.does("click", `{"uid":"<test>","dblClick":true}`, `Double-clicked button "test".`)
			r.is(`document.querySelector("button").innerText`, "twice")
		}},
		{name: "a click that navigates answers when the next document is there", page: `<a href="/next">Next</a>`, do: func(r real) {
			asked, answer := make(chan bool), make(chan bool)
			r.Site.Handle(func(w http.ResponseWriter, q *http.Request) bool {
				if q.URL.Path == "/next" {
					close(asked)
					<-answer
				}
				return false
			})
			r.Site.Set("/next", "<main>arrived</main>")
			click := make(chan *Result)
			link := r.uid("Next")
			go func() { click <- r.call("click", `{"uid":"`+link+`"}`) }()
			<-asked
			select {
			case early := <-click:
				r.t.Errorf("it has not waited: %s", early.Text)
				close(answer)
				return
			default:
				close(answer)
			}
			if got := <-click; !strings.Contains(got.Text, "The page went to "+r.Site.URL("a", "/next")) {
				r.t.Errorf("it says %s", got.Text)
			}
			r.is(`document.querySelector("main").innerText`, "arrived")
		}},
		{name: "a click that navigates says where to", page: `<a href="/next">Next</a>`, do: func(r real) {
			r.Site.Set("/next", "<main>arrived</main>")
			r.does("click", `{"uid":"<Next>"}`, "The page went to "+r.Site.URL("a", "/next")+".")
		}},
		{name: "a click that doesn't navigate says nothing of that", page: clickable, do: func(r real) {
			if got := r.call("click", r.filled(`{"uid":"<test>"}`)); got.IsError || strings.Contains(got.Text, "The page") {
				r.t.Errorf("it says %s", got.Text)
			}
		}},
		{
			name: "a click waits for what the page changes a little later", page: `<button onclick="setTimeout(() => this.innerText = 'later', 50)">test</button>`,
			differs: "no tool waits for a page to be quiet, which takes a fixed time; wait_for waits for what is expected, and the answer to that comes at once",
			do: func(r real) {
				r.does("click", `{"uid":"<test>"}`, "Clicked")
				r.says("wait_for", `{"text":["later"]}`, `"later" is shown in <button>`)
			},
		},
		{
			name: "an answer has no snapshot unless it is asked for", page: clickable + "<p>other</p>",
			differs: "the answer says what changed, which is all that agents take the next snapshot for",
			do: func(r real) {
				got := r.call("click", r.filled(`{"uid":"<test>"}`))
				if !strings.Contains(got.Text, "What changed") || !strings.Contains(got.Text, `"clicked"`) || strings.Contains(got.Text, "other") {
					r.t.Errorf("it says %s", got.Text)
				}
			},
		},
		{name: "an answer has the snapshot that is asked for", page: clickable + "<p>other</p>", do: func(r real) {
			got := r.call("click", r.filled(`{"uid":"<test>","includeSnapshot":true}`))
			if !strings.Contains(got.Text, `button "clicked"`) || !strings.Contains(got.Text, "other") {
				r.t.Errorf("it says %s", got.Text)
			}
		}},
		{name: "a click on an option of a closed select chooses it", page: `<select onchange="document.title = value"><option value=v1>one<option value=v2>two</select>`, do: func(r real) {
			r.does("click", `{"uid":"<two>"}`, `It holds "two"`)
			r.is(`document.title + document.querySelector("select").value`, "v2v2")
		}},
		{name: "a click on an option in a group of a closed select chooses it", page: `<select onchange="document.title = value"><optgroup label=Numbers><option value=v1>one<option value=v2>two</optgroup></select>`, do: func(r real) {
			r.does("click", `{"uid":"<two>"}`, `It holds "two"`)
			r.is(`document.title + document.querySelector("select").value`, "v2v2")
		}},
		{name: "a click on an option that the page made itself is a click", page: `<div role=listbox><div role=option tabindex=0 onclick="document.title = innerText">its own</div></div>`, do: func(r real) {
			r.does("click", `{"uid":"<its own>"}`, "Clicked option")
			r.is("document.title", "its own")
		}},
		{name: "hover hovers", page: `<button onmouseover="this.innerText = 'hovered'">test</button>`, do: func(r real) {
			r.does("hover", `{"uid":"<test>"}`, `The mouse is over button "test".`)
			r.is(`document.querySelector("button").innerText`, "hovered")
		}},
		{
			name: "a click at a place", page: `<div style="width:100px;height:100px" onclick="this.innerText = 'clicked'"></div>`,
			differs: "there is no click_at: what can be clicked has a uid, also without role and name, and a click on a uid is checked",
			do: func(r real) {
				r.does("click", `{"uid":"<clickable>"}`, "Clicked")
				r.is(`document.querySelector("div").innerText`, "clicked")
			},
		},
		{
			name: "two clicks at a place", page: `<div style="width:100px;height:100px;cursor:pointer" ondblclick="this.innerText = 'twice'"></div>`,
			differs: "there is no click_at, see above; Chrome doesn't tell what listens for double clicks alone, so the pointer has to show it",
			do: func(r real) {
				r.does("click", `{"uid":"<clickable>","dblClick":true}`, "Double-clicked")
				r.is(`document.querySelector("div").innerText`, "twice")
			},
		},
		{name: "drag drags one element onto another", page: `<div role=button id=from draggable=true ondragstart="event.dataTransfer.setData('text/plain', id)">drag me</div>
			<div id=to aria-label=target style="width:100px;height:100px" ondragover="event.preventDefault()" ondrop="event.preventDefault(); this.append(document.getElementById(event.dataTransfer.getData('text/plain')))"></div>`, do: func(r real) {
			r.does("drag", `{"from_uid":"<drag me>","to_uid":"<target>"}`, `Dragged button "drag me" onto`)
			r.is(`document.getElementById("to").innerText`, "drag me")
		}},
	})
}

// TestPortedFill has those about fields.
func TestPortedFill(t *testing.T) {
	const field = `<textarea onkeydown="document.title += event.key"></textarea><button>after</button>`
	const noTyping = "there is no type_text: fill sets what a field holds, and press_key presses keys where the focus is"
	port(t, []ported{
		{name: "fill fills a field", page: "<input>", do: func(r real) {
			r.does("fill", `{"uid":"<textbox>","value":"test"}`, `It holds "test".`)
			r.is(`document.querySelector("input").value`, "test")
		}},
		{name: "fill chooses an option by its text", page: "<select><option value=v1>one<option value=v2>two</select>", do: func(r real) {
			r.does("fill", `{"uid":"<combobox>","value":"two"}`, "It holds")
			r.is(`document.querySelector("select").value`, "v2")
		}},
		{name: "fill chooses an option without a value by its text", page: `<select><option value="">none<option value=v2 selected>two</select>`, do: func(r real) {
			r.does("fill", `{"uid":"<combobox>","value":"none"}`, "")
			r.is(`document.querySelector("select").value`, "")
		}},
		{name: "fill fills a textarea that calls itself a combobox", page: "<textarea role=combobox></textarea>", do: func(r real) {
			r.does("fill", `{"uid":"<combobox>","value":"1"}`, `It holds "1".`)
			r.is(`document.querySelector("textarea").value`, "1")
		}},
		{name: "fill fills in a long text", page: "<textarea></textarea>", do: func(r real) {
			r.does("fill", `{"uid":"<textbox>","value":"`+strings.Repeat("1", 3000)+`","timeout":1000}`, "It holds")
			r.is(`document.querySelector("textarea").value.length`, "3000")
		}},
		{name: "text is typed where the focus is", page: field, differs: noTyping, do: func(r real) {
			r.does("click", `{"uid":"<textbox>"}`, "Clicked")
			for _, key := range []string{"t", "e", "s"} {
				r.says("press_key", `{"key":"`+key+`"}`, "Pressed "+key)
			}
			r.is(`document.title + document.querySelector("textarea").value`, "testes")
		}},
		{name: "text is typed and a key is pressed after it", page: field, differs: noTyping, do: func(r real) {
			r.does("fill", `{"uid":"<textbox>","value":"test"}`, `It holds "test".`)
			r.does("press_key", `{"uid":"<textbox>","key":"Tab"}`, "Pressed Tab")
			r.is(`document.querySelector("textarea").value + document.activeElement.innerText`, "testafter")
		}},
		{name: "a key that doesn't exist is an error that names it", page: field, do: func(r real) {
			r.refuses("press_key", `{"uid":"<textbox>","key":"XXX"}`, `XXX`)
			r.is(`document.title + document.querySelector("textarea").value`, "")
		}},
		{name: "what is filled into one field leaves others alone", page: `<form><input id=a aria-label=Mail value=old@a.test><input id=b aria-label=Password type=password></form>`, do: func(r real) {
			r.does("fill", `{"uid":"<Mail>","value":"new@a.test"}`, "new@a.test")
			r.does("fill", `{"uid":"<Password>","value":"secret"}`, "Filled")
			r.is(`[a.value, b.value]`, "new@a.test,secret")
		}},
		{name: "fill checks a box, and clears it again", page: "<input type=checkbox>", do: func(r real) {
			r.does("fill", `{"uid":"<checkbox>","value":"true"}`, `It holds "true".`)
			r.is(`document.querySelector("input").checked`, "true")
			r.does("fill", `{"uid":"<checkbox>","value":"false"}`, `It holds "false".`)
			r.is(`document.querySelector("input").checked`, "false")
		}},
		{name: "fill turns a switch on and off", page: `<div role=switch aria-checked=false onclick="ariaChecked = ariaChecked != 'true'">sound</div>`, do: func(r real) {
			r.does("fill", `{"uid":"<sound>","value":"true"}`, `It holds "true".`)
			r.is(`document.querySelector("div").ariaChecked`, "true")
			r.does("fill", `{"uid":"<sound>","value":"false"}`, `It holds "false".`)
			r.is(`document.querySelector("div").ariaChecked`, "false")
		}},
		{name: "fill chooses a radio button, and with that not the other", page: "<input type=radio name=g id=a checked><input type=radio name=g id=b aria-label=second>", do: func(r real) {
			r.does("fill", `{"uid":"<second>","value":"true"}`, `It holds "true".`)
			r.is("[a.checked, b.checked]", "false,true")
		}},
		{name: "fill_form fills a form", page: `<form><label>name<input id=a></label><label>mail<input id=b></label><input type=submit></form>`, do: func(r real) {
			r.does("fill_form", `{"elements":[{"uid":"<name>","value":"one"},{"uid":"<mail>","value":"two"}]}`, "Filled 2 of 2 fields.")
			r.is("[a.value, b.value]", "one,two")
		}},
		{name: "fill_form checks boxes", page: "<input id=a><input id=b type=checkbox>", do: func(r real) {
			r.does("fill_form", `{"elements":[{"uid":"<textbox>","value":"one"},{"uid":"<checkbox>","value":"true"}]}`, "Filled 2 of 2 fields.")
			r.is("[a.value, b.checked]", "one,true")
		}},
	})
}

// TestPortedKeysAndFiles has those about keys and files.
func TestPortedKeysAndFiles(t *testing.T) {
	const keys = `<script>keys = []; onkeydown = e => keys.push("d" + e.key); onkeyup = e => keys.push("u" + e.key)</script><button onclick="keys.push(event.ctrlKey || event.shiftKey)">x</button>`
	port(t, []ported{
		{name: "upload_file gives a file to a field", page: "<form><input type=file></form>", do: func(r real) {
			paths := r.files("one.txt")
			r.does("upload_file", `{"uid":"<file>","filePaths":["`+paths[0]+`"]}`, "Gave the files to")
			r.is(uploaded, "one.txt=of one.txt")
		}},
		{name: "upload_file gives several files to a field", page: "<form><input type=file multiple></form>", do: func(r real) {
			paths := r.files("one.txt", "two.txt")
			r.does("upload_file", `{"uid":"<file>","filePaths":["`+paths[0]+`","`+paths[1]+`"]}`, "Gave the files to")
			r.is(uploaded, "one.txt=of one.txt,two.txt=of two.txt")
		}},
		{name: "upload_file gives a file to the dialog that a button opens", page: `<button onclick="document.querySelector('input').click()">Upload</button><input type=file style="display:none">`, do: func(r real) {
			paths := r.files("one.txt")
			r.does("upload_file", `{"uid":"<Upload>","filePath":"`+paths[0]+`"}`, "Gave the files to")
			r.is(uploaded, "one.txt=of one.txt")
		}},
		{name: "upload_file to what takes no file is an error", page: "<h1>no field</h1>", do: func(r real) {
			paths := r.files("one.txt")
			r.refuses("upload_file", `{"uid":"<no field>","filePaths":["`+paths[0]+`"],"timeout":500}`, "file")
		}},
		{name: "press_key presses a combination in order and releases it backwards", page: keys, do: func(r real) {
			r.says("press_key", `{"key":"Control+Shift+C"}`, "Pressed Control+Shift+C")
			r.is("keys", "dControl,dShift,dC,uC,uShift,uControl")
		}},
		{name: "press_key releases what it holds when the key itself fails", page: keys + `<script>addEventListener("keydown", e => { if (e.key == "C") alert("Well?") })</script>`, do: func(r real) {
			r.says("press_key", `{"key":"Control+Shift+C"}`, "Well?")
			r.says("handle_dialog", `{"action":"accept"}`, "was accepted")
			r.does("click", `{"uid":"<x>"}`, "Clicked")
			r.is("keys", "dControl,dShift,dC,uC,uShift,uControl,false")
		}},
	})
}

// uploaded is what the page's file field holds.
const uploaded = `await Promise.all([...document.querySelector("input").files].map(async f => f.name + "=" + await f.text()))`

// files makes files in a folder that the client may read, each with a text of its own.
func (r real) files(names ...string) (paths []string) {
	r.t.Helper()
	dir := r.t.TempDir()
	r.client.Roots = roots(dir)
	for _, name := range names {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("of "+name), 0o600); err != nil {
			r.t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}
