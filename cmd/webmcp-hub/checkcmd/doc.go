// Package checkcmd is the command "webmcp-hub check": its flags, the files that it reads
// and writes, and its exit codes. What it does is package check's.
package checkcmd
