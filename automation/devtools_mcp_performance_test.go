package automation

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestPortedPerformance has the cases of performance.test.ts. Where theirs stand in for
// Chrome's tracing, these record: one at a time, as the browser does.
func TestPortedPerformance(t *testing.T) {
	const (
		begin   = `{"reload":false,"autoStop":false}`
		noField = "no URL is sent to anybody, so there is no field data of real users"
	)
	portInTurn(t, []ported{
		{name: "performance_start_trace begins a trace", page: shows, do: func(r real) {
			defer trace()()
			r.says("performance_start_trace", `{"autoStop":false}`, "The trace is being recorded. performance_stop_trace ends it")
			r.says("performance_stop_trace", `{}`, "Insight set NAVIGATION_0: "+r.Site.URL("a", "/"))
		}},
		{name: "performance_start_trace loads the page from the start", page: shows, do: func(r real) {
			defer trace()()
			r.is("window.old = 1", "1")
			r.says("performance_start_trace", `{"reload":true,"autoStop":false}`, "being recorded")
			r.is("[window.old, location.pathname]", ",/")
			r.says("performance_stop_trace", `{}`, "Insight set NAVIGATION_0: "+r.Site.URL("a", "/"))
		}},
		{name: "performance_start_trace ends by itself, and keeps the trace", page: shows, do: func(r real) {
			defer trace()()
			r.says("performance_start_trace", `{"autoStop":true}`, "LCP ")
			r.fails("performance_stop_trace", `{}`, "recording no trace")
			r.says("performance_analyze_insight", `{"insightSetId":"NAVIGATION_0","insightName":"LCPBreakdown"}`, "LCP")
		}},
		{name: "performance_start_trace during a trace is an error", page: shows, do: func(r real) {
			defer trace()()
			r.says("performance_start_trace", begin, "being recorded")
			r.fails("performance_start_trace", begin, "You are recording a trace already; performance_stop_trace ends it")
			r.says("performance_stop_trace", `{}`, "")
		}},
		{name: "performance_start_trace works after one that could not begin", page: shows, tabs: func(d *desk) {
			defer trace()()
			d.asks(d.one, "test")
			if got := d.call("performance_start_trace", `{"autoStop":false}`); !got.IsError || !strings.Contains(got.Text, `"test"`) {
				d.t.Errorf("it says %s", got.Text)
			}
			d.fails("performance_stop_trace", `{}`, "recording no trace")
			d.says("handle_dialog", `{"action":"accept"}`, "was accepted")
			d.says("performance_start_trace", begin, "being recorded")
			d.says("performance_stop_trace", `{}`, "")
		}},
		{name: "performance_start_trace saves the trace, packed", page: shows, do: func(r real) {
			defer trace()()
			path := filepath.Join(r.t.TempDir(), "trace.json.gz")
			r.client.Roots = roots(filepath.Dir(path))
			r.says("performance_start_trace", `{"reload":false,"filePath":"`+path+`"}`, "The trace was saved to "+path)
			file, err := os.ReadFile(path)
			if err != nil {
				r.t.Fatal(err)
			}
			packed, err := gzip.NewReader(bytes.NewReader(file))
			if err != nil {
				r.t.Fatal(err)
			}
			plain, err := io.ReadAll(packed)
			isTrace(r, plain, err)
		}},
		{name: "performance_analyze_insight tells of an insight", page: shows, do: func(r real) {
			defer trace()()
			r.says("performance_start_trace", `{}`, "Insight set NAVIGATION_0")
			r.says("performance_analyze_insight", `{"insightSetId":"NAVIGATION_0","insightName":"LCPBreakdown"}`, "LCP")
		}},
		{name: "performance_analyze_insight without a trace is an error", page: shows, do: func(r real) {
			r.fails("performance_analyze_insight", `{"insightSetId":"8463DF94CD61B265","insightName":"LCPBreakdown"}`, "No trace has been recorded")
		}},
		{
			name: "performance_stop_trace without a trace", page: shows, differs: "it is an error that says how one is begun, and not silence",
			do: func(r real) {
				r.fails("performance_stop_trace", `{}`, "You are recording no trace; performance_start_trace with autoStop false begins one")
			},
		},
		{name: "performance_stop_trace ends a trace and tells of it", page: shows, do: func(r real) {
			defer trace()()
			r.says("performance_start_trace", begin, "being recorded")
			got := r.call("performance_stop_trace", `{}`)
			if got.IsError || !regexp.MustCompile(`trace-\d`).MatchString(got.Text) { // the cases' traces are counted together
				r.t.Errorf("it says %s", got.Text)
			}
			r.fails("performance_stop_trace", `{}`, "recording no trace")
		}},
		{name: "performance_stop_trace of a trace that can't be read is an error", none: "Chrome writes it: traces that are cut, broken or none are those of TestCut and TestNoTraces in automation/trace"},
		{name: "performance_stop_trace saves the trace", page: shows, do: func(r real) {
			defer trace()()
			path := filepath.Join(r.t.TempDir(), "trace.json")
			r.client.Roots = roots(filepath.Dir(path))
			r.says("performance_start_trace", begin, "being recorded")
			r.says("performance_stop_trace", `{"filePath":"`+path+`"}`, "The trace was saved to "+path)
			plain, err := os.ReadFile(path)
			isTrace(r, plain, err)
		}},
		{name: "performance_stop_trace asks for no field data if told so", page: shows, do: func(r real) {
			defer trace()()
			if got := r.call("performance_start_trace", `{"reload":false}`); got.IsError || strings.Contains(strings.ToLower(got.Text), "crux") || strings.Contains(got.Text, "real users") {
				r.t.Errorf("it says %s", got.Text)
			}
		}},
		{name: "performance_stop_trace asks for field data of desktops", none: noField},
		{name: "performance_stop_trace asks for field data of mobile devices", none: noField},
	})
}

// shows is a page with something large to see.
const shows = `<h1>Hello</h1>`

// isTrace wants a file to be a trace with events.
func isTrace(r real, file []byte, err error) {
	r.t.Helper()
	var is struct{ TraceEvents []json.RawMessage }
	if err == nil {
		err = json.Unmarshal(file, &is)
	}
	if err != nil || len(is.TraceEvents) < 20 {
		r.t.Errorf("a trace of %d bytes with %d events: %v", len(file), len(is.TraceEvents), err)
	}
}
