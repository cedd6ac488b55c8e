package records

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestManyArguments: one console message keeps little, however many arguments it has.
func TestManyArguments(t *testing.T) {
	arg := `{"type":"string","value":"` + strings.Repeat("x", 2000) + `"}`
	raw := `{"type":"log","timestamp":1,"args":[` + strings.Repeat(arg+",", 1_999) + arg + `]}`
	tab := New(Bounds{}, Start{Session: "s", Loader: "l", URL: "http://a.test/"})
	tab.Event("Runtime.consoleAPICalled", json.RawMessage(raw), "s")
	m, err := tab.Message(1)
	if err != nil {
		t.Fatal(err)
	}
	if kept := tab.messages.bytes; kept > maxText+maxArgs+4*maxArg {
		t.Errorf("one message keeps %d bytes", kept)
	}
	if detail := m.Detail(nil); len(detail) > 2*maxArgs || !strings.Contains(detail, " more") {
		t.Errorf("its details have %d bytes and end with %q", len(detail), detail[max(0, len(detail)-100):])
	}
}

// TestFiltersTellNothingOfWhatIsHidden: the number of requests that are left out is the same whatever
// is asked for, else filters would spell their addresses.
func TestFiltersTellNothingOfWhatIsHidden(t *testing.T) {
	tab := New(Bounds{}, Start{Session: "s", Loader: "l", URL: "http://a.test/"})
	tab.SessionOrigins = []string{"http://bank.test"}
	tab.Event("Network.requestWillBeSent", json.RawMessage(`{"requestId":"1","loaderId":"l","type":"Fetch","frameId":"F","request":{"url":"http://bank.test/api?token=s3cret","method":"GET","headers":{}}}`), "s")
	hides := func(origins []string) bool { return strings.Contains(strings.Join(origins, " "), "bank") }
	for _, q := range []RequestQuery{{}, {URL: "token=s"}, {URL: "token=x"}, {Method: "POST"}, {Types: []string{"image"}}, {Status: "404"}} {
		q.Hides = hides
		l, err := tab.Requests(q)
		if err != nil {
			t.Fatal(err)
		}
		if l.Hidden != 1 || len(l.Requests) != 0 {
			t.Errorf("%+v: %d hidden, %d shown", q, l.Hidden, len(l.Requests))
		}
	}
}

// TestDeprecationsOfExtensions are not the page's.
func TestDeprecationsOfExtensions(t *testing.T) {
	tab := New(Bounds{}, Start{Session: "s", Loader: "l", URL: "http://a.test/"})
	for _, script := range []string{"chrome-extension://abc/content/native.js", "http://a.test/?chrome-extension://abc"} {
		tab.Event("Audits.issueAdded", json.RawMessage(`{"issue":{"code":"DeprecationIssue","details":{"deprecationIssueDetails":`+
			`{"sourceCodeLocation":{"scriptId":"7","url":"`+script+`","lineNumber":24,"columnNumber":4},"type":"UnloadHandler"}}}}`), "s")
	}
	if m, err := tab.Message(1); err != nil || !strings.HasPrefix(m.URL, "http://a.test/") {
		t.Errorf("the page's own: %+v, %v", m, err)
	}
	if m, err := tab.Message(2); err == nil {
		t.Errorf("there is another: %+v", m)
	}
}

// TestPiecesComeToTheEnd: pieces go on also through bytes that are no characters.
func TestPiecesComeToTheEnd(t *testing.T) {
	for _, tail := range []string{"\x80", "ä", "日", "x"} {
		body := []byte(strings.Repeat("a", 5000) + strings.Repeat(tail, 20_000))
		for offset := 0; ; {
			p, err := Part(body, "text/plain", offset)
			if err != nil {
				t.Fatal(err)
			}
			if p.Next == 0 {
				break
			}
			if p.Next <= offset {
				t.Fatalf("%q: the piece at %d says to go on at %d", tail, offset, p.Next)
			}
			offset = p.Next
		}
	}
}
