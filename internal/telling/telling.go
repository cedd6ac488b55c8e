// Package telling carries out what a registry's State decides: it passes the effects to a publisher, and gives the
// State the events that are due later.
package telling

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

// Teller carries out effects for one State. It belongs to the State's owner.
type Teller struct {
	Publisher
	// Interval is the flush interval, and Settle how long a page must be quiet.
	Interval, Settle time.Duration
	// Due passes an event to the owner; it is called from any goroutine.
	Due func(registry.Event)
	Log *slog.Logger

	flush  *time.Timer // the running flush interval, or nil
	served *registry.Catalog
}

// Tell carries out the effects of one step.
func (t *Teller) Tell(effects []registry.Effect) {
	if len(effects) == 0 {
		return
	}
	// This comes first, so that a publisher that panics doesn't stop all later flushes.
	if slices.Contains(effects, registry.Effect(registry.ArmFlush{})) {
		t.Arm()
	}
	for _, e := range effects {
		switch due := e.(type) {
		case registry.ArmSettle:
			time.AfterFunc(t.Settle, func() { t.Due(registry.SettleDue(due)) })
		case registry.ArmRegistrations:
			time.AfterFunc(registrationWindow, func() { t.Due(registry.RegistrationsDue(due)) })
		}
	}
	t.Apply(effects)
	for _, e := range effects {
		switch e := e.(type) {
		case registry.Serve:
			t.served = e.Catalog
		case registry.ReportRefusal:
			t.Log.Warn("a page's tool was refused", "page", e.Page, "tool", e.Tool, "why", e.Why)
		}
	}
}

// Served returns the catalog that the publisher was given last. The State may be ahead of it if something panics
// between the State's step and the publisher's.
func (t *Teller) Served() *registry.Catalog {
	if t.served == nil {
		return registry.EmptyCatalog()
	}
	return t.served
}

// Arm makes [registry.FlushDue] come after one flush interval.
func (t *Teller) Arm() {
	t.flush = time.AfterFunc(t.Interval, func() { t.Due(registry.FlushDue{}) })
}

// Stop cancels the pending flush.
func (t *Teller) Stop() {
	if t.flush != nil {
		t.flush.Stop()
	}
}
