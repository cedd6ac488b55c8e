package terminal

import (
	"fmt"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"webmcphub/registry/sanitize"
)

// A Line is one line of a terminal that shows what is being done, and disappears at the end. A nil Line shows
// nothing.
type Line struct{ bar *progressbar.ProgressBar }

// On returns a line on a terminal; nil if out is no terminal, or quiet is set.
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

// maxWords is how many bytes of a text are shown: less than a line.
const maxWords = 70

// Say shows what is being done from now on.
func (l *Line) Say(what string) {
	if l != nil {
		l.bar.Describe(sanitize.Text(what, maxWords))
		_ = l.bar.Add(1)
	}
}

// Step shows what is being done, and that it is step n of of.
func (l *Line) Step(n, of int, what string) {
	if of > 1 {
		what = fmt.Sprintf("%d of %d: %s", n, of, what)
	}
	l.Say(what)
}

// Clear removes the line until the next Say, so that something else can be printed.
func (l *Line) Clear() {
	if l != nil {
		_ = l.bar.Clear()
	}
}

// Done removes the line.
func (l *Line) Done() {
	if l != nil {
		_ = l.bar.Finish()
		_ = l.bar.Exit()
	}
}

// Colors reports whether output to out may have colors.
func Colors(out *os.File) bool {
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(out.Fd()))
}
