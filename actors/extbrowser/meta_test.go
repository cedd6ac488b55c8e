package extbrowser_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	. "webmcphub/actors/hubtest"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/extlink/exttest"
	"webmcphub/internal/fakeclock"
)

// tellingWire is a browser's connection, with one tab.
func tellingWire(t *testing.T, h *TestHub) *exttest.Wire {
	w := exttest.NewWire()
	t.Cleanup(func() { _ = w.Close() })
	h.AddExtension(w)
	w.Say(`{"type":"connected","browser":{"name":"Chrome","version":"1"},"tabs":[{"id":1,"title":"","url":"` + Shop + `"}]}`)
	return w
}

// A tool's own _meta is listed, whichever way its page comes.
func TestToolsMeta(t *testing.T) {
	const meta = `"_meta":{"test.shop/unit":"EUR"}`
	listed := func(t *testing.T, h *TestHub, want bool) {
		t.Helper()
		h.Quiet()
		got := string(h.Tool("shop_test_page0_add").Encoded)
		if strings.Contains(got, `"test.shop/unit":"EUR"`) != want || !strings.Contains(got, "webmcp-hub/provenance") {
			t.Errorf("listed is %s", got)
		}
	}
	Bubble(t, func(t *testing.T) {
		h := NewExtHub(t)
		w := tellingWire(t, h)
		for _, m := range []string{meta, `"title":"without"`, meta} { // also where nothing else changes
			w.Say(`{"type":"toolsChanged","tabId":1,"tools":[{"name":"add",` + m + `}]}`)
			listed(t, h, m == meta)
		}
	})
	Bubble(t, func(t *testing.T) {
		h := NewHub(t)
		main := h.Offer().Main()
		server := cdptest.NewMCPServer(cdptest.Tool{Name: "add"})
		t.Cleanup(server.Stop)
		var with atomic.Bool
		main.ServeMCP(func(payload json.RawMessage) []json.RawMessage {
			answers := server.Handle(payload)
			for i, a := range answers {
				if with.Load() {
					answers[i] = bytes.ReplaceAll(a, []byte(`"inputSchema"`), []byte(meta+`,"inputSchema"`))
				}
			}
			return answers
		})
		listed(t, h, false)
		with.Store(true)
		main.FromPage(cdptest.ListChanged)
		listed(t, h, true)
	})
}

// What a page says beside its result is in the result's _meta, without what is
// not the page's to set.
func TestExtResultsBringTheirMeta(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := NewExtHub(t)
		w := tellingWire(t, h)
		w.Say(`{"type":"toolsChanged","tabId":1,"tools":[{"name":"wait"}]}`)
		h.Quiet()
		for _, step := range []struct{ says, want string }{
			{`"result":"x","_meta":{"a/b":1,"webmcp-hub/provenance":{}}`, `{"content":[{"type":"text","text":"x"}],"_meta":{"a/b":1}}`},
			{`"result":{"content":[],"_meta":{"c/d":2}},"_meta":{"a/b":1}`, `{"_meta":{"a/b":1,"c/d":2},"content":[]}`},
			{`"error":"no","_meta":{"a/b":1}`, `"isError":true,"_meta":{"a/b":1}}`},
		} {
			c := h.Begin("shop_test_page0_wait", `{}`)
			synctest.Wait()
			var order struct{ Type, CallID string }
			for order.Type != "callTool" {
				heard, ok := w.Next()
				if !ok || json.Unmarshal([]byte(heard), &order) != nil {
					t.Fatalf("the page hears %q", heard)
				}
			}
			w.Say(`{"type":"toolResult","callId":"` + order.CallID + `",` + step.says + `}`)
			if got := string((<-c.Answer).JSON); !strings.HasSuffix(got, step.want) {
				t.Errorf("%s gives %s", step.says, got)
			}
		}
	})
}

// Results that nobody waits for, as many as they are, fill no log.
func TestLateResultsAreLoggedNowAndThen(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := NewExtHub(t)
		b := h.Join(exttest.New("one"))
		b.OpenTab(Shop)
		h.Quiet()
		late := func() int {
			for range 500 {
				b.Say(`{"type":"toolResult","callId":"1.1.1","result":1}`)
			}
			h.Quiet()
			return h.Log.Count(slog.LevelDebug, "nobody waits for")
		}
		if n := late(); n < 1 || n > 12 {
			t.Errorf("%d lines", n)
		}
		before := late()
		fakeclock.Elapse(5 * time.Second)
		if n := late(); n <= before || n > before+12 {
			t.Errorf("%d lines, then %d", before, n)
		}
	})
}
