// Package toolstore remembers tools that their pages let outlive their tabs
// (annotations.cache of MCP-B), for an hour, also across restarts of the hub.
//
// # What lives here
//
//   - [Store]: looks at the catalogs for such tools, forgets those whose time
//     is over, and says what there is at each change;
//   - the file, a bbolt database: [Open] reads it, and every change is written
//     at once.
//
// # Promises
//
//   - The hub starts and works whatever the state of the file. One that is
//     locked by another hub, or can't be opened, is left alone: tools then
//     outlive their tabs but not the hub. A corrupt one is moved aside.
//   - A kill at any moment loses what was being written and nothing else.
//   - What pages can make it keep is bounded ([MaxTools], [MaxSiteTools]).
//   - The file is readable by its owner only: it has the addresses of pages.
//
// # Concurrency
//
// [Store.Apply] belongs to one goroutine and never blocks. All else is done by
// the store's own goroutine, from [Store.Start] to [Store.Close].
package toolstore
