package input

import (
	"testing"
	"time"

	"webmcphub/automation/automationtest"
)

func TestHover(t *testing.T) {
	t.Parallel()
	hover := func(s *scene, selector string) error {
		_, err := s.tab.Hover(s.in.Ctx, s.node(selector), Limits{Ready: 400 * time.Millisecond})
		return err
	}
	play(t, []row{
		{"a button", `<button id=b>x</button><script>watch('mouseover','mousemove','mousedown')</script>`, func(s *scene) {
			if err := hover(s, "#b"); err != nil {
				s.Fatal(err)
			}
			s.is("log.join(' ')", "mouseover@b mousemove@b")
			s.is("b.matches(':hover')", "true")
		}},
		{"twice", `<button id=b>x</button>`, func(s *scene) {
			for range 2 {
				if err := hover(s, "#b"); err != nil {
					s.Fatal(err)
				}
			}
		}},
		{"opens a menu that can be clicked", `<style>#m{display:none}#b:hover #m{display:block}</style><div id=b style="width:100px">menu<a id=m href="#x" onclick="log.push('clicked')">item</a></div>`, func(s *scene) {
			if err := hover(s, "#b"); err != nil {
				s.Fatal(err)
			}
			s.click("#m")
			s.is("log.join()", "clicked")
		}},
		{"covered", `<button id=b>x</button><div id=over style="position:fixed;inset:0"></div>`, func(s *scene) {
			s.refuses(hover(s, "#b"), `is covered by <div id="over">`)
		}},
		{"below the fold", `<div style="height:3000px"></div><button id=b>x</button>`, func(s *scene) {
			if err := hover(s, "#b"); err != nil {
				s.Fatal(err)
			}
			s.is("b.matches(':hover')", "true")
		}},
		{"disabled elements too", `<span id=b aria-disabled=true role=button>x</span>`, func(s *scene) {
			if err := hover(s, "#b"); err != nil {
				s.Fatal(err)
			}
		}},
	})
}

func TestDrag(t *testing.T) {
	t.Parallel()
	const native = `<div id=s draggable=true style="width:80px;height:80px;background:red">src</div><div id=t style="margin:60px;width:200px;height:150px;background:#eee">target</div><script>
		watch('dragstart','dragend','drop','click');
		addEventListener('dragstart', e => e.dataTransfer.setData('text/plain', 'hello'));
		t.ondragenter = t.ondragover = e => e.preventDefault();
		t.ondrop = e => { e.preventDefault(); log.push(e.dataTransfer.getData('text/plain')) }</script>`
	const pointer = `<div id=s style="position:absolute;left:10px;top:10px;width:60px;height:60px;background:red;touch-action:none">src</div><div id=t style="position:absolute;left:300px;top:200px;width:120px;height:120px;background:#eee">target</div><script>
		let held = null, moves = 0;
		s.onpointerdown = e => { held = [e.clientX - s.offsetLeft, e.clientY - s.offsetTop]; s.setPointerCapture(e.pointerId) };
		s.onpointermove = e => { if (held) { moves++; s.style.left = e.clientX - held[0] + 'px'; s.style.top = e.clientY - held[1] + 'px' } };
		s.onpointerup = e => { held = null; const r = t.getBoundingClientRect(); log.push(e.clientX > r.left && e.clientX < r.right && e.clientY > r.top && e.clientY < r.bottom ? 'dropped' : 'missed') }</script>`
	drag := func(s *scene, from, to string) error {
		s.Helper()
		_, err := s.tab.Drag(s.in.Ctx, s.node(from), DragOptions{To: s.at(to), Limits: Limits{Ready: time.Second}})
		return err
	}
	must := func(s *scene, from, to string) {
		s.Helper()
		if err := drag(s, from, to); err != nil {
			s.Fatal(err)
		}
	}
	play(t, []row{
		{"the browser's own", native, func(s *scene) {
			must(s, "#s", "#t")
			s.is("log.join(' ')", "dragstart@s drop@t hello dragend@s")
		}},
		{"the browser's own, twice", native, func(s *scene) {
			must(s, "#s", "#t")
			must(s, "#s", "#t")
			s.is("log.filter(e => e == 'hello').length", "2")
		}},
		{"a click afterwards", native, func(s *scene) {
			must(s, "#s", "#t")
			s.click("#s")
			s.is("log.at(-1)", "click@s")
		}},
		{"a target that takes nothing", native + `<script>t.ondragenter = t.ondragover = null</script>`, func(s *scene) {
			must(s, "#s", "#t")
			s.is("log.includes('drop@t')", "false")
			s.is("log.includes('dragend@s')", "true")
		}},
		{"a drag that the page prevents", native + `<script>addEventListener('dragstart', e => e.preventDefault())</script>`, func(s *scene) {
			must(s, "#s", "#t")
			s.is("log.includes('drop@t')", "false")
			s.click("#t")
			s.is("log.at(-1)", "click@t")
		}},
		{"a target that goes when the button is pressed", `<button id=s>src</button><div id=t style="width:200px;height:150px;background:#eee">target</div><script>watch('mouseup'); s.onclick = () => log.push('click'); s.onmousedown = () => t.remove()</script>`, func(s *scene) {
			if err := drag(s, "#s", "#t"); err == nil {
				s.Error("it dragged to what is gone")
			}
			s.click("#s") // after the release, which clicks nothing
			s.is("log.join()", "mouseup@s,mouseup@s,click")
		}},
		{"a target below the fold", native + `<style>#t{margin-top:2000px!important}</style>`, func(s *scene) {
			must(s, "#s", "#t")
			s.is("log.includes('hello')", "true")
		}},
		{"a link", `<a id=s href="#x">link</a><div id=t style="width:200px;height:150px;background:#eee">target</div><script>t.ondragenter = t.ondragover = e => e.preventDefault(); t.ondrop = e => { e.preventDefault(); log.push(e.dataTransfer.getData('text/uri-list').endsWith('#x')) }</script>`, func(s *scene) {
			must(s, "#s", "#t")
			s.is("log.join()", "true")
		}},
		{"by the pointer", pointer, func(s *scene) {
			must(s, "#s", "#t")
			s.is("log.join()", "dropped")
			s.is("moves >= 5", "true")
		}},
		{"by the mouse", `<div id=s style="width:60px;height:60px;background:red">src</div><div id=t style="margin:100px;width:120px;height:120px;background:#eee">target</div><script>watch('mousedown','mouseup'); addEventListener('mousemove', e => { if (e.buttons == 1 && e.target == t) log.push('over') })</script>`, func(s *scene) {
			must(s, "#s", "#t")
			s.is("log[0] + ' ' + log.at(-1)", "mousedown@s mouseup@t")
			s.is("log.filter(e => e == 'over').length >= 2", "true")
		}},
		{"a list that makes room", `<style>li{height:40px}</style><ul id=l style="padding:0"><li id=s draggable=true>a<li>b<li id=t>c</ul><script>
			let d; addEventListener('dragstart', e => { d = e.target; e.dataTransfer.setData('text', 'x') });
			for (const li of l.children) { li.ondragover = e => { e.preventDefault(); if (li != d) l.insertBefore(d, li.nextSibling) }; li.ondrop = e => e.preventDefault() }
			addEventListener('dragend', () => log.push([...l.children].map(x => x.textContent.trim()).join('')))</script>`, func(s *scene) {
			must(s, "#s", "#t")
			s.is("log[0].startsWith('a')", "false")
		}},
		{"a slider", `<input id=s type=range min=0 max=100 value=50 style="width:300px"><div id=t style="position:absolute;left:310px;top:0;width:40px;height:20px"></div>`, func(s *scene) {
			must(s, "#s", "#t")
			s.is("Number(s.value) > 90", "true")
		}},
		{"a covered source", pointer + `<div id=over style="position:fixed;inset:0"></div>`, func(s *scene) {
			s.refuses(drag(s, "#s", "#t"), `is covered by <div id="over">`)
		}},
		{"a target that isn't visible", native + `<style>#t{display:none}</style>`, func(s *scene) {
			s.refuses(drag(s, "#s", "#t"), "is not visible")
			s.is("log.includes('drop@t')", "false")
			s.click("#s")
			s.is("log.at(-1)", "click@s")
		}},
		{"what is dragged covers its target on the way", `<div id=s style="position:absolute;left:10px;top:10px;width:100px;height:100px;background:red"></div><div id=t style="position:absolute;left:300px;top:200px;width:80px;height:80px;background:#eee"></div><script>
			let held = null;
			s.onmousedown = e => { held = [e.clientX - s.offsetLeft, e.clientY - s.offsetTop]; e.preventDefault() };
			addEventListener('mousemove', e => { if (held) { s.style.left = e.clientX - held[0] + 'px'; s.style.top = e.clientY - held[1] + 'px' } });
			addEventListener('mouseup', e => { held = null; log.push(e.clientX + ',' + e.clientY) })</script>`, func(s *scene) {
			must(s, "#s", "#t")
			s.is("log.join()", "340,240")
		}},
		{"what is dragged covers its target before", `<div id=t style="position:absolute;left:50px;top:50px;width:40px;height:40px;background:#eee"></div><div id=s style="position:absolute;left:10px;top:10px;width:200px;height:200px;background:red"></div><script>
			addEventListener('mouseup', e => log.push(e.clientX + ',' + e.clientY))</script>`, func(s *scene) {
			must(s, "#s", "#t")
			s.is("log.join()", "70,70")
		}},
		{"a place in the target", pointer, func(s *scene) {
			to := s.node("#t")
			to.Place = &Place{X: 5, Y: 100}
			s.does(s.tab.Drag(s.in.Ctx, s.node("#s"), DragOptions{To: &to}))
			s.is("s.offsetLeft + ',' + s.offsetTop", "275,270")
		}},
		{"a place in the source", `<canvas id=s width=300 height=200></canvas><script>for (const type of ['mousedown','mouseup']) s.addEventListener(type, e => log.push(e.offsetX + ',' + e.offsetY))</script>`, func(s *scene) {
			from := s.node("#s")
			from.Place = &Place{X: 20, Y: 30}
			s.does(s.tab.Drag(s.in.Ctx, from, DragOptions{ByX: 100, ByY: 50}))
			s.is("log.join(' ')", "20,30 120,80")
		}},
		{"by an offset", pointer, func(s *scene) {
			s.does(s.tab.Drag(s.in.Ctx, s.node("#s"), DragOptions{ByX: 200, ByY: -5}))
			s.is("s.offsetLeft + ',' + s.offsetTop", "210,5")
		}},
		{"the browser's own by an offset", native, func(s *scene) {
			s.does(s.tab.Drag(s.in.Ctx, s.node("#s"), DragOptions{ByX: 60, ByY: 150}))
			s.is("log.includes('hello')", "true")
		}},
		{"a target that is removed on the way", native + `<script>addEventListener('dragstart', () => setTimeout(() => t.remove()))</script>`, func(s *scene) {
			s.refuses(drag(s, "#s", "#t"), "was removed")
			s.click("#s")
			s.is("log.at(-1)", "click@s")
		}},
		{"a dialog on the drop", native + `<script>t.addEventListener('drop', () => alert('dropped'))</script>`, func(s *scene) {
			out, err := s.tab.Drag(s.in.Ctx, s.node("#s"), DragOptions{To: s.at("#t")})
			if err != nil || out.Dialog == nil {
				s.Fatalf("%+v %v", out, err)
			}
			s.answer(true)
			s.click("#s")
			s.is("log.at(-1)", "click@s")
		}},
		{"a dialog when the button is pressed", `<button id=s>src</button><div id=t style="width:200px;height:150px;background:#eee">target</div><script>s.onclick = () => log.push('click'); s.onmousedown = () => alert('pressed')</script>`, func(s *scene) {
			if out, err := s.tab.Drag(s.in.Ctx, s.node("#s"), DragOptions{To: s.at("#t")}); err == nil && out.Dialog == nil {
				s.Fatalf("%+v", out)
			}
			s.answer(true)
			s.is("(s.click(), log.join())", "click") // by a script: the failed drag keeps nothing from it
		}},
	})
	for _, host := range []string{"a", "b"} {
		t.Run("within a frame/"+host, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, automationtest.Pages{"/": prelude + `<iframe style="margin:50px;width:500px;height:400px" src="{{` + host + `}}/in"></iframe>`, "/in": prelude + native})
			s.frame = "/in"
			must(s, "#s", "#t")
			s.is("log.includes('hello')", "true")
		})
	}
}
