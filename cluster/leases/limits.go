package leases

import (
	"cmp"
	"time"
)

// Limits are what tenants may have. They are the same at all gateways: a gateway that starts with other limits sets
// them for all gateways. The zero value of a field means its default.
type Limits struct {
	Default Quota            // of tenants that have none of their own
	Tenants map[string]Quota `json:",omitempty"`
	// Absence is how long a node may be gone before its leases end; 30 s by default.
	Absence time.Duration `json:",omitempty"`
	// Idle is how long a lease may be unused before it ends; 15 minutes by default. The lease ends up to a quarter of
	// that time later, see [Store].Use.
	Idle time.Duration `json:",omitempty"`
}

// Quota is what one tenant may have. The zero value of a field means its default.
type Quota struct {
	Browsers int           `json:",omitempty"` // at the same time; 50 by default
	Waiting  int           `json:",omitempty"` // requests in the line; 100 by default
	Age      time.Duration `json:",omitempty"` // of a lease; 8 h by default
}

// The defaults of [Limits].
const (
	DefaultBrowsers = 50
	DefaultWaiting  = 100
	DefaultAge      = 8 * time.Hour
	DefaultAbsence  = 30 * time.Second
	DefaultIdle     = 15 * time.Minute
)

// Of returns the quota of a tenant, with the defaults in place of zeros.
func (l Limits) Of(tenant string) Quota {
	q := l.Tenants[tenant]
	return Quota{
		Browsers: cmp.Or(q.Browsers, l.Default.Browsers, DefaultBrowsers),
		Waiting:  cmp.Or(q.Waiting, l.Default.Waiting, DefaultWaiting),
		Age:      cmp.Or(q.Age, l.Default.Age, DefaultAge),
	}
}

func (l Limits) absence() time.Duration { return cmp.Or(l.Absence, DefaultAbsence) }

// renewal returns after how long the record of a used lease is renewed.
func (l Limits) renewal() time.Duration { return cmp.Or(l.Idle, DefaultIdle) / 4 }

// unused returns after how long without a renewal a lease ends. It is a renewal longer than Idle, because the last use
// may have been up to a renewal later than the record says.
func (l Limits) unused() time.Duration { return 5 * l.renewal() }

// retryLeast and retryMost bound when a refusal says to try again.
const (
	retryLeast = time.Second
	retryMost  = time.Minute
)
