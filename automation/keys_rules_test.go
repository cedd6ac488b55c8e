package automation

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"webmcphub/automation/automationtest"
	"webmcphub/internal/browsertool"
)

// TestKeysPassByFrames: where a page or a frame that is kept out would have the focus get into that
// while keys are pressed, no key arrives there. Where a frame takes the focus by itself, as Chrome
// lets it (TestWhereKeysGo), it may be quicker than the keys. Then the call is an error that says so.
func TestKeysPassByFrames(t *testing.T) {
	t.Parallel()
	tabs := automationtest.NewTable(t)
	const frame = `<!doctype html><input id=i><input><script>var taken = 0
		for (const type of ['keydown', 'keyup', 'beforeinput', 'input']) addEventListener(type, () => taken++, true)
		onmessage = e => e.data === 1 ? i.focus() : window.focus()
		if (location.hash) setInterval(() => i.focus(), 5)
	</script>`
	told := map[string]bool{"a message to the frame": true, "a message to the window": true, "a script that hands the focus to the window": true, "filling, a message to the window": true, "a frame that takes the focus all the time": true}
	for _, c := range []struct{ name, html, at, tool, args string }{
		{"Tab", `<input aria-label=First><iframe src="{{b}}/other"></iframe><input aria-label=Last>`, "/other", "press_key", `"key":"Tab","repeat":3`},
		{"Tab back", `<input><iframe src="{{b}}/other"></iframe><input aria-label=First>`, "/other", "press_key", `"key":"Shift+Tab","repeat":3`},
		{"a script that hands the focus on", `<input aria-label=First onkeydown="f.focus()"><iframe id=f src="{{b}}/other"></iframe>`, "/other", "press_key", `"key":"x","repeat":20`},
		{"a message to the frame", `<input aria-label=First onkeydown="f.contentWindow.postMessage(1, '*')"><iframe id=f src="{{b}}/other"></iframe>`, "/other", "press_key", `"key":"x","repeat":100`},
		{"a message to the window", `<input aria-label=First onkeydown="f.contentWindow.postMessage(2, '*')"><iframe id=f src="{{b}}/other"></iframe>`, "/other", "press_key", `"key":"x","repeat":100`},
		{"a script that hands the focus to the window", `<input aria-label=First onkeydown="f.contentWindow.focus()"><iframe id=f src="{{b}}/other"></iframe>`, "/other", "press_key", `"key":"x","repeat":100`},
		{"filling, a message to the window", `<input aria-label=First onselect="f.contentWindow.postMessage(2, '*')"><iframe id=f src="{{b}}/other"></iframe>`, "/other", "fill", `"value":"secret"`},
		{"a slow page that tells the frame", `<input aria-label=First onkeydown="f.contentWindow.postMessage(1, '*'); const end = performance.now() + 50; while (performance.now() < end);"><iframe id=f src="{{b}}/other"></iframe>`, "/other", "press_key", `"key":"x","repeat":10`},
		{"a frame that takes the focus all the time", `<input aria-label=First><iframe id=f src="{{b}}/other#grabs"></iframe>`, "/other#grabs", "press_key", `"key":"x","repeat":100`},
		{"filling", `<input aria-label=First onfocus="f.focus()" onselect="f.focus()"><iframe id=f src="{{b}}/other"></iframe>`, "/other", "fill", `"value":"secret"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := openRuledIn(t, tabs, automationtest.Pages{"/": "<!doctype html>" + c.html, "/other": frame})
			says := ""
			for range 3 {
				got := r.call(c.tool, `{"uid":"`+r.uid(`"First"`)+`",`+c.args+`,"timeout":500}`)
				if got.IsError && !strings.Contains(got.Text, "kept out") && !strings.Contains(got.Text, "focus") {
					t.Errorf("it failed: %s", got.Text)
				}
				says += got.Text
				if c.tool == "press_key" && !got.IsError {
					js[any](r, "document.activeElement.blur()")
				}
			}
			if n := r.taken(c.at); n != 0 && !(told[c.name] && strings.Contains(says, "may have arrived there")) {
				t.Errorf("the frame got %d events, and the calls said %s", n, says)
			}
		})
	}
}

// TestKeysInAFrameBesideOneThatIsKeptOut: fields of a frame in another process take text and keys
// as ever, where keys have to pass by a frame that is kept out.
func TestKeysInAFrameBesideOneThatIsKeptOut(t *testing.T) {
	r := openRuled(t, automationtest.Pages{
		"/":      `<!doctype html><iframe src="{{b}}/other"></iframe><iframe src="{{c}}/field"></iframe>`,
		"/other": `<!doctype html><input>`,
		"/field": `<!doctype html><form onsubmit="done.textContent = 'sent ' + i.value; return false"><input id=i aria-label=First><input aria-label=Second><button>Go</button></form><p id=done role=status>`,
	})
	first := r.uid(`"First"`)
	r.says("fill", `{"uid":"`+first+`","value":"socks"}`, "")
	r.says("press_key", `{"uid":"`+first+`","key":"!","repeat":3}`, "")
	r.says("press_key", `{"uid":"`+first+`","key":"Enter"}`, "sent socks!!!")
	r.says("press_key", `{"uid":"`+first+`","key":"Tab"}`, "")
	r.says("press_key", `{"key":"z"}`, "")
	r.says("take_snapshot", `{}`, `textbox "Second" value="z"`)
	r.says("fill", `{"uid":"`+first+`","value":""}`, "")
	if got := r.call("take_snapshot", `{}`); strings.Contains(got.Text, "value=\"socks") || !strings.Contains(got.Text, `textbox "First"`) {
		t.Errorf("emptied, it is %s", got.Text)
	}
}

// TestKeysPassByFramesThatWereNotDecided: a frame may be looked at, and nothing done there. What is meant
// for a field beside it doesn't arrive there, though the page hands it the focus as the text or the key
// comes; if Chrome was quicker, the call is an error that says so.
func TestKeysPassByFramesThatWereNotDecided(t *testing.T) {
	for _, c := range []struct{ name, does, tool, args string }{
		{"filling, at once", `Promise.resolve().then(() => f.contentWindow.focus())`, "fill", `"value":"s3cret"`},
		{"emptying, at once", `Promise.resolve().then(() => f.contentWindow.focus())`, "fill", `"value":""`},
		{"a key, at once", `Promise.resolve().then(() => f.contentWindow.focus())`, "press_key", `"key":"x"`},
		{"keys, at the next frame", `requestAnimationFrame(() => f.contentWindow.focus())`, "press_key", `"key":"Backspace","repeat":3`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := openTrusted(t, automationtest.Pages{
				"/": `<!doctype html><input aria-label=First value=old onfocus="` + c.does + `"><iframe id=f src="{{b}}/other"></iframe>`,
				"/other": `<!doctype html><input id=i><script>var taken = 0; onmessage = onfocus = () => i.focus()
					for (const type of ['keydown', 'beforeinput', 'keyup']) addEventListener(type, () => taken++, true)</script>`,
			})
			got, actions := r.judged(c.tool, `{"uid":"`+r.uid(`"First"`)+`",`+c.args+`}`, func(call *browsertool.Call) {
				call.Judge = func(_ context.Context, d browsertool.Action) error {
					if d.Stage == browsertool.StageEnter {
						return errors.New("not there")
					}
					return nil
				}
			})
			if !got.IsError && strings.HasSuffix(c.name, "at once") || slices.ContainsFunc(actions, func(d browsertool.Action) bool { return d.Stage == browsertool.StageEnter }) {
				t.Errorf("got %s", got.Text)
			}
			if n := r.taken("/other"); n != 0 && !strings.Contains(got.Text, "may have arrived there") {
				t.Errorf("the frame got %d events, and the call said %s", n, got.Text)
			}
		})
	}
}
