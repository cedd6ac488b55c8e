package bridge

import (
	"embed"
	"encoding/json"
	"strings"
	"sync"

	"webmcphub/cdpclient"
	"webmcphub/extension/shared"
)

// The adapter offers the tools of documents that have WebMCP neither from Chrome nor from an MCP server of their own:
// those that a polyfill keeps (@mcp-b/webmcp-polyfill), and declarative ones (forms with toolname). It is an MCP server,
// as far as the hub needs one, in two halves:
//
//	in the isolated world, behind the bridge   the server, and the forms, which scripts of the page can't stand between
//	in the page's own world (page.js)          what reads and calls a polyfill, an object that only this world sees
//
// The halves speak by events on a target that only they have. Nothing of them is seen by the page: no global, no
// window message, and no change of an API.
// What reads forms, and what makes tools of a page, are the extension's own scripts ([shared]).
//
// # Where it is at work
//
// In documents where WebMCP could be: a secure context, in a frame whose parents all have its origin. (What allow="tools"
// permits to others is not known where Chrome's own WebMCP is off.) Not where document.modelContext is Chrome's own. Of
// an @mcp-b/global it reads nothing, but a form that such a page's server doesn't list is still offered.
//
// # Introspection
//
// After [IntrospectInstall] the adapter also makes tools of what the user of a document sees (introspect.js): in main frames
// of any http, https and file page and the frames of its origin, with Chrome's own WebMCP or not, and only while it has no others of its own to offer. Whether Chrome or
// the page's server has some it doesn't know: the hub leaves them out then.
//
// # Messages
//
// Those of the bridge with "t":"dom" instead of "mcp", and [AdapterSend] instead of [Send]: what a page's own server
// says and what the adapter says are told apart by the world that they come from, which the page can't reach. Each entry of
// the adapter's tools/list says in its _meta under [AdapterRuntimeKey] what the tool is: "polyfill", "form" or "dom". The result
// of tools/call is the tool's own value (any JSON), not a CallToolResult.

// AdapterSend is for [Call]: it carries one payload, given as JSON text, to the frame's adapter.
const AdapterSend = `function(m){__mcpAdapter.toServer(m)}`

// AdapterRuntimeKey is the key in _meta under which the adapter says what a tool is.
const AdapterRuntimeKey = "webmcp-hub/runtime"

// introspectSource is what makes tools of a document, for the isolated world, where the adapter gives it the parts that it shares with the forms.
var introspectSource = sync.OnceValue(func() string {
	return strings.Join([]string{
		"(() => {\n\"use strict\";\nif (parent !== window && (self.origin === 'null' || " +
			"[...location.ancestorOrigins].some((o) => o !== self.origin))) " +
			"return;\nglobalThis.__mcpAdapter?.introspect?.((parts) => {\nconst webmcpHub = {};",
		shared.Source(shared.Introspection...),
		"return webmcpHub.makeParts(parts);\n});\n})();\n",
	}, "\n")
})

// IntrospectInstall is the commands that, after those of [Install], have the adapter make tools of what is in the documents of a
// session: those that are loaded and those to come. It takes the session of a page, not that of a frame.
func IntrospectInstall() []Command {
	return []Command{
		{Method: cdpclient.PageAddScriptToEvaluateOnNewDocument, Params: addIntrospectScript(), Script: "introspect"},
	}
}

var addIntrospectScript = sync.OnceValue(func() json.RawMessage {
	return mustJSON(cdpclient.AddScriptParams{Source: introspectSource(), WorldName: World, RunImmediately: true})
})

//go:embed adapter/*.js
var adapterFiles embed.FS

// adapterSource is the half for the isolated world: each file of its own defines one name.
var adapterSource = sync.OnceValue(func() string {
	return strings.Join([]string{
		"(() => {\n\"use strict\";\nif (Object.hasOwn(globalThis, \"__mcpAdapter\")) return " +
			"__mcpAdapter.checkReady();\nconst webmcpHub = {};",
		shared.Source(shared.Forms...), adapterFile("page_link"), adapterFile("server"), adapterFile("start"),
		"})();\n",
	}, "\n")
})

// adapterPageSource is the half for the page's own world.
var adapterPageSource = sync.OnceValue(func() string { return adapterFile("page") })

func adapterFile(name string) string {
	source, err := adapterFiles.ReadFile("adapter/" + name + ".js")
	if err != nil {
		panic(err) // it is embedded
	}
	return shared.WithoutComments(string(source))
}
