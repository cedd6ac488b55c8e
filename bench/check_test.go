package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"webmcphub/check"
	"webmcphub/check/probe"
)

// BenchmarkCheck measures "webmcp-hub check --smoke" of a page with 20 tools, a Chrome of its
// own included: half of them are good ones that are called, the others break rules. It fails
// if one run finds something else than the first, so that -benchtime 50x shows that verdicts
// are stable. The goal is 3 s on an idle machine, of lint alone (lint-p50-s).
func BenchmarkCheck(b *testing.B) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, twentyTools())
	}))
	defer server.Close()
	run := func(smoke bool) (verdict string, took time.Duration) {
		began := time.Now()
		r, err := check.Run(context.Background(), check.Options{URLs: []string{server.URL}, Chrome: probe.Options{Timeout: time.Minute}, Smoke: smoke, FailOn: "error"})
		took = time.Since(began)
		if err != nil {
			b.Fatal(err)
		}
		p := r.Pages[0]
		if p.Error != "" || len(p.Tools) != 20 || smoke && p.Calls < 20 {
			b.Fatalf("it wasn't checked: %s, %d tools, %d calls", p.Error, len(p.Tools), p.Calls)
		}
		raw, err := json.Marshal(p.Findings)
		if err != nil {
			b.Fatal(err)
		}
		return fmt.Sprintf("%d calls, %s", p.Calls, raw), took
	}
	first, _ := run(true)
	var smoke, lint samples
	for b.Loop() {
		verdict, took := run(true)
		if verdict != first {
			b.Fatalf("run %d found\n%s\nand the first\n%s", len(smoke)+1, verdict, first)
		}
		smoke = append(smoke, took)
		if len(lint) < 10 {
			_, took := run(false)
			lint = append(lint, took)
		}
	}
	b.ReportMetric(float64(smoke.quantile(0.5)), "ns/op")
	b.ReportMetric(lint.quantile(0.5).Seconds(), "lint-p50-s")
	b.ReportMetric(smoke.quantile(0.5).Seconds(), "smoke-p50-s")
}

// twentyTools is the page.
func twentyTools() string {
	var b strings.Builder
	b.WriteString("<!doctype html><title>Twenty tools</title><script>\n")
	for i := range 20 {
		description := fmt.Sprintf("Finds products of department %d by words. Use it when the user looks for something to buy there.", i)
		if i%2 == 1 {
			description = "Searches." // too short
		}
		fmt.Fprintf(&b, `document.modelContext.registerTool({name: "search_%c%c", description: %q,
  inputSchema: {type: "object", properties: {words: {type: "string", description: "What to look for.", maxLength: 200}}, required: ["words"], additionalProperties: false},
  annotations: {readOnlyHint: %t, untrustedContentHint: false},
  execute: (args) => { if (typeof args.words !== "string" || Object.keys(args).length > 1) throw new Error("words must be a text"); return "found " + args.words; }});
`, 'a'+i, 'a'+(7*i+3)%26, description, i%2 == 0)
	}
	b.WriteString("</script>")
	return b.String()
}
