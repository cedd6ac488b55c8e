package input

import (
	"strings"
	"testing"
	"time"

	"webmcphub/automation/automationtest"
)

// TestFrames: what works in the main frame works in frames of the same process and of
// others, however they are nested and transformed.
func TestFrames(t *testing.T) {
	t.Parallel()
	tabs := automationtest.NewTable(t)
	const save = prelude + `<body style="margin:0"><button id=b style="margin:10px;width:60px;height:30px" onclick="log.push('clicked')">Save</button>`
	const border = `border:13px solid red;padding:7px 11px;`
	for _, host := range []string{"a", "b"} { // the same process, and another
		frame := func(style string) string {
			return `<iframe id=f style="width:300px;height:200px;` + style + `" src="{{` + host + `}}/in"></iframe>`
		}
		rows := []struct {
			name, outer, in string
			play            func(s *scene)
		}{
			{"a button", frame(""), save, nil},
			{"a border", frame(border), save, nil},
			{"below the fold", `<div style="height:3000px"></div>` + frame(border), save, nil},
			{"scrolled inside", frame(border), prelude + `<div style="height:3000px"></div><button id=b onclick="log.push('clicked')">Save</button><div style="height:1000px"></div>`, nil},
			{"scrolled inside and outside", `<div style="height:3000px"></div>` + frame(border) + `<div style="height:3000px"></div>`, prelude + `<div style="height:3000px"></div><button id=b onclick="log.push('clicked')">Save</button><div style="height:1000px"></div>`, nil},
			{"in a scroller", `<div style="height:200px;width:400px;overflow:auto"><div style="height:800px"></div>` + frame(border) + `<div style="height:800px"></div></div>`, save, nil},
			{"turned and scaled", `<div style="height:100px"></div>` + frame(border+"transform:rotate(30deg) scale(.8) skewX(10deg);margin:100px"), save, nil},
			{"in perspective", `<div style="perspective:500px">` + frame(border+"transform:rotateY(40deg);margin:50px") + `</div>`, save, nil},
			{"zoomed", frame(border + "zoom:1.5"), save, nil},
			{"fixed inside", frame(""), prelude + `<button id=b style="position:fixed;bottom:5px;right:5px" onclick="log.push('clicked')">Save</button><div style="height:2000px"></div>`, nil},
			{"scrolled sideways", `<div style="width:5000px"><div style="margin-left:3000px">` + frame(border) + `</div></div>`, save, nil},
			{"behind a sticky header outside", `<style>#h{position:sticky;top:0;height:150px;background:red;z-index:2}</style><div id=h></div><div style="height:700px"></div>` + frame("") + `<div style="height:3000px"></div><script>addEventListener('load', () => scrollTo(0, 720))</script>`, save, nil},
			{"covered from outside", frame("") + `<div id=over style="position:fixed;inset:0"></div>`, save, func(s *scene) {
				_, err := s.tryClick("#b", short(300*time.Millisecond))
				s.refuses(err, `is covered by <div id="over">`)
				s.is("log.join()", "")
			}},
			{"an overlay outside at the mouse's arrival", frame("") + `<div id=over hidden style="position:fixed;inset:0"></div><script>addEventListener('mouseover', () => over.hidden = false, true)</script>`, save, func(s *scene) {
				_, err := s.tryClick("#b", short(400*time.Millisecond))
				if err != nil {
					s.is("log.join()", "")
					return
				}
				s.is("log.join()", "clicked")
			}},
			{"a hidden frame", frame("visibility:hidden"), save, func(s *scene) {
				_, err := s.tryClick("#b", short(300*time.Millisecond))
				if err == nil {
					s.Error("it went well")
				}
				s.is("log.join()", "")
			}},
			{"moves with its frame", `<style>@keyframes m{to{margin-left:400px}}#f{animation:m .4s linear}</style>` + frame(""), save, nil},
			{"a moment's cover from outside", frame("") + `<div id=over style="position:fixed;inset:0"></div><script>setTimeout(() => over.remove(), 400)</script>`, save, nil},
			{"hover", frame(border), save, func(s *scene) {
				s.js("void watch('mouseover')")
				if _, err := s.tab.Hover(s.in.Ctx, s.node("#b"), Limits{}); err != nil {
					s.Fatal(err)
				}
				s.is("log.includes('mouseover@b')", "true")
			}},
			{"fill", frame(border), `<input id=i><input id=d type=date><select id=s><option>x<option>y</select>`, func(s *scene) {
				s.fill("#i", "hello")
				s.fill("#d", "2026-01-02")
				s.fill("#s", "y")
				s.is("[i.value, d.value, s.value].join()", "hello,2026-01-02,y")
			}},
			{"fill a body, when a field outside has the focus", `<input id=m>` + frame(border), `<body id=i contenteditable>old`, func(s *scene) {
				s.frame = ""
				s.fill("#m", "outside")
				s.frame = "/in"
				s.fill("#i", "new")
				s.is("i.innerText", "new")
				s.frame = ""
				s.is("m.value", "outside")
			}},
			{"keys", `<input autofocus>` + frame(border), `<input id=i>`, func(s *scene) {
				s.click("#i")
				s.typeText("Hi there")
				s.press("Shift+Home")
				s.press("Backspace")
				s.typeText("x")
				s.is("i.value", "x")
			}},
			{"a navigation inside", frame(border), `<a id=a href="/next">go</a>`, func(s *scene) {
				out := s.click("#a")
				if out.Navigation == nil || !strings.HasSuffix(out.Navigation.URL, "/next") || out.Navigation.Frame == "" || !out.Navigation.Ready {
					s.Errorf("it led to %+v", out.Navigation)
				}
			}},
			{"a dialog inside", frame(border), prelude + `<button id=b onclick="alert('hello'); log.push('clicked')">Save</button>`, func(s *scene) {
				out := s.click("#b")
				if out.Dialog == nil || out.Dialog.Message != "hello" {
					s.Errorf("%+v", out)
				}
				s.answer(true)
				s.becomes("log.join()", "clicked")
			}},
		}
		for _, r := range rows {
			t.Run(r.name+"/"+host, func(t *testing.T) {
				t.Parallel()
				s := sceneOf(t, tabs.Open, automationtest.Pages{"/": prelude + r.outer, "/in": r.in, "/next": prelude + "next"})
				s.frame = "/in"
				if r.play != nil {
					r.play(s)
					return
				}
				s.click("#b")
				s.is("log.join()", "clicked")
			})
		}
	}
}

// TestNestedFrames: three processes, each frame transformed, bordered and scrolled.
func TestNestedFrames(t *testing.T) {
	t.Parallel()
	for name, hosts := range map[string][2]string{"three processes": {"b", "c"}, "a b a": {"b", "a"}, "one process": {"a", "a"}, "a a b": {"a", "b"}, "a b b": {"b", "b"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, automationtest.Pages{
				"/":    prelude + `<div style="height:1500px"></div><div style="overflow:auto;width:600px;height:500px;border:7px solid;transform:rotate(10deg) scale(.8)"><div style="height:900px"></div><iframe style="width:500px;height:400px;border:13px solid red;padding:11px;transform:rotate(8deg) skewX(5deg)" src="{{` + hosts[0] + `}}/mid"></iframe></div><div style="height:1000px"></div>`,
				"/mid": prelude + `<body style="margin:0"><div style="height:800px"></div><iframe style="width:300px;height:200px;border:5px solid blue;transform:scale(.7) rotate(-20deg)" src="{{` + hosts[1] + `}}/in"></iframe><div style="height:500px"></div>`,
				"/in":  prelude + `<div style="height:600px"></div><button id=b style="margin-left:150px;width:60px;height:30px" onclick="log.push([event.offsetX, event.offsetY])">t</button><div style="height:500px"></div>`,
			})
			s.frame = "/in"
			s.click("#b")
			s.is("log.length", "1")
			s.is("Math.abs(log[0][0] - 28) <= 2 && Math.abs(log[0][1] - 13) <= 2", "true")
		})
	}
}

// TestPressesThatMissTheFrame: right after a scroll the browser may give a press that is meant for
// a frame of another process to the page around it, where it falls on the frame's element. Here
// the frame's border stands for that.
func TestPressesThatMissTheFrame(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"press", "hover"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, automationtest.HTML(prelude+`<iframe id=f style="border:50px solid;margin:0;position:fixed;left:0;top:0" src="about:blank"></iframe>`))
			e, err := s.tab.find(s.in.Ctx, s.node("#f"))
			if err != nil {
				t.Fatal(err)
			}
			defer e.drop()
			release, err := s.tab.turn(s.in.Ctx, Limits{})
			if err != nil {
				t.Fatal(err)
			}
			defer release()
			var is seen
			if err := e.call(s.in.Ctx, &is, "lookAt", map[string]any{"x": 20, "y": 20, "guard": 7, "guards": kind, "needs": forPress}); err != nil || is.State != Ready {
				t.Fatal(is, err)
			}
			s.raw(20, 20)
			var r report
			if err := e.call(s.in.Ctx, &r, "seen", 7); err != nil {
				t.Fatal(err)
			}
			if !r.Missed || r.Blocked != (kind == "press") {
				t.Errorf("the guard around reports %+v", r)
			}
			if told := s.tab.seenBy(7); len(told) > 0 {
				t.Errorf("the guard around told %v, as if that had arrived inside", told)
			}
		})
	}
}

// TestJudgeOfFrames: what a press came to, from what the guards in the element's document and
// around its frame saw.
func TestJudgeOfFrames(t *testing.T) {
	t.Parallel()
	rest := report{Connected: true}
	saw := func(types ...string) report { return report{Connected: true, Seen: types} }
	missed, away := report{Missed: true, Blocked: true}, report{Blocked: true, By: "an overlay"}
	for _, r := range []struct {
		name    string
		in, out report
		state   State
	}{
		{"all inside", saw("pointerdown", "mousedown", "click"), report{}, Arrived},
		{"all around", rest, missed, Missed},
		{"the end inside", saw("pointerup", "mouseup"), missed, Missed},
		{"the beginning inside", saw("pointerdown", "mousedown"), missed, Strayed},
		{"a move on its way", saw("pointerdown", "mousedown", "click"), report{Missed: true}, Arrived},
		{"covered around", rest, away, Blocked},
		{"nowhere", rest, report{}, Nothing},
	} {
		if o := judge([]report{r.in, r.out}, nil, wanted["left"]); o.State != r.state {
			t.Errorf("%s: %s, not %s", r.name, o.State, r.state)
		}
	}
}
