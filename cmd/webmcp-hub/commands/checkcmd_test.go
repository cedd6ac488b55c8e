package commands

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"webmcphub/check/report"
)

// A file is replaced as a whole, keeps its mode, and leaves nothing beside it; one that
// can't be replaced stays as it is.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "webmcp.lock.json")
	for _, text := range []string{"one", "two"} {
		if err := replace(file, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != text {
			t.Errorf("got %q (%v)", got, err)
		}
		if err := os.Chmod(file, 0o640); err != nil {
			t.Fatal(err)
		}
	}
	if is, err := os.Stat(file); err != nil || is.Mode().Perm() != 0o640 {
		t.Errorf("got %v (%v)", is, err)
	}
	if all, err := os.ReadDir(dir); err != nil || len(all) != 1 {
		t.Errorf("there is something beside the file: %v (%v)", all, err)
	}
	if replace(filepath.Join(dir, "none", "file"), nil) == nil {
		t.Error("a file in no folder was written")
	}
}

// A recording becomes a journey on stdout, or in a file with the coverage on stdout; no
// browser is needed.
func TestFrom(t *testing.T) {
	at := func(name string) string { return filepath.Join(t.TempDir(), name) }
	session := at("session.jsonl")
	const text = `{"recording":1}
{"ms":1,"tools":[{"name":"webmcp_a_test_page0_search","_meta":{"webmcp-hub/provenance":{"tabId":1,"frameUrl":"https://a.test/"}}}]}
{"ms":2,"client":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"webmcp_a_test_page0_search","arguments":{"q":"tea"}}}}
{"ms":3,"hub":{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"found"}]}}}
`
	if err := os.WriteFile(session, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(c Check) string {
		t.Helper()
		c.Quiet = true
		out, err := os.Create(at("out"))
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		if err := c.Validate(); err != nil && !strings.Contains(err.Error(), "--timeout") {
			t.Fatal(err)
		}
		if code, err := c.run("dev", out); code != 0 || err != nil {
			t.Fatalf("exit code %d, %v", code, err)
		}
		said, err := os.ReadFile(out.Name())
		if err != nil {
			t.Fatal(err)
		}
		return string(said)
	}
	const journey = `    - {"tab":"tab1","call":"search","arguments":{"q":"tea"},"result":"found"}`
	if got := run(Check{Sessions: Sessions{From: session}}); !strings.Contains(got, journey) {
		t.Errorf("got %s", got)
	}
	file := at("journey.yaml")
	page := at("page.html")
	got := run(Check{Sessions: Sessions{From: session, Journeys: file}, Outputs: Outputs{JSON: true, HTML: page}})
	var report struct {
		Coverage struct{ Tools []struct{ Tool string } }
	}
	if err := json.Unmarshal([]byte(got), &report); err != nil || len(report.Coverage.Tools) != 1 || report.Coverage.Tools[0].Tool != "search" {
		t.Errorf("got %s, %v", got, err)
	}
	for name, want := range map[string]string{file: journey, page: "Coverage of the recording session.jsonl"} {
		if text, err := os.ReadFile(name); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s has %s (%v)", name, text, err)
		}
	}
	if code, err := (&Check{Sessions: Sessions{From: page}}).run("dev", os.Stdout); code != 2 || err == nil || !strings.Contains(err.Error(), "no recording") {
		t.Errorf("a file that is no recording: %d, %v", code, err)
	}
	if (&Check{}).Validate() == nil || (&Check{URL: []string{"http://a.test"}, Sessions: Sessions{Journeys: "x"}}).Validate() == nil {
		t.Error("neither an address nor a recording is fine, or a journey of nothing")
	}
}

// A lock file of a newer version is left as it is, also by --accept: what helps is an update.
func TestNewerLock(t *testing.T) {
	file := filepath.Join(t.TempDir(), "webmcp.lock.json")
	const text = `{"version":2,"sites":{}}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, accept := range []bool{false, true} {
		code, err := (&Check{URL: []string{"http://127.0.0.1:1/"}, Lock: file, Accept: accept}).run("dev", os.Stdout)
		if code != report.Misused || err == nil || !strings.Contains(err.Error(), file) || !strings.HasSuffix(err.Error(), "; update webmcp-hub") {
			t.Errorf("--accept=%v: %d, %v", accept, code, err)
		}
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != text {
		t.Errorf("the file has %s (%v)", got, err)
	}
}

// Whoever accepts definitions is told where they went. Journeys are no pages.
func TestAccepted(t *testing.T) {
	c := Check{URL: []string{"http://a.test", "http://b.test"}, Lock: "my.lock.json"}
	got := c.accepted(&report.Report{Pages: []report.Page{{Tools: []string{"a", "b"}}, {Error: "it doesn't load"}, {Tools: []string{"of a journey"}, Journey: true}}})
	if got != "accepted into my.lock.json: pages: 1, tools: 2" {
		t.Errorf("got %s", got)
	}
}
