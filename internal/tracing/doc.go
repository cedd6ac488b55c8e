// Package tracing reports the hub's calls to an OpenTelemetry collector. Each tools/call is a span in the trace of
// its client's request (traceparent, W3C Trace Context), with child spans for its parts. The page is given that span
// as the parent for its own spans.
//
// # What lives here
//
//   - [Tracer] begins spans ([Tracer.Call], [Tracer.Span]); OpenTelemetry's SDK exports them over OTLP/HTTP. A nil
//     Tracer traces nothing.
//
// The SDK and the exporter are OpenTelemetry's. Only the sending of an export is implemented here (upload.go),
// because their otlptracehttp depends on gRPC, which would make the hub 9 % larger.
//
// # Promises
//
//   - No call, and no other code that makes spans, ever waits for the collector: the queue is bounded, and spans that
//     don't fit or can't be delivered are lost.
//   - Spans contain no arguments, results or page addresses. Names that pages and clients chose are sanitized and cut.
//
// # Concurrency
//
// All methods may be called from any goroutine.
package tracing
