// Package store keeps what is pinned of origins ([pins.Site]) in files, one file for each origin.
//
// # What lives here
//
//   - [Folder]: the files. Each is read and written as a whole, under one lock for all files, so that hubs and
//     commands that run at the same time lose none of each other's changes.
//   - [Store]: follows the catalogs, writes the definitions that pages register into files, notices other processes'
//     changes, and provides the current book ([pins.Book]).
//
// # Promises
//
//   - A file is complete, or it is not there: it is written beside its place and then moved there.
//   - Only this user may read and write the files and their folder. What another user may have written is not
//     trusted.
//   - If a file is broken, or can't be read or written, all tools of its origin count as never accepted, and the log
//     says so. If the folder can't be used, that applies to all origins. Nothing that can't be read is deleted or
//     overwritten.
//   - What pages can make the store keep is bounded ([MaxSites], and the limits of package pins).
//
// # Concurrency
//
// [Store.Apply] belongs to one goroutine and never blocks. The store's own goroutine does everything else, from
// [Store.Start] to [Store.Close]. Any goroutine may call [Store.Book] and [Store.Accept]. Any goroutine may use a
// [Folder], and so may several processes.
package store
