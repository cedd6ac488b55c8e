package input

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"webmcphub/automation/automationtest"
	"webmcphub/automation/page"
)

// TestHostile: pages that change under the mouse. Nothing but the element is ever pressed,
// and nothing that didn't arrive is called done.
func TestHostile(t *testing.T) {
	t.Parallel()
	const save = `<button id=b style="width:120px;height:40px" onclick="log.push('clicked')">Save</button>`
	play(t, []row{
		{"an overlay at the mouse's arrival", save + `<div id=over hidden style="position:fixed;inset:0" onclick="log.push('wrong')" onmousedown="log.push('wrong')"></div><script>b.onpointermove = () => over.hidden = false</script>`, func(s *scene) {
			_, err := s.tryClick("#b", short(400*time.Millisecond))
			s.refuses(err, `is covered by <div id="over">`)
			s.is("log.join()", "")
		}},
		{"an overlay at the mouse's arrival that goes again", save + `<div id=over hidden style="position:fixed;inset:0" onclick="log.push('wrong')"></div><script>b.onpointermove = () => { if (over.done) return; over.done = true; over.hidden = false; setTimeout(() => over.hidden = true, 300) }</script>`, func(s *scene) {
			s.click("#b")
			s.is("log.join()", "clicked")
		}},
		{"an overlay as the button goes down", save + `<div id=over hidden style="position:fixed;inset:0"></div><script>b.onmousedown = () => { over.hidden = false; log.push('down') }</script>`, func(s *scene) {
			_, err := s.tryClick("#b")
			s.refuses(err, `The button went down on element "#b", but then <div id="over"> came over it`)
			s.is("log.join()", "down")
		}},
		{"an overlay as the pointer goes down", save + `<div id=over hidden style="position:fixed;inset:0" onclick="log.push('wrong')"></div><script>b.onpointerdown = () => over.hidden = false</script>`, func(s *scene) {
			_, err := s.tryClick("#b")
			s.refuses(err, "came over it")
			s.is("log.includes('clicked')", "false")
		}},
		{"a layout shift at the mouse's arrival", `<div id=ad></div>` + save + `<button id=other onclick="log.push('wrong')" style="width:120px;height:40px;display:block">Delete</button><script>b.onpointermove = () => { ad.style.height = '20px'; b.style.marginTop = '60px' }</script>`, func(s *scene) {
			s.click("#b")
			s.is("log.join()", "clicked")
		}},
		{"it jumps away once", save + `<script>b.onmouseover = () => { if (!b.jumped) { b.jumped = true; b.style.position = 'fixed'; b.style.left = '400px'; b.style.top = '300px' } }</script>`, func(s *scene) {
			s.click("#b")
			s.is("log.join()", "clicked")
		}},
		{"another takes its place at the mouse's arrival", `<div id=p>` + save + `</div><script>var fresh = document.createElement('button'); fresh.textContent = 'Save'; fresh.style = 'width:120px;height:40px'; fresh.onclick = () => log.push('wrong'); b.onpointermove = () => b.replaceWith(fresh)</script>`, func(s *scene) {
			_, err := s.tryClick("#b", short(time.Second))
			s.refuses(err, "was removed from the page")
			s.is("log.join()", "")
		}},
		{"a list that is sorted anew at the mouse's arrival", `<ul id=l style="padding:0"><li><button id=b onclick="log.push('clicked')">Alpha</button><li><button onclick="log.push('wrong')">Beta</button></ul><script>b.onpointerenter = () => { if (!l.sorted) { l.sorted = true; l.append(l.firstElementChild) } }</script>`, func(s *scene) {
			s.click("#b")
			s.is("log.join()", "clicked")
		}},
		{"a page that stops all events", save + `<script>for (const type of ['pointerdown','mousedown','mouseup','click']) addEventListener(type, e => { e.stopImmediatePropagation(); e.preventDefault(); log.push(type) }, true)</script>`, func(s *scene) {
			_, err := s.tryClick("#b", short(400*time.Millisecond))
			if err == nil {
				s.is("log.includes('click')", "true")
			}
		}},
		{"a page that breaks its builtins", `<script>Array.prototype.push = Array.prototype.includes = Element.prototype.matches = Element.prototype.closest = document.elementFromPoint = window.requestAnimationFrame = window.addEventListener = () => { throw new Error('no') }; log = []</script><button id=b onclick="log[log.length] = 'clicked'">Save</button>`, func(s *scene) {
			s.click("#b")
			s.is("log.join()", "clicked")
		}},
		{"pointer capture by what is around", `<div id=p>` + save + `</div><script>p.onpointerdown = e => p.setPointerCapture(e.pointerId)</script>`, func(s *scene) {
			_, err := s.tryClick("#b")
			if err == nil {
				s.is("log.join()", "clicked")
			} else {
				s.refuses(err, "came over it")
				s.is("log.join()", "")
			}
		}},
		{"a click that goes on for 300 ms", `<button id=b onclick="const t = performance.now(); while (performance.now() - t < 300); log.push('clicked')">Save</button>`, func(s *scene) {
			s.click("#b")
			s.is("log.join()", "clicked")
		}},
		{"no guard is left behind", save + `<div id=over style="position:fixed;inset:0"></div>`, func(s *scene) {
			_, err := s.tryClick("#b", short(100*time.Millisecond))
			s.refuses(err, "covered")
			s.js("over.remove()")
			s.raw(30, 25)
			s.is("log.join()", "clicked")
		}},
	})
}

// TestEndings: however an action ends, the page works as before.
func TestEndings(t *testing.T) {
	t.Parallel()
	const waits = `<button id=b disabled>Save</button><button id=c onclick="log.push('clicked')" style="position:absolute;top:200px">Other</button><script>watch('mouseup')</script>`
	after := func(s *scene) {
		s.js("void (log.length = 0)")
		s.click("#c")
		s.is("log.includes('clicked')", "true")
	}
	play(t, []row{
		{"ctx ends while it waits", waits, func(s *scene) {
			ctx, cancel := s.ctx()
			n := s.node("#b")
			time.AfterFunc(200*time.Millisecond, cancel)
			_, err := s.tab.Click(ctx, n, ClickOptions{})
			if !errors.Is(err, errEnough) {
				s.Errorf("it ended with %v", err)
			}
			after(s)
		}},
		{"ctx ends while the page is busy with the press", `<button id=b onmousedown="const r = new XMLHttpRequest(); r.open('GET', '/busy', false); r.send()">Save</button><button id=c onclick="log.push('clicked')" style="position:absolute;top:200px">Other</button><script>addEventListener('mouseup', () => log.push('up'))</script>`, func(s *scene) {
			ctx, cancel := s.ctx()
			n := s.node("#b")
			goOn := make(chan struct{})
			s.in.Site.Handle(func(_ http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path != "/busy" {
					return false
				}
				cancel()
				<-goOn
				return true
			})
			_, err := s.tab.Click(ctx, n, ClickOptions{})
			close(goOn)
			if !errors.Is(err, errEnough) {
				s.Errorf("it ended with %v", err)
			}
			s.becomes("log.includes('up')", "true") // the button isn't held
			after(s)
		}},
		{"ctx ended before", waits, func(s *scene) {
			ctx, cancel := s.ctx()
			n := s.node("#b")
			cancel()
			if _, err := s.tab.Click(ctx, n, ClickOptions{}); err == nil {
				s.Error("it went well")
			}
			after(s)
		}},
		{"the tab is closed", waits, func(s *scene) {
			n := s.node("#b")
			time.AfterFunc(300*time.Millisecond, func() {
				s.in.Conn.Post("", "Target.closeTarget", map[string]any{"targetId": s.in.Target}, nil)
			})
			_, err := s.tab.Click(s.in.Ctx, n, ClickOptions{})
			var ended *page.Ended
			if !errors.As(err, &ended) {
				s.Errorf("it ended with %v", err)
			}
		}},
		{"the page crashes", waits, func(s *scene) {
			n := s.node("#b")
			time.AfterFunc(300*time.Millisecond, func() { s.in.Send(s.in.Ctx, "", "Page.crash", nil) })
			_, err := s.tab.Click(s.in.Ctx, n, ClickOptions{})
			var ended *page.Ended
			if !errors.As(err, &ended) {
				s.Errorf("it ended with %v", err)
			}
		}},
		{"the page navigates while it waits", waits, func(s *scene) {
			n := s.node("#b")
			s.js("void setTimeout(() => location = '/?next', 200)")
			_, err := s.tab.Click(s.in.Ctx, n, ClickOptions{})
			var gone *page.DocumentGone
			if !errors.As(err, &gone) {
				s.Errorf("it ended with %v", err)
			}
		}},
		{"a dialog comes while it waits", waits, func(s *scene) {
			n := s.node("#b")
			s.js("void setTimeout(() => alert('hello'), 200)")
			out, err := s.tab.Click(s.in.Ctx, n, ClickOptions{})
			if err != nil || out.Dialog == nil || out.Delivered {
				s.Fatalf("%+v, %v", out, err)
			}
			s.answer(true)
			after(s)
		}},
		{"a dialog is open already", waits, func(s *scene) {
			n := s.node("#b")
			s.in.Send(s.in.Ctx, "", "Runtime.evaluate", map[string]any{"expression": "alert('hello')"})
			s.untilDialog()
			_, err := s.tab.Click(s.in.Ctx, n, ClickOptions{})
			var open *page.DialogOpen
			if !errors.As(err, &open) {
				s.Errorf("it ended with %v", err)
			}
			s.answer(true)
			after(s)
		}},
	})
}

func TestFrameIsRemoved(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"a", "b"} {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, automationtest.Pages{"/": prelude + `<iframe id=f src="{{` + host + `}}/in"></iframe><button id=c onclick="log.push('clicked')">Other</button>`, "/in": `<button id=b disabled>Save</button>`})
			s.frame = "/in"
			n := s.node("#b")
			s.frame = ""
			s.js("void setTimeout(() => f.remove(), 200)")
			_, err := s.tab.Click(s.in.Ctx, n, ClickOptions{})
			var gone *page.DocumentGone
			if !errors.As(err, &gone) {
				t.Errorf("it ended with %v", err)
			}
			s.click("#c")
			s.is("log.join()", "clicked")
		})
	}
}
