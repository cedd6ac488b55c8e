package automation

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"webmcphub/internal/browsertool"
	"webmcphub/registry"
)

// TestRefusedArguments: arguments that exclude each other are refused before the page is opened, which is impossible
// here, and before anybody is asked.
func TestRefusedArguments(t *testing.T) {
	b := newFakeBrowser("https://a.test/")
	s := newService(b)
	defer s.Close()
	got := s.Call(t.Context(), browsertool.Call{Tool: "take_screenshot", Args: json.RawMessage(`{"uid":"a1","fullPage":true}`),
		Client: newAgent(t, s, b, "a").client, Progress: func(string) {}, About: func(*registry.Tab) {}, Reads: func([]string) {},
		Judge: func(_ context.Context, is browsertool.Action) error { t.Errorf("judged: %+v", is); return nil }})
	if !got.IsError || !strings.Contains(got.Text, "not both") {
		t.Error(got.Text)
	}
}

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
