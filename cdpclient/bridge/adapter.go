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
// those that a polyfill keeps (@mcp-b/webmcp-polyfill), and declarative ones (forms with toolname). It is an MCP
// server, as far as the hub needs one, in two halves:
//
//	in the isolated world, behind the bridge   the server, and the forms, which the page's scripts can't interfere with
//	in the page's own world                    what reads and calls a polyfill, an object that only this world sees
//
// The halves exchange events on a target of their own. They make no global, no window message, and no change of an API.
// A script of the page can still take the target from the event that hands it over. So what comes from the page's own
// world is the page's word. The scripts that read polyfills and forms, and those that make tools of a page, are
// the extension's own ([shared]).
//
// # Where it works
//
// The adapter works in documents where WebMCP could be: in a secure context, in a frame whose parents all have its
// origin. (Where Chrome's own WebMCP is off, the hub doesn't know to which other frames allow="tools" permits tools.)
// It doesn't work where document.modelContext is Chrome's own. It doesn't read the tools of an @mcp-b/global, but
// still offers a form that the server of such a page doesn't list.
//
// # Introspection
//
// After [IntrospectInstall] the adapter also makes tools of what the user of a document sees (introspect.js). It does
// so in main frames of http, https and file pages and in frames of the same origin, with Chrome's own WebMCP or
// without, and only while it has no other tools to offer. It doesn't know whether Chrome or the page's server has
// tools; the hub then leaves the adapter's out.
//
// # Messages
//
// The adapter's messages are those of the bridge with "t":"dom" instead of "mcp", and [AdapterSend] instead of
// [Send]. By "t" the hub distinguishes the messages of a page's own server from the adapter's. Only scripts in the
// isolated world, which the page can't reach, set "t". Each entry of the adapter's tools/list says in its _meta under
// [AdapterRuntimeKey] what the tool is: "polyfill", "form" or "dom". The result of tools/call is the tool's own value
// (any JSON), not a CallToolResult.

// AdapterSend is for [Call]: it carries one payload, given as JSON text, to the frame's adapter.
const AdapterSend = `function(m){__mcpAdapter.toServer(m)}`

// AdapterRuntimeKey is the key in _meta under which the adapter names a tool's runtime.
const AdapterRuntimeKey = "webmcp-hub/runtime"

// introspectSource returns the script that makes tools of a document, in the isolated world. The adapter gives it the
// parts that it shares with the forms.
var introspectSource = sync.OnceValue(func() string {
	return strings.Join([]string{
		"(() => {\n\"use strict\";\nif (parent !== window && (self.origin === 'null' || " +
			"[...location.ancestorOrigins].some((o) => o !== self.origin))) " +
			"return;\nglobalThis.__mcpAdapter?.introspect?.((parts) => {\nconst webmcpHub = {};",
		shared.Source(shared.Introspection...),
		"return webmcpHub.makeParts(parts);\n});\n})();\n",
	}, "\n")
})

// IntrospectInstall returns the commands that, after those of [Install], make the adapter create tools of the content
// of a session's documents: loaded ones and future ones. It is for the session of a page, not that of a frame.
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

// adapterSource returns the script for the isolated world; each of its files defines one name.
var adapterSource = sync.OnceValue(func() string {
	return strings.Join([]string{
		"(() => {\n\"use strict\";\nif (Object.hasOwn(globalThis, \"__mcpAdapter\")) return " +
			"__mcpAdapter.checkReady();\nconst webmcpHub = {};",
		shared.Source(shared.Declared...), adapterFile("server"), adapterFile("start"),
		"})();\n",
	}, "\n")
})

// adapterPageSource returns the script for the page's own world.
var adapterPageSource = sync.OnceValue(func() string { return shared.PolyfillPage(`"webmcp-hub", { polls: true }`) })

func adapterFile(name string) string {
	source, err := adapterFiles.ReadFile("adapter/" + name + ".js")
	if err != nil {
		panic(err) // the file is embedded
	}
	return shared.WithoutComments(string(source))
}
