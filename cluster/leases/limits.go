package leases

import (
	"cmp"
	"time"
)

// Limits say what tenants may have. They are the same at all gateways: a gateway that starts with other limits sets
// them for all gateways. The zero value of a field means its default.
type Limits struct {
	Default Quota            // for tenants that have no quota of their own
	Tenants map[string]Quota `json:",omitempty"`
	// Absence is how long a node may be gone before its leases end; 30 s by default.
	Absence time.Duration `json:",omitempty"`
	// Idle is how long a lease may be unused before it ends; 15 minutes by default. The lease ends up to a quarter of
	// that time later, see [Store].Use.
	Idle time.Duration `json:",omitempty"`
}

// Quota says what one tenant may have. The zero value of a field means its default.
type Quota struct {
	Browsers int           `json:",omitempty"` // how many browsers at the same time; 50 by default
	Waiting  int           `json:",omitempty"` // how many requests may wait; 100 by default
	Age      time.Duration `json:",omitempty"` // how old a lease may become; 8 h by default
}

// The defaults of [Limits].
const (
	DefaultBrowsers = 50
	DefaultWaiting  = 100
	DefaultAge      = 8 * time.Hour
	DefaultAbsence  = 30 * time.Second
	DefaultIdle     = 15 * time.Minute
)

// Of returns the quota of a tenant, with defaults in place of zeros.
func (l Limits) Of(tenant string) Quota {
	q := l.Tenants[tenant]
	return Quota{
		Browsers: cmp.Or(q.Browsers, l.Default.Browsers, DefaultBrowsers),
		Waiting:  cmp.Or(q.Waiting, l.Default.Waiting, DefaultWaiting),
		Age:      cmp.Or(q.Age, l.Default.Age, DefaultAge),
	}
}

func (l Limits) absence() time.Duration { return cmp.Or(l.Absence, DefaultAbsence) }

// renewal returns how often the record of a lease in use is renewed.
func (l Limits) renewal() time.Duration { return cmp.Or(l.Idle, DefaultIdle) / 4 }

// unused returns how long after its last recorded use a lease ends. That is Idle and one renewal interval, because the
// lease may have been in use for up to a renewal interval after the recorded time.
func (l Limits) unused() time.Duration { return 5 * l.renewal() }

// retryLeast and retryMost bound the time after which a refusal says to try again.
const (
	retryLeast = time.Second
	retryMost  = time.Minute
)
