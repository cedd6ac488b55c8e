package exttest_test

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"testing"

	"webmcphub/extlink"
	"webmcphub/extlink/exttest"
)

// What the hub's own code makes, and takes, is what the schemas say; so is what
// they refuse. Real traffic is held to them by the tests of mcpbhub, actors and e2e.
func TestSchemas(t *testing.T) {
	for _, o := range []extlink.Order{
		extlink.Pong{}, extlink.Connect{}, extlink.Connect{Launch: true, Introspect: true, LegacyModelContext: &extlink.LegacyModelContext{Matches: []string{"<all_urls>"}}},
		extlink.Connect{Origins: json.RawMessage(`{"allow":[{"any":true},{"scheme":"https","host":".a.test","port":"default"}],"deny":[]}`)},
		extlink.Connect{LegacyModelContext: &extlink.LegacyModelContext{}}, extlink.OpenTab{URL: "https://a.test/"}, extlink.FocusTab{TabID: 1, RequestID: "r"}, extlink.CloseTab{TabID: 1},
		extlink.CallTool{CallID: "1.1.1", TabID: 1, ToolName: "x", Args: json.RawMessage(`{}`)}, extlink.CancelTool{CallID: "1.1.1"},
		extlink.DebuggerAttach{TabID: 1, Attempt: 1}, extlink.DebuggerCommand{TabID: 1, ID: 1, Session: "s", Method: "Page.enable", Params: json.RawMessage(`{}`)}, extlink.DebuggerDetach{TabID: 1},
		extlink.AgentStatus{PausedOrigins: []string{}, PausedTabs: []extlink.TabID{}, Permissions: map[string]string{}},
		extlink.AgentStatus{Paused: true, PausedOrigins: []string{"https://a.test"}, PausedTabs: []extlink.TabID{7}, Permissions: map[string]string{"https://a.test": "never"}},
		extlink.PageAnswer{RequestID: "r", Result: json.RawMessage(`{}`)}, extlink.PageAnswer{RequestID: "r", Error: &extlink.AnswerError{Code: -1, Message: "no"}},
	} {
		raw, err := extlink.Encode(o)
		if err == nil {
			err = exttest.CheckSchema(exttest.ToExtension, raw)
		}
		if err != nil {
			t.Error(err)
		}
	}
	// A message that Decode refuses is none by the schema, either.
	for _, bad := range []string{
		`[]`, `{}`, `{"type":"x"}`, `{"type":"connected"}`, `{"type":"connected","browser":{"name":"a","version":"1","instance":"a b"},"tabs":[]}`,
		`{"type":"tabCreated","tab":{"id":0,"title":"","url":""}}`, `{"type":"tabCreated","tab":{"id":1,"title":""}}`, `{"type":"tabClosed","tabId":1.5}`, `{"type":"toolsChanged","tabId":1}`,
		`{"type":"toolsChanged","tabId":1,"tools":{}}`, `{"type":"toolResult","result":1}`, `{"type":"toolProgress","callId":"1","params":[]}`, `{"type":"orderResult","error":"no"}`,
		`{"type":"toolsChanged","tabId":1,"tools":[],"origin":1}`, `{"type":"tabFocused","tabId":1,"tools":[],"origin":{}}`,
		`{"type":"debuggerReply","tabId":1}`, `{"type":"debuggerReply","tabId":1,"id":1,"error":"no"}`, `{"type":"debuggerEvent","tabId":1,"params":{}}`,
		`{"type":"debuggerDetached"}`, `{"type":"debuggerReply","tabId":1,"id":-1}`, `{"type":"debuggerReply","tabId":1,"id":0,"attempt":0}`, `{"type":"debuggerReply","tabId":1,"id":1,"result":[]}`,
		`{"type":"pageRequest","tabId":1,"requestId":"","method":"x"}`, `{"type":"pageRequest","tabId":1,"requestId":"r"}`,
		`{"type":"setPaused"}`, `{"type":"setPaused","paused":1}`, `{"type":"setPaused","paused":true,"origin":7}`, `{"type":"setPermission","permission":"ask"}`,
		`{"type":"setPermission","origin":"https://a.test","permission":"always"}`,
	} {
		if _, err := extlink.Decode([]byte(bad)); err == nil {
			t.Errorf("%s is decoded", bad)
		}
		if exttest.CheckSchema(exttest.FromExtension, []byte(bad)) == nil {
			t.Errorf("%s is a message", bad)
		}
	}
}

// TestProtocolDoc: docs/protocol.md names each message that a schema has.
func TestProtocolDoc(t *testing.T) {
	doc, err := os.ReadFile("../../docs/protocol.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []exttest.Kind{exttest.FromExtension, exttest.ToExtension} {
		text, err := os.ReadFile(string(kind) + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var s struct {
			Properties struct{ Type struct{ Enum []string } }
		}
		if err := json.Unmarshal(text, &s); err != nil || len(s.Properties.Type.Enum) == 0 {
			t.Fatalf("%s: %v", kind, err)
		}
		for _, name := range s.Properties.Type.Enum {
			if !regexp.MustCompile("(?m)^\\| `" + name + "` \\|").Match(doc) {
				t.Errorf("docs/protocol.md has no row for %s (%s)", name, kind)
			}
		}
	}
	// And no others.
	rows := regexp.MustCompile("(?m)^\\| `([a-zA-Z]+)` \\|").FindAllStringSubmatch(string(doc), -1)
	for _, row := range rows {
		from, to := exttest.CheckSchema(exttest.FromExtension, []byte(`{"type":"`+row[1]+`"}`)), exttest.CheckSchema(exttest.ToExtension, []byte(`{"type":"`+row[1]+`"}`))
		if isUnknown(from) && isUnknown(to) {
			t.Errorf("docs/protocol.md has a row for %s, which no schema knows", row[1])
		}
	}
	if len(rows) < 20 || slices.ContainsFunc(rows, func(r []string) bool { return r[1] == "" }) {
		t.Errorf("%d rows", len(rows))
	}
}

func isUnknown(err error) bool {
	return err != nil && regexp.MustCompile(`'/type': value must be one of`).MatchString(err.Error())
}
