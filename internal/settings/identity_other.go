//go:build !unix

package settings

import "io/fs"

// identity tells a file from one that has taken its place, where that can be told.
func identity(fs.FileInfo) string { return "" }
