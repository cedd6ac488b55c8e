package e2e

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// checkedPage is a page with one tool that keeps all rules; PARAM is its parameter's name.
const checkedPage = `<!doctype html><meta charset=utf-8><title>Shop</title><script>
document.modelContext.registerTool({
  name: "search_products", title: "Search products",
  description: "Finds products of this shop by words. Use it when the user looks for something to buy.",
  inputSchema: { type: "object", properties: { PARAM: { type: "string", description: "What to look for.", maxLength: 200 } }, required: ["PARAM"], additionalProperties: false },
  annotations: { readOnlyHint: true, untrustedContentHint: false },
  execute: (args) => { if (typeof args.PARAM !== "string" || Object.keys(args).length > 1) throw new Error("only PARAM, a text"); return "found " + args.PARAM; },
});
</script>`

// journeyFile has one journey over two tabs of two origins that succeeds, and one that
// doesn't. OTHER is the other origin.
const journeyFile = `
- name: two sites
  steps:
    - {open: /shop, tab: a}
    - {open: "OTHER/shop", tab: b}
    - {call: search_products, tab: a, arguments: {words: shoes}, result: {$contains: shoes}}
    - {call: search_products, tab: b, arguments: {words: {$pattern: "^[a-c]+$"}}, result: {$pattern: "^found"}}
    - {tools: {has: [search_products], gone: [checkout]}, tab: a}
    - {close: true, tab: b}
- name: lost
  steps:
    - {call: search_products, arguments: {words: hat}, result: lost and found}
`

// TestCheck: the command sees pages in a Chrome that runs, writes all its formats, notices
// a change against its lock file, and ends with the exit codes that its document promises.
func TestCheck(t *testing.T) {
	t.Parallel()
	var renamed atomic.Bool
	mux := http.NewServeMux()
	mux.HandleFunc("/shop", func(w http.ResponseWriter, r *http.Request) {
		name := "words"
		if renamed.Load() {
			name = "text"
		}
		w.Header().Set("Content-Type", "text/html")
		page := strings.ReplaceAll(checkedPage, "PARAM", name)
		if strings.HasPrefix(r.Host, "localhost:") { // the other origin, whose tool tells where it runs
			page = strings.Replace(page, "execute: (args) => {", `execute: async (args) => { await fetch("/ran?at=" + location.origin);`, 1)
		}
		fmt.Fprint(w, page)
	})
	var ranAt atomic.Value
	mux.HandleFunc("/ran", func(_ http.ResponseWriter, r *http.Request) { ranAt.Store(r.FormValue("at")) })
	mux.HandleFunc("/none", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<!doctype html><p>No tools.</p>") })
	mux.HandleFunc("/account", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/login", http.StatusFound) })
	mux.HandleFunc("/login", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "<!doctype html><form><input type=password></form>")
	})
	mux.HandleFunc("/broken", func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "broken", http.StatusInternalServerError)
	})
	mux.HandleFunc("/never", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	c := nativeChrome(t)
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	check := func(want int, args ...string) (out, errs string) {
		t.Helper()
		out, errs, code := runHub(t, append([]string{"check", "--timeout", "60s", "--browser-url", c.browserURL()}, args...)...)
		if code != want {
			t.Fatalf("check %s: exit code %d, want %d:\n%s%s", strings.Join(args, " "), code, want, out, errs)
		}
		return out, errs
	}

	out, _ := check(0, "--json", "--smoke", "--accept", "--lock", at("lock.json"), "--junit", at("junit.xml"), "--sarif", at("sarif.json"), "--html", at("report.html"), "--fail-on", "info", server.URL+"/shop")
	var report struct {
		Pages []struct {
			Tools    []string
			Calls    int
			Findings []struct{ Rule string }
		}
	}
	if err := json.Unmarshal([]byte(out), &report); err != nil || len(report.Pages) != 1 || len(report.Pages[0].Tools) != 1 || report.Pages[0].Calls < 5 || len(report.Pages[0].Findings) != 0 {
		t.Errorf("the report isn't as expected (%v): %s", err, out)
	}
	var suites struct {
		XMLName xml.Name `xml:"testsuites"`
		Tests   int      `xml:"tests,attr"`
	}
	if err := xml.Unmarshal(contents(t, at("junit.xml")), &suites); err != nil || suites.Tests == 0 {
		t.Errorf("JUnit: %v", err)
	}
	var log struct{ Version string }
	if err := json.Unmarshal(contents(t, at("sarif.json")), &log); err != nil || log.Version != "2.1.0" {
		t.Errorf("SARIF: %v", err)
	}
	if !strings.Contains(string(contents(t, at("report.html"))), "search_products") {
		t.Error("the page doesn't show the tool")
	}

	steps, other := at("journey.yaml"), strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
	if err := os.WriteFile(steps, []byte(strings.ReplaceAll(journeyFile, "OTHER", other)), 0o600); err != nil {
		t.Fatal(err)
	}
	out, _ = check(1, "--json", "--journey", steps, "--write-evals", at("evals.json"), server.URL+"/shop")
	if strings.Count(out, `"journey-failed"`) != 1 || !strings.Contains(out, "lost and found") {
		t.Errorf("one journey should fail, and it should be said how: %s", out)
	}
	if ranAt.Load() != other {
		t.Errorf("the call in the tab of %s ran at %v", other, ranAt.Load())
	}
	if out, _ = check(1, "--json", "--journey", at("evals.json"), server.URL+"/shop"); strings.Count(out, `"journey-failed"`) != 1 {
		t.Errorf("what was written as evals.json isn't the same journeys: %s", out)
	}

	// A recorded session is done again, elsewhere than where it was recorded.
	session := `{"recording":1}
{"ms":1,"tools":[{"name":"webmcp_shop_example_page0_search_products","_meta":{"webmcp-hub/provenance":{"tabId":1,"frameUrl":"https://shop.example/shop"}}}]}
{"ms":2,"client":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"webmcp_shop_example_page0_search_products","arguments":{"words":"boots"}}}}
{"ms":3,"hub":{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"found boots"}]}}}
`
	if err := os.WriteFile(at("session.jsonl"), []byte(session), 0o600); err != nil {
		t.Fatal(err)
	}
	out, _ = check(0, "--from", at("session.jsonl"), server.URL+"/shop")
	if !strings.Contains(out, "coverage of the journeys: 1 of 1 tool called\n  search_products: 1 call\n      words: in 1 of 1\n") {
		t.Errorf("the session wasn't done again: %s", out)
	}

	renamed.Store(true)
	out, _ = check(1, "--github", "--lock", at("lock.json"), server.URL+"/shop")
	if !strings.Contains(out, "::error title=contract-breaking") || !strings.Contains(out, "the property is gone") {
		t.Errorf("a parameter that is gone isn't told: %s", out)
	}

	if out, _ = check(1, "--json", "--journey", steps, server.URL+"/shop"); strings.Count(out, "the hub would refuse the arguments") != 2 {
		t.Errorf("journeys pass with a parameter that the schema has no more: %s", out)
	}

	out, _ = check(3, server.URL+"/none", server.URL+"/account", server.URL+"/broken")
	for _, want := range []string{"(no-tools)", "it needs a login", "the error 500", "2 pages not checked"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q isn't in %s", want, out)
		}
	}
	if out, _ = check(1, "--quiet", server.URL+"/none"); !strings.Contains(out, "no-tools") {
		t.Errorf("a page without tools: %s", out)
	}
	if out, _ = check(3, "--timeout", "1s", server.URL+"/never"); !strings.Contains(out, "didn't load within 1s") {
		t.Errorf("a page that never loads: %s", out)
	}
	server.Close()
	if out, _ = check(3, server.URL+"/shop"); !strings.Contains(out, "ERR_CONNECTION_REFUSED") {
		t.Errorf("a server that doesn't run: %s", out)
	}
}

func contents(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestCheckRefuses: what is wrong with a command line, a lock file or the Chrome is said
// before any page is opened.
func TestCheckRefuses(t *testing.T) {
	t.Parallel()
	broken := filepath.Join(t.TempDir(), "lock.json")
	if err := os.WriteFile(broken, []byte(`{"version":1,"pages":`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"", 2, "name the address of a page"},
		{"localhost:3000", 2, "http://"},
		{"https://", 2, "http://"},
		{"--fail-on never https://a.example/", 2, "fail-on"},
		{"--timeout 0s https://a.example/", 2, "--timeout"},
		{"--browser-url http://127.0.0.1:1 --channel beta https://a.example/", 2, "--browser-url"},
		{"--lock " + broken + " https://a.example/", 2, "can't be used"},
		{"--lock " + broken + ".no https://a.example/", 2, "--accept writes it"},
		{"--browser-url http://127.0.0.1:1 https://a.example/", 3, "127.0.0.1:1"},
		{"--executable-path /nonexistent/chrome https://a.example/", 3, "/nonexistent/chrome"},
	} {
		out, errs, code := runHub(t, append([]string{"check"}, strings.Fields(c.args)...)...)
		if code != c.code || !strings.Contains(errs, c.says) || out != "" {
			t.Errorf("check %s: exit code %d, want %d, and %q on standard error:\n%s%s", c.args, code, c.code, c.says, out, errs)
		}
	}
}
