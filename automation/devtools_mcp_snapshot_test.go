package automation

import "testing"

// TestPortedSnapshot has the cases of snapshot.test.ts.
func TestPortedSnapshot(t *testing.T) {
	const greets = `<main><span>Hello</span><span> </span><div>World</div></main>`
	port(t, []ported{
		{name: "take_snapshot shows the page", page: "<h1>Header</h1><button>Press</button>", do: func(r real) {
			r.says("take_snapshot", `{}`, `h1 "Header"`)
			r.says("take_snapshot", `{}`, `button "Press"`)
		}},
		{name: "wait_for finds a text", page: greets, do: func(r real) {
			r.says("wait_for", `{"text":["Hello"],"includeSnapshot":true}`, `"Hello" is shown in <span>`)
		}},
		{name: "wait_for finds one of several texts", page: `<main><span>Status</span><div>Error</div></main>`, do: func(r real) {
			r.says("wait_for", `{"text":["Complete","Error"]}`, `"Error" is shown in <div>`)
		}},
		{name: "wait_for finds one of several texts that comes later", do: func(r real) {
			r.waits(`{"text":["Complete","Error"]}`, `document.body.innerHTML = "<span>Hello</span> <div>Complete</div>"`, `"Complete" is shown in <div>`)
		}},
		{name: "wait_for finds a text over several elements that comes later", do: func(r real) {
			r.waits(`{"text":["Hello World"]}`, "document.body.innerHTML = `"+greets+"`", `"Hello World" is shown in <span>`)
		}},
		{name: "wait_for finds a heading", page: `<main><h1>Header</h1><div>Text</div></main>`, do: func(r real) {
			r.says("wait_for", `{"text":["Header"]}`, `"Header" is shown in <h1>`)
		}},
		{name: "wait_for finds a text in a frame", page: `<h1>Top</h1><iframe srcdoc="<p>Hello frame</p>"></iframe>`, do: func(r real) {
			r.says("wait_for", `{"text":["Hello frame"]}`, "in the frame about:srcdoc")
		}},
	})
}
