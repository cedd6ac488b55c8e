package file

import (
	"context"
	"io/fs"
	"os"
	"time"

	"webmcphub/trust/rules"
)

// Every is how often a file is looked at.
const Every = time.Second

// Watch has changed called with the rules of a file each time that it has changed since
// was, or with why they can't be read, until ctx ends. A file that can't be read any more
// has changed, too.
func Watch(ctx context.Context, path string, was Stamp, changed func([]*rules.Rule, error)) {
	ticker := time.NewTicker(Every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		is := StampOf(path)
		if is == was {
			continue
		}
		was = is
		changed(Read(path))
	}
}

// Stamp tells a file from what it was before.
type Stamp struct {
	modified time.Time
	size     int64
	mode     fs.FileMode
	gone     bool
	file     string // which of all files it is, where that can be told
}

// StampOf is a file's stamp. It is taken before the file is read.
func StampOf(path string) Stamp {
	info, err := os.Stat(path)
	if err != nil {
		return Stamp{gone: true}
	}
	return Stamp{modified: info.ModTime(), size: info.Size(), mode: info.Mode(), file: identity(info)}
}
