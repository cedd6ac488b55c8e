// Package sanitize makes what web pages say safe to read for a model and its client. Pages are untrusted, and one bad
// word can mislead a model or make a model API refuse a whole request.
//
// # What lives here
//
//   - [Text] and [Description]: texts without characters that deceive a reader;
//   - [Tool], [Cache] and [InputSchema]: a tool's schemas in a form that every client accepts, and the way back from
//     the names that clients see to the page's ([Tool.PageArguments]);
//   - [Result]: the answer to a call, made of what a tool returned ([NativeResult], [PageResult]) or by the hub
//     ([TextResult], [ErrorResult]), and cut to a size ([LimitResult]);
//   - [MetaKeys]: which members of _meta pass between a page and clients;
//   - [Request], [ReadResult], [PromptResult], [CompletionResult] and [LogMessage]: what a page's own MCP server asks,
//     answers and logs.
//
// # What does not
//
// Packages registry and registry/names know which page says something, what it is called in a list, and whether its
// origin may say anything at all.
//
// # Promises
//
// Whatever the input is, the output is valid JSON or UTF-8 on one line, within its stated limit of bytes and depth.
// Sanitizing the output again changes nothing.
//
// Functions may be called from any goroutine; a [Cache] belongs to one. The package imports the standard library
// only.
package sanitize
