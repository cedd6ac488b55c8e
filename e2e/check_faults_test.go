package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// faults are pages with one fault that breaks agents, and the rule that names it. The last page has none.
var faults = []struct{ rule, script string }{
	{"registration-failed", `document.body.innerHTML = '<iframe src="OTHER/frame"></iframe>'; tool({})`},
	{"schema-not-object", `tool({inputSchema: [1, 2]})`},
	{"schema-items", `tool({inputSchema: of({words: {type: 'array', description: 'What to look for.'}})})`},
	{"schema-range", `tool({inputSchema: of({count: {type: 'integer', minimum: 9, maximum: 1, description: 'How many to find.'}})})`},
	{"schema-enum-empty", `tool({inputSchema: of({size: {type: 'string', enum: [], description: 'The size to find.'}})})`},
	{"param-type-missing", `tool({inputSchema: of({size: {enum: ['small', 'large'], description: 'The size to find.'}})})`},
	{"schema-enum-long", `tool({inputSchema: of({size: {type: 'string', enum: Array.from({length: 900}, (_, i) => 'size ' + i), description: 'The size to find.'}})})`},
	{"too-many-params", `tool({inputSchema: of(Object.fromEntries(Array.from({length: 80}, (_, i) => ['part_' + i, {type: 'boolean', description: 'Whether to find part ' + i + '.'}])))})`},
	{"hint-consequential-missing", `tool({name: 'clear_account', description: 'Irreversibly erases the account. Use it when the user wants to leave.', annotations: {readOnlyHint: false}})`},
	{"text-placeholder", `tool({description: 'TODO: say what it does. Use it when the user looks for a thing.'})`},
	{"text-placeholder", `tool({description: 'Lorem ipsum dolor sit amet, consectetur adipiscing elit.'})`},
	{"smoke-object-text", `tool({execute: () => 'Found: ' + {}})`},
	{"smoke-dialog", `tool({execute: () => { alert('Done'); return 'found'; }})`},
	{"smoke-writes", `tool({execute: () => { localStorage.cart = 'tea'; return 'found'; }})`},
	{"smoke-writes", `tool({execute: () => fetch('/post', {method: 'POST'}).then(() => 'found')})`},
	{"smoke-changes-page", `tool({execute: () => { document.body.append('tea'); return 'found'; }})`},
	{"form-no-tool", `document.body.innerHTML = '<form action="/frame"><label>Words <input name="words"></label><label>Town <input name="town"></label><button>Search for rooms</button></form>'; tool({})`},
	{"late", `setTimeout(() => tool({}), 4000)`},
	{"", `tool({})`},
}

// TestCheckFindsFaults: each fault that breaks an agent is found, and a page without one has none.
func TestCheckFindsFaults(t *testing.T) {
	t.Parallel()
	const page = `<!doctype html><title>A shop</title><body><script>
		const of = (properties) => ({type: 'object', properties, additionalProperties: false});
		const tool = (more) => document.modelContext.registerTool({name: 'find_things', title: 'Find things', description: 'Finds things of this shop. Use it when the user looks for something.',
			inputSchema: of({}), annotations: {readOnlyHint: true, untrustedContentHint: false}, execute: () => 'found', ...more});
		%s</script>`
	serve := func(script func(path string) string) string {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(w, page, script(r.URL.Path))
		}))
		t.Cleanup(server.Close)
		return server.URL
	}
	other := strings.Replace(serve(func(string) string { return `tool({name: 'pay_bill'})` }), "127.0.0.1", "localhost", 1)
	site := serve(func(path string) string {
		var i int
		if _, err := fmt.Sscanf(path, "/%d", &i); err != nil {
			return ""
		}
		return strings.ReplaceAll(faults[i].script, "OTHER", other)
	})
	args := []string{"check", "--json", "--smoke", "--all", "--browser-url", nativeChrome(t).browserURL()}
	for i := range faults {
		args = append(args, fmt.Sprint(site, "/", i))
	}
	out, errs, _ := runHub(t, args...)
	var report struct {
		Pages []struct {
			Error    string
			Findings []struct{ Rule, Message string }
		}
	}
	if err := json.Unmarshal([]byte(out), &report); err != nil || len(report.Pages) != len(faults) {
		t.Fatalf("%v: %s%s", err, out, errs)
	}
	for i, fault := range faults {
		var found []string
		for _, f := range report.Pages[i].Findings {
			found = append(found, f.Rule+": "+f.Message)
		}
		is := func(f string) bool { return strings.HasPrefix(f, fault.rule+": ") }
		if report.Pages[i].Error != "" || fault.rule != "" && !slices.ContainsFunc(found, is) || fault.rule == "" && len(found) > 0 {
			t.Errorf("%s, %q: %s%q", fault.script, fault.rule, report.Pages[i].Error, found)
		}
	}
}
