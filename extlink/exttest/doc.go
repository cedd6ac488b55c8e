// Package exttest is a browser with the hub's extension, for tests: its tabs and tools are what the test makes them, and
// it speaks the protocol as the extension does, over wires without I/O, so that it runs in a synctest bubble.
//
// [CheckSchema] holds the messages of the extension and of MCP-B proxies to their JSON Schemas.
//
// All methods may be called from any goroutine.
package exttest
