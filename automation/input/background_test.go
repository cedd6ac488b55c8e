package input

import (
	"testing"
	"time"

	"webmcphub/automation/automationtest"
	"webmcphub/automation/page"

	"webmcphub/cdpclient"
)

// TestBackground: a tab behind another one of its window is acted on as if it were in front,
// and the one in front stays there.
func TestBackground(t *testing.T) {
	t.Parallel()
	front := newScene(t, automationtest.HTML(prelude+`front`))
	back := behind(t, front, prelude+`<button id=b onclick="log.push('clicked')">Save</button><input id=i><div style="height:3000px"></div><button id=c onclick="log.push('far')">Far</button>
		<div id=s draggable=true>src</div><div id=t style="height:100px" ondragover="event.preventDefault()" ondrop="event.preventDefault(); log.push('dropped')">target</div>`)
	begun := time.Now()
	back.click("#b")
	back.click("#c")
	back.fill("#i", "hello")
	back.press("x")
	if _, err := back.tab.Hover(back.in.Ctx, back.node("#b"), Limits{}); err != nil {
		t.Error(err)
	}
	if _, err := back.tab.Drag(back.in.Ctx, back.node("#s"), DragOptions{To: back.at("#t")}); err != nil {
		t.Error(err)
	}
	if took := time.Since(begun); took > 20*time.Second {
		t.Errorf("it took %s: Chrome held the input back", took)
	}
	back.is("log.join() + i.value", "clicked,far,droppedhellox")
	front.is("document.visibilityState + document.hasFocus()", "visibletrue")
}

// TestTwoTabsAtOnce: two tabs of one window are acted on at the same time.
func TestTwoTabsAtOnce(t *testing.T) {
	t.Parallel()
	const counts = prelude + `<button id=b onclick="log.push(1)">Save</button>`
	front := newScene(t, automationtest.HTML(counts))
	scenes := []*scene{front, behind(t, front, counts), behind(t, front, counts)}
	done := make(chan error, len(scenes))
	for _, s := range scenes {
		n := s.node("#b")
		go func() {
			for range 20 {
				if _, err := s.tab.Click(s.in.Ctx, n, ClickOptions{}); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range scenes {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	for _, s := range scenes {
		s.is("log.length", "20")
	}
}

// TestTurns: who acts on one tab at the same time takes turns, and nothing is mixed up.
func TestTurns(t *testing.T) {
	t.Parallel()
	s := newScene(t, automationtest.HTML(prelude+`<input id=a><input id=b>`))
	done := make(chan error, 2)
	for selector, text := range map[string]string{"#a": "aaaaaaaaaa", "#b": "bbbbbbbbbb"} {
		n := s.node(selector)
		go func() {
			for range 5 {
				if _, err := s.tab.Type(s.in.Ctx, text, TypeOptions{Node: &n}); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range 2 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	s.is("a.value + b.value === 'a'.repeat(50) + 'b'.repeat(50)", "true")
}

// behind opens a page in a tab behind the one of a scene, in its window.
func behind(t *testing.T, front *scene, html string) *scene {
	t.Helper()
	site := automationtest.Serve(t, automationtest.HTML(html))
	tab := &automationtest.Tab{T: t, Site: site, Conn: front.in.Conn, Ctx: front.in.Ctx}
	w := front.in.Watch()
	defer w.Close()
	front.in.Must("", cdpclient.RuntimeEvaluate, map[string]any{"expression": "void open('about:blank')", "userGesture": true}, nil)
	if err := w.Wait(front.in.Ctx, func(h page.Happened) bool {
		if len(h.Popups) > 0 {
			tab.Target = h.Popups[0]
		}
		return tab.Target != ""
	}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		tab.Conn.Post("", cdpclient.TargetCloseTarget, map[string]any{"targetId": tab.Target}, nil)
	})
	if err := tab.Conn.Call(tab.Ctx, "", cdpclient.TargetActivateTarget, map[string]any{"targetId": front.in.Target}, nil); err != nil {
		t.Fatal(err)
	}
	tab.Attach(func(o *page.Options) { o.Helper = page.ActingScript() })
	tab.Goto(site.URL("a", "/"))
	s := &scene{T: t, tab: New(tab.Page, false), in: tab}
	s.is("document.visibilityState", "hidden")
	return s
}
