package automation

import (
	"strings"
	"testing"
)

// TestServiceWorkerID: the agent is told why an extension's worker can't be reached, and by whom the tool can be.
func TestServiceWorkerID(t *testing.T) {
	b := newFakeBrowser("https://a.test/")
	a := newAgent(t, New(Options{Browser: b, Categories: Categories()}), b, "a")
	for tool, args := range map[string]string{
		"evaluate_script":       `{"function":"() => 1","serviceWorkerId":"sw-1"}`,
		"list_console_messages": `{"serviceWorkerId":"sw-1"}`,
	} {
		if got := a.call(tool, args).Text; !strings.Contains(got, "extensions are the user's own") {
			t.Errorf("%s: %s", tool, got)
		}
	}
	for _, tool := range Table(Categories(), false) {
		if said := string(tool.Encoded()); strings.Contains(said, "serviceWorkerId") || strings.Contains(said, "waitForStableDom") {
			t.Errorf("every agent reads of it: %s", said)
		}
	}
}
