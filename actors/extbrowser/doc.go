// Package extbrowser keeps the connections of browsers that come by the WebMCP Hub
// extension, and of MCP-B proxies, each of which appears as a browser with one tab.
//
// Its one [Actor] greets each connection, knows the tabs of each browser, passes on
// what concerns one tab to the tab's actor (package ext is its link), and has extensions
// carry out what callers ask of tabs. What it shares with the keeper of Chrome's tabs
// is package keeper's.
package extbrowser
