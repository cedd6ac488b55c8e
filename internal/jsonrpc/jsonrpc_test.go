package jsonrpc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestParse(t *testing.T) {
	for _, c := range []struct{ in, id, method, params, response, wrong string }{
		{in: `{"jsonrpc":"2.0","id":1,"method":"ping"}`, id: "1", method: "ping"},
		{in: ` {"method":"m","params": {"a": 1} ,"id":"\u0061","jsonrpc":"2.0"}`, id: `"\u0061"`, method: "m", params: `{"a": 1}`},
		{in: `{"jsonrpc":"2.0","id":1.50e3,"method":"m","params":null}`, id: "1.50e3", method: "m"},
		{in: `{"jsonrpc":"2.0","method":"n\u002fx"}`, method: "n/x"},
		{in: `{"jsonrpc":"2.0","id":1,"id":2,"method":"a","method":"b"}`, id: "2", method: "b"},
		{in: `{"jsonrpc":"2.0","id":1,"result":{"method":"m"}}`, id: "1", response: `{"method":"m"}`},
		{in: `{"jsonrpc":"2.0","id":1,"error":{"code":5,"message":"no"}}`, id: "1", response: "5 no"},
		{in: `{"jsonrpc":"2.0","id":1,"error":7}`, id: "1", response: "-32603 an error that can't be read"},
		{in: `{"jsonrpc":"2.0","id":1,"method":"m","result":{}}`, id: "1", method: "m"},
		{in: "{\"a\":\"\xff\"}", wrong: "-32700 the message is not valid UTF-8"},
		{in: `{"jsonrpc":"2.0"`, wrong: "-32700 the message is not valid JSON: "},
		{in: ``, wrong: "-32700 the message is not valid JSON: "},
		{in: `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, wrong: "-32600 JSON-RPC batches are not part of MCP any more"},
		{in: `7`, wrong: "-32600 this is not a JSON-RPC 2.0 message: it must be an object"},
		{in: `{"id":1,"method":"m"}`, id: "1", method: "m", wrong: `-32600 this is no JSON-RPC 2.0 message: "jsonrpc" must be "2.0"`},
		{in: `{"jsonrpc":"1.0","id":1,"method":"m"}`, id: "1", method: "m", wrong: `-32600 this is no JSON-RPC 2.0 message`},
		{in: `{"jsonrpc":"2.0","ID":1,"Method":"m"}`, wrong: `-32600 the message has no "method"`},
		{in: `{"jsonrpc":"2.0","id":1}`, id: "1", wrong: `-32600 the message has no "method"`},
		{in: `{"jsonrpc":"2.0","id":1,"method":7}`, id: "1", wrong: `-32600 the message has no "method"`},
		{in: `{"jsonrpc":"2.0","id":null,"method":"m"}`, method: "m", wrong: "-32600 the id must be a string or a number"},
		{in: `{"jsonrpc":"2.0","id":{},"method":"m"}`, method: "m", wrong: "-32600 the id must be a string or a number"},
		{in: `{"jsonrpc":"2.0","id":1,"method":"m","params":[1]}`, id: "1", method: "m", params: "[1]", wrong: `-32602 "params" must be an object`},
	} {
		m, err := Parse([]byte(c.in))
		wrong := ""
		if err != nil {
			wrong = said(err)
		}
		if !strings.HasPrefix(wrong, c.wrong) || c.wrong == "" && wrong != "" {
			t.Errorf("%s: the error is %q, want %q", c.in, wrong, c.wrong)
		}
		response := ""
		if m.Response && err == nil {
			if result, failed := m.Answer(); failed != nil {
				response = said(failed)
			} else {
				response = string(result)
			}
		}
		if string(m.ID) != c.id || m.Method != c.method || string(m.Params) != c.params || response != c.response {
			t.Errorf("%s is read as %s %s %s %s", c.in, m.ID, m.Method, m.Params, response)
		}
	}
}

func said(err *Error) string { return fmt.Sprint(err.Code, " ", err.Message) }

func TestPeek(t *testing.T) {
	for _, c := range []struct {
		in, id, method    string
		request, response bool
	}{
		{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, "1", "ping", true, false},
		{` { "method":"m" , "params":{"id":3,"result":1}, "id":"a" }`, `"a"`, "m", true, false},
		{`{"method":"n"}`, "", "n", false, false},
		{`{"jsonrpc":"2.0","id":1,"result":{"id":2,"method":"m"}}`, "1", "", false, true},
		{`{"jsonrpc":"2.0","result":{"id":2,"method":"m"},"id":"late"}`, `"late"`, "", false, true},
		{`{"jsonrpc":"2.0","id":1,"error":`, "1", "", false, true},
		{`{"id":null,"method":"m"}`, "", "m", false, false},
		{`[{"id":1,"method":"m"}]`, "", "", false, false},
		{`"id"`, "", "", false, false},
		{``, "", "", false, false},
	} {
		h := Peek([]byte(c.in))
		if string(h.ID) != c.id || h.Method != c.method || h.Request() != c.request || h.Response != c.response {
			t.Errorf("%s is taken for %+v", c.in, h)
		}
	}
}

func TestFrames(t *testing.T) {
	for _, c := range []struct {
		frame Frame
		want  string
	}{
		{Request(json.RawMessage(`"a"`), "m", nil), `{"jsonrpc":"2.0","id":"a","method":"m"}`},
		{Request(json.RawMessage(`1.0`), "m", json.RawMessage(`{"a":1}`)), `{"jsonrpc":"2.0","id":1.0,"method":"m","params":{"a":1}}`},
		{Notification("n/x", nil), `{"jsonrpc":"2.0","method":"n/x"}`},
		{Notification("n/x", json.RawMessage("{\n\"a\":\r1}")), `{"jsonrpc":"2.0","method":"n/x","params":{"a":1}}`},
		{Result(json.RawMessage(`1`), json.RawMessage("{\"a\":\n\"<b>\"}")), `{"jsonrpc":"2.0","id":1,"result":{"a":"<b>"}}`},
		{Result(json.RawMessage(`1`), json.RawMessage("not\nJSON")), `{"jsonrpc":"2.0","id":1,"result":null}`},
		{Failure(nil, Errorf(CodeParse, "<%d>", 1)), `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"<1>"}}`},
		{Failure(json.RawMessage(`1`), &Error{Code: 1, Message: "m", Data: json.RawMessage(`{"d":1}`)}), `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m","data":{"d":1}}}`},
		{Failure(json.RawMessage(`1`), &Error{Data: json.RawMessage(`{`)}), `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal error"}}`},
	} {
		got := c.frame.Bytes()
		if string(got) != c.want || len(got)+1 != c.frame.Size() {
			t.Errorf("got %s of size %d, want %s", got, c.frame.Size(), c.want)
		}
	}
}

func FuzzMembers(f *testing.F) {
	for _, seed := range []string{`{}`, ` { "a" : 1 , "b":[{"c":"}"}] } `, `{"a\"b":"\\","c":-1.5e3,"d":null,"e":{}}`, `{"\u0061":true}`, `{"a":1,"a":2}`, `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"capabilities":{}}}`, `{"a":"]"}`, `{"a`, `{"a"`, `{"a":`, `{"a\`, `{"`, `{,`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, object []byte) {
		got := map[string]json.RawMessage{}
		for name, value := range Members(object) {
			got[name] = value
		}
		seen := Peek(object)
		var want map[string]json.RawMessage
		if !utf8.Valid(object) || json.Unmarshal(object, &want) != nil || !IsObject(bytes.TrimSpace(object)) {
			return // it must not panic
		}
		if len(got) != len(want) {
			t.Fatalf("%q: got %q, want %q", object, got, want)
		}
		for name, value := range want {
			if string(got[name]) != string(value) {
				t.Errorf("%q: %s is %q, want %q", object, name, got[name], value)
			}
		}
		if m, err := Parse(object); err == nil && !m.Response && (seen.Method != m.Method || string(seen.ID) != string(m.ID)) && got["result"] == nil && got["error"] == nil {
			t.Errorf("%q: peeking gives %+v, parsing %+v", object, seen, m.Head)
		}
	})
}

func TestElements(t *testing.T) {
	for in, want := range map[string]string{
		`[]`: "", ` [ ] `: "", `[1, "a,]" ,[2,[3]],{"b":[]}]`: `1|"a,]"|[2,[3]]|{"b":[]}|`, `{"a":1}`: "", ``: "", `[`: "", `[1`: "1|", `[,}`: "", `[[]`: "[]|",
	} {
		got := ""
		for item := range Elements([]byte(in)) {
			got += string(item) + "|"
		}
		if got != want {
			t.Errorf("%s has %s, want %s", in, got, want)
		}
	}
}

func TestOnlyMember(t *testing.T) {
	for object, want := range map[string]string{
		`{"result":[1]}`:          `[1]`,
		`{"result":1,"a":2}`:      ``,
		`{"result":1,"result":2}`: ``,
		`{"a":1}`:                 ``,
		`{}`:                      ``,
		`[{"result":1}]`:          ``,
	} {
		if got := string(OnlyMember([]byte(object), "result")); got != want {
			t.Errorf("of %s it is %s", object, got)
		}
	}
}

// Names that nearly every message has are not allocated, and others are read as they are.
func TestUsualNames(t *testing.T) {
	message := []byte(`{"jsonrpc":"2.0","id":1,"method":"m","params":{},"result":{},"name":"n","arguments":{},"content":[],"type":"t","text":"x","_meta":{},"\u0069d":2,"ids":3}`)
	want := []string{"jsonrpc", "id", "method", "params", "result", "name", "arguments", "content", "type", "text", "_meta", "id", "ids"}
	var got []string
	for name := range Members(message) {
		got = append(got, name)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	usual := []byte(`{"jsonrpc":"2.0","id":1,"method":"m","params":{"name":"n","arguments":{}}}`)
	if allocs := testing.AllocsPerRun(100, func() {
		for range Members(usual) {
		}
	}); allocs > 1 {
		t.Errorf("%v allocations", allocs)
	}
}

func TestMemberIsTheLastOfItsName(t *testing.T) {
	if got := string(Member([]byte(`{"url":"first","a":1,"url":"last"}`), "url")); got != `"last"` {
		t.Errorf("got %s", got)
	}
}
