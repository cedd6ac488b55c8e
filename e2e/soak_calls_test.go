package e2e

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// soakCalls are the calls of a run, and what came of them.
type soakCalls struct {
	wg sync.WaitGroup

	mu       sync.Mutex // guards what follows; held while the client lists
	lists    int        // how often it has
	outcomes map[string]int
	// meant are the tabs that a name stood for, the last one last.
	meant map[string][]meaning
}

// A meaning is what a name meant from one list on.
type meaning struct{ since, tab int }

func (c *soakCalls) init() { c.outcomes, c.meant = map[string]int{}, map[string][]meaning{} }

func (c *soakCalls) ended() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.outcomes)
}

func (c *soakCalls) count() int { return total(c.ended()) }

// soakOutcomes are the texts in which calls may end.
var soakOutcomes = []struct {
	name    string
	isError bool
	text    *regexp.Regexp
}{
	{"answered", false, regexp.MustCompile(` ran$`)},
	{"answered", false, regexp.MustCompile(`^undefined$`)}, // the dialog's
	{"answered on leaving", false, regexp.MustCompile(`^on my way$`)},
	{"left without an answer", false, regexp.MustCompile(`^The tool navigated the page to `)},
	{"the page's own error", true, regexp.MustCompile(`the till is on fire`)},
	{"error: tool is gone", true, regexp.MustCompile(` is gone: |^tool ".*" could not be called: `)},
	{"error: name means another tool", true, regexp.MustCompile(`now names (another|a tool of another)`)},
	{unlisted, true, regexp.MustCompile(`^no tool is called `)},
	{"error: page navigated", true, regexp.MustCompile(`^The page navigated to `)},
	{"error: frame ended", true, regexp.MustCompile(`^The frame of tool `)},
	{"error: page closed", true, regexp.MustCompile(`^The page of tool ".*" was closed`)},
	{"error: page crashed", true, regexp.MustCompile(`^The page crashed while `)},
	{"error: a dialog is open", true, regexp.MustCompile(`^tool ".*" was not called: a dialog is open in its page`)},
	{"error: timed out", true, regexp.MustCompile(` did not answer: `)},
	{"error: tool is gone, by the page's server", true, regexp.MustCompile(`^MCP error -32602: Tool .* not found$`)},
	{"error: can't cross sites", true, regexp.MustCompile(`Cannot return tool results after a cross-origin navigation`)},
}

// unlisted is the outcome of a call that the hub received after a list without
// its tool: the calls of this client and its lists overtake each other.
const unlisted = "error: not in the last list"

// call calls a tool in the background, and cancels it after a while if that
// isn't 0. The channel is closed at its end.
func (s *soak) call(tool mcp.Tool, args map[string]any, stopAfter time.Duration) <-chan struct{} {
	limit := patience
	if stopAfter > 0 {
		limit = stopAfter
	}
	listed, done := s.calls.listed(), make(chan struct{})
	s.calls.wg.Go(func() {
		defer close(done)
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		defer cancel()
		result, err := s.h.tryCall(ctx, tool.Name, args)
		switch {
		case err == nil:
			s.calls.note(s.outcome(tool, listed, result))
		case ctx.Err() == nil:
			s.t.Errorf("calling %s: %v", tool.Name, err)
		case stopAfter > 0:
			s.calls.note("cancelled by the client")
		default:
			s.t.Errorf("%s never ended (%s)", tool.Name, tool.Description)
		}
	})
	return done
}

func (c *soakCalls) listed() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lists
}

func (c *soakCalls) note(outcome string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.outcomes[outcome]++
}

// outcome sorts a result, and checks that it's of the page that was meant when
// the client listed for the listed-th time, or by a later list.
func (s *soak) outcome(tool mcp.Tool, listed int, result *mcp.CallToolResult) string {
	text := textOf(result)
	for _, o := range soakOutcomes {
		if o.isError != result.IsError || !o.text.MatchString(text) {
			continue
		}
		if by, ok := parseSays(text); ok && (by.tool != saidBy(tool).tool || !slices.Contains(s.calls.meaningsOf(tool.Name, listed), by.tab)) {
			s.t.Errorf("%v: %s (%s), listed for the %dth time, was answered by another page's tool: %s; %s", time.Since(s.began), tool.Name, tool.Description, listed, text, s.calls.history(tool.Name))
		}
		if o.name == unlisted && s.calls.listed() == listed {
			s.t.Errorf("%s is in the last list, and is answered with %s", tool.Name, text)
		}
		return o.name
	}
	s.t.Errorf("%s was answered in no way that is known: %s", tool.Name, asJSON(result))
	return "odd"
}

// history tells of all that a name has meant, for a failure.
func (c *soakCalls) history(name string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return fmt.Sprintf("the client has listed %d times, and the name meant %+v", c.lists, c.meant[name])
}

// meaningsOf are the tabs that a name stood for in a list and in all later ones.
func (c *soakCalls) meaningsOf(name string, list int) (tabs []int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range slices.Backward(c.meant[name]) {
		tabs = append(tabs, m.tab)
		if m.since <= list {
			break
		}
	}
	return tabs
}

// list asks for the tools, and notes what their names mean now.
func (s *soak) list() []mcp.Tool {
	s.t.Helper()
	s.calls.mu.Lock()
	defer s.calls.mu.Unlock()
	s.listed = s.h.list()
	s.calls.lists++
	for _, tool := range s.listed {
		if !pageTool.MatchString(tool.Name) {
			continue
		}
		tab := saidBy(tool).tab
		if all := s.calls.meant[tool.Name]; len(all) == 0 || all[len(all)-1].tab != tab {
			s.calls.meant[tool.Name] = append(all, meaning{s.calls.lists, tab})
		}
	}
	return s.listed
}

// awaitCalls waits until every call has ended, which takes no longer than patience.
func (s *soak) awaitCalls() {
	s.t.Helper()
	s.calls.wg.Wait()
	if s.t.Failed() {
		s.t.Fatal("calls went wrong")
	}
}

// A saying is what the description of one of soak.html's tools tells.
type saying struct {
	tab           int
	tool, version string
}

var saysPattern = regexp.MustCompile(`tab(\d+) (\w+) (\w+\.\d+)`)

func parseSays(text string) (said saying, ok bool) {
	m := saysPattern.FindStringSubmatch(text)
	if m == nil {
		return saying{}, false
	}
	_, _ = fmt.Sscan(m[1], &said.tab)
	said.tool, said.version = m[2], m[3]
	return said, true
}

func saidBy(tool mcp.Tool) saying {
	said, _ := parseSays(tool.Description)
	return said
}
