package automation

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

const (
	logged    = `<script>function failingFn() { console.error("This is an error") } failingFn()</script>`
	nameless  = `<input name=username>`
	noSources = "source maps are not fetched: their addresses are the page's choice, and the frames are those of the code that ran"
)

// TestPortedConsole has the cases of console.test.ts.
func TestPortedConsole(t *testing.T) {
	port(t, []ported{
		{name: "list_console_messages tells of an extension's worker", none: noExtensions},
		{name: "list_console_messages of a page that has said nothing", do: func(r real) {
			r.says("list_console_messages", `{"types":["log"]}`, "")
		}},
		{name: "list_console_messages lists errors", page: logged, do: func(r real) {
			r.says("list_console_messages", `{}`, "[error] This is an error")
		}},
		{name: "list_console_messages lists error objects", page: `<script>console.error(new Error("This is an error"))</script>`, do: func(r real) {
			r.says("list_console_messages", `{}`, "[error] Error: This is an error")
		}},
		{name: "list_console_messages has stacks if they are asked for", page: logged, do: func(r real) {
			r.says("list_console_messages", `{"includeStackTraces":true}`, "at failingFn")
		}},
		{name: "list_console_messages has no stacks otherwise", page: logged, do: func(r real) {
			if got := r.call("list_console_messages", `{}`); strings.Contains(got.Text, "failingFn") {
				r.t.Errorf("it says %s", got.Text)
			}
		}},
		{name: "list_console_messages lists what was thrown and is no error", page: `<script>throw undefined</script>`, do: func(r real) {
			r.says("list_console_messages", `{}`, "[error] Uncaught undefined")
		}},
		{name: "list_console_messages lists issues", page: nameless, do: func(r real) {
			r.awaits("list_console_messages", `{"types":["issue"]}`, "utocomplete")
		}},
		{name: "list_console_messages lists issues after the page was loaded again", page: nameless, do: func(r real) {
			first := r.awaits("list_console_messages", `{"types":["issue"]}`, "utocomplete")
			r.says("navigate_page", `{"type":"reload"}`, "The page is at")
			if again := r.awaits("list_console_messages", `{"types":["issue"]}`, "utocomplete"); again == first {
				r.t.Errorf("both are %s", again)
			}
		}},
		{
			name: "list_console_messages works while a dialog is open", page: logged, differs: ofDialogs,
			tabs: func(d *desk) {
				d.asks(d.one, "test")
				d.says("list_console_messages", `{}`, "[error] This is an error")
			},
		},
		{name: "get_console_message gives one message", page: logged, do: func(r real) {
			r.says("get_console_message", r.message("This is an error"), "This is an error")
		}},
		{name: "get_console_message names the element of an issue", page: nameless, do: func(r real) {
			r.awaits("list_console_messages", `{"types":["issue"]}`, "utocomplete")
			r.says("get_console_message", r.message("utocomplete"), "Element: not in your last snapshot")
			r.does("get_console_message", r.message("utocomplete"), "Element: "+r.called("textbox")+" textbox")
		}},
		{name: "get_console_message names the request of an issue", do: func(r real) {
			r.Site.Set("/asks", `<script>fetch("`+r.Site.URL("b", "/data.json")+`", {headers: {"X-Custom": "1"}}).catch(() => {})</script>`)
			r.says("navigate_page", `{"url":"`+r.Site.URL("a", "/asks")+`"}`, "The page is at")
			r.awaits("list_console_messages", `{"types":["issue"]}`, "ors")
			r.says("get_console_message", r.message("ors"), "At: "+r.Site.URL("b", "/data.json")+"\nRequest: reqid=")
		}},
		{
			name: "get_console_message has the stack of a message", differs: noSources,
			do: func(r real) {
				r.runs(`function n(){console.warn("hello")}function o(){n()}o()`)
				r.says("get_console_message", r.message("hello"), "at n /min.js:1:22\n  at o /min.js:1:49\n")
			},
		},
		{
			name: "get_console_message has the stack of an uncaught error", differs: noSources,
			do: func(r real) {
				r.runs(`function n(){throw new Error("b00m!")}function o(){n()}o()`)
				r.says("get_console_message", r.message("b00m"), "at n /min.js:1:20\n  at o /min.js:1:52\n")
			},
		},
		{
			name: "get_console_message has the stack of an error that was logged", differs: noSources,
			do: func(r real) {
				r.runs(`function n(){throw new Error("b00m!")}function o(){try{n()}catch(e){console.log("It happened:",e)}}o()`)
				r.says("get_console_message", r.message("It happened"), "at n ("+r.Site.URL("a", "/min.js")+":1:20)")
			},
		},
		{
			name: "get_console_message has the causes of an uncaught error", differs: noSources,
			do: func(r real) {
				r.runs(`function n(){throw new Error("b00m!")}function o(){try{n()}catch(e){throw new Error("it failed",{cause:e})}}o()`)
				r.says("get_console_message", r.message("it failed"), "Caused by: Error: b00m!\n  |     at n (")
			},
		},
		{
			name: "get_console_message has the causes of an error that was logged", differs: noSources,
			do: func(r real) {
				r.runs(`function n(){throw new Error("b00m!")}function o(){try{n()}catch(e){console.log(new Error("it failed",{cause:e}))}}o()`)
				r.says("get_console_message", r.message("it failed"), "| Caused by: Error: b00m!\n  |     at n (")
			},
		},
		{
			name: "get_console_message leaves out frames of libraries", differs: "a stack has all its frames: which are a library's is a setting of DevTools that the hub doesn't have",
			do: func(r real) {
				r.runs("function lib(f){f()}function mine(){console.log('hello')}lib(mine)\n//# sourceURL=./node_modules/foo.js")
				r.says("get_console_message", r.message("hello"), "at lib ./node_modules/foo.js")
			},
		},
		{
			name: "get_console_message works while a dialog is open", page: logged, differs: ofDialogs,
			tabs: func(d *desk) {
				message := d.message("This is an error")
				d.asks(d.one, "test")
				d.says("get_console_message", message, "This is an error")
			},
		},
	})
}

// awaits calls a tool until its answer has a text, which Chrome tells of a little later.
func (r real) awaits(tool, args, text string) string {
	r.t.Helper()
	for {
		got := r.call(tool, args)
		if !got.IsError && strings.Contains(got.Text, text) {
			return got.Text
		}
		if r.Ctx.Err() != nil || got.IsError {
			r.t.Fatalf("%s(%s) says %s, and never %q", tool, args, got.Text, text)
		}
		r.is(`(await fetch("/")).ok`, "true") // meanwhile Chrome has its turn
	}
}

// message is the arguments with the id of the first message that has a text.
func (a *agent) message(text string) string {
	a.t.Helper()
	list := a.call("list_console_messages", `{}`).Text
	for line := range strings.Lines(list) {
		if id, rest, _ := strings.Cut(strings.TrimPrefix(line, "msgid="), " "); strings.Contains(rest, text) {
			return `{"msgid":` + id + `}`
		}
	}
	a.t.Fatalf("no message has %q:\n%s", text, list)
	return ""
}

// runs has the page load a script from /min.js, which names a source map.
func (r real) runs(script string) {
	r.t.Helper()
	r.Site.Handle(func(w http.ResponseWriter, q *http.Request) bool {
		if q.URL.Path == "/min.js.map" {
			r.t.Error("the source map was fetched")
		}
		return false
	})
	r.Site.Set("/min.js", script+"\n//# sourceMappingURL=min.js.map")
	r.Site.Set("/runs", "<script src=/min.js></script>")
	args, _ := json.Marshal(map[string]string{"url": r.Site.URL("a", "/runs")})
	r.says("navigate_page", string(args), "The page is at")
}
