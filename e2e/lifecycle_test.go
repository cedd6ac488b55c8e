package e2e

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"webmcphub/internal/scripttest"
)

// A row is one event in the life of a page: a line of docs/lifecycle.md, and the
// test that it's true.
type row struct {
	page string // what happens in the page
	list string // what the list does
	// What the agent is told: by the call in flight, and by a later one.
	// "error: " begins the texts of failed calls, … stands for any text.
	during, after told
	on            []runtime // the runtimes that it applies to; empty means both
	only          string    // why it doesn't apply to the other, if that isn't plain
	unsaid        bool      // another line of the document says the same
	skip          string    // why it can't be tested
	flags         []string  // for the hub
	run           func(*scene)
}

// told is a text for both runtimes, or one for each.
type told map[runtime]string

const both runtime = ""

func says(text string) told { return told{both: text} }

func (t told) on(r runtime) string {
	if text, ok := t[r]; ok {
		return text
	}
	return t[both]
}

// A lifeGroup is a table of the document.
type lifeGroup struct {
	title string
	rows  []row
}

func lifecycle() []lifeGroup {
	return []lifeGroup{
		{"The document", slices.Concat(documentRows, historyRows)},
		{"Forms", formRows},
		{"Frames", frameRows},
		{"Tabs and Chrome", slices.Concat(tabRows, chromeRows)},
		{"Tools", slices.Concat(toolRows, hostileRows)},
	}
}

// TestLifecycle is the lifecycle matrix: for each event, on each runtime, the
// list and a call, during and after.
func TestLifecycle(t *testing.T) {
	t.Parallel()
	for _, group := range lifecycle() {
		for i := range group.rows {
			row := &group.rows[i]
			t.Run(row.page, func(t *testing.T) {
				if row.skip != "" {
					t.Skip(row.skip)
				}
				t.Parallel()
				for _, r := range row.runtimes() {
					t.Run(string(r), func(t *testing.T) { play(t, row, r) })
				}
			})
		}
	}
	t.Run("docs/lifecycle.md", func(t *testing.T) { scripttest.Document(t, "../docs/lifecycle.md", []byte(document())) })
}

func (r *row) runtimes() []runtime {
	if len(r.on) == 0 {
		return []runtime{native, mcpb5}
	}
	return r.on
}

// A scene is one row on one runtime: a Chrome with one tab on lifecycle.html,
// and a hub that has seen its tools "a" and "a_hangs". Rows that begin
// otherwise open their own.
type scene struct {
	*testing.T
	row  *row
	on   runtime
	c    *chrome
	h    *hub
	p    *tab
	said map[string]bool // which of the row's texts were compared
}

func play(t *testing.T, row *row, r runtime) {
	s := &scene{T: t, row: row, on: r, said: map[string]bool{}}
	row.run(s)
	if t.Failed() || t.Skipped() {
		return
	}
	if row.during.on(r) != "" && !s.said["during"] || row.after.on(r) != "" && !s.said["after"] {
		t.Errorf("the row doesn't compare all that it says: only %v", s.said)
	}
}

// begin opens the first tab, with a hub on it.
func (s *scene) begin(more ...string) {
	s.Helper()
	s.attach(chromeFor(s.T, s.on))
	s.open(more...)
}

func (s *scene) attach(c *chrome) {
	s.Helper()
	s.c = c
	s.h = attachHub(s.T, c, s.row.flags...)
}

// open opens the first tab and waits for its tools.
func (s *scene) open(more ...string) {
	s.Helper()
	s.p = s.c.open(s.T, s.url(more...))
	s.lists("a", "a_hangs")
}

// url is the address of the test's page on its runtime.
func (s *scene) url(more ...string) string {
	return pages.url("lifecycle.html", append(more, "runtime="+string(s.on))...)
}

// foreign is the same on another site.
func (s *scene) foreign(more ...string) string {
	return pages.otherSite("lifecycle.html", append(more, "runtime="+string(s.on))...)
}

// tool is the hub's name of a tool of the first tab, unless it names another as "1/tool".
func (s *scene) tool(name string) string {
	page, own, ok := strings.Cut(name, "/")
	if !ok {
		page, own = "0", name
	}
	return toolName(page, own)
}

// lists waits until exactly these tools are listed.
func (s *scene) lists(tools ...string) {
	s.Helper()
	names := []string{}
	for _, tool := range tools {
		names = append(names, s.tool(tool))
	}
	s.h.waitNames(names...)
}

// listsUntold is lists without waiting for list_changed, which is held back
// while a call of the page is in flight, for its answer to come first.
func (s *scene) listsUntold(tools ...string) {
	s.Helper()
	names := []string{}
	for _, tool := range tools {
		names = append(names, s.tool(tool))
	}
	slices.Sort(names)
	poll(s.T, "not listed: "+strings.Join(names, " "), func() bool { return slices.Equal(pageTools(s.h.list()), names) })
}

// works checks that a tool answers as the test's page does.
func (s *scene) works(tool string) {
	s.Helper()
	_, own, ok := strings.Cut(tool, "/")
	if !ok {
		own = tool
	}
	wantText(s.T, s.h.call(s.tool(tool), nil), own+" ran")
}

// start calls a tool and returns once its page notes that it runs.
func (s *scene) start(tool, note string) <-chan *mcp.CallToolResult {
	s.Helper()
	call := s.begins(tool)
	s.p.happened(note)
	return call
}

// hangs starts the call that never answers.
func (s *scene) hangs() <-chan *mcp.CallToolResult {
	s.Helper()
	return s.start("a_hangs", "hanging")
}

// begins calls a tool and doesn't wait.
func (s *scene) begins(tool string) <-chan *mcp.CallToolResult {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	s.Cleanup(cancel)
	return s.h.start(ctx, s.tool(tool), nil)
}

// during compares the answer of the call that the event met.
func (s *scene) during(call <-chan *mcp.CallToolResult) {
	s.Helper()
	s.compare("during", s.row.during, s.h.await(call))
}

// after compares the answer of a call that begins after the event.
func (s *scene) after(tool string) {
	s.Helper()
	s.compare("after", s.row.after, s.h.call(s.tool(tool), nil))
}

// unseen readies for stale.
func (s *scene) unseen() {
	select {
	case <-s.h.changed:
	default:
	}
}

// stale is after for a client that was told that the list has changed and
// calls by the old list all the same.
func (s *scene) stale(tool string) {
	s.Helper()
	ctx, cancel := s.h.patience()
	defer cancel()
	select {
	case <-s.h.changed:
	case <-ctx.Done():
		s.Fatal("no list_changed came")
	}
	poll(s.T, "the new address is never told", func() bool {
		return !strings.Contains(textOf(s.h.call(s.tool(tool), nil)), "has just navigated")
	})
	s.after(tool)
	poke(s.h.changed) // for the list that follows
}

func (s *scene) compare(when string, want told, got *mcp.CallToolResult) {
	s.Helper()
	s.said[when] = true
	text := textOf(got)
	if got.IsError {
		text = "error: " + text
	}
	if !matches(want.on(s.on), text) {
		s.Errorf("%s: the agent is told\n\t%s\nwant\n\t%s", when, text, want.on(s.on))
	}
}

// matches compares a text with a pattern in which … stands for any text.
func matches(pattern, text string) bool {
	parts := strings.Split(pattern, "…")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	return regexp.MustCompile(`^(?s:` + strings.Join(parts, ".+") + `)$`).MatchString(text)
}

// addTool registers a tool whose execute is this script.
func (s *scene) addTool(name, execute string) {
	s.Helper()
	s.p.eval(`addTool({name: '` + name + `', execute: ` + execute + `}), true`)
	s.h.waitTool(s.tool(name))
}

const lifecycleHead = `# What happens to tools and calls when pages change

<!-- Written by: go test ./e2e -run TestLifecycle -update. The same test checks each line on a real Chromium. -->

Each line is one event in the life of a page. Unless it says otherwise, it holds for native WebMCP and for pages with
@mcp-b/global where native WebMCP is off; about forms, for tools that Chrome makes and for those that the hub makes;
about iframes, for cross-origin ones with native WebMCP, too.

## What a call is told

… stands for any text. All but **led away** are results with ` + "`isError`" + `. A later call that works
is one of a tool that is listed by then.

| name | text |
|---|---|
`

// lifeTexts are the texts that more than one row has. The document has each of them once, and then goes by their names.
var lifeTexts = []struct{ name, text string }{
	{"navigated", navigatedAway},
	{"led away", itNavigated},
	{"frame gone", frameEnded},
	{"closed", closed},
	{"crashed", crashed},
	{"connection lost", connectionLost},
	{"time over", timedOut},
	{"gone: *why*", goneBegins + "*why*" + goneEnds},
}

// Texts of a call of a tool that there is no more begin and end so.
const (
	goneBegins = "error: … is gone: "
	goneEnds   = ". List the tools again (tools/list or list_webmcp_tools) to see what there is."
)

func document() string {
	var b strings.Builder
	b.WriteString(lifecycleHead)
	for _, t := range lifeTexts {
		b.WriteString("| **" + t.name + "** | " + strings.TrimPrefix(t.text, "error: ") + " |\n")
	}
	b.WriteString(`
A call in the first milliseconds of a navigation may be told that the page "has just navigated", without an address.
`)
	for _, group := range lifecycle() {
		b.WriteString("\n## " + group.title + "\n\n| in the page | the list | the call in flight | a later call |\n")
		b.WriteString("|---|---|---|---|\n")
		for _, r := range group.rows {
			if r.unsaid {
				continue
			}
			after := r.after.cell()
			if answered.MatchString(after) {
				after = "works"
			}
			cells := []string{cell(r.what()), cell(r.list), r.during.cell(), after}
			b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
		}
	}
	return b.String()
}

// answered matches the answer of a tool of the test's page.
var answered = regexp.MustCompile("^`[\\w-]+ ran`$")

func (r *row) what() string {
	text, only := r.page, " only"
	if r.only != "" {
		only += ": " + r.only
	}
	switch {
	case slices.Equal(r.on, []runtime{native}):
		text += " *(native" + only + ")*"
	case slices.Equal(r.on, []runtime{mcpb5}):
		text += " *(@mcp-b/global" + only + ")*"
	}
	if r.skip != "" {
		text += " *(not tested: " + r.skip + ")*"
	}
	return text
}

// cell is what a call is told, on each runtime if that differs.
func (t told) cell() string {
	var parts []string
	for _, on := range []runtime{both, native, mcpb5, forms} {
		if text, ok := t[on]; ok {
			where := map[runtime]string{both: "", native: "native: ", mcpb5: "@mcp-b/global: ", forms: "read by the hub: "}[on]
			parts = append(parts, where+short(text))
		}
	}
	return strings.Join(parts, "<br>")
}

// short is a text as the document has it: by its name if it has one.
func short(text string) string {
	for _, t := range lifeTexts {
		if text == t.text {
			return "**" + t.name + "**"
		}
	}
	if why, is := strings.CutPrefix(text, goneBegins); is {
		return "**gone**: " + cell(strings.TrimSuffix(why, goneEnds))
	}
	return "`" + cell(text) + "`"
}

func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ").Replace(text)
}
