// Package ext is a tab's link by its browser's extension.
//
// The extension tells whole lists, never differences, and names documents; what belongs
// to an older document is dropped. A [Link] knows the documents, the frames and their
// tools as the extension tells of them, the calls that it carries, and what the page
// asks of the agent. It holds no session: to be attached is to show what the extension
// tells. The extension's connection, its tabs and the orders to open or close one
// belong to the actor of extensions, not here.
//
// All of a Link belongs to its [tab.Tab], in whose turn its methods are called; the
// goroutines of the page's requests come back as messages.
package ext
