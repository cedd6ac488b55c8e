package main

import (
	"context"
	"log/slog"

	"webmcphub/cluster/gateway"
	"webmcphub/cmd/webmcp-hub/livepage"
	"webmcphub/cmd/webmcp-hub/policy"
	"webmcphub/internal/audit"
	"webmcphub/internal/metrics"
	"webmcphub/mcpserver"
	"webmcphub/mcpserver/calls"
	"webmcphub/trust"
)

// overseen has the overseers of a gateway's tenants.
type overseen struct {
	calls.Oversight                // for all tenants
	written         *audit.Log     // nil without --audit-log
	ui              *livepage.Site // nil without --ui
	pictures        bool           // nodes can show tabs
	ctx             context.Context
	log             *slog.Logger
}

// oversee counts calls, and traces, logs and shows them if the flags ask for that, until end is called.
func (c *gatewayCmd) oversee(ctx context.Context, figures *metrics.Metrics,
	log *slog.Logger) (o overseen, end func(), err error) {
	o = overseen{Oversight: calls.Oversight{Called: figures.Called}, pictures: c.Automation != "", ctx: ctx,
		log: log}
	if o.ui, err = c.UIFlags.Open(log); err != nil {
		return o, nil, err
	}
	if o.written, err = c.AuditFlags.Open(log); err != nil {
		o.ui.Close()
		return o, nil, err
	}
	unwritten := func() {
		o.ui.Close()
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

// tenant returns the overseer of a tenant. Without --tenants, the only tenant is "".
func (o overseen) tenant(tenant string) gateway.Overseer {
	seen := gateway.Overseer{Oversight: o.Oversight, Ended: func() {}}
	lines := o.written.Own()
	if lines != nil && tenant != "" {
		lines = o.written.Begin(tenant)
		seen.Ended = lines.End
	}
	if lines != nil {
		seen.Publishers = append(seen.Publishers, lines)
		seen.Called = func(r calls.Record) {
			o.Called(r)
			lines.Called(r)
		}
	}
	if o.ui != nil {
		o.show(tenant, &seen, lines)
	}
	return seen
}

// show shows a tenant on a live page, whose user may pause clients and tabs.
func (o overseen) show(tenant string, seen *gateway.Overseer, lines *audit.Tenant) {
	page := o.ui.Page(tenant)
	decides := trust.Options{Decided: policy.Decided(lines, o.log)}
	livepage.Oversee(page, &seen.Oversight, &decides)
	seen.Trust = trust.New(decides)
	seen.Publishers = append(seen.Publishers, page)
	ctx, cancel := context.WithCancel(o.ctx)
	var hub *livepage.Hub
	var unshow func()
	seen.Began = func(server *mcpserver.Server, pages gateway.Pages) {
		hub = livepage.NewHub(ctx, server, pages, version)
		if o.pictures {
			unshow = page.Show(ctx, shown{hub, page, pages.Nodes(), seen.Called})
		} else {
			unshow = page.Show(ctx, hub)
		}
	}
	unwritten := seen.Ended
	seen.Ended = func() {
		cancel()
		unshow()
		hub.End()
		unwritten()
	}
}
