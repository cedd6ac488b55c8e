package tree

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite testdata/*.txt")

// recorded is what Chromium 156 answered about a page.
func recorded(t testing.TB, file string) *Document {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var page struct {
		URL string
		DOM json.RawMessage
		AX  json.RawMessage
	}
	if err := json.Unmarshal(raw, &page); err != nil {
		t.Fatal(err)
	}
	return document(t, page.URL, page.DOM, page.AX)
}

func document(t testing.TB, url string, dom, ax json.RawMessage) *Document {
	t.Helper()
	docs, err := DecodeDOM(dom, true)
	if err != nil {
		t.Fatal(err)
	}
	d := &Document{Session: "s", Frame: docs[0].Frame, Loader: "l", URL: url, DOM: docs[0]}
	if d.AX, err = DecodeAX(ax); err != nil {
		t.Fatal(err)
	}
	return d
}

func outline(t *Tree) string {
	var b strings.Builder
	t.Root.Walk(0, func(n *Node, depth int) bool {
		fmt.Fprintf(&b, "%s%s %q", strings.Repeat(" ", depth), n.Role, n.Name)
		if n.Value != "" {
			fmt.Fprintf(&b, " =%q", n.Value)
		}
		if n.URL != "" {
			b.WriteString(" " + n.URL)
		}
		fmt.Fprintf(&b, " %v", n.States)
		if n.Traits.Actable {
			b.WriteString(" actable")
		}
		if n.Traits.InView {
			b.WriteString(" seen")
		}
		if n.Called != n.Name && n.Role != "text" {
			fmt.Fprintf(&b, " called %q", n.Called)
		}
		b.WriteByte('\n')
		return true
	})
	return b.String()
}

// TestRecorded makes trees of what Chromium answered once, without one.
func TestRecorded(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.json")
	if len(files) == 0 {
		t.Fatal("nothing is recorded")
	}
	for _, file := range files {
		got := outline(Build([]*Document{recorded(t, file)}, nil))
		golden := strings.TrimSuffix(file, ".json") + ".txt"
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s is otherwise; if that is right, run with -update. It is now:\n%s", golden, got)
		}
		if strings.Contains(got, "hunter2") {
			t.Error("a password")
		}
	}
}

// FuzzDecode gives the decoders what no Chrome would answer: they may refuse it, and
// must make a tree of the rest.
func FuzzDecode(f *testing.F) {
	f.Add(`{"strings":["DIV","x"],"documents":[{"frameId":1,"nodes":{"parentIndex":[-1,0,7,1],"nodeType":[9,1,3],"nodeName":[0,0,99,-4],"nodeValue":[1,1,1],"backendNodeId":[1,2,2,0],"attributes":[[],[0],[0,1,5]],"isClickable":{"index":[1,-1,44]},"contentDocumentIndex":{"index":[1,9],"value":[3]}},"layout":{"nodeIndex":[1,1,-3,90],"styles":[[0,1,2],[],[5]],"bounds":[[1,2,3],[0,0,5,5],[]]}}]}`,
		`{"nodes":[{"nodeId":"1","childIds":["2","1","9"],"backendDOMNodeId":2,"role":{"value":"button"},"name":{"value":3}},{"nodeId":"2","parentId":"1","childIds":["1"],"role":{"value":null}},null]}`)
	for _, file := range []string{"testdata/custom.json"} {
		if raw, err := os.ReadFile(file); err == nil {
			f.Add(string(raw), string(raw))
		}
	}
	f.Fuzz(func(t *testing.T, dom, ax string) {
		docs, err := DecodeDOM(json.RawMessage(dom), true)
		if err != nil {
			return
		}
		tree, err := DecodeAX(json.RawMessage(ax))
		if err != nil {
			return
		}
		for _, d := range docs {
			Build([]*Document{{DOM: d, URL: "http://x/"}}, nil)
			Build([]*Document{{DOM: d, AX: tree, URL: "http://x/"}}, nil)
		}
		Build([]*Document{{AX: tree}, {Unreadable: "no"}}, nil)
	})
}

// TestTooLargeToRead: what a page's attributes and texts make an answer of is refused before it takes
// several times its size to decode.
func TestTooLargeToRead(t *testing.T) {
	if _, err := DecodeDOM(make(json.RawMessage, maxDOM+1), true); err == nil || !strings.Contains(err.Error(), "too much to read") {
		t.Errorf("got %v", err)
	}
}
