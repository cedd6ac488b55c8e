package tracing

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"webmcphub/internal/mask"
	"webmcphub/mcpserver/calls"
	"webmcphub/registry/sanitize"
)

// Options are fixed for the life of a [Tracer].
type Options struct {
	// Endpoint is the collector's URL, with http or https. Without a path, the path is /v1/traces. It may have a user
	// and a password.
	Endpoint string
	// Header returns the headers for each export; nil sends none. It is called each time.
	Header func() (http.Header, error)
	// Service and Version name the source of the spans, such as "webmcp-hub".
	Service, Version string
	Log              *slog.Logger
}

// Tracer makes spans and exports them.
type Tracer struct {
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
	giveUp   context.CancelFunc
}

// Start starts a Tracer. It contacts nobody yet, and fails only for an invalid Endpoint. Call Stop at the end.
func Start(o Options) (*Tracer, error) {
	u, err := url.Parse(o.Endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("the collector's address must be a URL like http://127.0.0.1:4318")
	}
	if strings.Trim(u.Path, "/") == "" {
		u.Path = "/v1/traces"
	}
	ctx, giveUp := context.WithCancel(context.Background())
	exporter, err := otlptrace.New(ctx, newUpload(ctx, u, o))
	if err != nil {
		giveUp()
		return nil, err
	}
	p := sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(exporter, sdktrace.WithExportTimeout(maxExport)), // drops spans that don't fit into its queue
		sdktrace.WithResource(resource.NewSchemaless(attribute.String("service.name", o.Service),
			attribute.String("service.version", o.Version))),
	)
	return &Tracer{p, p.Tracer("webmcp-hub"), giveUp}, nil
}

// Stop exports the remaining spans, until ctx ends, and ends the Tracer.
func (t *Tracer) Stop(ctx context.Context) {
	if t == nil {
		return
	}
	defer t.giveUp()
	defer context.AfterFunc(ctx, t.giveUp)()            // ends the running export and later ones
	_ = t.provider.Shutdown(context.WithoutCancel(ctx)) // with a context that has ended, Shutdown would do nothing
}

// maxName is how long a text of pages or clients may be in a span, in bytes.
const maxName = 128

// text returns an attribute whose value a page or a client chose, without secrets.
func text(key, value string) attribute.KeyValue {
	var m mask.Masker
	return attribute.String(key, sanitize.Text(m.Text(value), maxName))
}

// w3c reads and writes traceparents.
var w3c propagation.TraceContext

// begin begins a span in the trace of parent, a traceparent. If parent is "" or another text, begin begins a new
// trace. own is the span's traceparent.
func (t *Tracer) begin(name, parent string, kind trace.SpanKind,
	at time.Time) (ctx context.Context, span trace.Span, own string) {
	carrier := propagation.MapCarrier{"traceparent": parent}
	ctx = w3c.Extract(context.Background(), carrier)
	ctx, span = t.tracer.Start(ctx, name, trace.WithSpanKind(kind), trace.WithTimestamp(at))
	w3c.Inject(ctx, carrier)
	return ctx, span, carrier["traceparent"]
}

// Span begins a span of a node or a gateway in the trace of parent, the traceparent of a request; "" begins a new
// trace. own is the span's traceparent, for requests made on its behalf. end must be called once; outcome is as in
// [calls.Record]. With a nil Tracer own is parent.
func (t *Tracer) Span(name, parent string) (own string, end func(outcome string)) {
	if t == nil {
		return parent, func(string) {}
	}
	_, span, own := t.begin(name, parent, trace.SpanKindServer, time.Now())
	return own, func(outcome string) { over(span, outcome, time.Now()) }
}

// Call begins the span of a tools/call; it is an [calls.Oversight].Trace. The parts of the span, queue, page and
// hub, are those of the metrics.
func (t *Tracer) Call(began calls.Record, parent string) (own string, ended func(calls.Record)) {
	ctx, span, own := t.begin("tools/call", parent, trace.SpanKindServer, began.Began)
	return own, func(r calls.Record) {
		end := r.Began.Add(r.Took)
		span.SetAttributes(ofCall(r)...)
		if !r.Asked.IsZero() && !r.Answered.IsZero() {
			t.part(ctx, "queue", r.Began, r.Asked)
			t.part(ctx, "page", r.Asked, r.Answered)
			t.part(ctx, "hub", r.Answered, end)
		}
		over(span, r.Outcome, end)
	}
}

func (t *Tracer) part(ctx context.Context, name string, began, ended time.Time) {
	_, span := t.tracer.Start(ctx, name, trace.WithTimestamp(began))
	span.End(trace.WithTimestamp(ended))
}

func over(span trace.Span, outcome string, at time.Time) {
	span.SetAttributes(attribute.String("webmcp.outcome", outcome))
	if outcome != "ok" {
		span.SetStatus(codes.Error, outcome)
	}
	span.End(trace.WithTimestamp(at))
}

// ofCall returns a call's attributes, with OpenTelemetry's names for MCP where they exist.
func ofCall(r calls.Record) []attribute.KeyValue {
	all := []attribute.KeyValue{
		attribute.String("mcp.method.name", "tools/call"),
		text("gen_ai.tool.name", r.Name),
		text("mcp.session.id", r.Session),
		text("webmcp.client", r.Client),
	}
	if r.Tab != 0 {
		all = append(all, attribute.Int64("webmcp.tab", int64(r.Tab)))
	}
	if r.Browser != "" {
		all = append(all, text("webmcp.browser", r.Browser))
	}
	if r.Tool == nil && r.Origin != "" {
		all = append(all, text("webmcp.origin", r.Origin))
	}
	if r.To != "" {
		all = append(all, text("webmcp.to", r.To))
	}
	if r.Tool != nil {
		all = append(all, text("webmcp.origin", cmp.Or(r.Tool.Origin(), "null")),
			text("webmcp.tool", r.Tool.Route.Tool))
	}
	return all
}
