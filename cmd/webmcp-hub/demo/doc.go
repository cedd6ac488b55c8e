// Package demo shows the hub's main job: a headless Chrome with a small shop, a user
// who opens and leaves pages in it, and an agent that sees and calls their tools. The
// hub runs as a process of its own, started as an MCP client would.
//
// [Run] plays the show (show.go) once. It needs a Chrome, leaves nothing running, and
// writes to Out only, but for what the hub's process logs to standard error.
package demo
