package mcpserver

import (
	"strings"
	"sync/atomic"
	"testing"

	"webmcphub/registry"
	"webmcphub/registry/mcpserver/calls"
	"webmcphub/registry/sanitize"
)

// A client of protocol 2026-07-28 says in each request how it calls itself: rules go by
// that, as they do by what others say in initialize, and so does the audit.
func TestClientsThatSayTheirNameInEachRequest(t *testing.T) {
	bubble(t, func(t *testing.T) {
		j := &judge{decide: func(d calls.Deed) string { return "of " + d.Client + " in " + d.Session }}
		var audited atomic.Pointer[string]
		h := newHub(t, echo, trusting(j), func(o *Options, _ *registry.Options) {
			o.Called = func(r CallRecord) { audited.Store(&r.Client) }
		})
		h.page("A", "https://a.test/", "x")
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
