package rules

import (
	"context"

	"webmcphub/internal/settings"
)

// Watch has changed called with the rules of a file each time that it has changed since
// was, or with why they can't be read, until ctx ends. See [filewatch.Watch].
func WatchFile(ctx context.Context, path string, was settings.Stamp, changed func([]*Rule, error)) {
	settings.WatchFile(ctx, path, was, func() { changed(ReadFile(path)) })
}
