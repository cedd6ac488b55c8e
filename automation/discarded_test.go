package automation

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"webmcphub/cdpclient"
	"webmcphub/registry"
)

type target struct {
	ID   string `json:"targetId"`
	Type string `json:"type"`
	URL  string `json:"url"`
}

func (b *manyTabs) targets() []target {
	var all struct{ TargetInfos []target }
	if err := b.conn.Call(b.ctx, "", "Target.getTargets", map[string]any{"filter": []any{map[string]any{}}}, &all); err != nil {
		b.t.Error(err)
	}
	return all.TargetInfos
}

// discard has Chrome discard a tab, as it does to save memory, and has the catalog say so. The tab
// is another target then.
func (b *manyTabs) discard(part string) (is registry.PageID) {
	for _, id := range b.discardAll(part) {
		is = id
	}
	return is
}

// discardAll is discard for all tabs in whose address a text is. It gives what they are then, by address.
func (b *manyTabs) discardAll(part string) map[string]registry.PageID {
	var done struct {
		Result           struct{ Value bool }
		ExceptionDetails json.RawMessage
	}
	const script = `(async part => (await Promise.all((await chrome.tabs.query({})).filter(tab => tab.url.includes(part)).map(tab => chrome.tabs.discard(tab.id)))).every(tab => tab?.discarded))`
	if b.extension == "" {
		b.extension = b.openExtension()
	}
	before := map[string]bool{}
	for _, t := range b.targets() {
		before[t.ID] = true
	}
	err := b.conn.Call(b.ctx, b.extension, cdpclient.RuntimeEvaluate, map[string]any{
		"expression": script + "('" + part + "')", "awaitPromise": true, "returnByValue": true,
	}, &done)
	if err != nil || !done.Result.Value {
		b.t.Errorf("not all tabs were discarded: %s (%v)", done.ExceptionDetails, err)
	}
	now, is := b.targets(), map[string]registry.PageID{}
	there := map[string]bool{}
	for _, t := range now {
		there[t.ID] = true
	}
	for id := range before {
		if !there[id] {
			_ = b.fakeBrowser.CloseTab(b.ctx, registry.PageID(id))
		}
	}
	for _, t := range now {
		if t.Type == "page" && strings.Contains(t.URL, part) && !before[t.ID] {
			id := registry.PageID(t.ID)
			is[t.URL] = id
			b.learn(id, t.URL)
			b.t.Cleanup(func() { b.closes(id) })
		}
	}
	return is
}

// openExtension opens a page of the test's extension, behind another tab, and attaches to it.
func (b *manyTabs) openExtension() cdpclient.SessionID {
	id, err := b.behindAnother(b.ctx)
	if err != nil {
		b.t.Error(err)
	}
	var s cdpclient.SessionParams
	to := map[string]any{"targetId": string(id), "flatten": true}
	if err := b.conn.Call(b.ctx, "", cdpclient.TargetAttachToTarget, to, &s); err != nil {
		b.t.Error(err)
	}
	url := "chrome-extension://" + extensionID(discarder()) + "/manifest.json"
	if err := b.conn.Call(b.ctx, s.SessionID, cdpclient.PageNavigate, map[string]any{"url": url}, nil); err != nil {
		b.t.Error(err)
	}
	return s.SessionID
}

// extensionID is that of an unpacked extension: Chrome makes it of its path.
func extensionID(path string) string {
	sum := sha256.Sum256([]byte(path))
	id := []byte(hex.EncodeToString(sum[:16]))
	for i, digit := range id {
		n, _ := strconv.ParseInt(string(digit), 16, 8)
		id[i] = byte('a' + n)
	}
	return string(id)
}

// TestDiscarded: a tab that Chrome discards in the middle of a call is told of, with the page that
// it is then; each tool that is used there has the page loaded again, and says so.
func TestDiscarded(t *testing.T) {
	t.Parallel()
	b := newManyTabs(t, aPage)
	b.behind, b.own = true, true
	s := New(Options{Browser: b, Categories: Categories()})
	defer s.Close()
	b.open(s, "2", "/two") // in the tab that the user looks at
	id, err := b.OpenTab(b.ctx, registry.NewTab{URL: b.site.URL("a", "/"), Background: true})
	if err != nil {
		t.Fatal(err)
	}
	o := b.use(t, s, "1", id, "/?discarded")
	o.look()
	stale := o.uids["Save"]
	discarded, known := make(chan registry.PageID, 1), make(chan struct{})
	time.AfterFunc(150*time.Millisecond, func() {
		discarded <- b.discard("?discarded")
		close(known)
	})
	await := o.client.Await
	o.client.Await = func(ctx context.Context, satisfied func(*registry.Catalog) bool) *registry.Catalog {
		<-known // as from a browser, whose word of the new tab comes right behind that of the old one's end
		return await(ctx, satisfied)
	}
	got := o.within(10*time.Second, "wait_for", `{"text":["what never comes"],"timeout":60000}`)
	if !got.IsError || !strings.Contains(got.Text, "The tab was closed. Perhaps Chrome discarded it to save memory: page 3 appeared just then, with the same address.") {
		t.Errorf("in the middle of a call: %s", got.Text)
	}
	if got := o.call("click", `{"uid":"`+stale+`"}`); !got.IsError || !strings.Contains(got.Text, "Your current page was closed") {
		t.Errorf("the next call says %s", got.Text)
	}
	id = <-discarded
	const note = "It was loaded again for this call."
	for i, c := range []struct{ tool, args, says string }{
		{"take_snapshot", `{}`, `button "Save"`},
		{"evaluate_script", `{"function":"() => document.title"}`, `"One"`},
		{"click", `{"uid":"` + stale + `"}`, "uid"},
		{"wait_for", `{"text":["Save"]}`, "is shown"},
		{"navigate_page", `{"url":"<a>/two?discarded"}`, "The page is at"},
		{"emulate", `{"colorScheme":"dark"}`, "dark"},
		{"list_network_requests", `{}`, "Recorded since"},
		{"handle_dialog", `{"action":"accept"}`, "no dialog is open"}, // and nothing is loaded for it
	} {
		if i > 0 {
			id = b.discard("?discarded")
		}
		o.tab = id
		s.selects(&o.client, id)
		got := o.within(20*time.Second, c.tool, c.args)
		if got.IsError != (c.tool == "click" || c.tool == "handle_dialog") || !strings.Contains(got.Text, c.says) || !strings.Contains(got.Text, note) && !got.IsError {
			t.Errorf("%s says (error: %v) %s", c.tool, got.IsError, got.Text)
		}
		if c.tool == "handle_dialog" {
			got = o.call("evaluate_script", `{"function":"() => 2"}`)
			if !strings.Contains(got.Text, note) {
				t.Errorf("a page without a dialog was loaded to say so; then a script says %s", got.Text)
			}
		}
		if again := o.call("evaluate_script", `{"function":"() => 1"}`); again.Text != "1" {
			t.Errorf("after %s a script says %s", c.tool, again.Text)
		}
	}
	if err := b.conn.Call(b.ctx, "", "Target.activateTarget", map[string]any{"targetId": string(id)}, nil); err != nil {
		t.Fatal(err)
	}
	o.says("navigate_page", `{"type":"reload"}`, "The page is at")
	o.says("take_screenshot", `{}`, "what the page shows")
	o.says("navigate_page", `{"url":"`+b.site.URL("a", "/")+`"}`, "The page is at")
	o.usable()
}

// TestTabThatWentBeforeTheCall: a call on a tab that Chrome has closed or discarded, which the catalog doesn't know
// yet, says so, too.
func TestTabThatWentBeforeTheCall(t *testing.T) {
	t.Parallel()
	b := openEnding(t)
	s := New(Options{Browser: b, Categories: Categories()})
	defer s.Close()
	o := b.open(s, "1", "/?went")
	b.closes(o.tab)
	for slices.ContainsFunc(b.targets(), func(t target) bool { return t.ID == string(o.tab) }) {
	}
	o.fails("take_snapshot", `{}`, "the tab was closed")
}

// TestEachToolInATabThatIsDiscarded: each tool in the middle of which Chrome discards its tab ends
// soon, with an answer or with what happened. The next tool has the page loaded again.
func TestEachToolInATabThatIsDiscarded(t *testing.T) {
	t.Parallel()
	b := openEnding(t)
	b.own = true
	s := New(Options{Browser: b, Categories: Categories()})
	defer s.Close()
	b.open(s, "the user's", "/two")
	defer trace()()
	type row struct {
		*one
		tool   string
		result *Result
	}
	var rows []*row
	var group sync.WaitGroup
	tabs := map[string]registry.PageID{}
	for _, tool := range Table(Categories(), false) {
		path := "/?middle-" + tool.Name
		if slices.Contains(unconcerned, tool.Name) && tool.Name != "close_page" {
			path = "/?middle-shared" // they can share a tab
		}
		if tabs[path] == "" {
			id, err := b.OpenTab(b.ctx, registry.NewTab{URL: b.site.URL("a", path), Background: true})
			if err != nil {
				t.Fatal(err)
			}
			tabs[path] = id
		}
		r := &row{one: b.use(t, s, tool.Name, tabs[path], path), tool: tool.Name}
		rows = append(rows, r)
		if !strings.HasSuffix(path, "shared") {
			group.Go(r.look)
		}
	}
	group.Wait()
	for _, r := range rows {
		group.Go(func() { r.result = r.within(25*time.Second, r.tool, inTheMiddle[r.tool].args) })
	}
	var now map[string]registry.PageID
	done := make(chan struct{})
	time.AfterFunc(150*time.Millisecond, func() { now = b.discardAll("?middle-"); close(done) })
	group.Wait()
	<-done
	for _, r := range rows {
		own := slices.Contains(unconcerned, r.tool)
		switch says := r.result.Text; {
		case r.result.IsError && inTheMiddle[r.tool].alone && strings.Contains(says, "has not loaded within"):
		case r.result.IsError && !own && !regexp.MustCompile(endings[0].says).MatchString(says): // as if it was closed
			t.Errorf("%s says: %s", r.tool, says)
		case !r.result.IsError && inTheMiddle[r.tool].waits && !own:
			t.Errorf("%s went well: %s", r.tool, says)
		case says == "":
			t.Errorf("%s says nothing", r.tool)
		case r.tool == "fill_form" && !strings.Contains(says, "illed 0 of 1 fields: the tab was closed"):
			t.Errorf("%s says: %s", r.tool, says)
		}
		if own {
			continue
		}
		group.Go(func() {
			r.tab = now[b.site.URL("a", "/?middle-"+r.tool)]
			s.selects(&r.client, r.tab)
			got := r.within(20*time.Second, "evaluate_script", `{"function":"() => document.title + ', ' + document.visibilityState"}`)
			if got.IsError || !strings.Contains(got.Text, `"One, `) || !strings.Contains(got.Text, "It was loaded again for this call.") {
				t.Errorf("after %s, which said %q, a script says: %s", r.tool, r.result.Text, got.Text)
			}
		})
	}
	group.Wait()
	s.Close()
	for _, r := range rows {
		r.detached()
	}
}
