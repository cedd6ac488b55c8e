// Package store keeps what is pinned of origins ([pins.Site]) in files, one for each
// origin.
//
// # What lives here
//
//   - [Folder]: the files. Each is read and written whole, under one lock for all, so that
//     hubs and commands that run at once lose nothing of each other's;
//   - [Store]: follows the catalogs, writes down what pages register, notices what others
//     write, and gives the book ([pins.Book]) as it is.
//
// # Promises
//
//   - A file is complete, or it is not there: it is written beside and moved.
//   - Only this user may read and write the files and their folder. What another user
//     may have written is not believed.
//   - A file that is broken, or can't be read or written, makes its origin's tools count as
//     never accepted, and says so; one folder that can't be used, all origins'. Nothing is
//     deleted or overwritten that can't be read.
//   - What pages can make it keep is bounded ([MaxSites], and the limits of package pins).
//
// # Concurrency
//
// [Store.Apply] belongs to one goroutine and never blocks. All else is done by the store's
// own goroutine, from [Store.Start] to [Store.Close]; [Store.Book] and [Store.Accept] may
// be called from any. A [Folder] may be used from any goroutine, and by several processes.
package store
