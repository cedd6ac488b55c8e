package input

import (
	"testing"
	"time"

	"webmcphub/automation/input/keys"
)

func TestClick(t *testing.T) {
	t.Parallel()
	const clicked = ` onclick="log.push('clicked')"`
	once := func(selector string) func(s *scene) {
		return func(s *scene) {
			s.click(selector)
			s.is("log.join()", "clicked")
		}
	}
	image := func(areas string) string {
		return `<map name=m>` + areas + `</map><div style="height:3000px"></div><div style="height:150px;overflow:auto"><div style="height:500px"></div>
			<img usemap="#m" style="width:200px;height:100px;padding:10px;border:5px solid;transform:scale(.5)" src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>"></div>`
	}
	play(t, []row{
		{"a button", `<button id=b` + clicked + `>Save</button>`, once("#b")},
		{"the events of a click, in order", `<button id=b>Save</button><script>watch('pointerdown','mousedown','focus','pointerup','mouseup','click')</script>`, func(s *scene) {
			s.click("#b")
			s.is("log.join(' ')", "pointerdown@b mousedown@b focus@b pointerup@b mouseup@b click@b")
		}},
		{"svg", `<svg height=100 width=100><circle id=b` + clicked + ` cx=50 cy=50 r=40 /></svg>`, once("#b")},
		{"an svg line, whose middle is empty", `<svg height=200 width=200><path id=b` + clicked + ` d="M10 10 L190 10 L190 190" stroke=black stroke-width=8 fill=none /></svg>`, once("#b")},
		{"an area of an image", image(`<area id=b shape=rect coords="150,60,190,90" href="#x"` + clicked + `>`), once("#b")},
		{"a round area of an image", image(`<area id=b shape=circle coords="40,40,20" href="#x"` + clicked + `>`), once("#b")},
		{"an angular area of an image, whose middle isn't its own", image(`<area shape=rect coords="40,30,60,70" href="#y"><area id=b shape=poly coords="0,0,100,0,100,30,30,30,30,100,0,100" href="#x"` + clicked + `>`), once("#b")},
		{"the rest of an image", image(`<area shape=rect coords="50,0,150,100" href="#y"><area id=b shape=default href="#x"` + clicked + `>`), once("#b")},
		{"an area of the second of two images, and the first is hidden", `<img usemap="page#m" style="display:none">` + image(`<area id=b shape=DEFAULT href="#x"`+clicked+`>`), once("#b")},
		{"an area without numbers", image(`<area id=b shape=rect coords="a,b" href="#x">`), func(s *scene) {
			n := s.node("#b")
			n.Place = &Place{X: 2, Y: 2}
			_, err := s.tab.Click(s.in.Ctx, n, ClickOptions{Limits: Limits{Ready: 300 * time.Millisecond}})
			s.refuses(err, "0 × 0 CSS pixels large")
		}},
		{"a place in an area of an image", image(`<area id=b shape=rect coords="150,60,190,90" href="#x" onclick="log.push('clicked')">`), func(s *scene) {
			n := s.node("#b")
			n.Place = &Place{X: 2, Y: 2}
			if _, err := s.tab.Click(s.in.Ctx, n, ClickOptions{}); err != nil {
				s.Fatal(err)
			}
			s.is("log.join()", "clicked")
		}},
		{"an area under another one", image(`<area shape=rect coords="0,0,200,100" href="#over" id=over><area id=b shape=rect coords="150,60,190,90" href="#x">`), func(s *scene) {
			_, err := s.tryClick("#b", short(300*time.Millisecond))
			s.refuses(err, `is covered by <area id="over"`)
		}},
		{"an area without an image", `<map name=m><area id=b shape=rect coords="150,60,190,90" href="#x"></map>`, func(s *scene) {
			_, err := s.tryClick("#b", short(300*time.Millisecond))
			s.refuses(err, "is not visible")
		}},
		{"without window.Node", `<script>delete window.Node; window.Element = null</script><button id=b` + clicked + `>Save</button>`, once("#b")},
		{"a span with an inline element", `<style>span::before{content:'q'}</style><span id=b` + clicked + `><i>in</i></span>`, once("#b")},
		{"an aligned 1x1 div", `<div id=b style="width:1px;height:1px"` + clicked + `></div>`, once("#b")},
		{"a half-aligned 1x1 div", `<div id=b style="margin:20.5px 0 0 11.5px;width:1px;height:1px"` + clicked + `></div>`, once("#b")},
		{"an unaligned 1x1 div", `<div id=b style="margin:20.23px 0 0 11.68px;width:1px;height:1px"` + clicked + `></div>`, once("#b")},
		{"another unaligned 1x1 div", `<div id=b style="margin:20.81px 0 0 11.15px;width:1px;height:1px"` + clicked + `></div>`, once("#b")},
		{"an inline box partly outside the viewport", `<style>i{position:absolute;top:-1000px}</style><span id=b` + clicked + `><i>woof</i><b>doggo</b></span>`, once("#b")},
		{"three clicks select a line", `<textarea id=b>This is the text that is selected. Keyboard input is added after it.</textarea>`, func(s *scene) {
			s.click("#b", func(o *ClickOptions) { o.Clicks = 3 })
			s.is("b.value.substring(b.selectionStart, b.selectionEnd)", "This is the text that is selected. Keyboard input is added after it.")
		}},
		{"offscreen buttons, all of them", `<style>button{position:absolute;width:100px;height:20px}</style><div style="position:relative;width:1500px;height:1000px;overflow:hidden"><script>for(let i=0;i<11;i++)document.write('<button id=b'+i+' style="left:'+(1350+i*5)+'px;top:'+i*90+'px" onclick="log.push('+i+')">'+i+'</button>')</script></div>`, func(s *scene) {
			for _, b := range []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"} {
				s.click("#b" + b)
			}
			s.is("log.join()", "0,1,2,3,4,5,6,7,8,9,10")
		}},
		{"a wrapped link", `<div style="width:10em">some text in front of <a id=b href="#x"` + clicked + `>a link that is wrapped over lines</a></div>`, once("#b")},
		{"a checkbox", `<input id=b type=checkbox><script>watch('input','change','click')</script>`, func(s *scene) {
			s.click("#b")
			s.is("b.checked", "true")
			s.is("log.join(' ')", "click@b input@b change@b")
			s.click("#b")
			s.is("b.checked", "false")
		}},
		{"a checkbox's label", `<label id=l for=b>agree</label><input id=b type=checkbox>`, func(s *scene) {
			s.click("#l")
			s.is("b.checked", "true")
		}},
		{"a checkbox that isn't drawn, by its label", `<label>agree<input id=b type=checkbox style="position:absolute;width:0;height:0;opacity:0"></label>`, func(s *scene) {
			if out := s.click("#b"); out.Through == "" {
				s.Error("it does not say that a label was clicked")
			}
			s.is("b.checked", "true")
		}},
		{"a radio button that is clipped away under another one's label", `<style>input { position: absolute; clip: rect(0, 0, 0, 0); pointer-events: none; left: 20px } label { padding: 8px }</style>
			<input type=radio name=r id=a><label for=a>One</label><input type=radio name=r id=b><label for=b>Two</label>`, func(s *scene) {
			s.click("#b")
			s.is("b.checked", "true")
		}},
		{"a checkbox whose label is a link", `<div style="position:relative;width:50px;height:30px"><input id=b type=checkbox><div id=over style="position:absolute;inset:0"></div></div>
			<label for=b><a href="#away">Terms</a></label>`, func(s *scene) {
			_, err := s.tryClick("#b", short(300*time.Millisecond))
			s.refuses(err, `is covered by <div id="over">`)
			s.is("location.hash", "")
		}},
		{"a slider out of view, whose label is in view", `<div style="height:calc(100vh - 30px)"></div><label for=b>Volume</label><br><br><input type=range id=b value=0>`, func(s *scene) {
			s.click("#b")
			s.is("b.value", "50")
		}},
		{"a form with a field named labels", `<form id=b onclick="this.title='clicked'" style="padding:20px;width:200px;height:100px"><input name=labels></form>`, func(s *scene) {
			s.click("#b")
			s.is("b.title", "clicked")
		}},
		{"a checkbox under its label's drawing", `<label style="position:relative"><input id=b type=checkbox><span style="position:absolute;inset:0;background:white">x</span></label>`, func(s *scene) {
			s.click("#b")
			s.is("b.checked", "true")
		}},
		{"below the fold", `<div style="height:3000px"></div><button id=b` + clicked + `>Save</button>`, once("#b")},
		{"below the fold, with smooth scrolling", `<style>html{scroll-behavior:smooth}</style><div style="height:3000px"></div><button id=b` + clicked + `>Save</button>`, once("#b")},
		{"in nested scrollers", `<div style="height:150px;overflow:auto"><div style="height:900px"></div><div style="height:200px;overflow:auto"><div style="height:900px"></div><button id=b` + clicked + `>Save</button><div style="height:900px"></div></div><div style="height:900px"></div></div>`, once("#b")},
		{"in a scroller sideways", `<div style="width:200px;overflow:auto;white-space:nowrap"><span style="display:inline-block;width:1500px"></span><button id=b` + clicked + `>Save</button></div>`, once("#b")},
		{"taller than its scroller", `<div style="height:100px;overflow:auto"><div id=b style="height:2000px"` + clicked + `>x</div></div><div style="height:800px"></div>`, once("#b")},
		{"larger than the viewport", `<button id=b style="width:3000px;height:3000px"` + clicked + `>Save</button>`, once("#b")},
		{"double click", `<button id=b ondblclick="log.push('double')" onclick="log.push('clicked')">Save</button>`, func(s *scene) {
			s.click("#b", func(o *ClickOptions) { o.Clicks = 2 })
			s.is("log.join()", "clicked,clicked,double")
		}},
		{"partly covered, the middle free", `<button id=b style="width:200px"` + clicked + `>Save</button><div style="position:absolute;left:0;top:0;width:60px;height:60px;background:red"></div>`, once("#b")},
		{"its middle covered for good", `<button id=b style="width:300px;height:60px"` + clicked + `>Save</button><div style="position:absolute;left:120px;top:0;width:100px;height:90px;background:red"></div>`, once("#b")},
		{"rotated", `<button id=b style="margin:80px;width:200px;transform:rotate(50deg)"` + clicked + `>Save</button>`, once("#b")},
		{"in perspective", `<div style="perspective:300px"><button id=b style="margin:80px;width:200px;transform:rotateY(50deg) rotateX(20deg)"` + clicked + `>Save</button></div>`, once("#b")},
		{"scaled and zoomed", `<div style="zoom:1.7;transform:scale(.6);transform-origin:0 0"><button id=b` + clicked + `>Save</button></div>`, once("#b")},
		{"right click", `<button id=b>Save</button><script>watch('pointerdown','mousedown','contextmenu','pointerup','mouseup','auxclick','click')</script>`, func(s *scene) {
			s.click("#b", func(o *ClickOptions) { o.Button = Right })
			s.is("log.includes('contextmenu@b')", "true")
			s.is("log.includes('click@b')", "false")
		}},
		{"left after right", `<button id=b>Save</button><script>watch('contextmenu','click')</script>`, func(s *scene) {
			s.click("#b", func(o *ClickOptions) { o.Button = Right })
			s.click("#b")
			s.is("log.join(' ')", "contextmenu@b click@b")
		}},
		{"middle click", `<button id=b>Save</button><script>addEventListener('auxclick', e => log.push(e.button + ',' + e.target.id))</script>`, func(s *scene) {
			s.click("#b", func(o *ClickOptions) { o.Button = Middle })
			s.is("log.join(' ')", "1,b")
		}},
		{"modifiers", `<button id=b onclick="log.push([event.shiftKey,event.ctrlKey,event.altKey,event.metaKey].map(Number).join(''))">Save</button>`, func(s *scene) {
			for _, m := range []keys.Modifiers{keys.Shift, keys.Control, keys.Alt, keys.Meta, keys.Shift | keys.Control, 0} {
				s.click("#b", func(o *ClickOptions) { o.Modifiers = m })
			}
			s.is("log.join()", "1000,0100,0010,0001,1100,0000")
		}},
		{"pressure", `<button id=b>Save</button><script>b.onpointerdown = b.onpointermove = b.onpointerup = e => log.push(e.type + e.pressure)</script>`, func(s *scene) {
			s.click("#b")
			s.is("log.join()", "pointermove0,pointerdown0.5,pointerup0")
		}},
		{"behind a sticky header", `<style>#h{position:sticky;top:0;height:100px;background:red;z-index:2}</style><div id=h></div><div style="height:600px"></div><button id=b` + clicked + `>Save</button><div style="height:3000px"></div><script>addEventListener('load', () => scrollTo(0, 620))</script>`, once("#b")},
		{"behind a fixed header of a scroller", `<div style="position:relative;height:300px"><div style="position:absolute;top:0;left:0;right:0;height:150px;background:red;z-index:2"></div><div id=sc style="height:300px;overflow:auto"><div style="height:500px"></div><button id=b` + clicked + `>Save</button><div style="height:1000px"></div></div></div><script>sc.scrollTop = 450</script>`, once("#b")},
		{"between a header and a footer", `<style>.f{position:fixed;left:0;right:0;height:40%;background:red}</style><div class=f style="top:0"></div><div class=f style="bottom:0"></div><div style="height:2000px"></div><button id=b` + clicked + `>Save</button><div style="height:2000px"></div>`, once("#b")},
		{"waits until it is at rest", `<style>@keyframes m{to{margin-left:500px}}#b{animation:m .4s linear forwards}</style><button id=b onclick="log.push(this.getAnimations().length ? 'early' : 'clicked')">Save</button>`, func(s *scene) {
			s.click("#b")
			s.becomes("log.length", "1")
		}},
		{"waits until it is uncovered", `<button id=b` + clicked + `>Save</button><div id=o style="position:fixed;inset:0;background:red"></div><script>setTimeout(() => o.remove(), 400)</script>`, once("#b")},
		{"waits until it is visible", `<button id=b style="display:none"` + clicked + `>Save</button><script>setTimeout(() => b.style.display = '', 300)</script>`, once("#b")},
		{"waits until it is no longer hidden by visibility", `<button id=b style="visibility:hidden"` + clicked + `>Save</button><script>setTimeout(() => b.style.visibility = '', 300)</script>`, once("#b")},
		{"waits until what is around is visible", `<div id=p style="display:none"><button id=b` + clicked + `>Save</button></div><script>setTimeout(() => p.style.display = '', 300)</script>`, once("#b")},
		{"waits until it is enabled", `<button id=b disabled` + clicked + `>Save</button><script>setTimeout(() => b.disabled = false, 300)</script>`, once("#b")},
		{"waits until its fieldset is enabled", `<fieldset id=f disabled><button id=b` + clicked + `>Save</button></fieldset><script>setTimeout(() => f.disabled = false, 300)</script>`, once("#b")},
		{"waits until it takes the pointer", `<button id=b style="pointer-events:none"` + clicked + `>Save</button><script>setTimeout(() => b.style.pointerEvents = '', 300)</script>`, once("#b")},
		{"waits until its label takes the pointer", `<label id=b style="pointer-events:none"` + clicked + `>Save</label><script>setTimeout(() => b.style.pointerEvents = '', 300)</script>`, once("#b")},
		{"waits for a slide in from outside", `<style>#b{position:fixed;left:-300px;transition:left .3s}</style><button id=b` + clicked + `>Save</button><script>setTimeout(() => b.style.left = '50px', 100)</script>`, once("#b")},
		{"a disabled div is none", `<div id=b disabled` + clicked + `>x</div>`, once("#b")},
		{"in a fieldset's first legend", `<fieldset disabled><legend><button id=b` + clicked + `>Save</button></legend></fieldset>`, once("#b")},
		{"an inner text with pointer-events none", `<button` + clicked + `><label id=b style="pointer-events:none">Save</label></button>`, once("#b")},
		{"up to the role of a button", `<div role=button` + clicked + `><div style="pointer-events:none"><span id=b>Save</span></div></div>`, once("#b")},
		{"up to a link", `<a href="#x"` + clicked + `><div style="pointer-events:none"><span id=b>Save</span></div></a>`, once("#b")},
		{"up to the role of a link", `<div role=link` + clicked + `><div style="pointer-events:none"><span id=b>Save</span></div></div>`, once("#b")},
		{"display: contents", `<div id=b style="display:contents"` + clicked + `><span>Save</span></div>`, once("#b")},
		{"with a false innerWidth", `<script>window.innerWidth = 0; window.innerHeight = 0</script><button id=b` + clicked + `>Save</button>`, once("#b")},
		{"in an open shadow root", `<div id=h></div><script>h.attachShadow({mode:'open'}).innerHTML = '<slot></slot><button>Save</button>'; h.shadowRoot.querySelector('button').onclick = () => log.push('clicked')</script>`, func(s *scene) {
			n := s.object("h.shadowRoot.querySelector('button')")
			if _, err := s.tab.Click(s.in.Ctx, n, ClickOptions{}); err != nil {
				s.Fatal(err)
			}
			s.is("log.join()", "clicked")
		}},
		{"in a closed shadow root", `<div id=h></div><script>var root = h.attachShadow({mode:'closed'}); root.innerHTML = '<button><b>Save</b></button>'; root.querySelector('button').onclick = () => log.push('clicked')</script>`, func(s *scene) {
			n := s.object("root.querySelector('button')")
			if _, err := s.tab.Click(s.in.Ctx, n, ClickOptions{}); err != nil {
				s.Fatal(err)
			}
			s.is("log.join()", "clicked")
		}},
		{"slotted into a closed shadow root's button", `<div id=h><b id=in>Save</b></div><script>var root = h.attachShadow({mode:'closed'}); root.innerHTML = '<button><slot></slot></button>'; root.querySelector('button').onclick = () => log.push('clicked')</script>`, func(s *scene) {
			n := s.object("root.querySelector('button')")
			if _, err := s.tab.Click(s.in.Ctx, n, ClickOptions{}); err != nil {
				s.Fatal(err)
			}
			s.is("log.join()", "clicked")
		}},
		{"an option of a closed list", `<select id=b onchange="log.push(value)"><option>one<option id=two>two</select>`, func(s *scene) {
			begun := time.Now()
			n := s.node("#two")
			n.Role = "option"
			if _, err := s.tab.Click(s.in.Ctx, n, ClickOptions{}); err != nil || time.Since(begun) > DefaultLimit {
				s.Errorf("after %v: %v", time.Since(begun), err)
			}
			s.is("log.join()", "two")
		}},
		{"an option of a closed list that has another role", `<select id=b onchange="log.push(value)"><option>one<option id=two>two</select>`, func(s *scene) {
			s.click("#two", short(400*time.Millisecond))
			s.is("log.join()", "two")
		}},
		{"a native list", `<select id=b><option>one<option id=two>two</select><script>watch('mousedown')</script>`, func(s *scene) {
			s.click("#b")
			s.is("log.join()", "mousedown@b")
			s.press("Escape")
		}},
		{"the top layer", `<dialog id=d><button id=b` + clicked + `>Save</button></dialog><script>d.showModal()</script>`, once("#b")},
		{"again and again", `<button id=b onclick="log.push(1)">Save</button>`, func(s *scene) {
			for range 30 {
				s.click("#b")
			}
			s.is("log.length", "30")
		}},
		{"a click that removes the element", `<button id=b onclick="log.push('clicked'); this.remove()">Save</button>`, once("#b")},
		{"a press that removes the element", `<button id=b onmousedown="log.push('clicked'); this.remove()">Save</button>`, once("#b")},
		{"a press that opens a menu over it", `<button id=b aria-expanded=false onmousedown="this.setAttribute('aria-expanded', true); o.hidden = false; log.push('clicked')">Save</button><div id=o hidden style="position:fixed;inset:0"></div>`, once("#b")},
		{"microtasks between the listeners", `<button id=b>Save</button><script>b.addEventListener('mousedown', () => Promise.resolve().then(() => log.push('micro'))); b.addEventListener('mousedown', () => log.push('second'))</script>`, func(s *scene) {
			s.click("#b")
			s.is("log.join()", "micro,second")
		}},
		{"each event in a task of its own", `<button id=b>Save</button><script>for (const type of ['mousedown','mouseup','click']) b.addEventListener(type, () => { log.push(type); setTimeout(() => log.push('task')) })</script>`, func(s *scene) {
			s.click("#b")
			s.becomes("log.length", "6")
			s.is("log[0] + log[log.length - 1]", "mousedowntask")
		}},
	})
}

func TestClickRefuses(t *testing.T) {
	t.Parallel()
	const wrong = ` onclick="log.push('wrong')"`
	refused := func(want string) func(s *scene) {
		return func(s *scene) {
			_, err := s.tryClick("#b", short(300*time.Millisecond))
			s.refuses(err, want)
			s.is("log.join()", "")
		}
	}
	play(t, []row{
		{"covered", `<button id=b` + wrong + `>Save</button><div id=over style="position:fixed;inset:0"` + wrong + `></div>`, refused(`is covered by <div id="over">`)},
		{"covered by something in an overlay", `<button id=b` + wrong + `>Save</button><div id=over style="position:fixed;inset:0"><p style="height:100%;margin:0">Loading…</p></div>`, refused(`is covered by <p> "Loading…" in <div id="over">`)},
		{"covered by the top layer", `<button id=b` + wrong + `>Save</button><dialog id=d>hello</dialog><script>d.showModal()</script>`, refused("is covered by")},
		{"covered by a sibling's pseudo element", `<style>#p::after{content:'';position:fixed;inset:0}</style><button id=b` + wrong + `>Save</button><p id=p></p>`, refused(`is covered by <p id="p">`)},
		{"display: none", `<button id=b style="display:none"` + wrong + `>Save</button>`, refused("is not visible")},
		{"visibility: hidden", `<button id=b style="visibility:hidden"` + wrong + `>Save</button>`, refused("is not visible")},
		{"no size", `<div id=b style="width:0;height:0"` + wrong + `></div>`, refused("is not visible")},
		{"content-visibility: hidden", `<div style="content-visibility:hidden"><button id=b` + wrong + `>Save</button></div>`, refused("is not visible")},
		{"disabled", `<button id=b disabled` + wrong + `>Save</button>`, refused("is disabled (waited")},
		{"disabled, by what is in it", `<button disabled` + wrong + `><span id=b>Save</span></button>`, refused("is disabled")},
		{"disabled by its fieldset", `<fieldset disabled><button id=b` + wrong + `>Save</button></fieldset>`, refused("is disabled by its fieldset")},
		{"disabled by a fieldset around a legend's fieldset", `<fieldset disabled><legend>x</legend><legend><button id=b` + wrong + `>Save</button></legend></fieldset>`, refused("is disabled by its fieldset")},
		{"aria-disabled", `<button id=b aria-disabled=true` + wrong + `>Save</button>`, refused("is aria-disabled")},
		{"aria-disabled around", `<div aria-disabled=true><div role=button id=b` + wrong + `>Save</div></div>`, refused("is aria-disabled")},
		{"never at rest", `<style>@keyframes m{to{margin-left:500px}}#b{animation:m 1s linear infinite alternate}</style><button id=b` + wrong + `>Save</button>`, refused("does not stop moving")},
		{"outside for good", `<button id=b style="position:fixed;left:-500px;width:100px"` + wrong + `>Save</button>`, refused("cannot be scrolled into view")},
		{"pointer-events: none", `<button id=b style="pointer-events:none"` + wrong + `>Save</button>`, refused("is covered by <body>")},
		{"clipped away", `<div style="width:50px;height:50px;overflow:clip"><button id=b style="margin-left:100px"` + wrong + `>Save</button></div>`, refused("is covered by")},
		{"inert", `<div inert><button id=b` + wrong + `>Save</button></div>`, refused("is covered by")},
		{"removed before", `<button id=b` + wrong + `>Save</button>`, func(s *scene) {
			n := s.node("#b")
			s.js("b.remove()")
			_, err := s.tab.Click(s.in.Ctx, n, ClickOptions{})
			s.refuses(err, "was removed from the page")
		}},
		{"removed while waited for", `<button id=b disabled` + wrong + `>Save</button>`, func(s *scene) {
			n := s.node("#b")
			s.js("void setTimeout(() => b.remove(), 200)")
			_, err := s.tab.Click(s.in.Ctx, n, ClickOptions{})
			s.refuses(err, "was removed from the page")
		}},
		{"replaced by one of the same name", `<div id=p><button id=b` + wrong + `>Save</button></div>`, func(s *scene) {
			n := s.node("#b")
			s.js("p.innerHTML = p.innerHTML")
			_, err := s.tab.Click(s.in.Ctx, n, ClickOptions{})
			s.refuses(err, "was removed from the page")
			s.is("log.join()", "")
		}},
		{"four clicks", `<button id=b` + wrong + `>Save</button>`, func(s *scene) {
			_, err := s.tryClick("#b", func(o *ClickOptions) { o.Clicks = 4 })
			s.refuses(err, "there is no left click with 4 presses")
		}},
		{"an unknown button", `<button id=b` + wrong + `>Save</button>`, func(s *scene) {
			_, err := s.tryClick("#b", func(o *ClickOptions) { o.Button = "fourth" })
			s.refuses(err, "there is no fourth click")
		}},
	})
}
