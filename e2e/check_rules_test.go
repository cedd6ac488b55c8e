package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// smokers are the bodies of tools that break the rules about calls.
var smokers = map[string]string{
	"smoke-hang":      `new Promise(() => {})`,
	"smoke-crash":     `Symbol("done")`,
	"smoke-throws":    `args.words.nonsense.trim()`,
	"smoke-uncaught":  `{ setTimeout(() => { throw new Error("late"); }); return "done"; }`,
	"smoke-refuses":   `{ throw new Error("words are too long"); }`,
	"smoke-nothing":   `{}`,
	"smoke-huge":      `"x".repeat(1 << 21)`,
	"smoke-long":      `"word ".repeat(2000)`,
	"smoke-navigates": `{ location.href = "/good"; return "gone"; }`,
	"smoke-lenient":   `"fine"`,

	"smoke-dialog":       `{ alert("Hello"); return "done"; }`,
	"smoke-object-text":  "`found ${{}}`",
	"smoke-writes":       `{ localStorage.cart = Math.random(); return "done"; }`,
	"smoke-changes-page": `{ document.body.append("tea"); return "done"; }`,
}

// elsewhereBroken are the rules of docs/check.md that pages of other tests break: those of lint
// in check/probe, by the examples of the document.
var elsewhereBroken = map[string]string{
	"smoke-output":   "TestCheckOutput",
	"journey-failed": "TestCheck",
}

var ruleOfCalls = regexp.MustCompile(`(?m)^### ((?:smoke|contract|journey)-[a-z-]+)$`)

// TestCheckRules: each rule about calls and changes is broken by a real page, and all of
// them are kept by another.
func TestCheckRules(t *testing.T) {
	t.Parallel()
	var bad strings.Builder
	bad.WriteString("<!doctype html><meta charset=utf-8><title>Bad</title><script>\n")
	tool := func(name, schema, description, body string) {
		fmt.Fprintf(&bad, `document.modelContext.registerTool({ name: %q, description: %q, inputSchema: %s, annotations: { readOnlyHint: true }, execute: (args) => %s });`+"\n", name, description, schema, body)
	}
	for rule, body := range smokers {
		tool("get_"+strings.ReplaceAll(strings.TrimPrefix(rule, "smoke-"), "-", "_"), `{ type: "object", properties: { words: { type: "string", maxLength: 9 } }, required: ["words"] }`, "Reads "+rule+".", body)
	}
	bad.WriteString("</script>")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/bad" {
			fmt.Fprint(w, bad.String())
			return
		}
		fmt.Fprint(w, strings.ReplaceAll(checkedPage, "PARAM", "words"))
	}))
	t.Cleanup(server.Close)
	// What was accepted: of the good page another text and another parameter, and one tool less;
	// of the bad one nothing.
	lock := filepath.Join(t.TempDir(), "lock.json")
	accepted := `{"version":1,"pages":{"/good":[{"name":"search_products","description":"Finds.","inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]},"annotations":{"readOnlyHint":true,"untrustedContentHint":false}}]}}`
	if err := os.WriteFile(lock, []byte(accepted), 0o600); err != nil {
		t.Fatal(err)
	}
	c := nativeChrome(t)
	out, errs, code := runHub(t, "check", "--json", "--smoke", "--timeout", "60s", "--call-timeout", "5s", "--lock", lock, "--browser-url", c.browserURL(), server.URL+"/bad", server.URL+"/good")
	if code != 1 {
		t.Fatalf("exit code %d: %s%s", code, out, errs)
	}
	var report struct {
		Pages []struct {
			Findings []struct{ Rule, Tool string }
			NotTried []struct{ Tool, Why string }
		}
	}
	if err := json.Unmarshal([]byte(out), &report); err != nil || len(report.Pages) != 2 {
		t.Fatalf("%v: %s", err, out)
	}
	broken := map[string]bool{}
	for i, p := range report.Pages {
		for _, f := range p.Findings {
			broken[f.Rule] = true
			if i == 1 && strings.HasPrefix(f.Rule, "smoke-") {
				t.Errorf("the good page breaks %s", f.Rule)
			}
		}
	}
	document, err := os.ReadFile("../docs/check.md")
	if err != nil {
		t.Fatal(err)
	}
	rules := ruleOfCalls.FindAllStringSubmatch(string(document), -1)
	if len(rules) < len(smokers)+len(elsewhereBroken) {
		t.Errorf("the document has these rules: %v", rules)
	}
	for _, m := range rules {
		if elsewhere := elsewhereBroken[m[1]]; broken[m[1]] == (elsewhere != "") {
			t.Errorf("%s is broken: %v; elsewhere: %q; found: %+v", m[1], broken[m[1]], elsewhere, report.Pages[0])
		}
	}
}

// TestCheckOutput: Chrome passes no outputSchema on, but the server of a page with
// @mcp-b/global does where Chrome has no WebMCP.
func TestCheckOutput(t *testing.T) {
	t.Parallel()
	c := plainChrome(t)
	out, errs, code := runHub(t, "check", "--json", "--smoke", "--timeout", "60s", "--browser-url", c.browserURL(), pages.url("output.html", "runtime="+string(mcpb5)))
	var report struct {
		Pages []struct {
			Calls    int
			Findings []struct{ Rule, Tool string }
		}
	}
	if err := json.Unmarshal([]byte(out), &report); err != nil || code != 1 || len(report.Pages) != 1 || report.Pages[0].Calls < 3 {
		t.Fatalf("exit code %d, %v: %s%s", code, err, out, errs)
	}
	found := fmt.Sprint(report.Pages[0].Findings)
	for _, want := range []string{"{smoke-output get_total}", "{smoke-output get_text}"} {
		if !strings.Contains(found, want) {
			t.Errorf("%s isn't in %s", want, found)
		}
	}
	if strings.Contains(found, "get_sum") || strings.Contains(found, "smoke-refuses") {
		t.Errorf("there is more than that: %s", found)
	}
}
