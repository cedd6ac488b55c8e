package e2e

import (
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// TestSpansOfACall: a collector is told of a call of a real page's tool in its client's trace.
func TestSpansOfACall(t *testing.T) {
	t.Parallel()
	spans := make(chan *tracepb.Span, 100)
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var export tracepb.TracesData
		if err := proto.Unmarshal(body, &export); err != nil {
			t.Error(err)
		}
		for _, of := range export.ResourceSpans {
			for _, scope := range of.ScopeSpans {
				for _, s := range scope.Spans {
					spans <- s
				}
			}
		}
	}))
	defer collector.Close()
	c := nativeChrome(t)
	c.open(t, pages.url("shop.html", "runtime=native"))
	h := startRaw(t, "--browser-url", c.browserURL(), "--no-share", "--otlp-endpoint", collector.URL)
	h.initialize()
	h.waitListed(toolName("0", "add_to_cart"))
	const trace, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	h.ask("tools/call", map[string]any{"name": toolName("0", "add_to_cart"), "arguments": map[string]any{"product": "tea"}, "_meta": map[string]any{"traceparent": "00-" + trace + "-" + parent + "-01"}})
	_ = h.stdin.Close()
	h.waitExit()
	close(spans)
	all := map[string]*tracepb.Span{}
	for s := range spans {
		if hex.EncodeToString(s.TraceId) == trace {
			all[s.Name] = s
		}
	}
	call := all["tools/call"]
	if call == nil || hex.EncodeToString(call.ParentSpanId) != parent {
		t.Fatalf("the spans are %v", all)
	}
	for _, part := range []string{"queue", "page", "hub"} {
		if s := all[part]; s == nil || string(s.ParentSpanId) != string(call.SpanId) || s.StartTimeUnixNano < call.StartTimeUnixNano || s.EndTimeUnixNano > call.EndTimeUnixNano {
			t.Errorf("%s is %v in %v", part, s, call)
		}
	}
}
