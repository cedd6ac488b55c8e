// Package tracing tells an OpenTelemetry collector what the hub does with calls: each
// tools/call is a span, in the trace of its client's request (traceparent, W3C Trace Context),
// with child spans for its parts, and what the page is told to join is that span.
//
// # What lives here
//
//   - [Tracer]: begins spans ([Tracer.Call], [Tracer.Span]) and has OpenTelemetry's SDK
//     export them over OTLP/HTTP. A nil Tracer traces nothing.
//
// The SDK and the exporter are OpenTelemetry's. Only how an export is sent is here (upload.go):
// their otlptracehttp brings gRPC with it, which would make the hub 9 % larger.
//
// # Promises
//
//   - Neither a call nor whoever else makes spans ever waits for the collector: there is a
//     bounded queue, and what is too much for it, or can't be delivered, is lost.
//   - Arguments, results and page addresses are in no span. What pages and clients
//     call themselves and their tools is cleaned and cut.
//
// # Concurrency
//
// Any goroutine may call any method.
package tracing
