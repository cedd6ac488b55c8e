// Package automate carries calls of browser tools from gateways to nodes, and shows nodes' tabs to people at gateways.
//
// # What lives here
//
//   - [Tools], at a gateway: offers the browser tools of package automation to the gateway's clients. A call goes to
//     the node that has its page: the page that the call names by a number, or the client's current page, which only
//     the gateway knows. Tools itself does what concerns several nodes: it joins the nodes' lists of pages, and
//     chooses the browser in which a page opens.
//   - [Service], at a node: carries out such calls. A call sees only the browsers that its gateway names, each in
//     the life that the gateway names, and sees their pages with the gateway's numbers. The node remembers which
//     client owns which tab, for the clients of all gateways together.
//   - [RemoteScreen], at a gateway: asks a node for one picture after the other. So at most one picture is on its
//     way, and a slow viewer gets the newest one. A RemoteScreen ends when the node or the connection to the node is
//     lost, and when the tenant no longer sees the tab.
//   - [Screens], at a node: shows tabs to the users of gateways' live pages, and lets the users operate the tabs. It
//     sends only what a gateway asks for. It shows a tab as long as the browser has the page and is in the life that
//     the gateway named.
//
// An agent's files are neither at its gateway nor at a node, so no tool reads or writes a file: tools have no argument
// that names a file, and upload_file is not offered.
//
// Any goroutine may use this package.
package automate
