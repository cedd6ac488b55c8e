package mcpserver

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

// A client of protocol 2026-07-28 says in each request how it calls itself: rules go by
// that, as they do by what others say in initialize, and so does the audit.
func TestClientsThatSayTheirNameInEachRequest(t *testing.T) {
	bubble(t, func(t *testing.T) {
		j := &judge{decide: func(d calls.Action) string { return "of " + d.Client + " in " + d.Session }}
		var audited atomic.Pointer[string]
		h := newHub(t, echo, trusting(j), func(o *Options, _ *registry.Options) {
			o.Called = func(r calls.Record) { audited.Store(&r.Client) }
		})
		h.page("A", "https://a.test/", "x", "y")
		says := func(info string) string { return `"io.modelcontextprotocol/clientInfo":` + info + `,` }
		w, _ := h.onPipes(t)
		c := h.connect(true)
		const meta = `"_meta":{`
		for info, name := range map[string]string{`{"name":"a","version":"1"}`: "a", `{"name":"b"}`: "b", `{"title":"c"}`: "", `"d"`: "", `{"name":5}`: "", `{"name":"` + strings.Repeat("long", 50) + `"}`: sanitize.Text(strings.Repeat("long", 50), 64)} {
			body, headers := modern("1", "tools/call", `{"name":"webmcp_a_test_page0_x"}`)
			if got := said(t, w.send("POST", strings.Replace(body, meta, meta+says(info), 1), headers...).body); got != "error: of "+name+" in " {
				t.Errorf("%s: %s", info, got)
			}
			if got := audited.Load(); got == nil || *got != name {
				t.Errorf("%s: the audit has %v", info, got)
			}
		}
		// Over stdio all requests are one client's; one that says no name keeps the last one.
		for _, info := range []string{says(`{"name":"a","version":"1"}`), ""} {
			body, _ := modern("1", "tools/call", `{"name":"webmcp_a_test_page0_x"}`)
			c.send(strings.Replace(body, meta, meta+info, 1))
			if got := said(t, strings.Join(c.take(), "")); !strings.HasPrefix(got, "error: of a in stdio-") {
				t.Error(got)
			}
		}
		// What a request began as it stays, whoever sends others meanwhile; each round is its own.
		for _, can := range []string{`{}`, `{"elicitation":{},"sampling":{},"roots":{}}`} {
			h.reaches(func(ctx context.Context, call calls.Call) registry.Result {
				if call.Tool.Route.Tool == "x" {
					body, _ := modern("7", "resources/read", `{"uri":"webmcp-hub://none"}`)
					c.send(strings.Replace(body, meta, meta+says(`{"name":"other"}`), 1))
					body, _ = modern("8", "tools/list", `{}`)
					c.send(strings.Replace(body, meta, meta+says(`{"name":"other"}`), 1))
				}
				return echo(ctx, call)
			})
			var judged []string
			j.decide = func(d calls.Action) string { judged = append(judged, d.Name+" of "+d.Client); return "" }
			r := round{id: "1", can: can}
			body := strings.Replace(ask("1", "tools/call", strings.Replace(r.params(), "webmcp_a_test_page0_use", "call_webmcp_tools", 1)), `"arguments":{}`, `"arguments":{"steps":[{"tool":"webmcp_a_test_page0_x"},{"tool":"webmcp_a_test_page0_y"}]}`, 1)
			c.send(strings.Replace(body, meta, meta+says(`{"name":"a"}`), 1))
			synctest.Wait()
			if c.take(); !slices.Equal(judged, []string{"x of a", "y of a"}) {
				t.Errorf("judged: %q", judged)
			}
		}
		// A name that comes with a request which is refused isn't taken.
		body, _ := modern("9", "resources/read", `{"uri":"x"}`)
		c.send(strings.Replace(strings.Replace(body, meta, meta+says(`{"name":"bad"}`), 1), "clientCapabilities\":{}", "clientCapabilities\":5", 1))
		j.decide = func(d calls.Action) string { return "of " + d.Client + " in " + d.Session }
		body, _ = modern("1", "tools/call", `{"name":"webmcp_a_test_page0_x"}`)
		c.send(body)
		if got := strings.Join(c.take(), ""); strings.Contains(got, "of bad") || !strings.Contains(got, "of other") {
			t.Error(got)
		}
		c.hangUp()
		// A client that was introduced by initialize keeps that name.
		old := h.connect(true)
		old.handshake()
		old.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"webmcp_a_test_page0_x","_meta":{` + strings.TrimSuffix(says(`{"name":"a"}`), ",") + `}}}`)
		if got := said(t, strings.Join(old.take(), "")); !strings.HasPrefix(got, "error: of test in ") {
			t.Error(got)
		}
		old.hangUp()
	})
}
