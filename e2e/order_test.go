package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestOrderOnTheWire lets pages change while several writers ask and call, and
// holds all that was said to the rules of checkOrder.
func TestOrderOnTheWire(t *testing.T) {
	t.Parallel()
	for _, r := range []runtime{native, mcpb5, mcpb2} {
		t.Run(string(r), func(t *testing.T) {
			c := chromeFor(t, r)
			s := &orderScene{t: t, h: startTaped(t, "--browser-url", c.browserURL())}
			poll(t, "the hub didn't reach Chrome", func() bool { return strings.Contains(s.h.stderr.String(), "connected to Chrome") })
			for i := range tabs {
				bulk := 0
				if i == bulkTab {
					bulk = 66 // a list that is longer than a pipe holds
				}
				s.tabs = append(s.tabs, c.open(t, pages.url("order.html", "runtime="+string(r), fmt.Sprint("bulk=", bulk))))
			}
			s.run()
		})
	}
}

// The tabs of the scene.
const (
	bulkTab = iota
	growTab
	growTab2
	goTab
	churnTab
	tabs
)

type orderScene struct {
	t    *testing.T
	h    *tapedHub
	tabs []*tab
}

func (s *orderScene) tool(tab int, name string) string { return toolName(fmt.Sprint(tab), name) }

func (s *orderScene) run() {
	t, h := s.t, s.h
	// The pages change while the hub is there, and the client isn't yet.
	s.tabs[churnTab].eval(`churn(40)`)
	h.initialize()

	ctx, cancel := context.WithCancel(t.Context())
	var client sync.WaitGroup
	defer client.Wait()
	defer cancel()
	client.Go(func() { h.follow(ctx) })
	for i := range s.tabs {
		h.must(h.waitListed(s.tool(i, "at_0")))
	}

	// Under load: one page churns, and two writers don't wait for answers.
	s.tabs[churnTab].eval(`void churn(Infinity)`)
	load, enough := context.WithCancel(ctx)
	var writers sync.WaitGroup
	for i := range 2 {
		writers.Go(func() { s.flood(load, i) })
	}
	s.calls("a", 3, false)
	s.tabs[churnTab].eval(`calm()`)
	enough()
	writers.Wait()
	poke(h.changed) // the writers may have read the last list, so that follow wasn't told

	// At rest: nothing but calls changes the pages, so each list_changed can only
	// be that of an answered call. Half of the callers read the new list before
	// their call is answered, so that no list_changed is due when it is.
	s.calls("b", 3, true)

	// One call at a time, whose list_changed has no other reason at all.
	for i := range 2 {
		s.grow(growTab, fmt.Sprint("c_", i), false, false)
	}

	truth := s.truth()
	if err := h.waitList(truth); err != nil {
		t.Error(err)
	}
	b, _ := json.Marshal(truth)
	h.tape.add(theTest, string(b))
	if n := h.tape.count("notifications/tools/list_changed"); n < 20 {
		t.Errorf("only %d list_changed came: that proves little", n)
	}
}

// calls calls tools that change their own pages, each page by several clients
// at a time that wait for their results and for the lists that they cause.
func (s *orderScene) calls(mark string, rounds int, ahead bool) {
	var callers sync.WaitGroup
	for _, tab := range []int{growTab, growTab2} {
		for caller := range 2 {
			callers.Go(func() {
				for i := range rounds {
					s.grow(tab, fmt.Sprintf("%s%d_%d", mark, caller, i), caller == 1, ahead && tab == growTab2)
				}
			})
		}
	}
	callers.Go(func() { s.leave(mark, 2) })
	callers.Wait()
}

// grow has a page register a tool, calls that one, which takes itself away, and
// waits until the list says so.
func (s *orderScene) grow(tab int, name string, byName, ahead bool) {
	ms := 25 // more than the hub's --notify-interval
	if ahead {
		ms = 100
	}
	grown, did := s.tool(tab, name), s.tool(tab, "did_"+name)
	for _, c := range []struct {
		tool, want, comes string
		args              map[string]any
		touches           []string
	}{
		{s.tool(tab, "grow"), "grew " + name, grown, map[string]any{"name": name, "ms": ms}, []string{grown}},
		{grown, name + " ran", did, map[string]any{}, []string{grown, did}},
	} {
		params := call(c.tool, c.args)
		if byName {
			params = call("call_webmcp_tool", map[string]any{"name": c.tool, "arguments": c.args})
		}
		id, answer, err := s.h.begin("tools/call", params, c.touches)
		if ahead && err == nil {
			_, err = s.tabs[tab].evaluate(fmt.Sprintf("happened(%q)", strings.TrimPrefix(c.comes, s.tool(tab, ""))))
		}
		for list := ""; ahead && err == nil && len(answer) == 0 && !lists(list, c.comes); {
			list, err = s.h.ask("tools/list", map[string]any{})
		}
		var text string
		if err == nil {
			text, err = s.h.await(id, answer)
		}
		if got := resultOf(text); err != nil || got != c.want {
			s.t.Errorf("%s answered %q, want %q (%v)", c.tool, got, c.want, err)
			return
		}
		if err := s.h.waitListed(c.comes); err != nil {
			s.t.Error(err)
			return
		}
	}
}

// leave has a tab go to its next document, again and again.
func (s *orderScene) leave(mark string, rounds int) {
	all := strings.TrimSuffix(s.tool(goTab, "x"), "x") + "*"
	for i := range rounds {
		at := fmt.Sprint(mark, i)
		if _, err := s.h.ask("tools/call", call(s.tool(goTab, "go"), map[string]any{"at": at, "ms": 25}), all); err != nil {
			s.t.Error(err)
		}
		if err := s.h.waitListed(s.tool(goTab, "at_"+at)); err != nil {
			s.t.Error(err)
		}
	}
}

// flood keeps a dozen requests in flight, of all kinds.
func (s *orderScene) flood(ctx context.Context, writer int) {
	window := make(chan struct{}, 10)
	var inFlight sync.WaitGroup
	defer inFlight.Wait()
	for i := 0; ctx.Err() == nil; i++ {
		method, params := "ping", map[string]any{}
		switch i % 10 {
		case 0:
			method = "tools/list"
		case 1, 2, 3, 4, 5, 6:
			method, params = "tools/call", call(s.tool(bulkTab, "echo"), map[string]any{"value": strings.Repeat("é ", i%700)})
		}
		window <- struct{}{}
		id, answer, err := s.h.begin(method, params, nil)
		if err != nil {
			s.t.Errorf("writer %d: %v", writer, err)
			return
		}
		inFlight.Go(func() {
			defer func() { <-window }()
			if _, err := s.h.await(id, answer); err != nil {
				s.t.Error(err)
			}
		})
	}
}

// truth are the hub names of what the pages themselves say that they offer.
func (s *orderScene) truth() (all []string) {
	for i, p := range s.tabs {
		var names []string
		_ = json.Unmarshal(p.eval(`names()`), &names)
		for _, name := range names {
			all = append(all, s.tool(i, name))
		}
	}
	slices.Sort(all)
	return all
}
