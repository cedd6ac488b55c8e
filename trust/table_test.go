package trust

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
	"webmcphub/registry/sanitize"
	"webmcphub/trust/flow"
	"webmcphub/trust/rules"
)

// task is what an agent does for one request of its user, or for an attacker.
type task struct {
	Name  string
	Steps []step
}

// step is one call. Its result is given, since no page is asked.
type step struct {
	At       string          // the origin of the document
	Tool     string          // a tool of the page
	RO       bool            // the tool says that it only reads
	Danger   bool            // the tool says that it is destructive
	Browser  string          // or a browser tool
	Args     json.RawMessage //
	To, On   string          // as in [calls.Action]
	Anywhere bool
	Tab      string
	Gives    any  // the result: a text, or the JSON in it
	Picture  bool // the result is a picture
}

func readTasks(t testing.TB, file string) (all []task) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		t.Fatal(file, err)
	}
	return all
}

// looks names the browser tools that change nothing.
var looks = map[string]bool{"take_snapshot": true, "take_screenshot": true, "list_console_messages": true, "wait_for": true}

// action returns the step's action, and the content of its result.
func (s step) action(session string) (d calls.Action, result json.RawMessage) {
	d = calls.Action{
		Who:   calls.Who{Session: session, Client: "agent"},
		Where: calls.Where{Origin: s.At, Address: s.At + "/", To: s.To, Tab: 1, Document: registry.DocumentRef{Page: registry.PageID(s.At + s.Tab)}},
		What: calls.What{Kind: calls.PageTool, Name: s.Tool, HubName: s.Tool, Class: calls.ClassOf(s.RO, s.Danger), On: s.On,
			Anywhere: s.Anywhere},
		Args: s.Args,
	}
	if s.Browser != "" {
		d.Kind, d.Name, d.HubName, d.Class = calls.BrowserTool, s.Browser, s.Browser, calls.ClassOf(looks[s.Browser], !looks[s.Browser])
	}
	if s.Args == nil {
		d.Args = json.RawMessage(`{}`)
	}
	text, is := s.Gives.(string)
	if !is {
		raw, _ := json.Marshal(s.Gives)
		text = string(raw)
	}
	block := map[string]any{"type": "text", "text": text}
	if s.Picture {
		block = map[string]any{"type": "image", "data": "aGk=", "mimeType": "image/png"}
	}
	return d, sanitize.Encode(map[string]any{"content": []any{block}})
}

// count is how often a person was asked and how many calls were refused, each by what did it.
type count struct {
	site, flow, calls int
	refused           int // calls
	shown             string
}

// run runs a task as one session, whose user answers questions about a site by one choice and those about flows by
// another.
func (k task) run(g *Guard, session, site, across string) (n count) {
	for _, s := range k.Steps {
		d, result := s.action(session)
		d.Ask = func(_ context.Context, params json.RawMessage) (json.RawMessage, error) {
			choice := site
			if strings.Contains(string(params), `"always"`) || strings.Contains(string(params), "it would send to") {
				n.flow, n.shown = n.flow+1, string(params)
				choice = across
			} else {
				n.site++
			}
			if !strings.Contains(string(params), `"`+choice+`"`) { // an address can only be allowed once
				choice = "once"
			}
			return json.RawMessage(`{"action":"accept","content":{"answer":"` + choice + `"}}`), nil
		}
		n.calls++
		no := g.Judge(context.Background(), d)
		if no != nil {
			n.refused++
			continue
		}
		g.Sent(d)
		g.Read(d, result)
	}
	g.ClientGone(session)
	return n
}

// guardOf returns a guard that decides by a preset of rules ("" for none), and about flows.
func guardOf(t testing.TB, preset string, mode flow.Mode) *Guard {
	t.Helper()
	o := Options{Flow: NewFlowDecider(flow.Options{Mode: mode, Domain: func(host string) string {
		labels := strings.Split(host, ".")
		return strings.Join(labels[max(0, len(labels)-2):], ".")
	}}, nil)}
	if preset != "" {
		of, err := rules.Preset(preset)
		if err != nil {
			t.Fatal(err)
		}
		set, err := rules.NewSet(of)
		if err != nil {
			t.Fatal(err)
		}
		o.Rules = NewPolicy(set)
	}
	return New(o)
}

// TestTableFlow prints how many benign tasks between two sites are asked about, and how many attempts to pass on what
// was read are stopped.
func TestTableFlow(t *testing.T) {
	table := "| tasks | number | asked about flow once | more than once | asked again the second time | stopped |\n|---|--:|--:|--:|--:|--:|\n"
	for _, c := range []struct {
		name, file string
		hostile    bool
		number     int
		stopped    int // of the hostile ones, at least
	}{
		{"benign", "flow_benign.json", false, 40, 0}, {"hostile", "flow_hostile.json", true, 40, 40},
		{"benign, second set", "flow_benign_second.json", false, 10, 0},
		{"hostile, second set", "flow_hostile_second.json", true, 12, 9},
		{"benign, third set", "flow_benign_third.json", false, 10, 0},
		{"hostile, third set", "flow_hostile_third.json", true, 12, 6},
	} {
		tasks := readTasks(t, c.file)
		if len(tasks) != c.number {
			t.Errorf("%s: %d tasks", c.file, len(tasks))
		}
		once, more, again, stopped := 0, 0, 0, 0
		for _, k := range tasks {
			g := guardOf(t, "", flow.Ask)
			if c.hostile {
				if is := k.run(g, "1", "hour", "no"); is.flow+is.refused > 0 {
					stopped++
				} else {
					t.Logf("not stopped: %s", k.Name)
				}
				continue
			}
			first, second := k.run(g, "1", "hour", "hour"), k.run(g, "2", "hour", "hour")
			switch {
			case first.flow == 1:
				once++
			case first.flow > 1:
				more++
				t.Logf("%d questions: %s: %s", first.flow, k.Name, first.shown)
			}
			if again += min(second.flow, 1); second.flow > 0 {
				t.Logf("again: %s: %s", k.Name, second.shown)
			}
			if first.refused > 0 {
				t.Errorf("%s: %d calls are refused", k.Name, first.refused)
			}
		}
		table += fmt.Sprintf("| %s | %d | %d | %d | %d | %d |\n", c.name, len(tasks), once, more, again, stopped)
		if more > 1 || again > 0 || stopped < c.stopped { // one task needs both directions
			t.Errorf("%s: %d asked more than once, %d again, %d of %d stopped", c.name, more, again, stopped, len(tasks))
		}
	}
	publish(t, "flow", table)
}

// publish prints a table, and compares it with a page of docs.
func publish(t *testing.T, page, table string) {
	t.Helper()
	fmt.Fprintln(t.Output(), table)
	if doc, err := os.ReadFile("../docs/" + page + ".md"); err != nil || !strings.Contains(string(doc), table) {
		t.Errorf("docs/%s.md doesn't have this table (%v):\n%s", page, err, table)
	}
}

// TestTableQuestions prints how often --safe asks about benign tasks: on the first visit, and when a later session of
// the same client does the same again.
func TestTableQuestions(t *testing.T) {
	table := "| tasks | number | calls | questions about a site | about flow | most in one task | the second time |\n|---|--:|--:|--:|--:|--:|--:|\n"
	for _, c := range []struct {
		name  string
		tasks []task
	}{
		{"on one site", readTasks(t, "one_site.json")}, {"on two sites", readTasks(t, "flow_benign.json")[:20]},
	} {
		var all count
		most, again := 0, 0
		for _, k := range c.tasks {
			g := guardOf(t, rules.Safe, flow.Ask)
			first, second := k.run(g, "1", "day", "day"), k.run(g, "2", "day", "day")
			all.calls, all.site, all.flow = all.calls+first.calls, all.site+first.site, all.flow+first.flow
			most, again = max(most, first.site+first.flow), again+second.site+second.flow
			if first.refused+second.refused > 0 {
				t.Errorf("%s: calls are refused", k.Name)
			}
		}
		table += fmt.Sprintf("| %s | %d | %d | %d | %d | %d | %d |\n", c.name, len(c.tasks), all.calls, all.site, all.flow, most, again)
		if again > 0 {
			t.Errorf("%s: %d questions the second time", c.name, again)
		}
	}
	publish(t, "trust", table)
}

// TestTableAttacks prints what stops each attack under --safe: when its user allows
// nothing, and when its user is taken in by every question about a site.
func TestTableAttacks(t *testing.T) {
	table := "| attack | stopped by | if the user allows that |\n|---|---|---|\n"
	for _, k := range readTasks(t, "attacks.json") {
		var by [2]string
		for i, site := range []string{"no", "hour"} {
			g := guardOf(t, rules.Safe, flow.Ask)
			is := k.run(g, "1", site, "no")
			switch {
			case is.site > 0 && site == "no":
				by[i] = "the question about the site"
			case is.flow > 0:
				by[i] = "the question about the two sites"
			case is.refused > 0:
				by[i] = "always refused"
			default:
				by[i] = "nothing"
			}
		}
		table += fmt.Sprintf("| %s | %s | %s |\n", k.Name, by[0], by[1])
		if by[0] == "nothing" {
			t.Errorf("nothing stops: %s", k.Name)
		}
	}
	publish(t, "trust", table)
}
