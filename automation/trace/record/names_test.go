package record

import (
	"slices"
	"testing"

	"webmcphub/automation/trace"
)

// TestSetsOfTheEngine: where the engine counts the time before the first navigation and
// the report doesn't, the two number navigations differently; clients are told the
// report's names.
func TestSetsOfTheEngine(t *testing.T) {
	insights := func(name string) []EngineInsight { return []EngineInsight{{Name: name}} }
	i := &Item{
		Report: &trace.Report{Sets: []*trace.Set{{ID: "NAVIGATION_0", From: 100}, {ID: "NAVIGATION_1", From: 200}}},
		Engine: &Summary{Sets: []InsightSet{
			{ID: "NO_NAVIGATION", From: 7, Insights: insights("before")},
			{ID: "NAVIGATION_1", From: 100, Insights: insights("first")},
			{ID: "NAVIGATION_2", From: 200, Insights: insights("second")},
		}},
	}
	for _, c := range []struct{ told, engines, has string }{
		{"NAVIGATION_0", "NAVIGATION_1", "first"},
		{"NAVIGATION_1", "NAVIGATION_2", "second"},
		{"NO_NAVIGATION", "NO_NAVIGATION", "before"},
	} {
		if got := i.engineSet(c.told); got != c.engines {
			t.Errorf("%s is the engine's %q, want %s", c.told, got, c.engines)
		}
		if got := i.names(c.told); !slices.Equal(got, []string{c.has}) {
			t.Errorf("%s has %v, want %s", c.told, got, c.has)
		}
	}
	if got := i.engineSet("NAVIGATION_2"); got != "" {
		t.Errorf("a set that nobody was told of is the engine's %s", got)
	}
}
