package input

import (
	"context"
	"errors"
	"testing"
	"time"

	"webmcphub/automation/automationtest"
)

// TestStill: who may have to wait is asked again what it means, right before it is acted on, and who
// hasn't had to is not.
func TestStill(t *testing.T) {
	t.Parallel()
	play(t, []row{
		{"a click at once asks nothing, and one later does", `<button id=b onclick="log.push('clicked')">x</button>`, func(s *scene) {
			asked := 0
			n := s.node("#b")
			n.Still = func(context.Context) error { asked++; return errors.New("it is now Delete") }
			n.Checked = time.Now().Add(time.Hour)
			if _, err := s.tab.Click(s.in.Ctx, n, ClickOptions{}); err != nil || asked > 0 {
				s.Errorf("asked %d times: %v", asked, err)
			}
			n.Checked = time.Time{}
			_, err := s.tab.Click(s.in.Ctx, n, ClickOptions{})
			s.refuses(err, "it is now Delete")
			s.is("log.length", "1")
		}},
		{"a form's second field is asked about", `<input id=a><input id=b>`, func(s *scene) {
			first, second := s.node("#a"), s.node("#b")
			no := func(context.Context) error { return errors.New("it is now a hint") }
			first.Checked, first.Still = time.Now().Add(time.Hour), no
			second.Checked, second.Still = first.Checked, no
			got, err := s.tab.FillForm(s.in.Ctx, []Field{{first, []string{"1"}}, {second, []string{"2"}}}, Limits{})
			if err != nil || got[0].Err != nil {
				s.Fatal(err, got)
			}
			s.refuses(got[1].Err, "it is now a hint")
			s.is("a.value + b.value", "1")
		}},
		{"a target is asked about before it is dragged to, not after", `<div id=a style="width:50px;height:50px">a</div><div id=b style="width:50px;height:50px">b</div><script>watch('mousedown', 'mouseup')</script>`, func(s *scene) {
			from, to := s.node("#a"), s.node("#b")
			to.Still = func(context.Context) error { return errors.New("it is now Bin") }
			_, err := s.tab.Drag(s.in.Ctx, from, DragOptions{To: &to})
			s.refuses(err, "it is now Bin")
			s.is("log.length", "0")
		}},
	})
}

// TestOneDeadline: what an action has waited for its turn is taken off the time that it may wait for its
// element, and its error tells both.
func TestOneDeadline(t *testing.T) {
	in := automationtest.Open(t, automationtest.HTML(""))
	tab := &Tab{page: in.Page, state: &state{patience: patience{queued: 2500 * time.Millisecond, over: time.Now()}}}
	e := &element{Node: Node{Role: "button", Name: "Go"}, tab: tab}
	looked := 0
	err := tab.lead(t.Context(), e, time.Hour, func(Decision) (Observation, error) {
		looked++
		return Observation{State: Disabled}, nil
	}, nil)
	const want = `button "Go" is disabled (waited 2.5s for another action in this tab, as they take turns).`
	if looked != 1 || err == nil || err.Error() != want {
		t.Errorf("%d looks, %v", looked, err)
	}
	if left := (patience{}).left(time.Hour); left != time.Hour {
		t.Errorf("without a time of its own it waits %v", left)
	}
}
