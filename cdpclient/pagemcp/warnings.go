package pagemcp

import "log/slog"

// MaxWarnings is how many causes of failures are logged as warnings for one document, because the page controls the
// texts of its errors.
const MaxWarnings = 10

// Warnings are the causes of failures that were logged for one document. They belong to one goroutine.
type Warnings map[string]bool

// Level returns the level at which to log a failure: each cause is a warning once.
func (w *Warnings) Level(cause string) slog.Level {
	if (*w)[cause] || len(*w) >= MaxWarnings {
		return slog.LevelDebug
	}
	if *w == nil {
		*w = Warnings{}
	}
	(*w)[cause] = true
	return slog.LevelWarn
}
