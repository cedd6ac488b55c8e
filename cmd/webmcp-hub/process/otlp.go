package process

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"webmcphub/cmd/webmcp-hub/browsers"
	"webmcphub/internal/hosts"
	"webmcphub/internal/tracing"
	"webmcphub/mcpserver/calls"
)

// OTLPFlags say where spans are sent.
type OTLPFlags struct {
	OTLPEndpoint string   `name:"otlp-endpoint" placeholder:"URL" help:"Report every call to this OpenTelemetry collector over OTLP/HTTP, for example http://127.0.0.1:4318: time, client, site, tool, durations and outcome, never the arguments. The default path is /v1/traces."`
	OTLPHeader   []string `name:"otlp-header" sep:"none" placeholder:"NAME: VALUE" help:"With --otlp-endpoint: send this header, whose value may be {file: PATH} or {env: NAME}. Repeatable."`
}

const headerFlag = "--otlp-header"

// Check returns an error for flags that contradict each other.
func (f OTLPFlags) Check() error {
	if f.OTLPEndpoint == "" {
		if len(f.OTLPHeader) > 0 {
			return errors.New("--otlp-header goes with --otlp-endpoint only")
		}
		return nil
	}
	if err := hosts.CheckURL("--otlp-endpoint", f.OTLPEndpoint, "http", "https"); err != nil {
		return err
	}
	_, err := browsers.HeadersFrom(headerFlag, f.OTLPHeader)
	return err
}

// stopTime is how long the hub's end waits until the last spans are sent.
const stopTime = 2 * time.Second

// Trace starts tracing calls. Both functions are nil if the flags ask for no tracing. end must be called only once.
func (f OTLPFlags) Trace(version string,
	log *slog.Logger) (trace func(calls.Record, string) (string, func(calls.Record)), end func(),
	err error) {
	t, end, err := f.Start("webmcp-hub", version, log)
	if t == nil {
		return nil, nil, err
	}
	return t.Call, end, nil
}

// Start starts sending a service's spans. If the flags ask for no tracing, the tracer is nil and end does nothing.
// end must be called only once.
func (f OTLPFlags) Start(service, version string, log *slog.Logger) (t *tracing.Tracer, end func(), err error) {
	if f.OTLPEndpoint == "" {
		return nil, func() {}, nil
	}
	header, err := browsers.HeadersFrom(headerFlag, f.OTLPHeader)
	if err != nil {
		return nil, nil, err
	}
	t, err = tracing.Start(tracing.Options{Endpoint: f.OTLPEndpoint, Header: header, Service: service, Version: version,
		Log: log})
	if err != nil {
		return nil, nil, err
	}
	return t, func() {
		ctx, cancel := context.WithTimeout(context.Background(), stopTime)
		defer cancel()
		t.Stop(ctx)
	}, nil
}
