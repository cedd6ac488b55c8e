package file

import (
	"context"

	"webmcphub/internal/filewatch"
	"webmcphub/trust/rules"
)

// Watch has changed called with the rules of a file each time that it has changed since
// was, or with why they can't be read, until ctx ends. See [filewatch.Watch].
func Watch(ctx context.Context, path string, was filewatch.Stamp, changed func([]*rules.Rule, error)) {
	filewatch.Watch(ctx, path, was, func() { changed(Read(path)) })
}
