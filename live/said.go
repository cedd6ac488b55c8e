package live

import (
	"time"

	"webmcphub/registry/sanitize"
)

// maxSaid is how much of a message of a console is shown, in bytes.
const maxSaid = 2000

// Said is a message of a page's console, or an error that no script of it caught.
type Said struct {
	At    time.Time // zero if that isn't known
	Kind  string    // "log", "warn", "error" …
	Text  string
	Where string // the script and line that said it, if that is known
	Count int    // how often it was said, one after the other
}

// Clean is the message as it may be shown: it is the page's own.
func (s Said) Clean() Said {
	s.Kind, s.Text, s.Where = sanitize.Text(s.Kind, 40), sanitize.Text(s.Text, maxSaid), clean(s.Where)
	return s
}

// Bad says that something is wrong.
func (s Said) Bad() bool { return s.Kind == "error" || s.Kind == "assert" }
