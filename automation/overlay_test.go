package automation

import (
	"strings"
	"testing"

	"webmcphub/automation/automationtest"
	"webmcphub/automation/page"
)

// taken is how many presses and keys the frame whose address ends so has got.
func (r real) taken(suffix string) (n int) {
	r.t.Helper()
	if err := r.Evaluate(r.Ctx, r.Frame(suffix).FrameRef, page.Main, "() => window.taken", nil, &n); err != nil {
		r.t.Fatal(err)
	}
	return n
}

// takes is a frame that counts what it gets.
const takes = `<!doctype html><body style="background:#fcc">other<script>var taken = 0; for (const type of ['mousedown', 'mouseup', 'click']) addEventListener(type, () => taken++, true)</script>`

// TestFramesOverTheTarget: frames of other sites that come over what is to be clicked, when
// the hub has looked already, don't get the press, and the click isn't called done.
func TestFramesOverTheTarget(t *testing.T) {
	t.Parallel()
	tabs := automationtest.NewTable(t)
	const body = `<!doctype html><body style="margin:0"><script>var log = [], presses = 0</script>
		<button id=b style="position:absolute;left:20px;top:20px;width:200px;height:60px" onclick="log.push('clicked')">Save</button>
		<iframe id=f title=Adverts src="{{HOST}}/other" style="position:absolute;left:600px;top:300px;width:300px;height:200px;border:0"></iframe>`
	const over, away = `f.style.left = f.style.top = '0px'`, `f.style.left = '600px'; f.style.top = '300px'`
	for _, c := range []struct{ name, script string }{
		{"stays over it", over},
		{"at the mouse's arrival", `b.onpointermove = () => { ` + over + ` }`},
		{"at the mouse's arrival, and the page is busy then", `b.onpointermove = () => { ` + over + `; requestAnimationFrame(() => { const end = performance.now() + 100; while (performance.now() < end); }) }`},
		{"at the pointer's press", `b.onpointerdown = () => { ` + over + ` }`},
		{"every other frame", `let n = 0; const step = () => { if (n++ % 2) { ` + over + ` } else { ` + away + ` }; requestAnimationFrame(step) }; step()`},
		{"by an animation", `document.head.append(Object.assign(document.createElement('style'), {textContent: '@keyframes slide { 0%, 49% { transform: none } 50%, 100% { transform: translate(-600px, -300px) } } #f { animation: slide 90ms steps(1) infinite }'}))`},
		{"and its page sees to that it can be pressed", `new MutationObserver(() => f.style.pointerEvents === 'none' && f.style.setProperty('pointer-events', 'auto', 'important')).observe(f, {attributes: true}); b.onpointermove = () => { ` + over + ` }`},
	} {
		for host, kept := range map[string]string{"b": "kept out", "c": "permitted"} {
			t.Run(c.name+", "+kept, func(t *testing.T) {
				r := openRuledIn(t, tabs, automationtest.Pages{"/": strings.ReplaceAll(body, "{{HOST}}", "{{"+host+"}}") + `<script>onload = () => { ` + c.script + ` }</script>`, "/other": takes})
				uid := r.uid(`"Save"`)
				done := 0
				for range 4 {
					got := r.call("click", `{"uid":"`+uid+`","timeout":150}`)
					if !got.IsError {
						done++
					}
					if strings.Contains(got.Text, "cannot see") && r.taken("/other") == 0 {
						t.Errorf("the error doesn't say what took the press: %s", got.Text)
					}
				}
				switch n := r.taken("/other"); {
				case n == 0:
				case c.name == "by an animation" && kept == "permitted":
					// The compositor moves it. On a busy machine the browser can be behind by more
					// frames than the hub waits for: then the click isn't called done.
					t.Logf("the frame got %d events", n)
				default:
					t.Errorf("the frame got %d events", n)
				}
				if clicked := js[int](r, "log.length"); clicked != done {
					t.Errorf("%d clicks arrived, %d are called done", clicked, done)
				}
			})
		}
	}
}

// TestFramesOverAFrame: the same where the target is in a frame itself.
func TestFramesOverAFrame(t *testing.T) {
	r := openRuled(t, automationtest.Pages{
		"/": `<!doctype html><body style="margin:0"><iframe id=inner src="{{c}}/inner" style="position:absolute;left:0;top:0;width:500px;height:200px;border:0"></iframe>
			<iframe id=f src="{{b}}/other" style="position:absolute;left:600px;top:300px;width:300px;height:200px;border:0"></iframe>
			<script>let n = 0; const step = () => { const over = n++ % 2; f.style.left = over ? '0px' : '600px'; f.style.top = over ? '0px' : '300px'; requestAnimationFrame(step) }; step()</script>`,
		"/inner": `<!doctype html><body style="margin:0"><script>var log = []</script><button style="position:absolute;left:20px;top:20px;width:200px;height:60px" onclick="log.push('clicked')">Save</button>
			<iframe id=f src="{{b}}/another" style="position:absolute;left:300px;top:100px;width:300px;height:200px;border:0"></iframe>
			<script>let n = 0; const step = () => { const over = n++ % 2; f.style.left = f.style.top = over ? '0px' : '300px'; requestAnimationFrame(step) }; step()</script>`,
		"/other": takes, "/another": takes,
	})
	r.says("wait_for", `{"text":["Save"]}`, "Save")
	uid := r.uid(`"Save"`)
	done := 0
	for range 5 {
		if got := r.call("click", `{"uid":"`+uid+`","timeout":500}`); !got.IsError {
			done++
		} else if strings.Contains(got.Text, "cannot see") {
			t.Errorf("the error doesn't say what took the press: %s", got.Text)
		}
	}
	if n := r.taken("/other") + r.taken("/another"); n > 0 {
		t.Errorf("the frames got %d events", n)
	}
	clicked := 0
	if err := r.Evaluate(r.Ctx, r.Frame("/inner").FrameRef, page.Main, "() => log.length", nil, &clicked); err != nil || clicked != done {
		t.Errorf("%d clicks arrived, %d are called done (%v)", clicked, done, err)
	}
	if style := js[string](r, "f.style.pointerEvents + f.style.transition"); style != "" {
		t.Errorf("the frame is left %s", style)
	}
}

// TestFramesUnderADrag: what is dragged doesn't reach frames that lie on its way or come over
// its target. Chrome itself sees to that: the documents of other
// origins get nothing of a drag within a tab.
func TestFramesUnderADrag(t *testing.T) {
	other := automationtest.Serve(t, automationtest.Pages{
		"/other": takes + `<script>for (const type of ['dragenter', 'dragover', 'drop', 'mousemove']) addEventListener(type, e => { e.preventDefault(); taken++ }, true)</script>`,
	})
	r := openDenying(t, other.URL("a", ""), automationtest.Pages{
		"/": `<!doctype html><body style="margin:0"><script>var log = []</script>
			<div draggable=true role=button aria-label=Box style="position:absolute;left:20px;top:20px;width:80px;height:80px;background:#ccf" ondragstart="event.dataTransfer.setData('text/plain', 'secret')">Box</div>
			<iframe id=f src="` + other.URL("a", "/other") + `" style="position:absolute;left:150px;top:0;width:200px;height:200px;border:0"></iframe>
			<div role=button aria-label=Bin style="position:absolute;left:400px;top:20px;width:80px;height:80px;background:#cfc" ondragenter="f.style.left = '350px'" ondragover="event.preventDefault()" ondrop="log.push(event.dataTransfer.getData('text/plain'))">Bin</div>`,
	})
	r.says("drag", `{"from_uid":"`+r.uid(`"Box"`)+`","to_uid":"`+r.uid(`"Bin"`)+`"}`, "Dragged")
	if n := r.taken("/other"); n > 0 {
		t.Errorf("the frame got %d events", n)
	}
	if got := js[string](r, "log.join()"); got != "secret" {
		t.Errorf("dropped: %q", got)
	}
	if style := js[string](r, "f.style.pointerEvents + f.style.transition"); style != "" {
		t.Errorf("the frame is left %s", style)
	}
}
