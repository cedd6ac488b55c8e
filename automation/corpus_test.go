package automation

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"testing"

	"webmcphub/automation/automationtest"
	"webmcphub/automation/corpus"
	"webmcphub/cdpclient"
)

// openCorpus serves the corpus' pages, and gives an agent with a tab of its own.
func openCorpus(t *testing.T) *one {
	t.Helper()
	automationtest.Conn(t) // skips without a browser
	pages, err := corpus.Open("corpus")
	if err != nil {
		if os.Getenv("WEBMCP_REQUIRE_CHROME") == "1" {
			t.Fatal(err)
		}
		t.Skipf("skipped, needs the corpus' packages: %v", err)
	}
	t.Cleanup(pages.Close)
	b := newManyTabs(t, automationtest.Pages{"/empty": "<title>Empty</title>"})
	b.site.Handle(func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/empty" {
			return false
		}
		pages.ServeHTTP(w, r)
		return true
	})
	s := New(Options{Browser: b, Categories: Categories()})
	t.Cleanup(s.Close)
	return b.open(s, "1", "/empty")
}

// load opens a page of the corpus and waits until it is complete.
func (o *one) load(t *testing.T, p corpus.Page) {
	t.Helper()
	o.must(cdpclient.PageNavigate, map[string]any{"url": o.b.site.URL("127", p.Path)})
	if !o.becomes(t, p.Until()) {
		t.Fatalf("%s isn't complete", p.Path)
	}
}

// becomes waits until an expression is true in the tab's document, or corpus.Patience is over.
func (o *one) becomes(t *testing.T, expression string) (is bool) {
	t.Helper()
	o.evaluate(t, corpus.Becomes(expression), &is)
	return is
}

// evaluate runs an expression in the tab's document on the test's own session.
func (o *one) evaluate(t *testing.T, expression string, into any) {
	t.Helper()
	var got struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	err := o.b.conn.Call(o.b.ctx, o.session, cdpclient.RuntimeEvaluate, map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true}, &got)
	if err == nil && got.ExceptionDetails != nil {
		t.Fatalf("%s: %s", expression, got.ExceptionDetails)
	}
	if err == nil {
		err = json.Unmarshal(got.Result.Value, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestCorpus holds snapshots of the corpus' pages against what a person can read there.
func TestCorpus(t *testing.T) {
	o := openCorpus(t)
	for _, p := range corpus.Pages {
		t.Run(p.Name, func(t *testing.T) {
			if !p.There() {
				t.Skipf("needs %s", p.File)
			}
			o.load(t, p)
			var seen corpus.Seen
			o.evaluate(t, "("+corpus.SeenScript+")()", &seen)
			got := o.call("take_snapshot", `{"maxTokens":0}`)
			if got.IsError {
				t.Fatal(got.Text)
			}
			if len(seen.Runs) == 0 {
				t.Fatalf("nothing is seen on the page, which has %q", seen.InnerText)
			}
			if missed := seen.Missed(); len(missed) > 0 {
				t.Errorf("seen.js has missed these words of the browser's innerText: %q", missed)
			}
			differs := corpus.Compare(seen, corpus.Shown(got.Text))
			for _, text := range append(counted("lost", differs.Lost), counted("invented", differs.Invented)...) {
				t.Error(text)
			}
			if t.Failed() {
				t.Log(got.Text)
			}
		})
	}
}

// manyTexts are so many different ones that only their number is listed.
const manyTexts = 80

// counted makes a line of each text, with how often it is there.
func counted(what string, texts []string) (lines []string) {
	times := map[string]int{}
	for _, text := range texts {
		if times[text]++; times[text] == 1 {
			lines = append(lines, text)
		}
	}
	if len(lines) > manyTexts {
		return []string{fmt.Sprintf("%s %d texts", what, len(texts))}
	}
	for i, text := range lines {
		lines[i] = fmt.Sprintf("%s %d× %q", what, times[text], text)
	}
	return lines
}
