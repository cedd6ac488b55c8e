// Package toolstore keeps tools for an hour after their tabs are closed, even across restarts of the hub. A page asks
// for this with a tool's annotations.cache, as MCP-B defines it.
//
// # What lives here
//
//   - [Store] reads the catalogs for such tools, forgets tools whose time is over, and reports the current tools at
//     each change;
//   - the file is a bbolt database: [Open] reads it, and every change is written at once.
//
// # Promises
//
//   - The hub starts and works whatever the state of the file. A file that another hub has locked, or that can't be
//     opened, is left alone: the hub then keeps tools after their tabs are closed, but not after its own end. A
//     corrupt file is moved aside.
//   - A kill at any moment loses only what was being written.
//   - The number of tools that pages can make it keep is bounded ([MaxTools], [MaxSiteTools]).
//   - Only the owner can read the file, because it has the addresses of pages.
//
// # Concurrency
//
// [Store.Apply] belongs to one goroutine and never blocks. The store's own goroutine does everything else, from
// [Store.Start] to [Store.Close].
package toolstore
