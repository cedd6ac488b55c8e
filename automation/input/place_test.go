package input

import (
	"testing"
	"time"
)

// does fails the test if an action didn't end well.
func (s *scene) does(out *Outcome, err error) *Outcome {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
	return out
}

func TestClickAtAPlace(t *testing.T) {
	t.Parallel()
	at := func(s *scene, selector string, x, y float64) (*Outcome, error) {
		s.Helper()
		n := s.node(selector)
		n.Place = &Place{X: x, Y: y}
		return s.tab.Click(s.in.Ctx, n, ClickOptions{Limits: Limits{Ready: time.Second}})
	}
	const canvas = `<canvas id=c width=300 height=200 onclick="log.push(event.offsetX + ',' + event.offsetY)"></canvas>`
	play(t, []row{
		{"a canvas", canvas, func(s *scene) {
			s.does(at(s, "#c", 250, 20))
			s.is("log.join()", "250,20")
		}},
		{"a slider", `<input id=c type=range min=0 max=100 style="width:300px;margin:0">`, func(s *scene) {
			s.does(at(s, "#c", 290, 8))
			s.is("Number(c.value) > 90", "true")
		}},
		{"larger than the viewport", `<canvas id=c width=4000 height=5000 onclick="log.push(event.offsetX + ',' + event.offsetY)"></canvas>`, func(s *scene) {
			s.does(at(s, "#c", 3900, 4800))
			s.is("log.join()", "3900,4800")
		}},
		{"in a scroller", `<div style="width:200px;height:100px;overflow:auto;margin-top:2000px"><canvas id=c width=800 height=900 onclick="log.push(event.offsetX + ',' + event.offsetY)"></canvas></div>`, func(s *scene) {
			s.does(at(s, "#c", 700, 30))
			s.is("log.join()", "700,30")
		}},
		{"outside", canvas, func(s *scene) {
			_, err := at(s, "#c", 301, 20)
			s.refuses(err, "is 300 × 200 CSS pixels large, so nothing was done")
			s.is("log.length", "0")
		}},
		{"covered there", canvas + `<div id=over style="position:absolute;left:208px;top:0;width:200px;height:300px"></div>`, func(s *scene) {
			_, err := at(s, "#c", 250, 20)
			s.refuses(err, `covered by <div id="over">`)
			s.does(at(s, "#c", 100, 20))
			s.is("log.join()", "100,20")
		}},
		{"hovered", canvas + `<script>c.addEventListener('mousemove', e => log.push(e.offsetX + ',' + e.offsetY))</script>`, func(s *scene) {
			n := s.node("#c")
			n.Place = &Place{X: 10, Y: 190}
			s.does(s.tab.Hover(s.in.Ctx, n, Limits{}))
			s.is("log.join()", "10,190")
		}},
	})
}

func TestSelectText(t *testing.T) {
	t.Parallel()
	selects := func(s *scene, selector, text string) (*Outcome, error) {
		s.Helper()
		return s.tab.SelectText(s.in.Ctx, s.node(selector), text, Limits{Ready: time.Second})
	}
	const selected = `getSelection().toString().replace(/\s+/g, ' ').trim()`
	play(t, []row{
		{"words", `<p id=p>One two <b>three four</b> five.</p>`, func(s *scene) {
			s.does(selects(s, "#p", "two three"))
			s.is(selected, "two three")
		}},
		{"again", `<p id=p>One two <b>three four</b> five.</p>`, func(s *scene) {
			s.does(selects(s, "#p", "One two three four five."))
			s.does(selects(s, "#p", "three"))
			s.is(selected, "three")
		}},
		{"over lines", `<p id=p style="width:60px">One two three four five six seven eight nine ten.</p>`, func(s *scene) {
			s.does(selects(s, "#p", "two three four five six seven"))
			s.is(selected, "two three four five six seven")
		}},
		{"over blocks", `<div id=p><p>One two</p><p>three four</p></div>`, func(s *scene) {
			s.does(selects(s, "#p", "two three"))
			s.is(selected, "two three")
		}},
		{"below the fold", `<p style="height:3000px"></p><p id=p>One two three</p>`, func(s *scene) {
			s.does(selects(s, "#p", "two"))
			s.is(selected, "two")
		}},
		{"not there", `<p id=p>One <i style="display:none">two</i> three</p>`, func(s *scene) {
			_, err := selects(s, "#p", "two")
			s.refuses(err, "does not show that text")
		}},
		{"not to be selected", `<p id=p style="user-select:none">One two three</p>`, func(s *scene) {
			out := s.does(selects(s, "#p", "two"))
			if out.Note == "" {
				s.Error("nobody says that nothing was selected")
			}
		}},
	})
}
