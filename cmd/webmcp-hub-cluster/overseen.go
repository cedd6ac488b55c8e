package main

import (
	"log/slog"

	"webmcphub/cluster/gateway"
	"webmcphub/internal/audit"
	"webmcphub/internal/metrics"
	"webmcphub/internal/telling"
	"webmcphub/registry/mcpserver"
)

// overseen says who watches a gateway's rooms.
type overseen struct {
	mcpserver.Oversight            // of all rooms
	written             *audit.Log // nil without --audit-log
}

// oversee counts calls, and traces them and writes them down where that is asked for, until end is
// called.
func (c *gatewayCmd) oversee(figures *metrics.Metrics, log *slog.Logger) (o overseen, end func(), err error) {
	o.Called = figures.Called
	if o.written, err = c.AuditFlags.Open(log); err != nil {
		return o, nil, err
	}
	unwritten := func() {
		if o.written != nil {
			o.written.Close()
		}
	}
	tracer, traced, err := c.logFlags.Start("webmcp-hub-gateway", version, log)
	if err != nil {
		unwritten()
		return o, nil, err
	}
	if tracer != nil {
		o.Trace = tracer.Call
	}
	return o, func() {
		traced()
		unwritten()
	}, nil
}

// room is who watches a tenant's; "" is the one that there is without --tenants.
func (o overseen) room(tenant string) gateway.Overseer {
	seen := gateway.Overseer{Oversight: o.Oversight}
	if o.written == nil {
		return seen
	}
	lines := &o.written.Tenant
	if tenant != "" {
		lines = o.written.Begin(tenant)
		seen.Ended = lines.End
	}
	seen.Publishers = []telling.Publisher{lines}
	seen.Called = func(r mcpserver.CallRecord) {
		o.Called(r)
		lines.Called(r)
	}
	return seen
}
