package offer

import (
	"testing"

	"webmcphub/registry/sanitize"
)

// As in MCP, a tool is destructive unless it says otherwise.
func TestDestructive(t *testing.T) {
	yes, no := true, false
	for _, c := range []struct {
		hints Annotations
		want  bool
	}{
		{Annotations{}, true},
		{Annotations{ReadOnly: &yes}, false},
		{Annotations{ReadOnly: &no}, true},
		{Annotations{Destructive: &yes}, true},
		{Annotations{Destructive: &no}, false},
		{Annotations{Consequential: &yes}, true},
		{Annotations{Consequential: &no}, true}, // that is WebMCP's, and says less
		{Annotations{Cache: &yes}, true},
	} {
		if got := (&HubTool{registered: registered{hints: hints{passed: c.hints}}}).Destructive(); got != c.want {
			t.Errorf("%s: destructive %v, want %v", sanitize.Encode(c.hints.mcp()), got, c.want)
		}
	}
}

func TestAnnotations(t *testing.T) {
	yes, no := true, false
	for _, c := range []struct {
		why  string
		a    Annotations
		want string
	}{
		{"nothing said", Annotations{}, `null`},
		{"MCP's own", Annotations{ReadOnly: &yes, Destructive: &no, Idempotent: &yes, OpenWorld: &no}, `{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}`},
		{"consequential is what destructive asks", Annotations{Consequential: &yes}, `{"destructiveHint":true}`},
		{"and if it isn't, that is no promise", Annotations{Consequential: &no}, `null`},
		{"the more dangerous word counts", Annotations{Consequential: &yes, Destructive: &no}, `{"destructiveHint":true}`},
		{"of what is read, too", Annotations{ReadOnly: &yes, Consequential: &yes}, `{"destructiveHint":true}`},
		{"and of where it comes from", Annotations{Untrusted: &yes, OpenWorld: &no}, `{"openWorldHint":true}`},
		{"untrusted content is an open world", Annotations{Untrusted: &yes}, `{"openWorldHint":true}`},
		{"trusted content says nothing", Annotations{Untrusted: &no}, `null`},
	} {
		if got := sanitize.Encode(c.a.mcp()); string(got) != c.want {
			t.Errorf("%s: got %s, want %s", c.why, got, c.want)
		}
	}
}
