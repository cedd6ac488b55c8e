// Package pinscmd is the command "webmcp-hub pins": it lists, compares, accepts, forgets
// and carries from place to place what is pinned of sites' tools. It works on the files
// ([store.Folder]); a hub that runs notices.
package pinscmd
