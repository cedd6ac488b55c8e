package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// The rules that a transcript must keep.
const (
	// Each line of the hub is one whole answer or notification.
	ruleWhole = "whole lines"
	// The answer to initialize comes first, and no list_changed before the client
	// has said that it is initialized, or asked for something.
	ruleGreeting = "initialize first"
	// Each request is answered once; one that was cancelled, once or not at all.
	ruleOneAnswer = "one answer"
	// A call's progress comes before its answer, and only to whoever asked for it.
	ruleProgress = "progress before the answer"
	// A call's result comes before the list_changed that the call caused.
	ruleResultFirst = "result before list_changed"
	// A list asked for after a list_changed is another than those before it.
	ruleNews = "list_changed brings a new list"
	// The last list is the truth.
	ruleTruth = "the last list is the truth"
)

// resultFirst is how long a list_changed waits for answers.
const resultFirst = 5 * time.Second

// A violation is a line that breaks a rule.
type violation struct {
	line int
	rule string
	what string
}

// checkOrder finds what breaks the rules in a transcript. It expects of the
// pages that no list comes twice, or the client would have to know which one
// is older: two lists are taken for the same if they say the same.
func checkOrder(lines []line) []violation {
	c := &orderCheck{lines: lines, asked: map[string]*request{}, known: map[string]map[string]string{}, names: map[string]string{}}
	for i, l := range lines {
		switch l.From {
		case theClient:
			c.toHub(i, l)
		case theHub:
			c.fromHub(i, l)
		case theTest:
			c.truth(i, l)
		}
	}
	for _, r := range c.inOrder {
		if len(r.answers) == 0 && !r.cancelled {
			c.broken(r.line, ruleOneAnswer, "%s %s was never answered", r.method, r.id)
		}
	}
	for _, n := range c.notices {
		c.notice(n)
	}
	slices.SortStableFunc(c.found, func(a, b violation) int { return a.line - b.line })
	return c.found
}

type orderCheck struct {
	lines   []line
	asked   map[string]*request // by id
	inOrder []*request
	lists   []*listing                   // by the order of their answers
	notices []int                        // the lines that are list_changed
	known   map[string]map[string]string // the tools of lists, by their text
	names   map[string]string            // of tools, by their text
	greeted bool                         // initialize was answered
	ready   bool                         // the client has shown that it read that
	found   []violation
}

// A request is one request of the client.
type request struct {
	line       int
	id, method string
	token      string
	touches    []string
	cancelled  bool
	answers    []int
}

// A listing is an answer to tools/list.
type listing struct {
	asked, answered int               // lines
	tools           map[string]string // all that is said of a tool, by its name
}

func (c *orderCheck) broken(line int, rule, format string, args ...any) {
	c.found = append(c.found, violation{line, rule, fmt.Sprintf(format, args...)})
}

func (c *orderCheck) toHub(i int, l line) {
	var m message
	if json.Unmarshal([]byte(l.Text), &m) != nil {
		return // tests may send nonsense
	}
	var p struct {
		RequestID json.RawMessage `json:"requestId"`
		Meta      struct {
			Token json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	}
	_ = json.Unmarshal(m.Params, &p)
	switch {
	case m.Method == "notifications/cancelled":
		if r := c.asked[string(p.RequestID)]; r != nil {
			r.cancelled = true
		}
	case m.ID != nil:
		r := &request{line: i, id: string(m.ID), method: m.Method, token: string(p.Meta.Token), touches: l.Touches}
		c.asked[r.id] = r
		c.inOrder = append(c.inOrder, r)
	}
	if c.greeted && m.Method != "ping" {
		c.ready = true
	}
}

func (c *orderCheck) fromHub(i int, l line) {
	var m message
	text, whole := strings.CutSuffix(l.Text, "\n")
	if !whole || json.Unmarshal([]byte(text), &m) != nil || m.JSONRPC != "2.0" {
		c.broken(i, ruleWhole, "not one JSON-RPC message")
		return
	}
	answer := m.ID != nil && m.Method == "" && (m.Result != nil) != (m.Error != nil)
	if !answer && (m.ID != nil || m.Method == "" || m.Result != nil || m.Error != nil) {
		c.broken(i, ruleWhole, "neither an answer nor a notification")
		return
	}
	r := c.asked[string(m.ID)]
	if !c.greeted && (r == nil || r.method != "initialize") {
		c.broken(i, ruleGreeting, "initialize isn't answered yet")
	}
	switch {
	case answer:
		c.answer(i, r, m)
	case m.Method == "notifications/progress":
		c.progress(i, m)
	case m.Method == "notifications/tools/list_changed":
		if !c.ready {
			c.broken(i, ruleGreeting, "the client isn't known to be initialized yet")
		}
		c.notices = append(c.notices, i)
	}
}

func (c *orderCheck) answer(i int, r *request, m message) {
	if r == nil {
		c.broken(i, ruleOneAnswer, "an answer to %s, which wasn't asked", m.ID)
		return
	}
	r.answers = append(r.answers, i)
	if len(r.answers) > 1 {
		c.broken(i, ruleOneAnswer, "another answer to %s %s", r.method, r.id)
	}
	switch r.method {
	case "initialize":
		c.greeted = true
	case "tools/list":
		c.lists = append(c.lists, &listing{r.line, i, c.toolsOf(m.Result)})
	}
}

// toolsOf takes a list apart. Lists are long and have much in common, so what
// is known of them isn't looked at again.
func (c *orderCheck) toolsOf(result json.RawMessage) map[string]string {
	if tools := c.known[string(result)]; tools != nil {
		return tools
	}
	var list struct{ Tools []json.RawMessage }
	_ = json.Unmarshal(result, &list)
	tools := map[string]string{}
	for _, tool := range list.Tools {
		name, ok := c.names[string(tool)]
		if !ok {
			var named struct{ Name string }
			_ = json.Unmarshal(tool, &named)
			name = named.Name
			c.names[string(tool)] = name
		}
		tools[name] = string(tool)
	}
	c.known[string(result)] = tools
	return tools
}

func (c *orderCheck) progress(i int, m message) {
	var p struct {
		Token json.RawMessage `json:"progressToken"`
	}
	_ = json.Unmarshal(m.Params, &p)
	for _, r := range slices.Backward(c.inOrder) {
		if r.token == "" || r.token != string(p.Token) {
			continue
		}
		if len(r.answers) > 0 {
			c.broken(i, ruleProgress, "%s %s is answered", r.method, r.id)
		}
		return
	}
	c.broken(i, ruleProgress, "no request has the token %s", p.Token)
}

// truth compares the list that was read last with all page tools' names.
func (c *orderCheck) truth(i int, l line) {
	var want, got []string
	_ = json.Unmarshal([]byte(l.Text), &want)
	if len(c.lists) > 0 {
		for name := range c.lists[len(c.lists)-1].tools {
			if pageTool.MatchString(name) {
				got = append(got, name)
			}
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		c.broken(i, ruleTruth, "the last list has %q, true is %q", got, want)
	}
}

// notice looks at a list_changed with what the client read before and after.
//
// The hub sends it only for a list that is newer than those that it has
// answered before, so the next one asked for has news. If all the news is
// what calls that are still running may have done, one of them has caused it.
func (c *orderCheck) notice(n int) {
	next := c.nextList(n)
	if next == nil {
		return // the client didn't look
	}
	touched, waited := c.running(n)
	for _, before := range c.newestLists(n) {
		switch {
		case same(before, next, nil):
			c.broken(n, ruleNews, "the list of line %d is what the client had read in line %d", next.answered, before.answered)
			return
		case !waited && same(before, next, touched):
			c.broken(n, ruleResultFirst, "the list of line %d has only news of calls that aren't answered yet, which may touch %s",
				next.answered, strings.Join(touched, " "))
			return
		}
	}
}

// nextList is the first list that was asked for after a line.
func (c *orderCheck) nextList(line int) (next *listing) {
	for _, l := range c.lists {
		if l.asked > line && (next == nil || l.asked < next.asked) {
			next = l
		}
	}
	return next
}

// newestLists are those read before a line that may be the newest: of two that
// were asked for at the same time, either may be.
func (c *orderCheck) newestLists(line int) (newest []*listing) {
	lastAsked := -1
	for _, l := range c.lists {
		if l.answered < line {
			lastAsked = max(lastAsked, l.asked)
		}
	}
	for _, l := range c.lists {
		if l.answered < line && l.answered > lastAsked {
			newest = append(newest, l)
		}
	}
	return newest
}

// running gives what the calls may touch that run when a line comes, and says
// whether one of them ran for so long that list_changed waits no more.
func (c *orderCheck) running(at int) (touched []string, waited bool) {
	for _, r := range c.inOrder {
		over := r.cancelled || len(r.answers) > 0 && r.answers[0] < at
		if r.line > at || over || r.touches == nil {
			continue
		}
		touched = append(touched, r.touches...)
		if c.lines[at].At-c.lines[r.line].At >= resultFirst {
			waited = true
		}
	}
	return touched, waited
}

// same compares two lists but for what is touched.
func same(a, b *listing, touched []string) bool {
	return covers(a, b, touched) && covers(b, a, touched)
}

// covers says that a has every tool of b that isn't touched.
func covers(a, b *listing, touched []string) bool {
	for name, tool := range b.tools {
		if a.tools[name] != tool && !isTouched(name, touched) {
			return false
		}
	}
	return true
}

func isTouched(name string, touched []string) bool {
	return slices.ContainsFunc(touched, func(t string) bool {
		prefix, all := strings.CutSuffix(t, "*")
		return name == t || all && strings.HasPrefix(name, prefix)
	})
}
