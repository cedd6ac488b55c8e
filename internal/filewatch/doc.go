// Package filewatch says when a file has changed, for what is read again then. It looks at
// the file once a second, so that it works on every file system, and takes one that is being
// written for changed once it has been left alone.
package filewatch
