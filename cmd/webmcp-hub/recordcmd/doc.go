// Package recordcmd is the command "webmcp-hub replay", and the flags of "webmcp-hub record",
// which is "webmcp-hub serve" besides. What they do is package recording's.
package recordcmd
