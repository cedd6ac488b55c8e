package rules

import (
	"context"

	"webmcphub/internal/settings"
)

// WatchFile calls changed after each change of the file since was, until ctx ends. changed gets the file's rules, or
// an error that says why they can't be read. See [settings.WatchFile].
func WatchFile(ctx context.Context, path string, was settings.Stamp, changed func([]*Rule, error)) {
	settings.WatchFile(ctx, path, was, func() { changed(ReadFile(path)) })
}
