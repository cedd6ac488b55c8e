// Package server runs an MCP server for bench/peers, as its client over stdio
// ([Session]), and says what memory and processor time it takes ([Memory],
// [ProcessorTime]).
package server
