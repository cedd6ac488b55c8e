package cdpclient

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

var envelopeSeeds = []string{
	`{"id":1,"result":{}}`,
	`{"id":7,"error":{"code":-32001,"message":"Session with given id not found."}}`,
	`{"method":"Target.attachedToTarget","params":{"sessionId":"inner","a":[1,{"b":"}\"]"}]},"sessionId":"outer"}`,
	`{"sessionId":"S","params":{"x":"\\"},"method":"M.e"}`,
	`{"params":{"x":"\\\"","y":"\\\\"},"method":"M.e"}`,
	` { "id" : 3 , "result" : [ 1 , "a\u0022b" ] , "sessionId" : "Z" } `,
	`{"id":1.0}`, `{"id":1e2}`, `{"id":-1}`, `{"id":null}`, `{"id":"1"}`, `{"id":01}`,
	`{"id":18446744073709551615}`, `{"id":99999999999999999999}`,
	`{"id":1,"id":2}`, `{"method":"a","method":"b"}`, `{"\u0069d":5}`,
	`{"method":"a\/b"}`, `{"method":null}`, `{"method":3}`, `{"sessionId":"é"}`,
	`{"ID":1}`, `{"":1}`, `{}`, `[]`, `null`, `1`, `"x"`, ``, `{`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`,
	`{"a":"`, `{"a":"\`, `{"a":"\\"`, `{"a":{"b":[}`, `{"id":1}x`, `{"result":true,"id":2}`, `{"x":nul}`,
	"{\"method\":\"a\\u0000b\"}", "{\"method\":\"\xff\"}", "{\"\xff\":1,\"id\":4}",
	`{"id":4,"result":{"a":` + strings.Repeat("[", 500) + strings.Repeat("]", 500) + `}}`,
}

func TestEnvelopeSeeds(t *testing.T) {
	for _, s := range envelopeSeeds {
		checkEnvelope(t, []byte(s))
	}
}

func FuzzEnvelope(f *testing.F) {
	for _, s := range envelopeSeeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) { checkEnvelope(t, b) })
}

// checkEnvelope holds the scanner to encoding/json. The scanner need not
// notice broken JSON inside a value; it must not misread good JSON.
func checkEnvelope(t *testing.T, b []byte) {
	t.Helper()
	before := bytes.Clone(b)
	var fast envelope
	ok := scanEnvelope(b, &fast)
	got, gotErr := parseEnvelope(b)
	if !bytes.Equal(before, b) {
		t.Fatalf("%q: the message was changed", b)
	}
	slow, slowErr := slowEnvelope(b)
	if !json.Valid(b) {
		if slowErr == nil {
			t.Fatalf("%q: the slow path accepts broken JSON", b)
		}
		return
	}
	if (gotErr == nil) != (slowErr == nil) {
		t.Fatalf("%q: parse says %v, encoding/json %v", b, gotErr, slowErr)
	}
	if slowErr != nil {
		if ok {
			t.Fatalf("%q: the scanner accepts it, encoding/json says %v", b, slowErr)
		}
		return
	}
	if show(got) != show(slow) || ok && show(fast) != show(slow) {
		t.Fatalf("%q:\ngot  %s\nwant %s", b, show(got), show(slow))
	}
}

func show(e envelope) string {
	return fmt.Sprintf("%d %v %q/%v %q/%v %s/%v %s/%v %s/%v", e.id, e.hasID, e.method, e.method == nil,
		e.session, e.session == nil, e.params, e.params == nil, e.result, e.result == nil, e.fail, e.fail == nil)
}

// The messages that matter must take the fast path.
func TestEnvelopeFast(t *testing.T) {
	for _, s := range envelopeSeeds[:6] {
		if !scanEnvelope([]byte(s), new(envelope)) {
			t.Errorf("%s goes the slow way", s)
		}
	}
	var e envelope
	msg := []byte(envelopeSeeds[2])
	if n := testing.AllocsPerRun(100, func() { e = envelope{}; scanEnvelope(msg, &e) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkEnvelope(b *testing.B) {
	for name, n := range map[string]int{"small": 0, "334kB": 1000} {
		tools := make([]string, n)
		for i := range tools {
			tools[i] = fmt.Sprintf(`{"name":"t%d","description":"%s","inputSchema":{"type":"object","properties":{"n":{"type":"number"}}},"frameId":"F"}`, i, strings.Repeat("d \\\"x\\\" ", 24))
		}
		msg := []byte(`{"method":"WebMCP.toolsAdded","params":{"tools":[` + strings.Join(tools, ",") + `]},"sessionId":"5F0A7A5D5F0A7A5D5F0A7A5D5F0A7A5D"}`)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(msg)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := parseEnvelope(msg); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
