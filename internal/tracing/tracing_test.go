package tracing

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"

	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
	"webmcphub/registry/offer"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// receiver is a collector, by OpenTelemetry's own types.
type receiver struct {
	*httptest.Server
	t *testing.T

	mu      sync.Mutex
	status  int // 0 takes exports
	asked   int
	from    string // service.name and service.version
	spans   []*tracepb.Span
	arrived chan struct{} // has room for many
}

func receive(t *testing.T) *receiver {
	r := &receiver{t: t, arrived: make(chan struct{}, 1000)}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, _ := io.ReadAll(q.Body)
	var export collector.ExportTraceServiceRequest
	if err := proto.Unmarshal(body, &export); err != nil {
		r.t.Error(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	defer func() { r.arrived <- struct{}{} }()
	r.asked++
	if r.status != 0 {
		w.WriteHeader(r.status)
		return
	}
	if user, password, _ := q.BasicAuth(); q.URL.Path != "/v1/traces" || q.Header.Get("Content-Type") != "application/x-protobuf" || user != "user" || password != "s3cret" || q.Header.Get("X-Team") != "blue" {
		r.t.Errorf("asked %s with %v", q.URL, q.Header)
	}
	for _, rs := range export.ResourceSpans {
		r.from = valueOf(rs.Resource.Attributes, "service.name") + " " + valueOf(rs.Resource.Attributes, "service.version")
		for _, ss := range rs.ScopeSpans {
			r.spans = append(r.spans, ss.Spans...)
		}
	}
}

func valueOf(all []*commonpb.KeyValue, key string) string {
	for _, a := range all {
		if a.Key == key {
			return a.Value.GetStringValue()
		}
	}
	return ""
}

func (r *receiver) tracer(t *testing.T) (*Tracer, *bytes.Buffer) {
	t.Helper()
	var log bytes.Buffer
	tr, err := Start(Options{
		Endpoint: strings.Replace(r.URL, "http://", "http://user:s3cret@", 1), Service: "hub", Version: "v1", Log: slog.New(slog.NewTextHandler(&log, nil)),
		Header: func() (http.Header, error) { return http.Header{"X-Team": {"blue"}}, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return tr, &log
}

func stop(t *testing.T, tr *Tracer) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	tr.Stop(ctx)
}

const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

// TestCall: a call is a span in its client's trace, its parts are below it, and what a node
// does with it is below what the page is told.
func TestCall(t *testing.T) {
	r := receive(t)
	tr, log := r.tracer(t)
	hostile := "x\x00\u202e\xff" + strings.Repeat("é", 1000)
	began := time.Now()
	record := calls.Record{Began: began, Session: "stdio-1", Client: hostile, Name: hostile, Args: json.RawMessage(`{"card":"s3cret"}`)}
	own, ended := tr.Call(record, parent)
	if !strings.HasPrefix(own, "00-0af7651916cd43dd8448eb211c80319c-") || own == parent || len(own) != len(parent) {
		t.Errorf("the page is told %q", own)
	}
	below, end := tr.Span("node", own)
	end("error")
	record.Tool = &registry.HubTool{Route: offer.Route{Tool: hostile}}
	record.Tab, record.Browser, record.Outcome = 7, "grid-1", "ok"
	record.Asked, record.Answered, record.Took = began.Add(time.Second), began.Add(3*time.Second), 4*time.Second
	ended(record)
	_, refused := tr.Call(calls.Record{Began: began, Name: "open_tab"}, "no traceparent")
	refused(calls.Record{Began: began, Name: "open_tab", Outcome: "refused"})
	stop(t, tr)
	if r.from != "hub v1" || log.Len() > 0 || len(r.spans) != 6 {
		t.Fatalf("from %q, logged %q, spans %v", r.from, log, r.spans)
	}
	names := map[string]*tracepb.Span{}
	for _, s := range r.spans[:5] {
		names[s.Name] = s
		if hex.EncodeToString(s.TraceId) != parent[3:35] {
			t.Errorf("%s is in the trace %x", s.Name, s.TraceId)
		}
		if text := s.String(); strings.Contains(text, "s3cret") || !utf8.ValidString(text) || strings.ContainsAny(text, "\x00\u202e") || proto.Size(s) > 1500 {
			t.Errorf("%s has %d bytes: %q", s.Name, proto.Size(s), text)
		}
	}
	root := names["tools/call"]
	if root == nil || hex.EncodeToString(root.ParentSpanId) != parent[36:52] || hex.EncodeToString(root.SpanId) != own[36:52] || root.EndTimeUnixNano-root.StartTimeUnixNano != 4e9 || root.Status.GetCode() != tracepb.Status_STATUS_CODE_UNSET {
		t.Fatalf("the call is %v", root)
	}
	for key, want := range map[string]string{"mcp.session.id": "stdio-1", "webmcp.browser": "grid-1", "webmcp.outcome": "ok", "mcp.method.name": "tools/call"} {
		if got := valueOf(root.Attributes, key); got != want {
			t.Errorf("%s is %q", key, got)
		}
	}
	for name, took := range map[string]uint64{"queue": 1e9, "page": 2e9, "hub": 1e9} {
		if s := names[name]; s == nil || !bytes.Equal(s.ParentSpanId, root.SpanId) || s.EndTimeUnixNano-s.StartTimeUnixNano != took {
			t.Errorf("%s is %v", name, s)
		}
	}
	if s := names["node"]; s == nil || !bytes.Equal(s.ParentSpanId, root.SpanId) || hex.EncodeToString(s.SpanId) != below[36:52] || s.Status.GetCode() != tracepb.Status_STATUS_CODE_ERROR {
		t.Errorf("the node's is %v", s)
	}
	if s := r.spans[5]; len(s.ParentSpanId) > 0 || s.Status.GetCode() != tracepb.Status_STATUS_CODE_ERROR || s.Status.Message != "refused" {
		t.Errorf("a call without a trace is %v", s)
	}
}

// TestUnsampled: a client that has decided against the trace gets no spans, and its decision is
// passed on.
func TestUnsampled(t *testing.T) {
	r := receive(t)
	tr, _ := r.tracer(t)
	own, end := tr.Span("node", parent[:53]+"00")
	end("ok")
	stop(t, tr)
	if !strings.HasSuffix(own, "-00") || len(r.spans) != 0 {
		t.Errorf("told %s, spans %v", own, r.spans)
	}
}

// TestNobodyThere: nothing waits for a collector that refuses, is away or hangs; what is lost is
// bounded, and said once.
func TestNobodyThere(t *testing.T) {
	many := func(tr *Tracer) {
		for range 10_000 {
			_, end := tr.Span("node", "")
			end("ok")
		}
	}
	t.Run("refuses, and takes exports again", func(t *testing.T) {
		r := receive(t)
		r.status = http.StatusServiceUnavailable
		tr, log := r.tracer(t)
		many(tr)
		for range 2 {
			<-r.arrived
		}
		flush := func() {
			if err := tr.provider.ForceFlush(t.Context()); err != nil {
				t.Error(err)
			}
		}
		flush()
		r.mu.Lock()
		r.status = 0
		r.mu.Unlock()
		_, end := tr.Span("late", "")
		end("ok")
		flush()
		stop(t, tr)
		if n := strings.Count(log.String(), "can't be delivered"); n != 1 || !strings.Contains(log.String(), "503") || !strings.Contains(log.String(), "delivered again") || strings.Contains(log.String(), "s3cret") {
			t.Errorf("logged %s", log)
		}
		if len(r.spans) != 1 || r.spans[0].Name != "late" {
			t.Errorf("%d spans are there", len(r.spans))
		}
	})
	t.Run("away", func(t *testing.T) {
		r := receive(t)
		r.Close()
		tr, log := r.tracer(t)
		many(tr)
		stop(t, tr)
		if n := strings.Count(log.String(), "can't be delivered"); n != 1 || strings.Contains(log.String(), "s3cret") {
			t.Errorf("logged %s", log)
		}
	})
	t.Run("hangs", func(t *testing.T) {
		took, over := make(chan struct{}, 100), make(chan struct{})
		s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			took <- struct{}{}
			<-over
		}))
		defer s.Close()
		defer close(over)
		tr, err := Start(Options{Endpoint: s.URL, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		many(tr)
		<-took
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		tr.Stop(ctx) // with no time left
	})
}

func TestNoTracer(t *testing.T) {
	var none *Tracer
	own, end := none.Span("node", parent)
	end("ok")
	none.Stop(t.Context())
	if own != parent {
		t.Errorf("told %s", own)
	}
	for _, bad := range []string{"", "collector:4318", "ftp://collector", "http://"} {
		if _, err := Start(Options{Endpoint: bad}); err == nil {
			t.Errorf("%q is a collector", bad)
		}
	}
}
