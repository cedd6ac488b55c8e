package cluster

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"webmcphub/bench/cluster/agent"
)

// What isn't as it should be makes a scenario fail.
func TestReportsFail(t *testing.T) {
	for name, do := range map[string]func(*Report){
		"a check":      func(r *Report) { r.Check("it", errors.New("is wrong")) },
		"a bound":      func(r *Report) { r.AtMost("it", time.Second, []time.Duration{time.Millisecond, 2 * time.Second}) },
		"not measured": func(r *Report) { r.AtMost("it", time.Second, nil) },
	} {
		var out bytes.Buffer
		r := NewReport(&out)
		r.Check("good", nil)
		r.AtMost("good", time.Second, []time.Duration{time.Millisecond})
		if r.Failed() {
			t.Errorf("%s: failed before: %s", name, r)
		}
		do(r)
		if !r.Failed() || !strings.Contains(r.String(), "FAILED: it") || !strings.Contains(out.String(), "!! it") {
			t.Errorf("%s: %s", name, r)
		}
	}
}

// Calls that met an outage may fail, with the reason and in time; others may not.
func TestCallsAreJudged(t *testing.T) {
	c := &Cluster{Options: Options{Size: Size{PerNode: 1}}, NodeList: []*Node{{Name: "n0"}, {Name: "n1"}}}
	at := time.Now()
	said := &agent.ToolFailed{Text: "the node was lost"}
	var o outages
	out := o.node(c.NodeList[0])
	out.from = at
	o.over(out)
	out.to = at.Add(time.Second)
	gateway := o.gateway(1)
	gateway.from = at
	o.add(&outage{node: c.NodeList[1], gateway: 2}).from = at
	call := func(gateway, browser int, after, took time.Duration, err error) Call {
		return Call{gateway, browser, at.Add(after), at.Add(after + took), err}
	}
	for name, one := range map[string]struct {
		call Call
		bad  string
	}{
		"another node's":     {call(0, 1, 0, time.Millisecond, said), "browser 1 by gateway 0"},
		"before":             {call(0, 0, -time.Second, time.Millisecond, said), "browser 0 by gateway 0"},
		"afterwards":         {call(0, 0, 2*time.Second, time.Millisecond, said), "browser 0 by gateway 0"},
		"with the reason":    {call(0, 0, -time.Second, 1500*time.Millisecond, said), ""},
		"too late":           {call(0, 0, 0, 1500*time.Millisecond, said), "answered with the reason: 1.5s"},
		"without the reason": {call(0, 0, 0, time.Millisecond, errors.New("broken")), "without a reason"},
		"a lost gateway's":   {call(1, 1, 0, time.Millisecond, errors.New("broken")), ""},
		"of a lost way":      {call(2, 1, 0, time.Millisecond, said), ""},
		"of another way":     {call(2, 0, 2*time.Second, time.Millisecond, said), "browser 0 by gateway 2"},
	} {
		r := &run{Report: NewReport(new(bytes.Buffer))}
		l := &Load{end: func() {}, calls: []Call{one.call}, took: []time.Duration{1}}
		r.judge(c, l, &o, time.Second)
		if r.Failed() != (one.bad != "") || !strings.Contains(r.String(), one.bad) {
			t.Errorf("%s: %s", name, r)
		}
	}
}

func TestLedger(t *testing.T) {
	l := newLedger()
	one, two := leased{"n0/b~1", "n0"}, leased{"n0/b~2", "n0"}
	if err := l.gave(one); err != nil {
		t.Error(err)
	}
	if err := l.gave(two); err == nil {
		t.Error("a browser was lent twice, and nobody noticed")
	}
	l.nodeLost("n0")
	if err := l.gave(two); err != nil {
		t.Error(err)
	}
	if !l.takes(one) || !l.takes(two) { // two was given though the node was lost
		t.Error("which leases ended with the node isn't known")
	}
	l.nodeBack("n0")
	if three := (leased{"n0/b~3", "n0"}); l.gave(three) != nil || l.takes(three) {
		t.Error("a node that is back has its leases still end")
	}
}
