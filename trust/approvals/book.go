package approvals

import (
	"maps"
	"time"
)

// Limits of a [Book].
const (
	// MaxKept is how many answers of one session hold for longer than once, and of all
	// sessions that are over.
	MaxKept = 1000
	// MaxOpen is how many questions are open at a time, of all clients together, and
	// MaxOpenOf of one. All that have no session may have maxOpenSessionless together.
	MaxOpen            = 100
	MaxOpenOf          = 8
	maxOpenSessionless = 25
)

// Binding is what an answer is about. Each member is compared as it is.
type Binding struct {
	Session    string // "" of clients without one
	Client     string // how it calls itself
	Browser    string // its name, "" of the only one of a hub
	Document   string // which document of which page
	Origin     string
	Kind, Tool string
	Definition string // a hash
	Args       string // a hash
	To         string
	Why        string // what it was asked for: an answer to one reason is none to another
}

// kept is a binding, without what an answer for longer than once leaves open.
type kept struct {
	Binding
	site bool // for the origin, and no document
}

// Book is what is open and what was answered. The zero value is not usable.
type Book struct {
	open map[string]asked // by id
	kept map[string]map[kept]time.Time
	left map[kept]time.Time // of sessions that are over, by how the client calls itself
}

// asked is a question that is open.
type asked struct {
	about   Binding
	page    string
	until   time.Time // zero for as long as its call waits
	granted []Binding // what was allowed once before, for the same call
}

// NewBook makes an empty one.
func NewBook() *Book {
	return &Book{open: map[string]asked{}, kept: map[string]map[kept]time.Time{}, left: map[kept]time.Time{}}
}

// Open notes that a question is being asked, until it is closed or, if that is not zero,
// until a time; false says that there are too many. page is the tab that is shut for its
// session meanwhile, or "". granted is what was allowed once for the same call.
func (b *Book) Open(id string, about Binding, page string, until, now time.Time, granted ...Binding) bool {
	b.expire(now)
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
	b.open[id] = asked{about, page, until, granted}
	return true
}

// mayBe says whether a request is of the client that a question was put to. Without sessions
// the names that clients' programs give themselves tell them apart, and one without a name may
// be any of them.
func (about Binding) mayBe(session, client string) bool {
	return about.Session == session && (session != "" || about.Client == client || about.Client == "" || client == "")
}

// Close ends a question, and says whether it was open and about this.
func (b *Book) Close(id string, about Binding, now time.Time) bool {
	is, _, open := b.Take(id, about.Session, now)
	return open && is == about
}

// Take ends a question of a session, and gives what it was about and what was allowed once
// before, for the same call.
func (b *Book) Take(id, session string, now time.Time) (about Binding, granted []Binding, open bool) {
	b.expire(now)
	q, is := b.open[id]
	if !is || q.about.Session != session {
		return about, nil, false // another client's stays open
	}
	delete(b.open, id)
	return q.about, q.granted, true
}

// Shut says whether a question about a tab is open that this client was asked, or may have
// been, but for the one of that id.
func (b *Book) Shut(session, client, page, but string, now time.Time) bool {
	if len(b.open) == 0 || page == "" {
		return false
	}
	b.expire(now)
	for id, q := range b.open {
		if id != but && q.page == page && q.about.mayBe(session, client) {
			return true
		}
	}
	return false
}

// NextEnd is when the first of the open questions ends by its time; zero if none does.
func (b *Book) NextEnd() (first time.Time) {
	for _, q := range b.open {
		if !q.until.IsZero() && (first.IsZero() || q.until.Before(first)) {
			first = q.until
		}
	}
	return first
}

func (b *Book) expire(now time.Time) {
	maps.DeleteFunc(b.open, func(_ string, q asked) bool { return over(q.until, now) })
}

// over says that a time is over, by whichever clock: while a computer sleeps, the one that
// can't be set stands still. Zero is never over.
func over(until, now time.Time) bool {
	return !until.IsZero() && (!now.Before(until) || !now.Round(0).Before(until.Round(0)))
}

// Keep remembers an answer that holds for longer than once. It shortens none that was given
// before.
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
	if was, is := mine[at]; len(mine) < MaxKept && (!is || over(was, now) || a.Until.After(was)) {
		mine[at] = a.Until
	}
}

// forget drops answers that hold no longer.
func forget(answers map[kept]time.Time, now time.Time) {
	maps.DeleteFunc(answers, func(_ kept, until time.Time) bool { return over(until, now) })
}

// wide is the binding of an answer for longer than once.
func (about Binding) wide(site bool) kept {
	about.Args = ""
	if site {
		about.Document = ""
	}
	return kept{about, site}
}

// next is that of a later session of the same client.
func (k kept) next() kept {
	k.Session = ""
	return k
}

// Allows says whether an earlier answer allows this.
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

// Gone forgets a session, but for its answers that hold until a time: these are left to
// those sessions to come whose client calls itself the same.
func (b *Book) Gone(session string, now time.Time) {
	if session == "" {
		return
	}
	mine := b.kept[session]
	delete(b.kept, session)
	maps.DeleteFunc(b.open, func(_ string, q asked) bool { return q.about.Session == session })
	forget(mine, now)
	forget(b.left, now)
	for k, until := range mine {
		if k.site && k.Client != "" && len(b.left) < MaxKept && until.After(b.left[k.next()]) {
			b.left[k.next()] = until
		}
	}
}
