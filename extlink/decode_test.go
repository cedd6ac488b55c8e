package extlink

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

// Every message of the protocol without its extras, as its specification types it.
var plainMessages = map[string]Message{
	`{"type":"ping"}`: Ping{},
	`{"type":"connected","browser":{"name":"Chrome","version":"120.0.0"},"tabs":[{"id":7,"title":"T","url":"https://a.test/"}]}`: Connected{Browser: Browser{Name: "Chrome", Version: "120.0.0"}, Tabs: []Tab{{ID: 7, Title: "T", URL: "https://a.test/"}}},
	`{"type":"disconnected"}`: Disconnected{},
	`{"type":"tabCreated","tab":{"id":7,"title":"","url":"about:blank"}}`:                                        TabCreated{Tab{ID: 7, URL: "about:blank"}},
	`{"type":"tabUpdated","tab":{"id":7,"title":"T","url":"https://a.test/"}}`:                                   TabUpdated{Tab{ID: 7, Title: "T", URL: "https://a.test/"}},
	`{"type":"tabClosed","tabId":7}`:                                                                             TabClosed{7},
	`{"type":"tabFocused","tabId":7,"tools":[]}`:                                                                 TabFocused{ToolsChanged{TabID: 7}},
	`{"type":"toolsChanged","tabId":7,"tools":[{"name":"a","description":"d","inputSchema":{"type":"object"}}]}`: ToolsChanged{TabID: 7, Tools: []Tool{{Name: "a", Description: "d", InputSchema: json.RawMessage(`{"type":"object"}`)}}},
	`{"type":"toolResult","callId":"c","result":{"x":[1]}}`:                                                      ToolResult{CallID: "c", Result: json.RawMessage(`{"x":[1]}`)},
	`{"type":"toolResult","callId":"c","result":null,"error":"no"}`:                                              ToolResult{CallID: "c", Result: json.RawMessage(`null`), Error: "no", Failed: true},
}

// And the extras.
var extras = map[string]Message{
	`{"type":"connected","browser":{"name":"C","version":"1","instance":"6f0e-1"},"tabs":[{"id":7,"title":"T","url":"u","doc":"D","active":true,"windowId":3,"more":{}}]}`:       Connected{Browser: Browser{Name: "C", Version: "1", Instance: "6f0e-1"}, Tabs: []Tab{{ID: 7, Title: "T", URL: "u", Doc: "D", Active: true}}},
	`{"type":"toolsChanged","tabId":7,"doc":"D","tools":[{"name":"a","title":"A","frameId":3,"frameUrl":"u","doc":"E","outputSchema":{},"annotations":{"readOnlyHint":false}}]}`: ToolsChanged{TabID: 7, Doc: "D", Tools: []Tool{{Name: "a", Title: "A", FrameID: 3, FrameURL: "u", Doc: "E", OutputSchema: json.RawMessage(`{}`), Annotations: Annotations{ReadOnlyHint: new(bool)}}}},
	`{"type":"toolProgress","callId":"c","params":{"progress":1}}`:                                                            ToolProgress{"c", json.RawMessage(`{"progress":1}`)},
	`{"type":"orderResult","requestId":"r","tabId":7}`:                                                                        OrderResult{RequestID: "r", TabID: 7},
	`{"type":"orderResult","requestId":"r","error":"no such tab"}`:                                                            OrderResult{RequestID: "r", Error: "no such tab"},
	`{"type":"toolsChanged","tabId":7,"tools":[{"name":"a","_meta":{"a/b":1}},{"name":"b","_meta":[1]}]}`:                     ToolsChanged{TabID: 7, Tools: []Tool{{Name: "a", Meta: json.RawMessage(`{"a/b":1}`)}, {Name: "b"}}},
	`{"type":"toolResult","callId":"c","error":"no","_meta":{"a/b":1}}`:                                                       ToolResult{CallID: "c", Error: "no", Failed: true, Meta: json.RawMessage(`{"a/b":1}`)},
	`{"type":"toolResult","callId":"c","result":1,"_meta":7}`:                                                                 ToolResult{CallID: "c", Result: json.RawMessage(`1`)},
	`{"type":"toolResult","callId":"c","result":1,"openedTabId":7}`:                                                           ToolResult{CallID: "c", Result: json.RawMessage(`1`), OpenedTab: 7},
	`{"type":"toolResult","callId":"c"}`:                                                                                      ToolResult{CallID: "c"},
	`{"type":"connected","browser":{"name":"C","version":"1","instance":"a","automation":true,"agentStatus":true},"tabs":[]}`: Connected{Browser: Browser{Name: "C", Version: "1", Instance: "a", Automation: true, AgentStatus: true}},
	`{"type":"setPaused","paused":true}`:                                                                                      SetPaused{Paused: true},
	`{"type":"setPaused","origin":"https://a.test","paused":false}`:                                                           SetPaused{Origin: "https://a.test"},
	`{"type":"setPermission","origin":"https://a.test","permission":"never"}`:                                                 SetPermission{"https://a.test", "never"},
	`{"type":"connected","browser":{"name":"C","version":"","fixed":true},"tabs":[]}`:                                         Connected{Browser: Browser{Name: "C", Fixed: true}},
	`{"type":"pageRequest","tabId":7,"requestId":"r","method":"elicitation/create","params":{"message":"sure?"}}`:             PageRequest{7, "r", "elicitation/create", json.RawMessage(`{"message":"sure?"}`)},
	`{"type":"pageRequest","tabId":7,"requestId":"r","method":"roots/list"}`:                                                  PageRequest{7, "r", "roots/list", nil},
	`{"type":"cancelPageRequest","tabId":7,"requestId":"r"}`:                                                                  PageRequestCancelled{7, "r"},
	`{"type":"toolsChanged","tabId":7,"tools":[{"name":"a","runtime":"dom"}]}`:                                                ToolsChanged{TabID: 7, Tools: []Tool{{Name: "a", Runtime: RuntimeDOM}}},
}

func TestDecode(t *testing.T) {
	for _, table := range []map[string]Message{plainMessages, extras} {
		for in, want := range table {
			if got, err := Decode([]byte(in)); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s\n\tis %#v, %v\n\twant %#v", in, got, err, want)
			}
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	for in, why := range map[string]string{
		``:                      "not a message",
		`[]`:                    "not a message",
		`{"type":7}`:            "not a message",
		`{}`:                    "without type",
		`{"type":"tabsMerged"}`: "unknown type",
		`{"type":"connected"}`:  "browser",
		`{"type":"connected","browser":{"name":7,"version":""},"tabs":[]}`:                   "browser",
		`{"type":"connected","browser":{"name":"","version":""}}`:                            "tabs",
		`{"type":"connected","browser":{"name":"","version":""},"tabs":[{"id":7}]}`:          "title or url",
		`{"type":"connected","browser":{"name":"","version":"","instance":"a/b"},"tabs":[]}`: "instance",
		`{"type":"connected","browser":{"name":"","version":"","instance":""},"tabs":[]}`:    "instance",
		`{"type":"tabCreated"}`: "tab",
		`{"type":"tabCreated","tab":{"id":"7","title":"","url":""}}`: "whole number",
		`{"type":"tabUpdated","tab":{"id":7,"title":7,"url":""}}`:    "tab",
		`{"type":"tabClosed"}`:                                                                  "whole number",
		`{"type":"tabClosed","tabId":-1}`:                                                       "whole number",
		`{"type":"tabClosed","tabId":1.5}`:                                                      "whole number",
		`{"type":"tabClosed","tabId":1e300}`:                                                    "whole number",
		`{"type":"tabFocused","tabId":7}`:                                                       "tools",
		`{"type":"toolsChanged","tabId":7,"tools":{}}`:                                          "tools",
		`{"type":"toolsChanged","tabId":7,"tools":[],"doc":7}`:                                  "doc",
		`{"type":"toolResult","result":1}`:                                                      "callId",
		`{"type":"toolResult","callId":"c","error":{}}`:                                         "error",
		`{"type":"toolProgress","callId":"c","params":[]}`:                                      "params",
		`{"type":"orderResult","tabId":7}`:                                                      "requestId",
		`{"type":"orderResult","requestId":"r","tabId":"7"}`:                                    "whole number",
		`{"type":"pageRequest","tabId":7,"requestId":"r"}`:                                      "method is missing",
		`{"type":"pageRequest","tabId":7,"requestId":"r","method":7}`:                           "method is not",
		`{"type":"pageRequest","tabId":7,"requestId":"r","method":"m","params":[]}`:             "params",
		`{"type":"pageRequest","requestId":"r","method":"m"}`:                                   "whole number",
		`{"type":"pageRequest","tabId":7,"requestId":"","method":"m"}`:                          "1 to 256",
		`{"type":"cancelPageRequest","tabId":7,"requestId":"` + strings.Repeat("r", 257) + `"}`: "1 to 256",
	} {
		if m, err := Decode([]byte(in)); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s is %#v, %v; want an error with %q", in, m, err, why)
		}
	}
	var unknown *UnknownTypeError
	if _, err := Decode([]byte(`{"type":"tabsMerged"}`)); !errors.As(err, &unknown) || unknown.Type != "tabsMerged" {
		t.Errorf("an unknown type is %v", err)
	}
}

// TestOneBadTool: the others of its tab stay.
func TestOneBadTool(t *testing.T) {
	m, err := Decode([]byte(`{"type":"toolsChanged","tabId":7,"tools":[{"name":"a"},{"description":"b"},7,{"name":"c","inputSchema":[]},{"name":"d","annotations":7},{"name":"e","frameId":-1}]}`))
	if err != nil {
		t.Fatal(err)
	}
	got := m.(ToolsChanged)
	if len(got.Tools) != 2 || got.Tools[0].Name != "a" || got.Tools[1].Name != "d" || len(got.Malformed) != 4 {
		t.Errorf("got %+v", got)
	}
}

func TestEncode(t *testing.T) {
	for want, order := range map[string]Order{
		`{"type":"pong"}`:                  Pong{},
		`{"type":"connect"}`:               Connect{},
		`{"type":"connect","launch":true}`: Connect{Launch: true},
		`{"type":"openTab","url":"https://a.test/?a&b","focus":true}`:                                                          OpenTab{URL: "https://a.test/?a&b", Focus: true},
		`{"type":"focusTab","tabId":7}`:                                                                                        FocusTab{TabID: 7},
		`{"type":"closeTab","tabId":7,"requestId":"r"}`:                                                                        CloseTab{7, "r"},
		`{"type":"callTool","callId":"c","tabId":7,"toolName":"t","args":{"a":1},"frameId":0}`:                                 CallTool{CallID: "c", TabID: 7, ToolName: "t", Args: json.RawMessage(`{"a":1}`)},
		`{"type":"cancelTool","callId":"c"}`:                                                                                   CancelTool{"c"},
		`{"type":"callTool","callId":"c","tabId":7,"toolName":"t","args":{},"frameId":0,"_meta":{"a":1},"extensions":{"b":2}}`: CallTool{CallID: "c", TabID: 7, ToolName: "t", Args: json.RawMessage(`{}`), Meta: json.RawMessage(`{"a":1}`), Extensions: json.RawMessage(`{"b":2}`)},
		`{"type":"pageAnswer","requestId":"r","result":{"action":"accept"}}`:                                                   PageAnswer{RequestID: "r", Result: json.RawMessage(`{"action":"accept"}`)},
		`{"type":"pageAnswer","requestId":"r","error":{"code":-32601,"message":"no"}}`:                                         PageAnswer{RequestID: "r", Error: &AnswerError{Code: -32601, Message: "no"}},
		`{"type":"connect","introspect":true}`:                                                                                 Connect{Introspect: true},
	} {
		if got, err := Encode(order); err != nil || string(got) != want {
			t.Errorf("%#v is %s, %v; want %s", order, got, err, want)
		}
	}
	if _, err := Encode(CallTool{Args: json.RawMessage(`{`)}); err == nil {
		t.Error("arguments that are no JSON are written")
	}
}

// FuzzDecode: whatever comes in, the decoder returns, and what it lets through
// keeps its promises.
func FuzzDecode(f *testing.F) {
	for _, table := range []map[string]Message{plainMessages, extras} {
		for in := range table {
			f.Add([]byte(in))
		}
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		kept := string(in)
		m, err := Decode(in)
		if m == nil && err == nil {
			t.Fatalf("neither a message nor an error")
		}
		if err != nil {
			return
		}
		for i := range in {
			in[i] = 'x' // the message must not notice
		}
		again, err := Decode([]byte(kept))
		if err != nil || !reflect.DeepEqual(m, again) {
			t.Fatalf("%q is %#v and then %#v, %v", kept, m, again, err)
		}
		check := func(tools ToolsChanged) {
			if tools.TabID < 1 {
				t.Fatalf("a tab's id is %d", tools.TabID)
			}
			for _, tool := range tools.Tools {
				if tool.InputSchema != nil && !json.Valid(tool.InputSchema) || tool.FrameID < 0 {
					t.Fatalf("a tool is %+v", tool)
				}
			}
		}
		switch m := m.(type) {
		case ToolsChanged:
			check(m)
		case TabFocused:
			check(m.ToolsChanged)
		case ToolProgress:
			if !json.Valid(m.Params) {
				t.Fatalf("params are %q", m.Params)
			}
		}
	})
}
