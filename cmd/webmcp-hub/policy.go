package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"

	"webmcphub/actors"
	"webmcphub/audit"
	"webmcphub/registry"
	"webmcphub/registry/mcpserver"
)

// originFlags say which sites may offer tools.
type originFlags struct {
	AllowOrigin []string `sep:"none" placeholder:"ORIGIN" help:"List and call tools of this origin only, for example https://shop.example, https://*.shop.example or http://localhost:*. Repeatable. Default: all."`
	DenyOrigin  []string `sep:"none" placeholder:"ORIGIN" help:"Never list or call tools of this origin, even if it is allowed. Repeatable."`
}

// originPolicy is what the flags say; the zero value permits all.
type originPolicy struct{ *registry.Origins }

func (f originFlags) origins() (originPolicy, error) {
	if len(f.AllowOrigin)+len(f.DenyOrigin) == 0 {
		return originPolicy{}, nil
	}
	o, err := registry.ParseOrigins(f.AllowOrigin, f.DenyOrigin)
	if err != nil {
		return originPolicy{}, fmt.Errorf("--allow-origin or --deny-origin: %w", err)
	}
	return originPolicy{o}, nil
}

type pageRequests func(context.Context, registry.PageRequest) (json.RawMessage, error)

// guard keeps what pages of other origins ask of the agent from it.
func (o originPolicy) guard(next pageRequests) pageRequests {
	if o.Origins == nil || next == nil {
		return next
	}
	return func(ctx context.Context, r registry.PageRequest) (json.RawMessage, error) {
		if !o.Permits(r.Origin) {
			return nil, registry.PageError{Code: -1, Text: "the user does not let this site use the agent"}
		}
		return next(ctx, r)
	}
}

// auditFlags say whether calls and registrations are written down, and where.
type auditFlags struct {
	AuditLog     string `type:"path" placeholder:"FILE" help:"Write every call and every change of pages' tools to this file, as lines of JSON: when, which client, which site, which tool, a hash of the arguments, the outcome. Never the arguments."`
	AuditSize    int    `name:"audit-size" default:"10" placeholder:"MB" help:"How large the file gets before a new one is begun, in megabytes."`
	AuditBackups int    `name:"audit-backups" default:"5" help:"How many older files are kept beside it, as FILE.1 and so on."`
}

func (f auditFlags) validate() error {
	if f.AuditSize < 1 || f.AuditBackups < 0 {
		return fmt.Errorf("--audit-size must be at least 1, and --audit-backups at least 0")
	}
	return nil
}

// open opens the log; it gives nil if there is to be none.
func (f auditFlags) open(log *slog.Logger) (*audit.Log, error) {
	if f.AuditLog == "" {
		return nil, nil
	}
	return audit.Open(audit.Options{Path: f.AuditLog, MaxSize: int64(f.AuditSize) << 20, Backups: f.AuditBackups, Logger: log})
}

// publishers are told of the registry's effects one after the other.
type publishers []actors.Publisher

func (all publishers) Apply(effects []registry.Effect) {
	for _, p := range all {
		p.Apply(effects)
	}
}

// extras are what serve's hub has and those of the other commands don't.
type extras struct {
	origins    originPolicy
	called     func(mcpserver.CallRecord) // may be nil
	publishers []actors.Publisher
	closers    []func()
}

// extras opens what the flags ask for; close it at the hub's end.
func (s *serveCmd) extras(log *slog.Logger) (x extras, err error) {
	if x.origins, err = s.originFlags.origins(); err != nil {
		return x, err
	}
	audit, err := s.auditFlags.open(log)
	if err != nil {
		return x, err
	}
	if audit != nil {
		x.called, x.publishers, x.closers = audit.Called, append(x.publishers, audit), append(x.closers, audit.Close)
	}
	return x, nil
}

func (x extras) close() {
	for _, end := range x.closers {
		end()
	}
}
