package registry

import "webmcphub/registry/sanitize"

// Result is the answer to one tool call: a whole MCP CallToolResult object.
type Result = sanitize.Result

// PageError is how a request to a page's MCP server failed.
type PageError = sanitize.PageError
