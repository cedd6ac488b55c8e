package mcpserver

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

// TestTrace: who traces calls is told of each with the trace of its request, and the page is
// told to join what the tracer says; a step of several joins the whole.
func TestTrace(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const client, own = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "00-0af7651916cd43dd8448eb211c80319c-000000000000000%d-01"
		var meta, told []string
		n := 0
		h := newHub(t, func(_ context.Context, c calls.Call) registry.Result {
			meta = append(meta, string(c.Meta))
			return sanitize.TextResult("done")
		}, func(o *Options, _ *registry.Options) {
			o.Trace = func(r calls.Record, parent string) (string, func(calls.Record)) {
				n++
				begun := fmt.Sprintf("%d %s", n, parent)
				return fmt.Sprintf(own, n), func(r calls.Record) {
					told = append(told, begun+" "+r.Outcome+" "+fmt.Sprint(!r.Asked.IsZero() && !r.Answered.IsZero()))
				}
			}
		})
		h.page("A", "https://shop.test/", "x")
		c := h.connect(true)
		c.handshake()
		for _, params := range []string{
			`{"name":"webmcp_shop_test_page0_x","_meta":{"a":1,"traceparent":"` + client + `","tracestate":"x=y"}}`,
			`{"name":"webmcp_shop_test_page0_x"}`,
			`{"name":"list_tabs","_meta":{"traceparent":"no trace"}}`,
		} {
			c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + params + `}`)
			c.take()
		}
		c.hangUp()
		if want := []string{`{"a":1,"traceparent":"` + fmt.Sprintf(own, 1) + `"}`, `{"traceparent":"` + fmt.Sprintf(own, 2) + `"}`}; !slices.Equal(meta, want) {
			t.Errorf("the page was told\n%s, want\n%s", strings.Join(meta, "\n"), strings.Join(want, "\n"))
		}
		if want := []string{"1 " + client + " ok true", "2  ok true", "3  refused false"}; !slices.Equal(told, want) {
			t.Errorf("the tracer was told %q, want %q", told, want)
		}
	})
}
