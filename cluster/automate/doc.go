// Package automate carries browser tools, and tabs that a person watches, from gateways to nodes.
//
// # What lives here
//
//   - [Tools], at a gateway: offers automation's tools to its clients. A call goes to the node that has its page: the page
//     that it names by its number, or the client's current page, which only the gateway knows. What concerns several
//     nodes is put together here: the list of pages, and in which browser a page opens.
//   - [Service], at a node: carries such calls out. A call sees the browsers that its gateway names, in the lives that it
//     names, and their pages by the gateway's numbers. The node keeps whose a tab is, for all gateways' clients together.
//   - [RemoteScreen], at a gateway: asks a node for one picture after the other, so that at most one is under way and a
//     slow viewer gets the newest. It ends with the node, with the link to it, and when the tenant no longer sees the tab.
//   - [Screens], at a node: shows tabs to the users of gateways' live pages, and lets them operate these. It sends only
//     what a gateway asks for. A tab is shown while its page is in the browser, in the life that its gateway named.
//
// Agents' files are on neither side, so none is read or written: tools have no argument that names a file, and
// upload_file is not offered.
//
// Any goroutine may use what is here.
package automate
