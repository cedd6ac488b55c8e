//go:build !unix

package file

import "io/fs"

// others says who else may write a file, or is empty, as where that can't be told.
func others(fs.FileInfo) string { return "" }

// identity tells a file from one that has taken its place, where that can be told.
func identity(fs.FileInfo) string { return "" }
