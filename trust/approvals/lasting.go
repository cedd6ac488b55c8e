package approvals

import (
	"maps"
	"time"

	"webmcphub/registry/names"
)

// Lasting is an answer that holds until a time, or a [Permission]. An answer also counts for later sessions of clients
// that give themselves the name Client.
type Lasting struct {
	Client       string
	Browser      string // as in [Binding]
	Origin       string
	Kind, Tool   string
	Definition   string // a hash
	Why          string // as in [Binding]
	Given, Until time.Time
}

// Lasts returns the part of an answer that outlives its session and the hub. lasts is false if the answer doesn't
// outlive them.
func (about Binding) Lasts(a Answer, now time.Time) (l Lasting, lasts bool) {
	lasts = !a.Until.IsZero() && about.Session != "" && about.Client != "" && about.To == ""
	return Lasting{about.Client, about.Browser, about.Origin, about.Kind, about.Tool, about.Definition, about.Why, now,
		a.Until}, lasts
}

// holds reports whether the answer counts at a time.
func (l Lasting) holds(now time.Time) bool { return now.Before(l.Until) || l.Permission() != Default }

// About returns l without its times. It is equal for two answers about the same thing.
func (l Lasting) About() Lasting {
	l.Given, l.Until = time.Time{}, time.Time{}
	return l
}

// at returns the answer's key for later sessions.
func (l Lasting) at() kept {
	return kept{Binding{Client: l.Client, Browser: l.Browser, Origin: l.Origin, Kind: l.Kind, Tool: l.Tool,
		Definition: l.Definition, Why: l.Why}, true}
}

// Restore adds the answers of earlier hubs. From now on the wall clock or the monotonic clock can end them, see over.
func (b *Book) Restore(all []Lasting, now time.Time) {
	forget(b.left, now)
	for _, l := range all {
		if l.Permission() != Default {
			if at := names.ParseAddress(l.Origin); !l.Given.Before(b.permitted[at].Given) {
				b.Permit(l) // the newest one counts
			}
			continue
		}
		until := now.Add(l.Until.Sub(now.Round(0)))
		if at := l.at(); l.Client != "" && !over(until, now) && len(b.left) < MaxKept && until.After(b.left[at]) {
			b.left[at] = until
		}
	}
}

// Revoke takes answers back, for all sessions.
func (b *Book) Revoke(all []Lasting) {
	gone := map[kept]bool{}
	for _, l := range all {
		if at := names.ParseAddress(l.Origin); l.Permission() != Default && b.permitted[at].About() == l.About() {
			delete(b.permitted, at)
		}
		gone[l.at()] = true
		delete(b.left, l.at())
	}
	for _, mine := range b.kept {
		maps.DeleteFunc(mine, func(k kept, _ time.Time) bool { return k.site && gone[k.next()] })
	}
}
