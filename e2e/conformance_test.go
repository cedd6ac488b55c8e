package e2e

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A scenario is one of the official conformance suite's for servers.
type scenario struct {
	name string
	// page: it asks for tools, prompts or resources of fixed names, which testdata/pages/conformance.html
	// has, and which bareNames puts where the suite looks for them.
	page bool
	// told is what the page is told when its tool asks the client something, after
	// the tool's name; "" where none asks.
	told string
	// not is why it isn't run.
	not string
	// excused are the ids of checks that may fail, with the reason.
	excused map[string]string
}

const (
	noAnswers     = "answers count with the requestState of the round that asked: a call that brings some at once is asked first"
	noCombinators = "model APIs refuse allOf at a schema's root: the hub leaves it out of the list, and checks it itself"
	noHeaders     = "a page's schema must not have clients write arguments, which may be secret, into HTTP headers, which are logged: x-mcp-header is taken out"
	noTasks       = "needs a server that makes tasks at once: a call of the hub's becomes one after 20 seconds"
	noSkills      = "an extension (skills) that the hub doesn't have"
)

// scenarios are all that the suite has. One that isn't here fails the test, so
// that a newer suite's are looked at.
var scenarios = []scenario{
	{name: "server-initialize"},
	{name: "server-session-lifecycle"},
	{name: "server-stateless", page: true},
	{name: "ping"},
	{name: "logging-set-level"},
	{name: "dns-rebinding-protection"},
	{name: "http-header-validation"},
	{name: "server-sse-multiple-streams"},
	{name: "tools-list"},
	{name: "tools-call-simple-text", page: true},
	{name: "tools-call-image", page: true},
	{name: "tools-call-audio", page: true},
	{name: "tools-call-embedded-resource", page: true},
	{name: "tools-call-mixed-content", page: true},
	{name: "tools-call-error", page: true},
	{name: "tools-call-with-progress", page: true},
	{name: "tools-call-sampling", page: true,
		told: "test_sampling: LLM response: This is a test response from the client"},
	{name: "tools-call-elicitation", page: true,
		told: `test_elicitation: User response: action=accept, content={"username":"testuser","email":"test@example.com"}`},
	{name: "elicitation-sep1034-defaults", page: true,
		told: `test_elicitation_sep1034_defaults: Elicitation completed: action=accept, content={"name":"Jane Smith","age":25,"score":88,"status":"inactive","verified":false}`},
	{name: "elicitation-sep1330-enums", page: true,
		told: `test_elicitation_sep1330_enums: Elicitation completed: action=accept, content={"untitledSingle":"option1","titledSingle":"value1","legacyEnum":"opt1","untitledMulti":["option1","option2"],"titledMulti":["value1","value2"]}`},
	{name: "json-schema-2020-12", page: true, excused: map[string]string{
		"sep-2106-composition-keywords-preserved": noCombinators,
	}},

	{name: "input-required-result-ignore-extra-params", page: true, excused: map[string]string{"sep-2322-ignore-unexpected-params": noAnswers}},
	{name: "input-required-result-*", page: true},
	{name: "tools-call-with-logging", page: true},
	{name: "caching", page: true},
	{name: "completion-complete", page: true},
	{name: "resources-*", page: true},
	{name: "sep-2164-resource-not-found", page: true},
	{name: "prompts-*", page: true},

	{name: "server-sse-polling", not: "needs a tool at which the server closes the stream before the answer"},
	{name: "http-custom-header-server-validation", not: noHeaders},
	{name: "tasks-*", not: noTasks},
	{name: "sep-2640-skills-*", not: noSkills},
}

func scenarioNamed(name string) *scenario {
	for i := range scenarios {
		if matched, _ := filepath.Match(scenarios[i].name, name); matched {
			return &scenarios[i]
		}
	}
	return nil
}

// TestConformance runs the official suite's scenarios against the hub's HTTP
// endpoint, in each protocol revision.
func TestConformance(t *testing.T) {
	t.Parallel()
	node := newNodePath(t)
	c := chromeFor(t, mcpb5) // whose tools can tell progress
	w := startWeb(t, "--no-stdio", "--no-token", "--no-share", "--page-roots", "--max-tool-name", "128", "--browser-url", c.browserURL())
	h := w.connect(t)
	revisions := []string{"2025-06-18", "2025-11-25", "2026-07-28"}
	own := map[string]*tab{} // a page that carries out calls of several clients may ask none of them
	for i, revision := range revisions {
		own[revision] = c.open(t, pages.url("conformance.html", "runtime="+string(mcpb5)))
		h.waitTool(toolName(strconv.Itoa(i), "test_trigger_prompt_change"))
	}
	t.Run("at", func(t *testing.T) { // returns when all have
		for i, revision := range revisions {
			t.Run(revision, func(t *testing.T) {
				t.Parallel()
				bare := bareNames(t, w.url, toolName(strconv.Itoa(i), ""), offerURI(strconv.Itoa(i), ""))
				direct, named := suite(t, node, w.url, revision), suite(t, node, bare, revision)
				ran, passed := 0, 0
				var told []string
				for name, checks := range direct {
					t.Run(name, func(t *testing.T) {
						s := scenarioNamed(name)
						switch {
						case s == nil:
							t.Fatal("the suite has a scenario that the table lacks")
						case s.not != "":
							t.Skip(s.not)
						case s.page:
							checks = named[name]
						}
						ran++
						if s.judge(t, checks) {
							passed++
						}
						if s.told != "" {
							told = append(told, s.told)
						}
					})
				}
				t.Logf("%d of %d scenarios pass", passed, len(direct))
				if ran < 27 {
					t.Errorf("only %d scenarios were run", ran)
				}
				slices.Sort(told)
				if got, err := own[revision].evaluate(`told.sort().join('\n')`); err != nil || string(got) != asJSON(strings.Join(told, "\n")) {
					t.Errorf("the page was told %s, %v, not %s", got, err, told)
				}
			})
		}
	})
	if err := h.client.Close(); err != nil {
		t.Error(err)
	}
	w.signal(syscall.SIGTERM)
	if code := w.waitExit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// A check is one that the suite made within a scenario.
type check struct {
	ID, Description, Status, ErrorMessage string
}

// judge says whether the suite counts the scenario as passed.
func (s *scenario) judge(t *testing.T, checks []check) (passed bool) {
	passed = true
	succeeded := 0
	for _, c := range checks {
		why := s.excused[c.ID]
		switch c.Status {
		case "SUCCESS":
			succeeded++
			if why != "" {
				t.Errorf("%s passes: take it out of the excused ones", c.ID)
			}
		case "FAILURE", "WARNING":
			passed = passed && c.Status == "WARNING"
			if why == "" {
				t.Errorf("%s: %s: %s", c.ID, c.Description, c.ErrorMessage)
			}
		}
	}
	if succeeded == 0 {
		t.Errorf("no check was made: %+v", checks)
	}
	return passed
}

var savedIn = regexp.MustCompile(`^server-(.*)-\d{4}-\d\d-\d\dT[-\d]+Z$`)

// suite runs the whole suite at one revision and gives what it found, by scenario.
func suite(t *testing.T, node, url, revision string) map[string][]check {
	t.Helper()
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(context.Background(), 4*patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, node, "node_modules/@modelcontextprotocol/conformance/dist/index.js", "server",
		"--url", url, "--suite", "all", "--spec-version", revision, "--output-dir", dir)
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput() // it fails for the scenarios that can't pass here, too
	found := map[string][]check{}
	saved, readErr := filepath.Glob(filepath.Join(dir, "*", "checks.json"))
	if readErr != nil {
		t.Fatal(readErr)
	}
	for _, file := range saved {
		name := savedIn.FindStringSubmatch(filepath.Base(filepath.Dir(file)))
		content, err := os.ReadFile(file)
		if err != nil || name == nil {
			t.Fatalf("%s: %v", file, err)
		}
		var checks []check
		if err := json.Unmarshal(content, &checks); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		found[name[1]] = checks
	}
	if len(found) < 20 || !strings.Contains(string(out), "Total:") {
		t.Fatalf("the suite didn't run: %v\n%s", err, out)
	}
	// What broke the suite itself is only told.
	if broke := slices.Collect(strings.Lines(string(out))); slices.ContainsFunc(broke, func(l string) bool { return strings.HasPrefix(l, "Failed to run scenario") }) {
		t.Errorf("the suite broke:\n%s", out)
	}
	return found
}
