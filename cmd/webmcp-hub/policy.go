package main

import (
	"errors"
	"fmt"
	"log/slog"

	"golang.org/x/net/publicsuffix"

	"webmcphub/actors"
	"webmcphub/cmd/webmcp-hub/awaiting"
	"webmcphub/cmd/webmcp-hub/endpoints"
	"webmcphub/cmd/webmcp-hub/handover"
	"webmcphub/cmd/webmcp-hub/policy"
	"webmcphub/cmd/webmcp-hub/uicmd"
	"webmcphub/internal/audit"
	"webmcphub/internal/private"
	"webmcphub/internal/toolstore"
	"webmcphub/registry"
	"webmcphub/registry/mcpserver"
	"webmcphub/registry/names"
	"webmcphub/registry/offer"
	"webmcphub/trust"
	"webmcphub/trust/pins/store"
)

// originFlags say which sites may offer tools.
type originFlags struct {
	AllowOrigin []string `group:"common" sep:"none" placeholder:"ORIGIN" help:"List and call tools of this origin only, for example https://shop.example, https://*.shop.example or http://localhost:*. Repeatable. Default: all."`
	DenyOrigin  []string `group:"common" sep:"none" placeholder:"ORIGIN" help:"Never list or call tools of this origin, even if it is allowed. Repeatable."`
}

// originPolicy is what the flags say; the zero value permits all.
type originPolicy struct{ *names.Origins }

func (f originFlags) origins() (originPolicy, error) {
	if len(f.AllowOrigin)+len(f.DenyOrigin) == 0 {
		return originPolicy{}, nil
	}
	o, err := names.ParseOrigins(f.AllowOrigin, f.DenyOrigin)
	if err != nil {
		return originPolicy{}, fmt.Errorf("--allow-origin or --deny-origin: %w", err)
	}
	return originPolicy{o}, nil
}

// What becomes of the audit log where flags don't say.
const (
	defaultAuditSize    = 10 // megabytes
	defaultAuditBackups = 5
)

// registeredDomain is the part of a host that its owner has registered, or ""
// if there is none, as of an address or a public suffix.
func registeredDomain(host string) string {
	domain, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil {
		return ""
	}
	return domain
}

// auditFlags say whether calls and registrations are written down, and where.
type auditFlags struct {
	AuditLog     string `type:"path" placeholder:"FILE" help:"Write every call and every change of pages' tools to this file, as lines of JSON: when, which client, which site, which tool, a hash of the arguments, the outcome. Never the arguments."`
	AuditSize    int    `default:"${auditSize}" placeholder:"MB" help:"How large the file gets before a new one is begun, in megabytes."`
	AuditBackups int    `default:"${auditBackups}" help:"How many older files are kept beside it, as FILE.1 and so on."`
}

func (f auditFlags) validate() error {
	if f.AuditLog == "" && (f.AuditSize != defaultAuditSize || f.AuditBackups != defaultAuditBackups) {
		return errors.New("--audit-size and --audit-backups go with --audit-log only: without it nothing is written down")
	}
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

// storeFlags say where tools are kept that outlive their tabs.
type storeFlags struct {
	Store string `type:"path" placeholder:"FILE" help:"With --naming=mcpb: the file with the tools that their pages let outlive their tabs (annotations.cache). Default: one of the hub's own."`
}

func (f storeFlags) validate(n offer.Naming) error {
	if f.Store != "" && n != offer.MCPBNames {
		return errors.New("--store goes with --naming=mcpb only")
	}
	return nil
}

// file is where they are kept, or "".
func (f storeFlags) file(log *slog.Logger) string {
	if f.Store != "" {
		return f.Store
	}
	file, err := private.Place("tools.db")
	if err != nil {
		log.Warn("there is no place for the store of cached tools, so they will not outlive this hub; name a file by --store", "err", err)
		return ""
	}
	return file
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
	hints      policy.Hints
	called     []func(mcpserver.CallRecord)
	trust      trust.Options // what decides about calls
	publishers []actors.Publisher
	trace      func(mcpserver.CallRecord, string) (string, func(mcpserver.CallRecord)) // nil for nothing
	lifetime
	chrome   *handover.Chrome // may be nil
	browsers *endpoints.Set   // of --browsers; nil without
	before   registry.TabsBefore
	pins     *store.Store     // may be nil
	awaited  *awaiting.Chrome // may be nil
	holds    bool             // pins are held back until a person accepts them
	ui       *uicmd.UI        // the live page; nil for none
	// registrations is how many tools a tab may bring in a minute, see registry.Options.
	registrations int
}

// lifetime is what is told of the hub's beginning and of its end.
type lifetime struct {
	started []func(*actors.Hub)
	closers []func()
}

// extras opens what the flags ask for; close it at the hub's end.
func (s *serveCmd) extras(log *slog.Logger) (x extras, err error) {
	x.awaited = s.awaited
	if x.origins, err = s.originFlags.origins(); err != nil {
		return x, err
	}
	if x.hints, err = s.HintFlags.Hints(); err != nil {
		return x, err
	}
	if x.ui, err = s.UIFlags.Open(log); err != nil {
		return x, err
	}
	x.closers = append(x.closers, x.ui.Close)
	if x.origins.Origins = x.ui.KeptOut(x.origins.Origins); x.ui != nil {
		x.publishers = append(x.publishers, x.ui)
	}
	defer func() {
		if err != nil {
			x.close()
		}
	}()
	if err := s.openBrowsers(&x, log); err != nil {
		return x, err
	}
	if err := s.FlowFlags.Add(&x.trust, registeredDomain, log); err != nil {
		return x, err
	}
	s.RateFlags.Add(&x.trust)
	x.registrations = s.RateRegistrations
	rules, stop, err := s.Flags.Open(log)
	if err != nil {
		return x, err
	}
	x.closers = append(x.closers, stop)
	if rules != nil {
		x.trust.Rules = rules
	}
	written, err := s.auditFlags.open(log)
	if err != nil {
		return x, err
	}
	if written != nil {
		x.called, x.publishers, x.closers = append(x.called, written.Called), append(x.publishers, written), append(x.closers, written.Close)
	}
	if err := s.openTrace(&x, log); err != nil {
		return x, err
	}
	x.trust.Decided = policy.Decided(written, log)
	x.closers = append(x.closers, policy.KeepAnswers(&x.trust, log))
	if s.naming() == offer.MCPBNames {
		cached := toolstore.Open(toolstore.Options{Path: s.storeFlags.file(log), Logger: log})
		x.publishers = append(x.publishers, cached)
		x.started = append(x.started, func(h *actors.Hub) {
			cached.Start(h.CacheTools)
		})
		x.closers = append(x.closers, cached.Close)
	}
	return x, x.pin(s.pinFlags, written, log)
}

// openTrace has calls traced, if that is to be.
func (s *serveCmd) openTrace(x *extras, log *slog.Logger) error {
	trace, stop, err := s.logFlags.Trace(version, log)
	if trace != nil {
		x.trace, x.closers = trace, append(x.closers, stop)
	}
	return err
}

func (x extras) close() {
	for _, end := range x.closers {
		end()
	}
}

// oversight is what the hub's MCP server tells of calls, and by what it is told which
// may be carried out.
func (x extras) oversight() mcpserver.Oversight {
	var o mcpserver.Oversight
	x.ui.Oversee(&o, &x.trust)
	guard := trust.New(x.trust)
	o.Withheld, o.Trace = x.withheld(guard), x.trace
	if len(x.called) > 0 {
		o.Called = func(r mcpserver.CallRecord) {
			for _, called := range x.called {
				called(r)
			}
		}
	}
	x.ui.Called(o.Called)
	if x.trust.Decides() || x.holds { // while users are asked about pins, their clients can do nothing else there
		o.Trust = guard
	}
	return o
}
