package approvals

import (
	"maps"
	"time"
)

// Limits of a [Book].
const (
	// MaxKept is how many answers of one session hold for longer than once.
	MaxKept = 1000
	// MaxOpen is how many questions are open at a time, of all sessions together.
	MaxOpen = 100
)

// Binding is what an answer is about. Each member is compared as it is.
type Binding struct {
	Session    string // "" of clients without one
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
}

// asked is a question that is open.
type asked struct {
	about Binding
	page  string
	until time.Time // zero for as long as its call waits
}

// NewBook makes an empty one.
func NewBook() *Book {
	return &Book{open: map[string]asked{}, kept: map[string]map[kept]time.Time{}}
}

// Open notes that a question is being asked, until it is closed or, if that is not zero,
// until a time; false says that there are too many. page is the tab that is shut for its
// session meanwhile, or "".
func (b *Book) Open(id string, about Binding, page string, until, now time.Time) bool {
	b.expire(now)
	if len(b.open) >= MaxOpen {
		return false
	}
	b.open[id] = asked{about, page, until}
	return true
}

// Close ends a question, and says whether it was open and about this.
func (b *Book) Close(id string, about Binding, now time.Time) bool {
	b.expire(now)
	q, is := b.open[id]
	if !is || q.about.Session != about.Session {
		return false // another client's stays open
	}
	delete(b.open, id)
	return q.about == about
}

// Shut says whether a question about a tab is open that a session was asked, but for the
// one of that id.
func (b *Book) Shut(session, page, but string, now time.Time) bool {
	if len(b.open) == 0 || page == "" {
		return false
	}
	b.expire(now)
	for id, q := range b.open {
		if id != but && q.page == page && q.about.Session == session {
			return true
		}
	}
	return false
}

func (b *Book) expire(now time.Time) {
	maps.DeleteFunc(b.open, func(_ string, q asked) bool { return !q.until.IsZero() && !now.Before(q.until) })
}

// Keep remembers an answer that holds for longer than once.
func (b *Book) Keep(about Binding, c Choice, now time.Time) {
	at, until := about.wide(c == Hour || c == Day), time.Time{}
	switch {
	case about.Session == "" || about.To != "":
		return
	case c == Hour:
		until = now.Add(time.Hour)
	case c == Day:
		until = now.Add(24 * time.Hour)
	case c != Document:
		return
	}
	mine := b.kept[about.Session]
	if mine == nil {
		mine = map[kept]time.Time{}
		b.kept[about.Session] = mine
	}
	if len(mine) < MaxKept {
		mine[at] = until
	}
}

// wide is the binding of an answer for longer than once.
func (about Binding) wide(site bool) kept {
	about.Args = ""
	if site {
		about.Document = ""
	}
	return kept{about, site}
}

// Allows says whether an earlier answer allows this.
func (b *Book) Allows(about Binding, now time.Time) bool {
	mine := b.kept[about.Session]
	if about.Session == "" || about.To != "" || mine == nil {
		return false
	}
	if _, is := mine[about.wide(false)]; is {
		return true
	}
	until, is := mine[about.wide(true)]
	if is && !now.Before(until) {
		delete(mine, about.wide(true))
		return false
	}
	return is
}

// Gone forgets a session.
func (b *Book) Gone(session string) {
	if session == "" {
		return
	}
	delete(b.kept, session)
	maps.DeleteFunc(b.open, func(_ string, q asked) bool { return q.about.Session == session })
}
