// Package inspectcmd is the command "webmcp-hub inspect": the hub's live page for one page,
// for whoever builds it. It starts or reaches the Chrome that "webmcp-hub check" would, has a
// hub of its own there that is connected to that page only, and listens to the page's console.
package inspectcmd
