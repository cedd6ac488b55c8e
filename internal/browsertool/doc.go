// Package browsertool has what the MCP server and those that carry out browser tools know of each other. The server
// lists each [Tool] for its clients and makes a [Call]; the call asks [Call].Judge about each [Action] before it
// carries the action out. The package only has types, because neither side may import the other.
package browsertool
