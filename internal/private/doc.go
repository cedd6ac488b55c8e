// Package private handles the hub's own files that belong to this user alone: where they are ([Place]), and the
// tokens in them ([Token], [NewToken]). It refuses a file that other users may read, or may have written.
//
// All functions may be called from any goroutine, and by several processes at once.
package private
