package automation

import (
	"encoding/json"
	"strings"
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
// is another target then. Only extensions can do it.
func (b *manyTabs) discard(part string) (is registry.PageID) {
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for ; b.ctx.Err() == nil; <-again.C { // until the extension runs
		for _, worker := range b.targets() {
			if worker.Type != "service_worker" || !strings.HasPrefix(worker.URL, "chrome-extension:") {
				continue
			}
			was := registry.PageID("")
			for _, t := range b.targets() {
				if t.Type == "page" && strings.Contains(t.URL, part) {
					was = registry.PageID(t.ID)
				}
			}
			var s cdpclient.SessionParams
			var done struct {
				Result struct{ Value json.RawMessage }
			}
			err := b.conn.Call(b.ctx, "", cdpclient.TargetAttachToTarget, map[string]any{"targetId": worker.ID, "flatten": true}, &s)
			if err == nil {
				err = b.conn.Call(b.ctx, s.SessionID, "Runtime.evaluate", map[string]any{"expression": "discard('" + part + "')", "awaitPromise": true, "returnByValue": true}, &done)
			}
			if err != nil || string(done.Result.Value) != "true" {
				b.t.Errorf("the tab was not discarded: %s, %v", done.Result.Value, err)
			}
			b.conn.Post("", cdpclient.TargetDetachFromTarget, s, nil)
			for _, t := range b.targets() {
				if t.Type == "page" && strings.Contains(t.URL, part) && registry.PageID(t.ID) != was {
					is = registry.PageID(t.ID)
					b.learn(is, t.URL)
					b.t.Cleanup(func() { b.closes(is) })
				}
			}
			_ = b.fakeBrowser.CloseTab(b.ctx, was)
			return is
		}
	}
	return ""
}

// TestDiscarded: a tab that Chrome discards in the middle of a call is told of, with the page that
// it is then; each tool that is used there has the page loaded again, and says so.
func TestDiscarded(t *testing.T) {
	t.Parallel()
	b := newManyTabs(t, aPage)
	b.behind = true
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
	discarded := make(chan registry.PageID, 1)
	time.AfterFunc(150*time.Millisecond, func() { discarded <- b.discard("?discarded") })
	got := o.within(10*time.Second, "wait_for", `{"text":["what never comes"],"timeout":60000}`)
	if !got.IsError || !strings.Contains(got.Text, "The tab was closed. Or Chrome has discarded it to save memory: page 3 came just then, and has its address.") {
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
	} {
		if i > 0 {
			id = b.discard("?discarded")
		}
		o.tab = id
		s.selects(&o.client, id)
		got := o.within(20*time.Second, c.tool, c.args)
		if got.IsError != (c.tool == "click") || !strings.Contains(got.Text, c.says) || !strings.Contains(got.Text, note) && !got.IsError {
			t.Errorf("%s says (error: %v) %s", c.tool, got.IsError, got.Text)
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
