package trust

import (
	"cmp"
	"fmt"
	"sync"
	"time"

	"webmcphub/mcpserver/calls"
	"webmcphub/registry/names"
)

// RateDecider is a [Limiter] that refuses calls beyond a number per minute. Any goroutine may use it.
type RateDecider struct {
	mu     sync.Mutex
	limits []limit
}

// rated is the key by which calls are counted. Members that a limit doesn't distinguish are "".
type rated struct {
	client, origin, tool string
	kind                 calls.Kind
}

// limit is one of the limits of a [RateDecider].
type limit struct {
	*RateCounter[rated]
	of   string // in words
	flag string
	by   func(calls.Action) (by rated, counts bool)
}

// NewRateDecider returns a RateDecider with these numbers of calls per minute for each client, each origin, and each
// tool of an origin; 0 sets no limit. It returns nil if none is set.
func NewRateDecider(client, origin, tool int) *RateDecider {
	r := &RateDecider{}
	add := func(max int, of, flag string, by func(calls.Action) (rated, bool)) {
		if max > 0 {
			r.limits = append(r.limits, limit{NewRateCounter[rated](max), of, flag, by})
		}
	}
	add(client, "by one client", "--rate-client", byClient)
	add(origin, "to one site", "--rate-origin", byOrigin)
	add(tool, "of one tool of a site", "--rate-tool", byTool)
	if len(r.limits) == 0 {
		return nil
	}
	return r
}

// byClient counts by session. It ignores the name that a client gives itself, because a client can choose any name.
// So all clients without a session count as one.
func byClient(d calls.Action) (rated, bool) {
	return rated{client: d.Session}, d.Kind != calls.PageRequest
}

// byOrigin counts by the origin of the page that a call concerns. For a navigation it is the one to which it leads.
func byOrigin(d calls.Action) (rated, bool) {
	at := ratedOrigin(d)
	return rated{origin: at}, at != "" && d.Kind != calls.PageRequest
}

func byTool(d calls.Action) (rated, bool) {
	name := d.Name
	if d.Kind == calls.Resource { // one template has any number of URIs
		name = cmp.Or(d.HubName, d.Name)
	}
	return rated{origin: ratedOrigin(d), tool: name, kind: d.Kind}, d.Kind != calls.PageRequest
}

func ratedOrigin(d calls.Action) string {
	if d.To != "" {
		return names.DocumentOrigin("", d.To)
	}
	return d.Origin
}

// Count implements [Limiter].
func (r *RateDecider) Count(d calls.Action) (allowed bool, why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	for i := range r.limits {
		l := &r.limits[i]
		by, counts := l.by(d)
		if !counts {
			continue
		}
		if wait := l.Wait(by, now); wait > 0 {
			return false, fmt.Sprintf("more than %d calls in a minute %s are not allowed (%s); try again in %s",
				l.Max(), l.of, l.flag, seconds(wait))
		}
	}
	for i := range r.limits {
		l := &r.limits[i]
		if by, counts := l.by(d); counts {
			l.Count(by, now)
		}
	}
	return true, ""
}

// seconds returns a duration as text, rounded up to seconds.
func seconds(d time.Duration) string {
	n := (d + time.Second - 1) / time.Second
	if n == 1 {
		return "1 second"
	}
	return fmt.Sprintf("%d seconds", n)
}
