// Package progress shows on a terminal what a command does while one waits for it. Where
// there is no terminal, it shows nothing.
//
// A [Line] may be used from any goroutine. It imports registry/sanitize only: what is said
// may come from pages.
package progress

import (
	"fmt"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"webmcphub/registry/sanitize"
)

// A Line is one line of a terminal that says what is being done, and disappears at the
// end. A nil Line says nothing.
type Line struct{ bar *progressbar.ProgressBar }

// On is a line on a terminal; it is nil if out is none, or quiet is set.
func On(out *os.File, quiet bool) *Line {
	if quiet || !term.IsTerminal(int(out.Fd())) {
		return nil
	}
	return &Line{progressbar.NewOptions(-1,
		progressbar.OptionSetWriter(out),
		progressbar.OptionSpinnerType(14),
		progressbar.OptionThrottle(50*time.Millisecond),
		progressbar.OptionEnableColorCodes(false),
		progressbar.OptionSetElapsedTime(true),
		progressbar.OptionClearOnFinish(),
	)}
}

// maxWords is how much of what is said is shown, in bytes: less than a line.
const maxWords = 70

// Say shows what is being done from now on.
func (l *Line) Say(what string) {
	if l != nil {
		l.bar.Describe(sanitize.Text(what, maxWords))
		_ = l.bar.Add(1)
	}
}

// Step shows what is being done, and how far that is: step n of so many.
func (l *Line) Step(n, of int, what string) {
	if of > 1 {
		what = fmt.Sprintf("%d of %d: %s", n, of, what)
	}
	l.Say(what)
}

// Clear takes the line away until the next Say, for what is to be printed meanwhile.
func (l *Line) Clear() {
	if l != nil {
		_ = l.bar.Clear()
	}
}

// Done takes the line away.
func (l *Line) Done() {
	if l != nil {
		_ = l.bar.Finish()
		_ = l.bar.Exit()
	}
}

// Colors says whether what is written to out may have colors.
func Colors(out *os.File) bool {
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(out.Fd()))
}
