// Package browsertool has the types that the MCP server shares with the packages that carry out browser tools, because
// neither side may import the other. The server lists each [Tool] for its clients and makes a [Call]. The package that
// carries the call out asks [Call].Judge about each [Action] before it carries out the action.
package browsertool
