package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"webmcphub/bench/storm"
)

// What is written can be read, and plots are drawn also of results without calls.
func TestReports(t *testing.T) {
	r := run(t)
	var table, plot, trade, text bytes.Buffer
	if err := Table(&table, []*storm.Result{r}); err != nil || !strings.Contains(table.String(), "trickle") {
		t.Errorf("the table: %v %s", err, &table)
	}
	if err := Plot(&plot, []*storm.Result{r}); err != nil || !strings.HasSuffix(strings.TrimSpace(plot.String()), "</svg>") {
		t.Errorf("the plot: %v %.100s", err, &plot)
	}
	other := *r
	other.Interval *= 2
	settled := *r
	settled.Settle = 100
	if err := Tradeoff(&trade, []*storm.Result{r, &other}, []*storm.Result{r, &settled}); err != nil || !strings.HasSuffix(strings.TrimSpace(trade.String()), "</svg>") {
		t.Errorf("the other plot: %v %.100s", err, &trade)
	}
	var back []*storm.Result
	if err := JSON(&text, []*storm.Result{r}); err != nil || json.Unmarshal(text.Bytes(), &back) != nil || len(back) != 1 || back[0].Changes != r.Changes {
		t.Errorf("the JSON: %v %s", err, &text)
	}
}

// Programs are drawn side by side, also where a value isn't known, or none is.
func TestCompare(t *testing.T) {
	var svg bytes.Buffer
	charts := []Chart{
		{Title: "Times", Unit: "ms", Names: []string{"click", "fill"}, Series: []Series{
			{Name: "one", Values: []float64{3, 0}, Upper: []float64{9, 0}}, {Name: "other", Values: []float64{300, 20}}}},
		{Title: "Nothing", Names: []string{"click"}, Series: []Series{{Name: "one", Values: []float64{0}}}},
	}
	if err := Compare(&svg, charts); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Times", "Nothing", "other", "fill", "</svg>"} {
		if !strings.Contains(svg.String(), want) {
			t.Errorf("the plot has no %q", want)
		}
	}
}

func run(t *testing.T) *storm.Result {
	t.Helper()
	s, err := storm.Named("trickle", storm.Fake)
	if err != nil {
		t.Fatal(err)
	}
	s.Pages, s.Duration = 3, 300*time.Millisecond
	r, err := storm.Run(t.Context(), s, storm.Options{})
	if err != nil || len(r.Failures) > 0 {
		t.Fatal(err, r)
	}
	return r
}
