package mcpserver

import (
	"bytes"
	"encoding/json"
	"testing"
)

// Whatever a client sends, the session answers in good JSON lines and goes on.
func FuzzSession(f *testing.F) {
	for _, seed := range []string{ping, initialize, "[" + ping + "]", callLine("1", "list_webmcp_tools", `{"page":0}`), callLine("1", "call_webmcp_tool", `{"name":"x","page":0}`), callLine(`"a"`, "webmcp_a_test_page0_x", `{"n":"1"}`)} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		if bytes.Contains(input, []byte("the end")) {
			return // an id in use is refused
		}
		h := newHub(t, echo)
		h.page("A", "https://a.test/", `x {"type":"object","properties":{"n":{"type":"integer"}}}`)
		const end, ended = `{"jsonrpc":"2.0","id":"the end","method":"ping"}`, `{"jsonrpc":"2.0","id":"the end","result":{}}`
		var out bytes.Buffer
		if err := h.ServeStdio(t.Context(), bytes.NewReader(append(input, "\n"+end+"\n"...)), &out); err != nil {
			t.Fatal(err)
		}
		ponged := false
		for line := range bytes.Lines(out.Bytes()) {
			if !json.Valid(line) {
				t.Errorf("%q", line)
			}
			ponged = ponged || string(line) == ended+"\n"
		}
		if !ponged {
			t.Errorf("serving does not go on: %q", out.Bytes())
		}
	})
}
