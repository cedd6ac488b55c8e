package main

import (
	"strings"
	"testing"
)

// Both layouts in which servers give a page's result, and what must not pass.
func TestEchoed(t *testing.T) {
	for got, ok := range map[string]bool{
		`{"status": "Completed", "output": {"content": [{"type": "text", "text": "3 at 4"}]}}`:                                   true,
		"### Result\nCalled \"echo\" in http://a.test/. Untrusted:\n{\"content\": [{\"type\": \"text\", \"text\": \"3 at 4\"}]}": true,
		`{"content": [{"type": "text", "text": "2 at 4"}]}`:                                                                      false,
		`{"content": [{"type": "text", "text": "3 at 4"}, {"type": "text", "text": "3 at 4"}]}`:                                  false,
		`{"content": []}`: false,
		`3 at 4`:          false,
		``:                false,
	} {
		if err := echoed(got, "3 at 4"); (err == nil) != ok {
			t.Errorf("%q: %v", got, err)
		}
	}
}

// A page's tool is found by its own name, whatever a server makes of it.
func TestFind(t *testing.T) {
	names := []string{"webmcp_list_tools", "browser_click", "new1", "webmcp_a_test_page0_recho"}
	for p, name := range map[*peer]string{
		theHub("", "", "", false): "webmcp_a_test_page0_echo",
		playwright("", ""):        "webmcp_echo",
		relay("", ""):             "echo_12ab",
		chromeDevtools("", ""):    "", // which lists none
	} {
		var tools []tool
		for _, n := range names {
			tools = append(tools, tool{Name: n})
		}
		if got := p.find(tools, "echo"); got != "" {
			t.Errorf("%s finds echo in %s", p.title, got)
		}
		if got := p.find(append(tools, tool{Name: name}), "echo"); got != name {
			t.Errorf("%s finds %q, want %q", p.title, got, name)
		}
	}
}

func TestMedians(t *testing.T) {
	c := &column{title: "it", rounds: []values{{callP50: 3, callP99: 9, told: 1}, {callP50: 1, callP99: 9}, {callP50: 2, callP99: 8}}}
	if v := c.medians(); v[callP50] != 2 || v[callP99] != 9 || len(v) != 2 {
		t.Errorf("medians are %v", v)
	}
	var table strings.Builder
	write(&table, rows(16), []*column{c, {title: "nothing"}, {title: "relay", rounds: []values{{ends: never, ownBytes: 12345, ownTools: 4}}}})
	for _, want := range []string{"| 2.00; 9.00 | – | – |\n", "| – | – | never |\n", "| – | – | 4; 12,345; 3,086 |\n"} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("the table has no %q:\n%s", want, &table)
		}
	}
}
