package wire

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"webmcphub/internal/scripttest"
	"webmcphub/registry/offer"
)

// samples is a message of each kind, with all that it can have.
func samples() []Message {
	raw, yes := json.RawMessage(`{"a":1}`), true
	at := Position{"n", 9}
	page := Page{ID: "b/p", Browser: "b", URL: "https://a.example/", Title: "A", State: "crashed", Dialog: "dialog open: x", Arrived: true, Opened: 2, Proxied: true, Moving: true,
		Document: 3, Origin: "https://a.example", Frames: []Frame{{"f", 4, "about:blank"}},
		Tools: []Tool{{"f", 4, "about:blank", "https://a.example", offer.Native, "buy", "Buy", "Buys.", raw, raw, offer.Annotations{ReadOnly: &yes, Destructive: &yes, Idempotent: &yes, OpenWorld: &yes, Consequential: &yes, Untrusted: &yes, Cache: &yes}, raw, "https://a.example/a.js", 7}},
		Offers: &Offers{[]Resource{{"f", 4, "about:blank", "https://a.example", "x:y", true, "n", "t", "d", "text/plain", json.RawMessage("5"), raw}},
			[]*offer.PagePrompt{{Frame: "f", Doc: 4, FrameURL: "about:blank", Origin: "https://a.example", Name: "n", Title: "t", Description: "d", Arguments: []offer.PromptArgument{{Name: "a", Title: "t", Description: "d", Required: true}}}},
			offer.BrowserCapabilities{MultiTabSupport: true, CacheSupported: true, Elicitation: true}}}
	edit := Edit{ID: "p", Page: &Page{URL: "https://a.example/b"}, Frames: &[]Frame{}, Offers: &Offers{}, Tools: &ToolChanges{[]Run{{7, 1}, {9, 2}}, page.Tools}}
	browsers := []Browser{{"b", []string{"eu"}, "lost", ""}}
	failed := &Error{"why", -32000, raw}
	return []Message{
		Hello{Oldest: 1, Newest: 2, Incarnation: "g", Has: at, Talk: "g.1", Confirms: true, Edits: true}, Want{}, Got{"g.1"}, Request{ID: 1, Kind: CallTool, Body: raw, Trace: "00-…"}, Cancel{1, "why"}, Answered{ID: 2, Result: raw, Error: failed}, Ping{4},
		Welcome{Version: 1, Incarnation: "n", Build: "v1", Labels: map[string]string{"a": "b"}, Talk: "g.1", Automation: []string{"input"}}, Refused{"why"}, Whole{At: at, Browsers: browsers, Pages: []Page{page}, Talk: "g.1", Part: 1, More: true},
		Changes{From: 8, At: at, Browsers: browsers, Pages: []Page{{ID: "p"}}, Gone: []string{"q"}, Edits: []Edit{edit}, Talk: "g.1"}, Reply{ID: 1, Result: raw, Error: failed}, Progress{1, raw},
		Question{ID: 5, Method: "m", Params: raw, Page: "p", Frame: "f", Doc: 3, Origin: "o", PageOrigin: "q"}, QuestionOver{5}, Told{Page: "p", Frame: "f", Doc: 3, Origin: "o", Log: raw, Updated: []string{"x:y"}}, Pong{4, at, 8, "g.1"}, Leaving{"why"},
		Request{ID: 2, Kind: Watch, Body: body(Watching{Screen: "s", Page: "p", Browser: Sight{Browser: "b", Life: "b.1"}, Own: &OwnPage{Port: "1", Hosts: []string{"h"}}})}, Request{ID: 3, Kind: Look, Body: body(Looking{"s"})},
		Reply{ID: 3, Result: body(Shown{Picture: "/9j/", Hidden: "h", Note: "n", State: "yours", Document: "d"})},
		Request{ID: 4, Kind: TakeOver, Body: body(Looking{"s"})}, Request{ID: 5, Kind: Drive, Body: body(Driving{Screen: "s", Events: raw})},
	}
}

// body is one of a request.
func body(of any) json.RawMessage {
	raw, err := json.Marshal(of)
	if err != nil {
		panic(err)
	}
	return raw
}

// TestBytes pins how messages are sent: builds of neighbouring versions run side by side while a
// cluster is upgraded. What is added is fine; what changes, or goes, needs a new version of the protocol.
// A build of tomorrow (the tag nextprotocol) sends the same, and what it says besides.
func TestBytes(t *testing.T) {
	var lines bytes.Buffer
	seen := map[reflect.Type]bool{}
	for _, m := range samples() {
		raw, err := Encode(m)
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(today(t, raw), '\n'))
		if back, err := Decode(raw); err != nil || !reflect.DeepEqual(back, m) {
			t.Errorf("%T came back as %+v, %v", m, back, err)
		}
		seen[reflect.TypeOf(m)] = true
	}
	for name, m := range kinds {
		if !seen[reflect.TypeOf(m)] {
			t.Errorf("there is no sample of the kind %q", name)
		}
	}
	scripttest.Document(t, "testdata/messages.txt", lines.Bytes())
}
