package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"webmcphub/internal/fakeclock"
	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

// A batch does what its steps do that are called one by one, in some order in which those
// of one tab are as given and each comes after those that it refers to.
func TestABatchIsItsStepsOneByOne(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		all := make([]drawnStep, rapid.IntRange(1, 8).Draw(rt, "steps"))
		for i := range all {
			all[i] = drawStep(rt, i)
		}
		stopOn := rapid.SampledFrom([]string{"error", "never"}).Draw(rt, "stopOn")
		wrong := ""
		bubble(t, func(t *testing.T) { wrong = differs(t, all, stopOn) })
		if wrong != "" {
			rt.Fatal(wrong)
		}
	})
}

// drawnStep is a step as rapid draws it.
type drawnStep struct {
	page, text string
	uses       []int
	delay      time.Duration
}

func drawStep(t *rapid.T, i int) (s drawnStep) {
	s.page = rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "page")
	s.delay = time.Duration(rapid.IntRange(0, 50).Draw(t, "delay")) * time.Millisecond
	tool := rapid.SampledFrom([]string{"give", "give", "text", "text", "fail"}).Draw(t, "tool")
	refs := ""
	for k := range i {
		if rapid.IntRange(0, 3).Draw(t, "refers") == 0 {
			s.uses = append(s.uses, k)
			refs += fmt.Sprintf(`,"r%d":{"$ref":"s%d.n"}`, k, k)
		}
	}
	s.text = fmt.Sprintf(`{"tool":"webmcp_%s_test_page%d_%s","as":"s%d","arguments":{"i":%d%s}}`, s.page, s.page[0]-'a', tool, i, i, refs)
	return s
}

// differs says how a batch differs from its steps called one by one.
func differs(t *testing.T, all []drawnStep, stopOn string) string {
	together, c := newShelf(t, func(i int) { fakeclock.Pause(all[i].delay) })
	var texts []string
	for _, s := range all {
		texts = append(texts, s.text)
	}
	out, _ := c.batch(`{"steps":[` + strings.Join(texts, ",") + `],"stopOn":"` + stopOn + `"}`)
	c.hangUp()
	apart, d := newShelf(t, func(int) {})
	defer d.hangUp()
	done := map[int]string{}
	for _, line := range together.log {
		name, args, _ := strings.Cut(line, " ")
		at := indexIn(args)
		for k := range at {
			if _, ran := done[k]; all[k].page == all[at].page && !ran && out.Steps[k].Outcome != "not run" {
				return fmt.Sprintf("step %d goes before step %d on the same tab: %q", at, k, together.log)
			}
		}
		for _, k := range all[at].uses {
			var was struct{ N json.RawMessage }
			if _, ran := done[k]; !ran || json.Unmarshal([]byte(done[k]), &was) != nil || !strings.Contains(args, fmt.Sprintf(`"r%d":%s`, k, was.N)) {
				return fmt.Sprintf("step %d has not what step %d gave (%s): %s", at, k, done[k], args)
			}
		}
		done[at] = strings.TrimPrefix(d.call(name, args), "error: ")
	}
	if !slices.Equal(together.log, apart.log) || fmt.Sprint(together.state) != fmt.Sprint(apart.state) {
		return fmt.Sprintf("together %q %v\napart %q %v", together.log, together.state, apart.log, apart.state)
	}
	failed := false
	for _, s := range out.Steps {
		got := s.Text + string(s.Result) + s.Why
		if is, ran := done[s.Step]; ran != (s.Outcome != "not run") || ran && got != is {
			return fmt.Sprintf("step %d is %q together and %q apart", s.Step, got, is)
		}
		failed = failed || s.Outcome == "error"
	}
	if len(out.Steps) != len(all) || len(done) < len(all) && !failed {
		return fmt.Sprintf("only %d steps ran: %+v", len(done), out)
	}
	return ""
}

// shelf are three pages with a state, and a log of their calls.
type shelf struct {
	mu    sync.Mutex
	state map[registry.PageID]int
	log   []string // name and arguments, in the order in which the calls came
}

func newShelf(t *testing.T, wait func(i int)) (*shelf, *rawClient) {
	s := &shelf{state: map[registry.PageID]int{}}
	h := newHub(t, func(_ context.Context, c calls.Call) registry.Result {
		wait(indexIn(string(c.Args)))
		return s.do(c)
	})
	for _, page := range []string{"a", "b", "c"} {
		h.page(page, "https://"+page+".test/", "give", "text", "fail")
	}
	c := h.connect(true)
	c.handshake()
	return s, c
}

// do carries a call out: its outcome depends on the page's state and the arguments.
func (s *shelf) do(c calls.Call) registry.Result {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, c.Tool.Name+" "+string(c.Args))
	at := c.Tool.Route.Page
	s.state[at] = s.state[at]*31%9973 + len(c.Args) + len(c.Tool.Route.Tool)
	said := fmt.Sprintf(`{"n":%d}`, s.state[at])
	switch c.Tool.Route.Tool {
	case "fail":
		return sanitize.ErrorResult(said)
	case "text":
		return sanitize.TextResult(said)
	}
	return sanitize.NativeResult(json.RawMessage(said))
}

// indexIn is the step that arguments are of.
func indexIn(args string) int {
	var is struct{ I int }
	_ = json.Unmarshal([]byte(args), &is)
	return is.I
}
