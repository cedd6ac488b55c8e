package recording

import (
	"encoding/json"
	"testing"

	"webmcphub/internal/jsonrpc"
)

// What nothing is left out of isn't written anew, member by member: calls would wait for the
// processor that does so.
func TestWhatStaysIsNotCopied(t *testing.T) {
	value := json.RawMessage(`{"a":[1,"two",{"b":3}],"c":{"d":null},"e":"text"}`)
	var m masking
	allocs := testing.AllocsPerRun(100, func() {
		if now := m.values(value, nil, 0); &now[0] != &value[0] {
			t.Errorf("got a copy: %s", now)
		}
	})
	if allocs > 20 { // names and closures; each copy would be three more for each member
		t.Errorf("%v allocations", allocs)
	}
}

// What comes before the first change stays as it is, and what comes after it, too.
func TestRewriteInTheMiddle(t *testing.T) {
	for _, c := range []struct{ object, change, want string }{
		{`{"a":1, "b":2 ,"c":3}`, "b", `{"a":1,"b":0,"c":3}`},
		{`{"a":1,"b":2}`, "a", `{"a":0,"b":2}`},
		{`{"a":1,"b":2}`, "b", `{"a":1,"b":0}`},
		{`{"a":1, "b":2}`, "", `{"a":1, "b":2}`},
		{`{"a":1,"b":2,"c":3}`, "-b", `{"a":1,"c":3}`},
		{`{"a":1}`, "-a", `{}`},
		{`{}`, "a", `{}`},
		{`{"a":1,"a":2,"b":3}`, "b", `{"a":1,"a":2,"b":0}`},
	} {
		got := jsonrpc.Rewrite(json.RawMessage(c.object), func(name string, is json.RawMessage) json.RawMessage {
			switch c.change {
			case name:
				return json.RawMessage("0")
			case "-" + name:
				return nil
			}
			return is
		})
		if string(got) != c.want {
			t.Errorf("%s, %q changed: got %s, want %s", c.object, c.change, got, c.want)
		}
	}
	for list, want := range map[string]string{`[1, 2,3]`: `[1,0,3]`, `[2]`: `[0]`, `[1, 3]`: `[1, 3]`, `[]`: `[]`, `[2,2]`: `[0,0]`} {
		got := jsonrpc.RewriteEach(json.RawMessage(list), func(is json.RawMessage) json.RawMessage {
			if string(is) == "2" {
				return json.RawMessage("0")
			}
			return is
		})
		if string(got) != want {
			t.Errorf("%s: got %s, want %s", list, got, want)
		}
	}
}
