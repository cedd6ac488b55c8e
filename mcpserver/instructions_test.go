package mcpserver

import (
	"strings"
	"testing"

	"webmcphub/mcpserver/view"
	"webmcphub/registry/offer"
)

// The instructions speak of names as they are.
func TestInstructionsSayHowToolsAreCalled(t *testing.T) {
	for _, test := range []struct {
		o         Options
		says, not string
	}{
		{Options{}, "webmcp_{site}_page{index}_{tool}", "website_tool_"},
		{Options{Naming: offer.MCPBNames}, "website_tool_{site}_tab{id}_{tool}", "webmcp_{site}"},
		{Options{Settings: view.Settings{Mode: view.FocusedTab}}, "under their own names", "{tool}"},
		{Options{}, "call list_webmcp_tools", "list the tools again, or"},
		{Options{Settings: view.Settings{Mode: view.FocusedTab}}, "list the tools again, or call list_tabs", "_webmcp_tool"}, // which it doesn't list
	} {
		text := instructions(test.o, nil)
		if !strings.Contains(text, test.says) || strings.Contains(text, test.not) {
			t.Errorf("mode %q, naming %q: the agent is told\n%s", test.o.Mode, test.o.Naming, text)
		}
	}
}
