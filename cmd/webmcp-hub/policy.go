package main

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"

	"golang.org/x/net/publicsuffix"

	"webmcphub/actors"
	"webmcphub/cmd/webmcp-hub/browsers"
	"webmcphub/cmd/webmcp-hub/process"
	"webmcphub/mcpserver/calls"

	"webmcphub/cmd/webmcp-hub/livepage"
	"webmcphub/cmd/webmcp-hub/policy"
	"webmcphub/internal/private"
	"webmcphub/internal/toolstore"
	"webmcphub/live"
	"webmcphub/registry"
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

// origins returns the rules; nil permits all.
func (f originFlags) origins() (*names.Origins, error) {
	if len(f.AllowOrigin)+len(f.DenyOrigin) == 0 {
		return nil, nil
	}
	o, err := names.ParseOrigins(f.AllowOrigin, f.DenyOrigin)
	if err != nil {
		return nil, fmt.Errorf("--allow-origin or --deny-origin: %w", err)
	}
	return o, nil
}

// registeredDomain returns the part of a host that its owner has registered, or "" if there is none, as for an IP
// address or a public suffix.
func registeredDomain(host string) string {
	domain, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil {
		return ""
	}
	return domain
}

// storeFlags say where the hub keeps tools that outlive their tabs.
type storeFlags struct {
	Store string `type:"path" placeholder:"FILE" help:"With --naming=mcpb: the file that keeps tools after their tabs are closed, where the page allows that (annotations.cache). Default: a file of the hub's own."`
}

func (f storeFlags) validate(n offer.Naming) error {
	if f.Store != "" && n != offer.MCPBNames {
		return errors.New("--store goes with --naming=mcpb only")
	}
	return nil
}

// file returns the path of the store, or "" if there is no place for one.
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

// publishers passes the registry's effects to each of its publishers in turn.
type publishers []actors.Publisher

func (all publishers) Apply(effects []registry.Effect) {
	for _, p := range all {
		p.Apply(effects)
	}
}

// extras holds what serve's hub has and the hubs of other commands don't.
type extras struct {
	origins    *names.Origins // nil permits all
	hints      policy.Hints
	called     []func(calls.Record)
	trust      trust.Options // decides about calls
	publishers []actors.Publisher
	trace      func(calls.Record, string) (string, func(calls.Record)) // nil means no tracing
	// started and closers are called when the hub begins, and at its end.
	started []func(*actors.Hub)
	closers []func()

	chrome   *OwnedChrome  // nil means a hub that starts no Chrome of its own to share
	browsers *browsers.Set // the browsers of --browsers; nil without that flag
	before   registry.TabsBefore
	pins     *store.Store           // may be nil
	awaited  *process.AwaitedChrome // may be nil
	holds    bool                   // tools that differ from their pins are withheld until a person accepts them
	ui       *livepage.UI           // the live page; nil means none
	pauses   *live.Pauses           // what the user has paused; nil means nothing yet
	// registrations is how many tools a tab may register in a minute; see registry.Options.
	registrations int
}

// extras opens what the flags ask for. The caller closes the result at the hub's end.
func (s *serveCmd) extras(log *slog.Logger) (x extras, err error) {
	x.awaited = s.awaited
	if x.origins, err = s.originFlags.origins(); err != nil {
		return x, err
	}
	x.origins = x.origins.WithExtensions(s.ExtensionID...)
	if x.hints, err = s.HintFlags.Hints(); err != nil {
		return x, err
	}
	if x.ui, err = livepage.OpenUI(s.UIFlags, log); err != nil {
		return x, err
	}
	x.closers = append(x.closers, x.ui.Close)
	if x.ui != nil {
		x.ui.OpensItself = s.Safe && process.HasDisplay()
	}
	if x.origins = x.ui.KeptOut(x.origins); x.ui != nil {
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
	stopFlows, err := s.FlowFlags.Add(&x.trust, registeredDomain, log)
	x.closers = append(x.closers, stopFlows)
	if err != nil {
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
	written, err := s.AuditFlags.Open(log)
	if err != nil {
		return x, err
	}
	if written != nil {
		x.called, x.publishers, x.closers = append(x.called, written.Called), append(x.publishers, written),
			append(x.closers, written.Close)
	}
	if err := s.openTrace(&x, log); err != nil {
		return x, err
	}
	if !s.Safe && x.trust.Rules == nil && x.trust.Flow == nil && len(s.AllowOrigin)+len(s.DenyOrigin) == 0 {
		log.Info("agents may do everything that you can do on the open pages; --safe asks you before they first act on a site")
	}
	x.trust.Decided = policy.Decided(written.Own(), log)
	x.closers = append(x.closers, policy.KeepAnswers(&x.trust, s.Extension, log))
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

// openTrace starts tracing calls, if the flags ask for that.
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

// oversight returns what the hub's MCP server reports calls to, and what tells it which calls may be carried out.
// With extension, the user can pause agents and choose permissions for sites in the extension's popup.
func (x extras) oversight(extension bool) (o calls.Oversight, set *popup) {
	x.ui.Oversee(&o, &x.trust)
	pauses := cmp.Or(x.pauses, x.ui.Pauses())
	if extension {
		x.trust.Paused = livepage.Pausing{Pauses: pauses}
	}
	guard := trust.New(x.trust)
	if extension {
		set = &popup{pauses, guard}
	}
	o.PinAsker, o.Trace = x.withheld(guard), x.trace
	if len(x.called) > 0 {
		o.Called = func(r calls.Record) {
			for _, called := range x.called {
				called(r)
			}
		}
	}
	if x.ui != nil {
		x.ui.Guard, x.ui.Called = guard, o.Called
	}
	if x.trust.Decides() || x.holds { // also while users are asked about pins: until then their clients can't act on those pages
		o.Trust = guard
	}
	return o, set
}
