package automation

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"testing"

	"webmcphub/automation/automationtest"
	"webmcphub/automation/corpus"
	"webmcphub/cdpclient"
)

// openCorpus serves the corpus' pages, and gives an agent with a tab of its own.
func openCorpus(t *testing.T) *one {
	t.Helper()
	automationtest.Conn(t) // skips without a browser
	pages, err := corpus.Open("corpus")
	if err != nil {
		if os.Getenv("WEBMCP_REQUIRE_CHROME") == "1" {
			t.Fatal(err)
		}
		t.Skipf("skipped, needs the corpus' packages: %v", err)
	}
	t.Cleanup(pages.Close)
	b := newManyTabs(t, automationtest.Pages{"/empty": "<title>Empty</title>"})
	b.ctx = t.Context() // a busy machine takes longer for all these pages than other tests may take
	b.site.Handle(func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/empty" {
			return false
		}
		pages.ServeHTTP(w, r)
		return true
	})
	s := New(Options{Browser: b, Categories: Categories()})
	t.Cleanup(s.Close)
	return b.open(s, "1", "/empty")
}

// load opens a page of the corpus and waits until it is complete.
func (o *one) load(t *testing.T, p corpus.Page) {
	t.Helper()
	o.must(cdpclient.PageNavigate, map[string]any{"url": o.b.site.URL("127", p.Path)})
	if !o.becomes(t, p.Until()) {
		t.Fatalf("%s isn't complete", p.Path)
	}
}

// becomes waits until an expression is true in the tab's document, or gives up, see corpus.Becomes.
func (o *one) becomes(t *testing.T, expression string) (is bool) {
	t.Helper()
	o.evaluate(t, corpus.Becomes(expression), &is)
	return is
}

// evaluate runs an expression in the tab's document on the test's own session.
func (o *one) evaluate(t *testing.T, expression string, into any) {
	t.Helper()
	var got struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	err := o.b.conn.Call(o.b.ctx, o.session, cdpclient.RuntimeEvaluate, map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true}, &got)
	if err == nil && got.ExceptionDetails != nil {
		t.Fatalf("%s: %s", expression, got.ExceptionDetails)
	}
	if err == nil && into != nil {
		err = json.Unmarshal(got.Result.Value, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestCorpus holds snapshots of the corpus' pages against what a person can read there, and against the controls that a person
// has there. Then it operates some of the controls.
func TestCorpus(t *testing.T) {
	o := openCorpus(t)
	for _, p := range corpus.Pages {
		t.Run(p.Name, func(t *testing.T) {
			if !p.There() {
				t.Skipf("needs %s", p.File)
			}
			o.load(t, p)
			seen, got, differs := o.compare(t)
			if len(seen.Runs) == 0 {
				t.Fatalf("nothing is seen on the page, which has %q", seen.InnerText)
			}
			if missed := seen.Missed(); len(missed) > 0 {
				t.Errorf("seen.js has missed these words of the browser's innerText: %q", missed)
			}
			for _, text := range append(counted("lost", differs.Lost), counted("invented", differs.Invented)...) {
				t.Error(text)
			}
			o.hasControls(t, got.Text)
			for _, c := range p.Controls {
				o.operate(t, c)
			}
			if t.Failed() {
				t.Log(got.Text)
			}
		})
	}
}

// compare takes a snapshot of the page and compares it with what is seen there. If they differ because the page has
// changed in between, it does so again, up to five times.
func (o *one) compare(t *testing.T) (seen corpus.Seen, got *Result, differs corpus.Difference) {
	t.Helper()
	look := func() (seen corpus.Seen) {
		o.evaluate(t, "("+corpus.SeenScript+")()", &seen)
		return seen
	}
	seen = look()
	for range 5 {
		if got = o.call("take_snapshot", `{"maxTokens":0}`); got.IsError {
			t.Fatal(got.Text)
		}
		differs = corpus.Compare(seen, corpus.Shown(got.Text))
		if len(differs.Lost)+len(differs.Invented) == 0 {
			break
		}
		now := look()
		if reflect.DeepEqual(seen, now) {
			break
		}
		seen = now
	}
	return seen, got, differs
}

// manyTexts are so many different ones that only their number is listed.
const manyTexts = 80

// counted makes a line of each text, with how often it is there.
func counted(what string, texts []string) (lines []string) {
	times := map[string]int{}
	for _, text := range texts {
		if times[text]++; times[text] == 1 {
			lines = append(lines, text)
		}
	}
	if len(lines) > manyTexts {
		return []string{fmt.Sprintf("%s %d texts", what, len(texts))}
	}
	for i, text := range lines {
		lines[i] = fmt.Sprintf("%s %d× %q", what, times[text], text)
	}
	return lines
}

var uidLine = regexp.MustCompile(`(?m)^ *([a-z]+[0-9]+) [a-z]`)

// uidOf is the uid that a snapshot has for an element which a selector matches, the first of those that have one; "" if
// none has. What has none by itself may have one in a verbose snapshot.
func (o *one) uidOf(t *testing.T, selector string) string {
	t.Helper()
	for _, arguments := range []string{`{"maxTokens":0}`, `{"maxTokens":0,"verbose":true}`} {
		got := o.call("take_snapshot", arguments)
		if got.IsError {
			t.Fatal(got.Text)
		}
		uids := o.uidsIn(t, got.Text)
		for i := range 100 {
			var found struct {
				Result struct{ ObjectID string }
			}
			o.ask(t, cdpclient.RuntimeEvaluate, map[string]any{"expression": corpus.Element(selector, i)}, &found)
			if found.Result.ObjectID == "" {
				break
			}
			var is struct{ Node struct{ BackendNodeID int } }
			o.ask(t, "DOM.describeNode", map[string]any{"objectId": found.Result.ObjectID}, &is)
			if uid := uids[is.Node.BackendNodeID]; uid != "" {
				return uid
			}
		}
	}
	return ""
}

// uidsIn returns the uids of a snapshot by the backend ids of their elements.
func (o *one) uidsIn(t *testing.T, snapshot string) map[int]string {
	t.Helper()
	uids := map[int]string{}
	seen := o.service.tab(o.client.Current, o.tab).seen
	for _, m := range uidLine.FindAllStringSubmatch(snapshot, -1) {
		known, err := seen.Lookup(o.client.ID, m[1])
		if err != nil {
			t.Fatal(err)
		}
		uids[known.Key.Backend] = m[1]
	}
	return uids
}

// ask sends a command on the test's own session.
func (o *one) ask(t *testing.T, method string, params, result any) {
	t.Helper()
	if err := o.b.conn.Call(o.b.ctx, o.session, method, params, result); err != nil {
		t.Fatal(err)
	}
}

// operate does what a person does with a control, by its uid alone, and wants the page to show the effect.
func (o *one) operate(t *testing.T, c corpus.Control) {
	t.Helper()
	did, err := o.does(t, c)
	switch {
	case err != nil:
		t.Errorf("control %q: %v", c.Name, err)
	case !o.becomes(t, c.Effect):
		t.Errorf("control %q has had no effect: %.600q", c.Name, did)
	}
}

func (o *one) does(t *testing.T, c corpus.Control) (did []string, err error) {
	t.Helper()
	uid := o.uidOf(t, c.At)
	if uid == "" {
		return nil, fmt.Errorf("no uid of a snapshot is of %s", c.At)
	}
	call := func(tool string, arguments map[string]any) {
		if err != nil {
			return
		}
		got := o.call(tool, string(encoded(t, arguments)))
		if did = append(did, got.Text); got.IsError {
			err = fmt.Errorf("%s of %s: %.600s", tool, uid, got.Text)
		}
	}
	at := func(arguments map[string]any) map[string]any {
		if c.By != "" {
			var by [2]float64
			o.evaluate(t, corpus.Value(c.By), &by)
			arguments["x"], arguments["y"] = by[0], by[1]
		}
		return arguments
	}
	switch c.Do {
	case "click":
		call("click", at(map[string]any{"uid": uid, "dblClick": c.Twice}))
	case "fill":
		call("fill", map[string]any{"uid": uid, "value": c.With})
	case "drag":
		if c.With == "" {
			call("drag", at(map[string]any{"from_uid": uid}))
			break
		}
		onto := o.uidOf(t, c.With)
		if onto == "" {
			return nil, fmt.Errorf("no uid of a snapshot is of %s", c.With)
		}
		call("drag", map[string]any{"from_uid": uid, "to_uid": onto})
	case "type":
		call("click", map[string]any{"uid": uid})
		for _, letter := range c.With {
			call("press_key", map[string]any{"key": string(letter)})
		}
	default:
		t.Fatalf("nothing does %q", c.Do)
	}
	return did, err
}

func encoded(t *testing.T, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
