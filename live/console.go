package live

import (
	"time"

	"webmcphub/registry/sanitize"
)

// maxMessageText is how many bytes of a console message are shown.
const maxMessageText = 2000

// ConsoleMessage is a message of a page's console, or an error that no script of the page caught.
type ConsoleMessage struct {
	At    time.Time // zero if unknown
	Kind  string    // "log", "warn", "error" …
	Text  string
	Where string // the script and line that it comes from, if known
	Count int    // how often it was repeated in a row
}

// Clean returns the message in a form that may be shown, because its texts are the page's.
func (s ConsoleMessage) Clean() ConsoleMessage {
	s.Kind, s.Text, s.Where = sanitize.Text(s.Kind, 40), sanitize.Text(s.Text, maxMessageText), clean(s.Where)
	return s
}

// Bad reports whether the message reports an error.
func (s ConsoleMessage) Bad() bool { return s.Kind == "error" || s.Kind == "assert" }
