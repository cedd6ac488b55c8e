package bridge

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestDecodeBridge(t *testing.T) {
	for payload, want := range map[string]Message{
		`{"t":"mcp","p":{"jsonrpc":"2.0","id":1,"result":{"a":[1,"}"]}}}`: {Payload: json.RawMessage(`{"jsonrpc":"2.0","id":1,"result":{"a":[1,"}"]}}`)},
		`{"t":"mcp","p":"mcp-server-ready"}`:                              {Payload: json.RawMessage(`"mcp-server-ready"`)},
		`{"t":"dom","p":{"id":1}}`:                                        {Adapter: true, Payload: json.RawMessage(`{"id":1}`)},
		`{"t":"oversize","n":16777217,"id":7}`:                            {Oversize: 16777217, ID: json.RawMessage(`7`)},
		`{"t":"oversize","n":16777217,"id":"a b"}`:                        {Oversize: 16777217, ID: json.RawMessage(`"a b"`)},
		`{"t":"oversize","n":16777217}`:                                   {Oversize: 16777217},
	} {
		got, err := Decode(payload)
		if err != nil || string(got.Payload) != string(want.Payload) || got.Adapter != want.Adapter || string(got.ID) != string(want.ID) || got.Oversize != want.Oversize {
			t.Errorf("%s: got %+v %v", payload, got, err)
		}
	}
}

// badBridgePayloads is what the bridge never writes.
var badBridgePayloads = []string{
	``, `{}`, `null`, `[]`, `"mcp-server-ready"`, `{"t":"mcp"}`, `{"t":"mcp","p":`, `{"t":"mcp","p":}`, `{"t":"mcp","p":7}`,
	`{"t":"mcp","p":null}`, `{"t":"mcp","p":[1]}`, `{"t":"mcp","p":{}`, `{"t":"mcp","p":{},"q":{}}`, `{"t":"mcp","p":{}}}`,
	`{"t":"mcp","p":"a"b"}`, `{"t":"mcp","p": {}}`, `{"p":{},"t":"mcp"}`, `{"t":"mcp","p":{}} `,
	`{"t":"oversize","n":0}`, `{"t":"oversize","n":-5}`, `{"t":"oversize","n":1e99}`, `{"t":"oversize","n":"5"}`, `{"t":"oversize","id":5}`,
	`{"t":"oversize","n":5,"id":null}`, `{"t":"oversize","n":5,"id":{}}`, `{"t":"oversize","n":5,"id":1.5}`, `{"t":"oversize","n":5,"x":1}`,
	`{"t":"oversize","n":5}{}`, `{"t":"oversize","n":5} `, `{"t":"oversize","t":"mcp","n":5}`,
	`{"t":"oversize","n":5,"id":"` + strings.Repeat("i", 2000) + `"}`,
}

func TestDecodeBridgeIsStrict(t *testing.T) {
	for _, payload := range append(badBridgePayloads, bridgeMCPHead+`"`+strings.Repeat("a", MaxPayload)+`"}`) {
		if got, err := Decode(payload); err == nil {
			t.Errorf("%.100s was taken for %+.100v", payload, got)
		}
	}
}

// Seeds are here and in testdata/fuzz/FuzzDecode.
func FuzzDecode(f *testing.F) {
	for _, payload := range badBridgePayloads {
		f.Add(payload)
	}
	f.Add(`{"t":"mcp","p":"mcp-server-ready"}`)
	f.Fuzz(func(t *testing.T, payload string) {
		m, err := Decode(payload)
		if err != nil {
			if m.Payload != nil || m.Oversize != 0 || m.ID != nil {
				t.Errorf("error and message: %+v", m)
			}
			return
		}
		if (m.Payload == nil) == (m.Oversize == 0) {
			t.Errorf("neither or both: %+v", m)
		}
		if m.Payload != nil && (!json.Valid(m.Payload) || !json.Valid([]byte(payload)) || !strings.ContainsRune(`{"`, rune(m.Payload[0]))) {
			t.Errorf("payload %s", m.Payload)
		}
		if m.ID != nil && !json.Valid(m.ID) {
			t.Errorf("id %s", m.ID)
		}
	})
}

func TestBridgeCall(t *testing.T) {
	got := string(Call("1.2", Send, json.RawMessage(`{"a":"<"}`)))
	want := `{"functionDeclaration":"function(m){__mcpBridge.toServer(m)}","uniqueContextId":"1.2","silent":true,"awaitPromise":true,` +
		`"arguments":[{"value":"{\"a\":\"\u003c\"}"}]}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := string(Call("1.2", CheckReady, nil)); strings.Contains(got, "arguments") {
		t.Error(got)
	}
}

func TestBridgeCallError(t *testing.T) {
	if err := CallError(json.RawMessage(`{"result":{"type":"string","value":"exceptionDetails"}}`)); err != nil {
		t.Error(err)
	}
	err := CallError(json.RawMessage(`{"result":{},"exceptionDetails":{"text":"Uncaught","exception":{"description":"ReferenceError: x\n  at y"}}}`))
	if err == nil || !strings.HasSuffix(err.Error(), "Uncaught ReferenceError: x") {
		t.Error(err)
	}
}

func TestBridgeInstall(t *testing.T) {
	commands := Install()
	if len(commands) != 3 || commands[0].Method != "Runtime.addBinding" || commands[1].Method != "Page.addScriptToEvaluateOnNewDocument" ||
		!strings.Contains(string(commands[1].Params), `"worldName":"webmcp_hub","runImmediately":true`) ||
		strings.Contains(string(commands[2].Params), "worldName") {
		t.Errorf("%s", commands)
	}
	if n := len(Source()); n > 6000 {
		t.Errorf("the bridge has %d bytes; it goes into every frame", n)
	}
	if introspect := IntrospectInstall(); len(introspect) != 1 || !strings.Contains(string(introspect[0].Params), `"worldName":"webmcp_hub","runImmediately":true`) {
		t.Errorf("%s", introspect)
	}
	if n := len(adapterSource()) + len(adapterPageSource()); n > 27_000 {
		t.Errorf("the adapter has %d bytes; it goes into every frame", n)
	}
}

// BenchmarkDecode measures decoding one binding payload: a short
// notification, and a tools/list answer of 64 KiB.
func BenchmarkDecode(b *testing.B) {
	for name, inner := range map[string]string{
		"notification": `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`,
		"64KiB":        `{"jsonrpc":"2.0","id":7,"result":{"tools":[` + strings.TrimSuffix(strings.Repeat(`{"name":"a_tool","description":"Does one thing or another.","inputSchema":{"type":"object"}},`, 64<<10/91), ",") + `]}}`,
	} {
		b.Run(name, func(b *testing.B) {
			payload := `{"t":"mcp","p":` + inner + `}`
			b.SetBytes(int64(len(payload)))
			b.ReportAllocs()
			for b.Loop() {
				m, err := Decode(payload)
				if err != nil || string(m.Payload) != inner {
					b.Fatalf("%.100s %v", m.Payload, err)
				}
			}
		})
	}
}
