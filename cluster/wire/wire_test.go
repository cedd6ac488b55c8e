package wire

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"webmcphub/registry/offer"
)

func TestEveryKindComesBackAsItWent(t *testing.T) {
	raw := json.RawMessage(`{"a":1}`)
	yes := true
	page := Page{ID: "p", Browser: "b", URL: "https://a.example/", Document: 3, Frames: []Frame{{"f", 1, "about:blank"}},
		Tools:  []Tool{{Name: "buy", Input: raw, Hints: offer.Annotations{ReadOnly: &yes}}},
		Offers: &Offers{Resources: []Resource{{URI: "x:y"}}}}
	for _, m := range []Message{
		Hello{Oldest: 1, Newest: 2, Incarnation: "g", Has: Position{"n", 7}}, Want{}, Got{"g.1"}, Request{ID: 1, Kind: CallTool, Body: raw, Trace: "00-…"},
		Cancel{1, "why"}, Answered{ID: 2, Error: &Error{Message: "no", Code: 3}}, Ping{4}, Welcome{Version: 1, Labels: map[string]string{"a": "b"}},
		Refused{"why"}, Whole{At: Position{"n", 8}, Pages: []Page{page}}, Changes{From: 8, At: Position{"n", 9}, Gone: []string{"p"}},
		Reply{ID: 1, Result: raw}, Progress{1, raw}, Question{ID: 5, Method: "m", Params: raw}, QuestionOver{5}, Told{Page: "p", Updated: []string{"x:y"}},
		Pong{4, Position{"n", 9}, 8, "t"}, Leaving{"why"},
	} {
		sent, err := Encode(m)
		if err != nil {
			t.Fatalf("%T: %v", m, err)
		}
		if got, err := Decode(sent); err != nil || !reflect.DeepEqual(got, m) {
			t.Errorf("%T came back as %#v, %v; it went as %#v", m, got, err, m)
		}
	}
}

func TestWhatIsUnknownIsPassedOver(t *testing.T) {
	if _, err := Decode([]byte(`{"kind":"of tomorrow","body":{}}`)); !errors.Is(err, ErrUnknownKind) {
		t.Errorf("an unknown kind gave %v", err)
	}
	m, err := Decode([]byte(`{"kind":"ping","body":{"Seq":3,"Tomorrow":true},"more":1}`))
	if err != nil || m != (Ping{3}) {
		t.Errorf("unknown fields gave %v, %v", m, err)
	}
	if _, err := Decode([]byte(`{"kind":"ping","body":[]}`)); err == nil {
		t.Error("a body of another shape was read")
	}
}

func TestToolsComeBackAsTheyWent(t *testing.T) {
	no := false
	for _, in := range []*offer.PageTool{
		{Name: "bare"},
		{Frame: "f", Doc: 2, FrameURL: "https://a.example/", Origin: "https://a.example", Runtime: offer.Native, Name: "n", Title: "t", Description: "d", InputSchema: json.RawMessage(`{}`), OutputSchema: json.RawMessage(`{"a":[]}`), Annotations: offer.Annotations{Destructive: &no}, Meta: json.RawMessage(`{"m":1}`), Script: "s"},
	} {
		raw, err := json.Marshal(ToolOf(in))
		var out Tool
		if err != nil || json.Unmarshal(raw, &out) != nil || !out.PageTool().Same(in) {
			t.Errorf("%s came back as %+v, %v", in.Name, out, err)
		}
	}
}

func TestDigestsTellDefinitionsApart(t *testing.T) {
	a := &offer.PageTool{Name: "buy", Description: "x", InputSchema: json.RawMessage(`{"type":"object"}`)}
	same := *a
	if Digest(a) != Digest(&same) {
		t.Error("the same definition has two digests")
	}
	broken := *a
	broken.Description = "x\xff\xff"
	raw, err := json.Marshal(ToolOf(&broken))
	var came Tool
	if err != nil || json.Unmarshal(raw, &came) != nil || Digest(came.PageTool()) != Digest(&broken) {
		t.Error("a text that isn't UTF-8 has another digest once it was sent")
	}
	other := *a
	other.Description = "y"
	if Digest(a) == Digest(&other) {
		t.Error("two definitions have one digest")
	}
}
