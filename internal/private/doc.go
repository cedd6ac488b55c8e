// Package private is about files of the hub's own that are this user's alone: where
// they are ([Place]), and the tokens in them ([Token], [NewToken]). A file that
// other users may read, or may have written, is refused.
//
// All functions may be called from any goroutine, and by several processes at once.
package private
