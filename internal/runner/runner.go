// Package runner carries out what a registry's State decides: it passes the effects to a publisher, and gives the
// State the events that are due later.
package runner

import (
	"log/slog"
	"slices"
	"time"

	"webmcphub/registry"
)

// registrationWindow is the period in which registrations are counted, see [registry.Options.Registrations].
const registrationWindow = time.Minute

// Publisher receives effects; the MCP server is one. The State's owner calls Apply, which must not block.
type Publisher interface {
	Apply(effects []registry.Effect)
}

// Runner carries out effects for one State. It belongs to the State's owner.
type Runner struct {
	Publisher
	// Interval is the flush interval, and Settle how long a page must be quiet.
	Interval, Settle time.Duration
	// Due passes an event to the owner; it is called from any goroutine.
	Due func(registry.Event)
	Log *slog.Logger

	flush  *time.Timer // the running flush interval, or nil
	served *registry.Catalog
}

// Run carries out the effects of one step.
func (r *Runner) Run(effects []registry.Effect) {
	if len(effects) == 0 {
		return
	}
	// This comes first, so that a publisher that panics doesn't stop all later flushes.
	if slices.Contains(effects, registry.Effect(registry.ArmFlush{})) {
		r.Arm()
	}
	for _, e := range effects {
		switch due := e.(type) {
		case registry.ArmSettle:
			time.AfterFunc(r.Settle, func() { r.Due(registry.SettleDue(due)) })
		case registry.ArmRegistrations:
			time.AfterFunc(registrationWindow, func() { r.Due(registry.RegistrationsDue(due)) })
		}
	}
	r.Apply(effects)
	for _, e := range effects {
		switch e := e.(type) {
		case registry.SetCatalog:
			r.served = e.Catalog
		case registry.ReportRefusal:
			r.Log.Warn("a page's tool was refused", "page", e.Page, "tool", e.Tool, "why", e.Why)
		}
	}
}

// Served returns the catalog that the publisher was given last. The State may be ahead of it if something panics
// between the State's step and the publisher's.
func (r *Runner) Served() *registry.Catalog {
	if r.served == nil {
		return registry.EmptyCatalog()
	}
	return r.served
}

// Arm makes [registry.FlushDue] come after one flush interval.
func (r *Runner) Arm() {
	r.flush = time.AfterFunc(r.Interval, func() { r.Due(registry.FlushDue{}) })
}

// Stop cancels the pending flush.
func (r *Runner) Stop() {
	if r.flush != nil {
		r.flush.Stop()
	}
}
