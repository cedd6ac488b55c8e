package automation

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"webmcphub/automation/automationtest"
)

// unzipped returns what a file has, decompressed.
func unzipped(t *testing.T, file string) string {
	t.Helper()
	in, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	z, err := gzip.NewReader(in)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestPerformance: traces are recorded, analyzed, saved and compared, one client at a
// time. It is one test since a browser records one trace at a time.
func TestPerformance(t *testing.T) {
	r := openReal(t, automationtest.HTML(`<!doctype html><img src="{{b}}/picture?token=s3cret99"><script>{const t = performance.now(); while (performance.now() - t < 80);}</script><h1>Hello</h1>`))
	defer trace()()
	r.fails("performance_analyze_insight", `{"insightSetId":"NAVIGATION_0","insightName":"LCPBreakdown"}`, "o trace has been recorded")
	r.fails("performance_stop_trace", `{}`, "recording no trace")

	file := filepath.Join(t.TempDir(), "a.json.gz")
	first := r.call("performance_start_trace", `{"filePath":"`+file+`"}`)
	for _, part := range []string{"saved to " + file, "Insight set NAVIGATION_0: " + r.Site.URL("a", "/"), "LCP ", "trace engine"} {
		if first.IsError || !strings.Contains(first.Text, part) {
			t.Fatalf("no %q in: %s", part, first.Text)
		}
	}
	if info, err := os.Stat(file); err != nil || info.Size() < 1000 {
		t.Error(info, err)
	}
	if text := unzipped(t, file); !strings.Contains(text, "/picture?token=[masked]") || strings.Contains(text, "s3cret99") || !json.Valid([]byte(text)) {
		t.Error("the saved trace isn't JSON, or has a secret")
	}
	r.says("performance_analyze_insight", `{"insightSetId":"NAVIGATION_0","insightName":"LCPBreakdown"}`, "LCP")
	r.fails("performance_analyze_insight", `{"insightSetId":"NAVIGATION_0","insightName":"Nonsense"}`, "ImageDelivery")
	r.fails("performance_analyze_insight", `{"insightSetId":"NAVIGATION_7","insightName":"LCPBreakdown"}`, "NAVIGATION_0")

	r.says("performance_start_trace", `{"autoStop":false}`, "performance_stop_trace ends it")
	r.fails("performance_start_trace", `{}`, "recording a trace already")
	other := &agent{t: t, service: r.service, client: r.client}
	other.client.ID, other.client.Name = "2", "agent 2"
	other.fails("performance_start_trace", `{}`, "in use by another client")
	other.fails("performance_stop_trace", `{}`, "recording no trace")
	kept := filepath.Join(t.TempDir(), "b.json")
	j := &judged{real: r, denied: strings.TrimSuffix(r.Site.URL("b", "/"), "/")}
	got := j.does("performance_stop_trace", `{"filePath":"`+kept+`"}`)
	for _, part := range []string{"Since trace-1: ", "The trace was not saved: it records all tabs of the browser: text of " + j.denied + " is left out"} {
		if got.IsError || !strings.Contains(got.Text, part) {
			t.Errorf("no %q of a trace that names %s: %s", part, j.denied, got.Text)
		}
	}
	if _, err := os.Stat(kept); err == nil {
		t.Error("it is there all the same")
	}
	r.fails("performance_stop_trace", `{}`, "recording no trace")

	r.says("performance_start_trace", `{"autoStop":false,"reload":false}`, "performance_stop_trace ends it")
	r.service.ClientGone("1")
	for { // what the client began is being ended
		again := other.call("performance_start_trace", `{"reload":false}`)
		if !again.IsError {
			break
		}
		if !strings.Contains(again.Text, "already") {
			t.Fatal(again.Text)
		}
	}
	const of = `{"insightSetId":"NAVIGATION_0","insightName":"LCPBreakdown"`
	other.fails("performance_analyze_insight", of+`,"trace":"trace-1"}`, "belongs to another client, agent 1")
	other.fails("performance_analyze_insight", of+`,"trace":"trace-9"}`, "yours are trace-")
	stranger := &agent{t: t, service: r.service, client: other.client}
	stranger.client.ID = ""
	stranger.fails("performance_analyze_insight", of+`}`, "give the trace's name")
	stranger.fails("performance_analyze_insight", of+`,"trace":"trace-1"}`, "belongs to another client")
	told := stranger.call("performance_start_trace", `{}`).Text
	name := regexp.MustCompile(`trace-\d+-[a-z0-9]+`).FindString(told)
	if name == "" {
		t.Fatal(told)
	}
	stranger.says("performance_analyze_insight", of+`,"trace":"`+name+`"}`, "LCP")
}
