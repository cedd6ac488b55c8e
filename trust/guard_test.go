package trust

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"webmcphub/internal/browsertool"
	"webmcphub/mcpserver/calls"
)

// flows is a Flow that says the same each time.
type flows struct{ says }

func (f flows) Decide(d calls.Action) (Verdict, reason) {
	v, why := f.says.Decide(d)
	return v, reason{by: "flow", why: why}
}

type says struct {
	v   Verdict
	why string
}

func (s says) Decide(calls.Action) (Verdict, string) { return s.v, s.why }

// limits is a Limiter that says the same each time.
type limits struct {
	refuses string // why; "" if it allows
	asked   *int
}

func (l limits) Count(calls.Action) (allowed bool, why string) {
	if l.asked != nil {
		*l.asked++
	}
	return l.refuses == "", l.refuses
}

func (f flows) Sent(calls.Action)                  {}
func (f flows) Started(calls.Action)               {}
func (f flows) Read(calls.Action, json.RawMessage) {}
func (f flows) ClientGone(string)                  {}

func (f flows) Resume(string, string) {}

func (f flows) Follow(string, func(string)) {}

func TestTheStrictestDecides(t *testing.T) {
	action := calls.Action{What: calls.What{HubName: "webmcp_shop_page0_buy"}}
	cancelled, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("the client cancelled the call"))
	for _, c := range []struct {
		name  string
		ctx   context.Context
		rules Decider
		flow  Flow
		want  string // part of the refusal, or "" for none
	}{
		{"nobody decides", context.Background(), nil, nil, ""},
		{"all allow", context.Background(), says{v: Allow}, flows{says{v: Log, why: "noted"}}, ""},
		{"the first refuses", context.Background(), says{v: Refuse, why: "rule 1 denies it"}, flows{says{v: Allow}}, "webmcp_shop_page0_buy was not carried out: rule 1 denies it."},
		{"the last refuses", context.Background(), says{v: Ask, why: "rule 1"}, flows{says{v: Refuse, why: "it has changed"}}, "it has changed."},
		{"nobody can be asked", context.Background(), says{v: Ask, why: "rule 1 asks"}, flows{says{v: Ask, why: "it has changed"}}, "a person would have to allow it (rule 1 asks; it has changed), and this client can't ask its user"},
		{"the call was cancelled", cancelled, says{v: Allow}, nil, "the client cancelled the call"},
	} {
		counted := 0
		g := New(Options{Rules: c.rules, Flow: c.flow, Rates: limits{asked: &counted}})
		switch no := g.Judge(c.ctx, action); {
		case no == nil && c.want != "", no != nil && (c.want == "" || !strings.Contains(no.Text, c.want)):
			t.Errorf("%s: %+v, want %q", c.name, no, c.want)
		case no != nil && strings.Contains(c.name, "refuses") && counted != 0:
			t.Errorf("%s: it was counted all the same", c.name)
		}
	}
}

func TestDecisionsAreReported(t *testing.T) {
	var told []string
	g := New(Options{Rules: says{v: Log, why: "noted"}, Flow: flows{says{v: Allow}}, Rates: limits{refuses: "too many"}, Decided: func(d Decision) {
		told = append(told, d.By+" "+d.Verdict.String()+" "+d.Why)
	}})
	g.Judge(context.Background(), calls.Action{})
	if got := strings.Join(told, ", "); got != "rule log noted, rate refuse too many" {
		t.Error(got)
	}
}

// A call that was judged is judged again when it acts, and where it tells of other documents,
// without anybody being asked, and without counting as one more.
func TestStages(t *testing.T) {
	d := func(stage browsertool.Stage, name string) calls.Action {
		return calls.Action{Stage: stage, What: calls.What{Kind: calls.BrowserTool, Name: name, HubName: name}, Who: calls.Who{Session: "1", Ask: func(context.Context, json.RawMessage) (json.RawMessage, error) {
			t.Error("somebody is asked")
			return nil, nil
		}}}
	}
	g := New(Options{Rules: policyOf(t, [2]string{"ask", "tool=click"}, [2]string{"deny", "tool=drag"}), Rates: NewRateDecider(1, 0, 0)})
	for range 3 {
		for _, c := range []struct {
			stage browsertool.Stage
			name  string
			want  string
		}{
			{browsertool.StageAct, "click", ""}, {browsertool.StageRead, "click", "the rule ask tool=click (test) asks first"}, {browsertool.StageEnter, "hover", ""},
			{browsertool.StageAct, "drag", "drag was not carried out: the rule deny"}, {browsertool.StageRead, "drag", "the rule deny"}, {browsertool.StageRead, "hover", ""},
			{browsertool.StageFollow, "click", "the rule ask tool=click (test) asks first"}, {browsertool.StageFollow, "drag", "the rule deny"}, {browsertool.StageFollow, "hover", ""},
		} {
			if no := g.Judge(context.Background(), d(c.stage, c.name)); (no == nil) != (c.want == "") || no != nil && !strings.HasPrefix(no.Text, c.want) {
				t.Errorf("%v %s: %v", c.stage, c.name, no)
			}
		}
	}
}

func TestRatesThatDontAllowRefuse(t *testing.T) {
	g := New(Options{Rates: limits{refuses: "rates can't tell"}})
	if no := g.Judge(context.Background(), calls.Action{}); no == nil || !strings.Contains(no.Text, "rates can't tell") {
		t.Errorf("%+v", no)
	}
}
