package approvals

import (
	"maps"
	"time"

	"webmcphub/registry/names"
)

// Limits of a [Book].
const (
	// MaxKept is how many answers that hold for longer than once are kept for one session, and for all ended sessions
	// together.
	MaxKept = 1000
	// MaxOpen is how many questions may be open to all clients together, and MaxOpenOf how many to one client. All
	// clients without a session may have maxOpenSessionless open questions together.
	MaxOpen            = 100
	MaxOpenOf          = 8
	maxOpenSessionless = 25
)

// Binding describes the action to which an answer is bound. An answer counts only for an action with an equal Binding.
type Binding struct {
	Session    string // "" for clients without one
	Client     string // the name that the client gives itself
	Browser    string // the browser's name; "" if the hub has only one
	Document   string // which document of which page
	Origin     string
	Kind, Tool string
	Definition string // a hash
	Args       string // a hash
	To         string
	Why        string // why the hub asked the person: an answer to one reason doesn't count for another
}

// kept is the key of an answer for longer than once: a Binding without the members that such an answer ignores.
type kept struct {
	Binding
	site bool // for the whole origin, not for one document
}

// Book holds the open questions and the answers that still hold. The zero value is not usable.
type Book struct {
	open map[string]openQuestion // by id
	kept map[string]map[kept]time.Time
	left map[kept]time.Time // answers of ended sessions, by the names that their clients give themselves
	no   map[kept]time.Time // until when nobody is asked about a site or pair of sites that was refused

	permitted map[names.Origin]Lasting // the permissions
}

// openQuestion is a question that is open.
type openQuestion struct {
	about Binding
	page  string
}

// NewBook returns an empty Book.
func NewBook() *Book {
	return &Book{open: map[string]openQuestion{}, kept: map[string]map[kept]time.Time{}, left: map[kept]time.Time{},
		no: map[kept]time.Time{}, permitted: map[names.Origin]Lasting{}}
}

// Open notes an open question, until Close. It returns false if too many questions are open. page is the tab in which
// the session can do nothing else meanwhile, or "".
func (b *Book) Open(id string, about Binding, page string) bool {
	mine, sessionless := 0, 0
	for _, q := range b.open {
		if q.about.Session == "" {
			sessionless++
		}
		if q.about.Session == about.Session && (about.Session != "" || q.about.Client == about.Client) {
			mine++
		}
	}
	most := MaxOpenOf
	if about.Session == "" && about.Client == "" {
		most = maxOpenSessionless
	}
	if len(b.open) >= MaxOpen || mine >= most || about.Session == "" && sessionless >= maxOpenSessionless {
		return false
	}
	b.open[id] = openQuestion{about, page}
	return true
}

// mayBe reports whether a request may come from the client that was asked. Clients without a session are
// distinguished by the names that they give themselves; one without a name may be any of them.
func (about Binding) mayBe(session, client string) bool {
	return about.Session == session && (session != "" || about.Client == client || about.Client == "" || client == "")
}

// Close ends a session's question, and reports whether it was open and about this binding.
func (b *Book) Close(id string, about Binding) bool {
	q, open := b.open[id]
	if !open || q.about.Session != about.Session {
		return false // another client's question stays open
	}
	delete(b.open, id)
	return q.about == about
}

// Shut reports whether a question about a tab is open that went to this client, or may have gone to it.
func (b *Book) Shut(session, client, page string) bool {
	if page == "" {
		return false
	}
	for _, q := range b.open {
		if q.page == page && q.about.mayBe(session, client) {
			return true
		}
	}
	return false
}

// over reports whether a time has passed, by the wall clock or by the monotonic clock. (The monotonic clock stops
// while a computer sleeps, and users can set the wall clock.) A zero time never passes.
func over(until, now time.Time) bool {
	return !until.IsZero() && (!now.Before(until) || !now.Round(0).Before(until.Round(0)))
}

// Keep remembers an answer that holds for longer than once. It never shortens an earlier answer.
func (b *Book) Keep(about Binding, a Answer, now time.Time) {
	at := about.wide(a.Choice != Document)
	switch {
	case about.Session == "" || about.To != "":
		return
	case a.Until.IsZero() && a.Choice != Document:
		return
	}
	mine := b.kept[about.Session]
	if mine == nil {
		mine = map[kept]time.Time{}
		b.kept[about.Session] = mine
	}
	if len(mine) >= MaxKept {
		forget(mine, now)
	}
	if was, is := mine[at]; !is && len(mine) < MaxKept || is && (over(was, now) || a.Until.After(was)) {
		mine[at] = a.Until
	}
}

// Pause is how long the hub doesn't ask again about something that a person has refused.
const Pause = 10 * time.Minute

// Refused notes that a person has refused something for a whole site or pair of sites. It returns the time until which
// nobody is asked about it, or zero if there is no room.
func (b *Book) Refused(about Binding, now time.Time) (until time.Time) {
	forget(b.no, now)
	if about.Session == "" || len(b.no) >= MaxKept {
		return until
	}
	until = now.Add(Pause)
	b.no[about.wide(true)] = until
	return until
}

// RefusedUntil returns the time until which nobody is asked about something that a person has refused, or zero.
func (b *Book) RefusedUntil(about Binding, now time.Time) (until time.Time) {
	if until = b.no[about.wide(true)]; over(until, now) {
		return time.Time{}
	}
	return until
}

// forget drops answers that no longer hold.
func forget(answers map[kept]time.Time, now time.Time) {
	maps.DeleteFunc(answers, func(_ kept, until time.Time) bool { return over(until, now) })
}

// wide returns the key of an answer that holds for longer than once.
func (about Binding) wide(site bool) kept {
	about.Args = ""
	if site {
		about.Document = ""
	}
	return kept{about, site}
}

// next returns the key for later sessions of the same client.
func (k kept) next() kept {
	k.Session = ""
	return k
}

// Allows reports whether an earlier answer allows an action.
func (b *Book) Allows(about Binding, now time.Time) bool {
	if about.Session == "" || about.To != "" {
		return false
	}
	mine, site := b.kept[about.Session], about.wide(true)
	if _, is := mine[about.wide(false)]; is {
		return true
	}
	if until, is := mine[site]; is && !over(until, now) {
		return true
	}
	until, is := b.left[site.next()]
	return is && about.Client != "" && !over(until, now)
}

// Gone forgets a session, except for its answers that hold until a time. These answers then count for later sessions
// whose client gives itself the same name.
func (b *Book) Gone(session string, now time.Time) {
	if session == "" {
		return
	}
	mine := b.kept[session]
	delete(b.kept, session)
	maps.DeleteFunc(b.no, func(k kept, _ time.Time) bool { return k.Session == session })
	maps.DeleteFunc(b.open, func(_ string, q openQuestion) bool { return q.about.Session == session })
	forget(mine, now)
	forget(b.left, now)
	for k, until := range mine {
		if k.site && k.Client != "" && len(b.left) < MaxKept && until.After(b.left[k.next()]) {
			b.left[k.next()] = until
		}
	}
}
