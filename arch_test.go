// Package webmcphub_test keeps the house in order: who may import whom, and that
// every room says what it is. The rules are those of the design; each has its reason.
package webmcphub_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "webmcphub"

// anyTest are what test files may import whatever the rules say.
var anyTest = []string{module + "/bench/cluster/proxy", module + "/internal/fakeclock", module + "/internal/scripttest", module + "/internal/o200k"}

// A rule says what the packages under a folder ("" is all) may import.
type rule struct {
	in     string   // the folder the rule holds for, with what is below it
	except []string // folders below it for which it doesn't hold
	forbid string   // the import path, or its beginning when it ends in "..."
	allow  []string // imports that are fine all the same, written likewise
	tests  bool     // whether it holds for _test.go files too
	why    string
}

var rules = []rule{
	{in: "", except: []string{"cdpclient"}, forbid: "github.com/mafredri/cdp...",
		why: "only packages under cdpclient know how Chrome is reached; everything else speaks their words"},
	{in: "", except: []string{"actors", "cluster/link"}, forbid: "github.com/asynkron/protoactor-go...", tests: true,
		why: "the actor library's hazards are handled in two places: actors, and cluster/link for what crosses machines"},
	{in: "", except: []string{"cluster", "cmd/webmcp-hub-cluster", "bench/cluster", "e2e"}, forbid: module + "/cluster...",
		why: "the hub of one machine carries nothing of many: no gRPC, no etcd"},
	{in: "", except: []string{"cluster/etcd"}, forbid: "go.etcd.io/etcd/...", tests: true,
		why: "what is kept is allot's, and where it is kept is known in one place"},
	{in: "cluster/allot", except: []string{"cluster/allot/memory", "cluster/allot/store", "cluster/allot/allottest"}, forbid: module + "/...", tests: true,
		why: "who gets which browser follows from who is there and who waits: it knows neither etcd nor gateways"},
	{in: "cluster/operator", forbid: module + "/...", allow: []string{module + "/cluster/certs", module + "/cluster/link", module + "/cluster/wire"},
		why: "an operator asks nodes, and is no gateway"},
	{in: "cmd/webmcp-hub/clustercmd", forbid: module + "/...", tests: true,
		why: "another program is started: nothing of it is here"},
	{in: "cluster/mailbox", forbid: module + "/...", tests: true,
		why: "a leaf: messages wait, whatever they are"},
	{in: "cluster/node", forbid: module + "/...", allow: []string{module + "/actors", module + "/cdpclient", module + "/cluster/allot", module + "/cluster/certs", module + "/cluster/link", module + "/cluster/mailbox", module + "/cluster/replica", module + "/cluster/wire", module + "/internal/jsonrpc", module + "/registry", module + "/registry/offer", module + "/registry/advice", module + "/registry/browsers", module + "/registry/sanitize"},
		why: "a node is a hub without MCP: clients are the gateways' matter"},
	{in: "cluster/gateway", forbid: module + "/...", allow: []string{module + "/cluster/allot", module + "/cluster/certs", module + "/cluster/link", module + "/cluster/mailbox", module + "/cluster/replica", module + "/cluster/wire", module + "/internal/jsonrpc", module + "/internal/telling", module + "/registry...", module + "/registry/mcpserver..."},
		why: "a gateway has no browser: what it knows of pages nodes have told it"},
	{in: "cluster/gateway", forbid: module + "/registry/mcpserver/share", tests: true,
		why: "processes of one machine share a hub; gateways share nodes"},
	{in: "cluster/replica", forbid: module + "/...", allow: []string{module + "/cluster/wire", module + "/registry", module + "/registry/offer", module + "/registry/browsers", module + "/registry/names", module + "/registry/sanitize"}, tests: true,
		why: "what a gateway knows of a node follows from messages: no link, no clock"},
	{in: "cluster/replica", forbid: "third-party",
		why: "what a gateway knows of a node follows from messages: no link, no clock"},
	{in: "", except: []string{"registry/mcpserver", "bench/stockhub"}, forbid: "github.com/mark3labs/mcp-go/server...",
		why: "one writer to the MCP server: registry/mcpserver; bench/stockhub is what it is measured against"},
	{in: "", except: []string{"bench/storm/report"}, forbid: "gonum.org/...", tests: true,
		why: "plots are drawn by the benchmarks' report alone: the hub's binary carries no plotting"},
	{in: "bench", except: []string{"bench/cmd"}, forbid: module + "/cmd...", tests: true,
		why: "benchmarks measure the program as it is started, or its parts"},

	{in: "registry", except: []string{"registry/mcpserver"}, forbid: "third-party",
		why: "the registry is pure: it needs the standard library only, so that it can be tested with plain values"},
	{in: "registry", except: []string{"registry/mcpserver"}, forbid: module + "/...", allow: []string{module + "/registry", module + "/registry/offer", module + "/registry/sites", module + "/registry/browsers", module + "/registry/endings", module + "/registry/advice", module + "/registry/names", module + "/registry/sanitize", module + "/registry/tokens"}, tests: true,
		why: "the registry is the innermost room: it knows its leaves and no other"},
	{in: "registry/names", forbid: module + "/...", allow: []string{module + "/registry/sanitize"}, tests: true,
		why: "a leaf: names and origins are made of texts, without knowing any page"},
	{in: "registry/endings", forbid: module + "/...", allow: []string{module + "/registry/advice", module + "/registry/sanitize"}, tests: true,
		why: "a leaf: how calls end is told by names and texts"},
	{in: "registry/offer", forbid: module + "/...", allow: []string{module + "/registry/names", module + "/registry/sanitize"}, tests: true,
		why: "one thing that a page offers is made without knowing what else there is: no State, no catalog"},
	{in: "registry/browsers", forbid: module + "/...", tests: true,
		why: "a leaf: how browsers stand follows from their names and what is told of each"},
	{in: "registry/sites", forbid: module + "/...", allow: []string{module + "/registry/offer", module + "/registry/names", module + "/registry/sanitize"}, tests: true,
		why: "the tools of sites follow from tabs and what is cached; State tells of both"},
	{in: "registry/focus", forbid: module + "/...", allow: []string{module + "/registry", module + "/registry/offer", module + "/registry/advice", module + "/registry/browsers", module + "/registry/names", module + "/registry/tokens", module + "/registry/sanitize"}, tests: true,
		why: "what one client sees is made of catalogs: the registry that makes them knows no client, and no server is known here"},
	{in: "registry/find", forbid: module + "/...", allow: []string{module + "/registry", module + "/registry/offer", module + "/registry/names", module + "/registry/sanitize"}, tests: true,
		why: "an index is made of catalogs: the registry that makes them knows no search, and no server is known here"},
	{in: "trust/pins", except: []string{"trust/pins/store", "trust/pins/asking"}, forbid: module + "/...", allow: []string{module + "/registry/offer", module + "/registry/names", module + "/registry/sanitize"}, tests: true,
		why: "how a definition stands follows from what was accepted: no file, no catalog"},
	{in: "trust/pins/asking", forbid: module + "/...", allow: []string{module + "/trust/pins", module + "/registry", module + "/registry/offer", module + "/registry/sanitize", module + "/registry/mcpserver/calls"}, tests: true,
		why: "a question is made of what is withheld; where pins are kept is no matter of it"},
	{in: "trust/pins", except: []string{"trust/pins/store"}, forbid: "os...",
		why: "what is pinned is handed to it"},
	{in: "trust/pins/store", forbid: module + "/...", allow: []string{module + "/trust/pins", module + "/registry", module + "/registry/offer", module + "/internal/private", module + "/internal/fakeclock"}, tests: true,
		why: "it keeps what pages register, and knows neither clients nor questions"},
	{in: "cmd/webmcp-hub/pinscmd", forbid: module + "/...", allow: []string{module + "/trust/pins...", module + "/registry/names", module + "/registry/sanitize", module + "/internal/private"},
		why: "the command works on the files, whether a hub runs or not"},
	{in: "trust/flow", forbid: module + "/...", allow: []string{module + "/registry/names"}, tests: true,
		why: "a leaf: what flows where follows from reads, deeds and pairs of origins"},
	{in: "trust/spotlight", forbid: module + "/...", allow: []string{module + "/registry/sanitize"}, tests: true,
		why: "a leaf: a page's words are marked without knowing who reads them"},
	{in: "registry/tokens", forbid: module + "/...", tests: true,
		why: "a leaf: what a text costs follows from its letters"},
	{in: "", except: []string{"internal/o200k"}, forbid: "github.com/pkoukk/...", tests: true,
		why: "the vocabulary is megabytes; it is counted with in one place"},
	{in: "", forbid: module + "/internal/o200k",
		why: "the real tokenizer is for tests: the hub estimates"},
	{in: "registry/sanitize", forbid: module + "/...", tests: true,
		why: "a leaf: what pages say is made fit to read without knowing any page"},
	{in: "registry", except: []string{"registry/mcpserver"}, forbid: "context",
		why: "the core takes no time and waits for nothing, so it has nothing to cancel"},
	{in: "registry", except: []string{"registry/mcpserver"}, forbid: "log...",
		why: "the core says what it decides by its effects"},
	{in: "registry", except: []string{"registry/mcpserver"}, forbid: "os...",
		why: "the core reads no files and no environment"},
	{in: "registry", except: []string{"registry/mcpserver"}, forbid: "net/http...",
		why: "the core reaches nobody"},

	{in: "registry/mcpserver", forbid: module + "/...", allow: []string{module + "/registry", module + "/registry/offer", module + "/registry/sites", module + "/registry/browsers", module + "/registry/endings", module + "/registry/find", module + "/registry/focus", module + "/registry/advice", module + "/registry/names", module + "/registry/tokens", module + "/registry/sanitize", module + "/registry/mcpserver...", module + "/internal/jsonrpc", module + "/internal/workers", module + "/internal/hosts"}, tests: true,
		why: "mcpserver reaches pages through the Caller that it declares itself; were it to import actors, neither could be tested alone"},
	{in: "registry/mcpserver/arguments", forbid: module + "/...", allow: []string{module + "/registry/sanitize", module + "/internal/jsonrpc"}, tests: true,
		why: "it knows schemas and JSON, and neither tools nor clients"},
	{in: "registry/mcpserver/batch", forbid: module + "/...", allow: []string{module + "/registry/sanitize", module + "/internal/jsonrpc"}, tests: true,
		why: "which step may run follows from the steps and where they go: it knows neither tools nor clients"},
	{in: "registry/mcpserver/changes", forbid: module + "/...", allow: []string{module + "/registry", module + "/registry/offer"}, tests: true,
		why: "since when a tool is what it is follows from catalogs"},
	{in: "registry/mcpserver/results", forbid: module + "/...", allow: []string{module + "/registry/tokens", module + "/registry/sanitize", module + "/internal/jsonrpc"}, tests: true,
		why: "results are cut and kept whoever gave them, and whoever reads them"},
	{in: "registry/mcpserver/images", forbid: module + "/...", allow: []string{module + "/registry", module + "/registry/offer", module + "/registry/sanitize", module + "/internal/jsonrpc"}, tests: true,
		why: "it knows results and nothing of the server"},
	{in: "registry/mcpserver/wire", forbid: module + "/...", allow: []string{module + "/registry", module + "/registry/offer", module + "/registry/sanitize", module + "/internal/jsonrpc"}, tests: true,
		why: "a connection carries messages: it knows neither what clients see nor who answers them"},
	{in: "registry/mcpserver/lens", forbid: module + "/...", allow: []string{module + "/registry", module + "/registry/offer", module + "/registry/focus", module + "/registry/mcpserver/surface", module + "/registry/advice", module + "/registry/names", module + "/registry/tokens", module + "/registry/sanitize", module + "/internal/jsonrpc"}, tests: true,
		why: "what a client sees follows from catalogs; nothing is written there"},
	{in: "registry/mcpserver/surface", forbid: module + "/...", allow: []string{module + "/registry/focus", module + "/registry/sanitize"}, tests: true,
		why: "what a list shows follows from what a client does and how long it is; neither is known there"},
	{in: "registry/mcpserver/listing", forbid: module + "/...", allow: []string{module + "/registry", module + "/registry/offer", module + "/registry/advice", module + "/registry/browsers", module + "/registry/find", module + "/registry/names", module + "/registry/sanitize", module + "/registry/tokens"}, tests: true,
		why: "a list is made of a catalog: who asks for it is no matter of it"},
	{in: "registry/mcpserver/listing", forbid: "context",
		why: "a list waits for nothing"},
	{in: "registry/mcpserver/client", forbid: module + "/...", allow: []string{module + "/registry", module + "/registry/offer", module + "/registry/focus", module + "/registry/sanitize", module + "/registry/mcpserver/lens", module + "/registry/mcpserver/wire", module + "/internal/jsonrpc"}, tests: true,
		why: "a client is a connection and a lens, whoever serves it"},
	{in: "registry/mcpserver/mcphttp", forbid: module + "/...", allow: []string{module + "/registry/sanitize", module + "/registry/mcpserver/client", module + "/registry/mcpserver/wire", module + "/internal/jsonrpc"}, tests: true,
		why: "a transport carries messages to clients' connections: it knows neither tools nor catalogs"},
	{in: "registry/mcpserver/mcphttp", forbid: "github.com/mark3labs/mcp-go/server...",
		why: "its HTTP server drops notifications and keeps no order between answers and list_changed; ours is this package"},
	{in: "registry/mcpserver/finding", forbid: module + "/...", allow: []string{module + "/registry", module + "/registry/find", module + "/registry/focus", module + "/registry/advice", module + "/registry/offer", module + "/registry/names", module + "/registry/tokens", module + "/registry/sanitize", module + "/registry/mcpserver/lens", module + "/internal/hosts"}, tests: true,
		why: "a search finds what its client sees: it knows catalogs and lenses, and calls nothing"},
	{in: "registry/mcpserver/leases", forbid: module + "/...", allow: []string{module + "/registry", module + "/registry/mcpserver/client", module + "/registry/mcpserver/lens"}, tests: true,
		why: "who keeps a tab follows from clients and what they focus: it carries out no call"},
	{in: "registry/mcpserver/deeds", forbid: module + "/...", allow: []string{module + "/registry"}, tests: true,
		why: "what is judged is data: whoever judges needs to know nothing of how calls are made"},
	{in: "registry/mcpserver/calls", forbid: module + "/...", allow: []string{module + "/registry...", module + "/internal/jsonrpc", module + "/internal/hosts"}, tests: true,
		why: "calls go from a client to a page; who carries the client's messages is no matter of theirs"},
	{in: "registry/mcpserver/calls", forbid: "net/http...",
		why: "calls know no transport"},
	{in: "registry/mcpserver/calls", forbid: "github.com/mark3labs/mcp-go/server...",
		why: "mcp-go's server answers what the hub doesn't answer itself; calls are the hub's"},
	{in: "registry/mcpserver/calls", forbid: module + "/registry/mcpserver", tests: true,
		why: "the server is made of its rooms, not the other way round"},
	{in: "registry/mcpserver", except: []string{"registry/mcpserver/share"}, forbid: module + "/registry/mcpserver/share",
		why: "sharing puts processes together that each have a server; the server knows nothing of it"},
	{in: "registry/mcpserver", forbid: "github.com/gorilla/websocket",
		why: "Chrome's wire belongs to cdpclient"},

	{in: "cdpclient", forbid: module + "/...", allow: []string{module + "/cdpclient...", module + "/extension/shared", module + "/internal/jsonrpc", module + "/internal/outbox", module + "/internal/wsmessage", module + "/internal/yield"}, tests: true,
		why: "cdpclient knows Chrome and nothing of the hub; the scripts that it shares with the extension are the extension's"},
	{in: "cdpclient", except: []string{"cdpclient/launch", "cdpclient/cdptest"}, forbid: module + "/cdpclient/launch",
		why: "a connection doesn't care who started its Chrome"},
	{in: "cdpclient/launch", forbid: module + "/cdpclient/bridge",
		why: "starting a Chrome needs a pipe, not what is said over it"},
	{in: "cdpclient/mcpb", forbid: module + "/...", allow: []string{module + "/cdpclient/mcpb...", module + "/internal/jsonrpc"},
		why: "the page server's client gets a function to send with, so it needs no Chrome"},

	{in: "automation/page", forbid: module + "/...", allow: []string{module + "/cdpclient", module + "/registry/names", module + "/registry/sanitize"},
		why: "a page knows its tab by Chrome's protocol, and nothing of the tools that use it"},
	{in: "automation/automationtest", forbid: module + "/...", allow: []string{module + "/automation/page", module + "/cdpclient", module + "/cdpclient/launch"}, tests: true,
		why: "tests of automation need a Chromium with pages, and no hub"},
	{in: "automation/emulation", forbid: module + "/...", allow: []string{module + "/automation/page"},
		why: "what a page is made to see is between it and Chrome"},
	{in: "automation/travel", forbid: module + "/...", allow: []string{module + "/internal/hosts", module + "/automation/page", module + "/cdpclient", module + "/registry/names", module + "/registry/sanitize"},
		why: "going elsewhere needs the page and the rules"},
	{in: "automation/waiting", forbid: module + "/...", allow: []string{module + "/automation/page", module + "/automation/scripts", module + "/cdpclient", module + "/registry/sanitize"},
		why: "what a page shows is between it and Chrome"},
	{in: "automation/watching", forbid: module + "/...", allow: []string{module + "/automation/watching", module + "/automation/page", module + "/automation/input/keys", module + "/automation/automationtest", module + "/cdpclient", module + "/registry/names", module + "/registry/sanitize"}, tests: true,
		why: "a picture needs a page, and whoever looks at it is no matter of it"},
	{in: "automation/scripts", forbid: module + "/...",
		why: "a leaf: scripts that run in pages, whoever has them run"},
	{in: "automation/snapshot", forbid: module + "/...", allow: []string{module + "/automation/page", module + "/automation/snapshot...", module + "/automation/automationtest", module + "/cdpclient", module + "/registry/sanitize"}, tests: true,
		why: "a snapshot shows a page; which tools do so is not its matter"},
	{in: "automation/snapshot/tree", forbid: module + "/...", allow: []string{module + "/registry/sanitize"},
		why: "a tree is made of answers: it asks nobody"},
	{in: "automation/snapshot/tree", forbid: "context",
		why: "a tree waits for nothing"},
	{in: "automation", except: []string{"automation/automationtest"}, forbid: module + "/...", allow: []string{module + "/automation...", module + "/cdpclient", module + "/registry", module + "/registry/browsers", module + "/registry/advice", module + "/registry/names", module + "/registry/sanitize", module + "/internal/hosts"},
		why: "automation reaches tabs by what the hub hands out, and is handed to the MCP server by the program"},
	{in: "", except: []string{"automation", "cmd", "bench"}, forbid: module + "/automation...", tests: true,
		why: "neither the hub's actors nor its server know that tabs are automated"},
	{in: "", forbid: module + "/automation/automationtest",
		why: "the Chromium with a tab for each test is for tests"},

	{in: "trust", except: []string{"trust/pins/store", "trust/rules/file", "trust/approvals/store"}, forbid: module + "/...", allow: []string{module + "/trust...", module + "/registry", module + "/registry/offer", module + "/registry/names", module + "/registry/sanitize", module + "/registry/mcpserver/calls"},
		why: "who guards calls knows what is called and by whom, and neither transports nor browsers"},
	{in: "trust/rules", except: []string{"trust/rules/file"}, forbid: module + "/...", allow: []string{module + "/registry/names", module + "/registry/sanitize"}, tests: true,
		why: "pure: a rule compares texts"},
	{in: "trust/rates", forbid: module + "/...", tests: true,
		why: "pure: limits count, and are told the time"},
	{in: "trust/approvals", except: []string{"trust/approvals/store"}, forbid: module + "/...", allow: []string{module + "/registry/sanitize"}, tests: true,
		why: "pure: questions and answers are values, whoever carries them"},
	{in: "trust/approvals/store", forbid: module + "/...", allow: []string{module + "/trust/approvals", module + "/internal/private", module + "/internal/fakeclock"}, tests: true,
		why: "it keeps answers, and knows neither clients nor who asks them"},
	{in: "trust/rules", except: []string{"trust/rules/file"}, forbid: "context", why: "rules wait for nothing"},
	{in: "trust/rates", forbid: "context", why: "limits wait for nothing"},
	{in: "trust/approvals", except: []string{"trust/approvals/store"}, forbid: "context", why: "what waits for an answer is the guard"},
	{in: "", except: []string{"trust", "cmd", "bench"}, forbid: module + "/trust...", tests: true,
		why: "the server asks through the interface that package calls declares; nothing else knows who decides"},

	{in: "extlink", forbid: module + "/...", allow: []string{module + "/extlink...", module + "/internal/jsonrpc", module + "/internal/noise", module + "/internal/outbox", module + "/internal/portholder", module + "/internal/wsmessage"}, tests: true,
		why: "extlink knows the extension's wire and nothing of the hub"},

	{in: "actors", forbid: module + "/...", allow: []string{module + "/actors...", module + "/registry", module + "/registry/offer", module + "/registry/sites", module + "/registry/browsers", module + "/registry/endings", module + "/registry/advice", module + "/registry/names", module + "/registry/sanitize", module + "/cdpclient...", module + "/extlink...", module + "/internal/fakeclock", module + "/internal/jsonrpc", module + "/internal/noise", module + "/internal/telling", module + "/internal/workers"},
		why: "actors connect the core and the browsers; the MCP server is handed to them as a Publisher"},
	{in: "actors/tab", except: []string{"actors/tab/cdp", "actors/tab/ext"}, forbid: module + "/...", allow: []string{module + "/registry", module + "/registry/offer", module + "/registry/endings", module + "/registry/names", module + "/registry/sanitize"},
		why: "a tab knows phases, calls and reports; how its page is reached is its link's business"},
	{in: "actors", except: []string{"actors/extbrowser", "actors/tab/ext", "actors/hubtest"}, forbid: module + "/actors/tab/ext",
		why: "the hub hands connections of extensions on: who keeps them knows how their pages are reached"},
	{in: "actors/browser", forbid: module + "/...", allow: []string{module + "/registry/browsers", module + "/actors/keeper", module + "/actors/tab", module + "/actors/tab/cdp", module + "/registry", module + "/registry/advice", module + "/registry/endings", module + "/registry/sanitize", module + "/cdpclient"},
		why: "it keeps a Chrome on the debugging port, and knows neither the hub nor extensions"},
	{in: "actors/extbrowser", forbid: module + "/...", allow: []string{module + "/actors/keeper", module + "/actors/tab", module + "/actors/tab/ext", module + "/registry", module + "/registry/advice", module + "/registry/endings", module + "/registry/sanitize", module + "/extlink", module + "/internal/jsonrpc"},
		why: "it keeps extensions' connections, and knows neither the hub nor Chrome's debugging port"},
	{in: "actors/keeper", forbid: module + "/...", allow: []string{module + "/actors/tab", module + "/registry", module + "/registry/offer", module + "/registry/endings", module + "/registry/sanitize"},
		why: "what all keepers of tabs do is done whatever the browser is reached by"},
	{in: "actors/tab/cdp", forbid: module + "/...", allow: []string{module + "/registry/browsers", module + "/actors/tab", module + "/actors/tab/cdp/pageserver", module + "/registry", module + "/registry/offer", module + "/registry/endings", module + "/registry/names", module + "/registry/sanitize", module + "/cdpclient", module + "/cdpclient/bridge", module + "/cdpclient/mcpb", module + "/internal/jsonrpc", module + "/internal/noise"},
		why: "the link over the debugging port knows its tab and Chrome, and neither who keeps the connection nor other ways to pages"},
	{in: "actors/tab/cdp/pageserver", forbid: module + "/...", allow: []string{module + "/actors/tab", module + "/registry", module + "/registry/offer", module + "/registry/names", module + "/registry/sanitize", module + "/cdpclient/bridge", module + "/cdpclient/mcpb", module + "/internal/jsonrpc"},
		why: "a page's server is spoken to over what the link gives it: it knows neither Chrome nor sessions nor frames"},
	{in: "actors/tab/ext", forbid: module + "/...", allow: []string{module + "/actors/tab", module + "/registry", module + "/registry/offer", module + "/registry/endings", module + "/registry/names", module + "/registry/sanitize", module + "/extlink", module + "/cdpclient/mcpb", module + "/internal/jsonrpc", module + "/internal/noise"},
		why: "the extension's link knows its tab and the extension's wire, and no other way to pages"},
	{in: "actors", forbid: "github.com/gorilla/websocket",
		why: "Chrome's wire belongs to cdpclient, the extension's to extlink"},
	{in: "", except: []string{"internal/toolstore"}, forbid: "go.etcd.io/bbolt...", tests: true,
		why: "toolstore is the only one that knows how the store's file is made"},
	{in: "", except: []string{"registry/mcpserver/share", "cdpclient/launch", "trust/pins/store", "trust/approvals/store"}, forbid: "github.com/gofrs/flock", tests: true,
		why: "locks that processes compete for: share's say who owns a hub, launch's which temporary profiles are in use, and those of pins and answers keep two hubs from writing one file"},
	{in: "automation/input/geometry", forbid: module + "/...", tests: true,
		why: "arithmetic"},
	{in: "automation/input/keys", forbid: module + "/...", tests: true,
		why: "a table of keys"},
	{in: "automation/input/values", forbid: module + "/...", tests: true,
		why: "what values of fields mean"},
	{in: "automation/input", forbid: module + "/...", allow: []string{module + "/automation/input/...", module + "/automation/page", module + "/automation/scripts", module + "/automation/automationtest", module + "/cdpclient"}, tests: true,
		why: "acting takes nodes and answers outcomes: it knows neither snapshots nor tools"},
	{in: "automation/records", except: []string{"automation/records/live"}, forbid: module + "/...", allow: []string{module + "/registry/sanitize"},
		why: "records are made of events: where they come from, and who asks, is no matter of theirs"},
	{in: "automation/records", except: []string{"automation/records/live"}, forbid: "context",
		why: "rings wait for nothing: package live does"},
	{in: "automation/trace", except: []string{"automation/trace/engine", "automation/trace/record"}, forbid: module + "/...", allow: []string{module + "/registry/sanitize"},
		why: "a trace is a file: who recorded it is no matter of its reader's"},
	{in: "automation/trace", except: []string{"automation/trace/engine", "automation/trace/record"}, forbid: "context",
		why: "reading waits for nothing but its reader"},
	{in: "automation/trace/engine", forbid: module + "/...", allow: []string{module + "/cdpclient"},
		why: "the engine needs a Chrome and a trace, and no page"},
	{in: "internal/jsonrpc", forbid: module + "/...",
		why: "the messages are those of whoever speaks them: it knows no methods and no transports"},
	{in: "internal/jsonrpc", forbid: "third-party",
		why: "it takes apart what strangers send, so it is small enough to be read whole"},
	{in: "internal/canonical", forbid: module + "/...",
		why: "a leaf: arguments are compared whoever made them"},
	{in: "internal/wording", forbid: module + "/...",
		why: "a leaf: names are taken apart whatever they name"},
	{in: "recording", except: []string{"recording/replay"}, forbid: module + "/...", allow: []string{module + "/internal/canonical", module + "/internal/jsonrpc", module + "/internal/wording", module + "/registry/sanitize"}, tests: true,
		why: "a recording is made of messages, whoever says them"},
	{in: "recording/replay", forbid: module + "/...", allow: []string{module + "/recording", module + "/internal/canonical", module + "/internal/jsonrpc", module + "/registry/mcpserver/lines"}, tests: true,
		why: "a recording is played without a hub"},
	{in: "", except: []string{"recording", "check", "cmd", "bench"}, forbid: module + "/recording...", tests: true,
		why: "the hub doesn't know whether its client is recorded"},
	{in: "cmd/webmcp-hub/recordcmd", forbid: module + "/...", allow: []string{module + "/recording...", module + "/cmd/webmcp-hub/process"},
		why: "a session is recorded and replayed from outside the hub"},
	{in: "internal/noise", forbid: module + "/...",
		why: "how often to log concerns nobody in particular"},
	{in: "internal/outbox", forbid: module + "/...",
		why: "the queue knows neither Chrome nor the extension"},
	{in: "internal/wsmessage", forbid: module + "/...",
		why: "the reader knows neither Chrome nor the extension"},
	{in: "check/finding", forbid: module + "/...", tests: true, why: "a leaf: findings and rules are plain values"},
	{in: "check/seen", forbid: module + "/...", tests: true, why: "a leaf: what was seen of a page is plain values"},
	{in: "check/lint", forbid: module + "/...", allow: []string{module + "/check/finding", module + "/check/schemas", module + "/check/seen", module + "/internal/wording", module + "/registry/sanitize", module + "/registry/tokens"}, tests: true,
		why: "rules judge what was seen, and see nothing themselves"},
	{in: "check/contract", forbid: module + "/...", allow: []string{module + "/check/finding", module + "/check/seen"}, tests: true,
		why: "definitions are compared wherever they come from"},
	{in: "check/schemas", forbid: module + "/...", tests: true, why: "a leaf: schemas are read whoever needs them"},
	{in: "check/smoke", forbid: module + "/...", allow: []string{module + "/check/finding", module + "/check/schemas", module + "/check/seen"}, tests: true,
		why: "inputs are made of a schema, and outcomes are judged: who calls is no matter of it"},
	{in: "check/journey", forbid: module + "/...", tests: true,
		why: "a leaf: steps and what they should bring are read and compared, whoever carries them out"},
	{in: "check/coverage", forbid: module + "/...", tests: true, why: "a leaf: calls are counted, whoever made them"},
	{in: "check/recorded", forbid: module + "/...", allow: []string{module + "/check/coverage", module + "/check/journey", module + "/internal/jsonrpc", module + "/recording", module + "/registry/sanitize"}, tests: true,
		why: "what was recorded is read, and done elsewhere"},
	{in: "check/report", forbid: module + "/...", allow: []string{module + "/check/coverage", module + "/check/finding", module + "/internal/wording", module + "/registry/sanitize"}, tests: true,
		why: "a report is made of findings, whoever found them"},
	{in: "check", except: []string{"check/watch"}, forbid: module + "/actors...", tests: true,
		why: "a browser and a hub are watch's: what judges and reports needs neither"},
	{in: "check/hindrance", forbid: module + "/...", allow: []string{module + "/check/seen"}, tests: true,
		why: "a leaf: why a page can't be looked at follows from what was seen of it"},
	{in: "check/watch", forbid: module + "/...", allow: []string{module + "/check/seen", module + "/check/smoke", module + "/check/lint", module + "/check/finding", module + "/check/hindrance", module + "/actors", module + "/actors/tab", module + "/cdpclient", module + "/cdpclient/launch", module + "/cdpclient/cdptest", module + "/registry", module + "/registry/offer", module + "/registry/names"}, tests: true,
		why: "it looks at pages and calls tools; what that means is said elsewhere"},
	{in: "", except: []string{"check", "cmd", "bench"}, forbid: module + "/check...", tests: true,
		why: "the hub knows nothing of those who check pages"},
	{in: "internal/progress", forbid: module + "/...", allow: []string{module + "/registry/sanitize"},
		why: "a line on a terminal knows nothing of the work that it tells of"},
	{in: "", except: []string{"internal/progress"}, forbid: "github.com/schollz/progressbar...", tests: true,
		why: "how progress is drawn is known in one place"},
	{in: "internal/agent", forbid: module + "/...", allow: []string{module + "/internal/jsonrpc", module + "/registry/tokens"},
		why: "an agent knows a hub by what it says"},
	{in: "internal/settings", forbid: module + "/...",
		why: "the reader of settings knows the parser of the command line, and none of the flags"},
	{in: "internal/private", forbid: module + "/...",
		why: "where a user's own files are concerns nobody else"},
	{in: "internal/portholder", forbid: module + "/...",
		why: "who has a port concerns nobody else"},
	{in: "internal/telling", forbid: module + "/...", allow: []string{module + "/registry"},
		why: "what a State decides is carried out whoever owns the State"},
	{in: "internal/workers", forbid: module + "/...",
		why: "goroutines that stay know nothing of their jobs"},
	{in: "internal/yield", forbid: module + "/...",
		why: "it knows readers and nothing else"},
	{in: "internal/toolstore", forbid: module + "/...", allow: []string{module + "/registry", module + "/registry/offer", module + "/registry/sites", module + "/registry/names", module + "/registry/sanitize"},
		why: "the store looks at catalogs; it reaches nobody but its file"},
	{in: "internal/audit", forbid: module + "/...", allow: []string{module + "/internal/canonical", module + "/internal/jsonrpc", module + "/registry", module + "/registry/offer", module + "/registry/names", module + "/registry/sanitize", module + "/registry/mcpserver"},
		why: "the audit log is told of calls and catalogs; it asks nobody"},
	{in: "", except: []string{"internal/metrics"}, forbid: "github.com/prometheus/...", tests: true,
		why: "figures are counted in one place, with names of their own: whoever has something to count says so there"},
	{in: "", except: []string{"internal/tracing", "e2e"}, forbid: "go.opentelemetry.io/...", tests: true,
		why: "how spans are made and sent is known in one place"},
	{in: "internal/tracing", forbid: module + "/...", allow: []string{module + "/registry", module + "/registry/mcpserver", module + "/registry/offer", module + "/registry/sanitize"}, tests: true,
		why: "spans are made of records of calls: who traces what is no matter of it"},
	{in: "internal/tracing", forbid: "go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp",
		why: "OpenTelemetry's senders bring gRPC along, which the hub of one machine carries nothing of"},
	{in: "internal/metrics", forbid: module + "/...", allow: []string{module + "/registry", module + "/registry/browsers", module + "/registry/mcpserver", module + "/registry/mcpserver/mcphttp"},
		why: "figures are made of catalogs, calls and what the server's clients have it carry; it asks nobody else"},
	{in: "cmd/webmcp-hub/web", forbid: module + "/...", allow: []string{module + "/cmd/webmcp-hub/process", module + "/registry/mcpserver", module + "/internal/hosts", module + "/internal/private"},
		why: "a port is opened and served on, whatever hub is behind it"},
	{in: "actors", except: []string{"actors/hubtest"}, forbid: module + "/cdpclient/cdptest...",
		why: "the fake Chrome is for tests"},
	{in: "", forbid: module + "/actors/hubtest",
		why: "a hub between a fake Chrome and a catalog is for tests"},
	{in: "actors", except: []string{"actors/hubtest"}, forbid: module + "/extlink/exttest...",
		why: "the browser with an extension is for tests"},
	{in: "cmd", forbid: module + "/extlink/exttest...",
		why: "the browser with an extension is for tests"},
	{in: "check", forbid: module + "/cdpclient/cdptest...",
		why: "the fake Chrome is for tests"},
	{in: "cmd", forbid: module + "/cdpclient/cdptest...",
		why: "the fake Chrome is for tests"},
	{in: "cmd/webmcp-hub/endpoints", forbid: module + "/...", allow: []string{module + "/actors", module + "/cdpclient", module + "/cdpclient/grid", module + "/cdpclient/launch", module + "/internal/filewatch", module + "/internal/hosts", module + "/internal/private", module + "/registry/browsers", module + "/registry/names", module + "/registry/sanitize"},
		why: "endpoints are named and dialled without knowing what is done with their browsers"},
	{in: "cmd/webmcp-hub/demo", forbid: module + "/...", allow: []string{module + "/cdpclient", module + "/cdpclient/launch", module + "/internal/agent", module + "/internal/jsonrpc"},
		why: "the demo sees the hub as a user and an agent do"},
	{in: "cmd/webmcp-hub/doctor", forbid: module + "/...", allow: []string{module + "/cdpclient", module + "/cdpclient/launch", module + "/extlink", module + "/internal/portholder", module + "/internal/private", module + "/registry/mcpserver/share"},
		why: "the doctor looks at what the hub needs and starts none"},
	{in: "live", forbid: module + "/...", allow: []string{module + "/live...", module + "/registry", module + "/registry/browsers", module + "/registry/names", module + "/registry/sanitize", module + "/internal/wording", module + "/registry/tokens", module + "/registry/mcpserver", module + "/registry/mcpserver/calls"}, tests: true,
		why: "the page sees what it is told: it reaches the hub through the interface that it declares itself"},
	{in: "live/model", forbid: module + "/...", allow: []string{module + "/registry", module + "/registry/browsers", module + "/registry/sanitize", module + "/internal/wording", module + "/registry/tokens"}, tests: true,
		why: "what is shown follows from what happened: no clock, no server"},
	{in: "live/model", forbid: "net/http...", why: "what is shown is known without a server"},
	{in: "", except: []string{"cmd", "live"}, forbid: module + "/live...", tests: true,
		why: "nothing of the hub needs somebody who looks at it"},
	{in: "cmd/webmcp-hub/uicmd", forbid: module + "/...", allow: []string{module + "/actors", module + "/automation/page", module + "/automation/watching", module + "/live", module + "/trust", module + "/registry", module + "/registry/names", module + "/registry/mcpserver", module + "/registry/mcpserver/client", module + "/internal/agent", module + "/internal/private"},
		why: "the flag puts the page and the hub together, and the command finds a page that is served"},
	{in: "cmd/webmcp-hub/inspectcmd", forbid: module + "/...", allow: []string{module + "/actors", module + "/actors/tab", module + "/automation/page", module + "/automation/records...", module + "/cdpclient", module + "/cdpclient/launch", module + "/check/report", module + "/check/hindrance", module + "/cmd/webmcp-hub/checkcmd", module + "/cmd/webmcp-hub/process", module + "/cmd/webmcp-hub/uicmd", module + "/internal/progress", module + "/live/model", module + "/registry", module + "/registry/mcpserver", module + "/registry/names", module + "/registry/offer", module + "/trust"},
		why: "a hub for one page is put together of the hub's parts, and has none of its own"},
	{in: "cmd/webmcp-hub/awaiting", forbid: module + "/...", allow: []string{module + "/actors", module + "/cdpclient", module + "/internal/progress"},
		why: "who waits for Chrome is shown whatever the hub does with it"},
	{in: "cmd/webmcp-hub/process", forbid: module + "/...", allow: []string{module + "/internal/pace"},
		why: "a process is one of its system, whatever the program does"},
	{in: "", except: []string{"actors/hubtest"}, forbid: module + "/internal/fakeclock",
		why: "fake time is for tests"},
	{in: "", forbid: module + "/internal/scripttest",
		why: "scripts are for tests"},
	{in: "", except: []string{"cmd", "bench"}, forbid: module + "/cmd...", tests: true,
		why: "a program is nobody's library"},
	{in: "", except: []string{"bench"}, forbid: module + "/bench...", tests: true,
		why: "benchmarks are nobody's library"},
	{in: "e2e", forbid: module + "/...", tests: true,
		why: "end-to-end tests see only what a user sees: the program, and pages"},
}

// A source is one Go file of this module.
type source struct {
	path string // with slashes, from the module's root
	dir  string
	test bool
	file *ast.File
}

func sources(t *testing.T, fset *token.FileSet, mode parser.Mode) (all []source) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == "testdata" || len(d.Name()) > 1 && strings.HasPrefix(d.Name(), ".")):
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".go":
			return nil
		}
		file, err := parser.ParseFile(fset, path, nil, mode)
		if err != nil {
			return err
		}
		path = filepath.ToSlash(path)
		all = append(all, source{path, filepath.ToSlash(filepath.Dir(path)), strings.HasSuffix(path, "_test.go"), file})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestImports(t *testing.T) {
	for _, s := range sources(t, token.NewFileSet(), parser.ImportsOnly) {
		for _, spec := range s.file.Imports {
			path, _ := strconv.Unquote(spec.Path.Value)
			for _, r := range rules {
				if r.broken(s, path) {
					t.Errorf("%s must not import %s: %s", s.path, path, r.why)
				}
			}
		}
	}
}

func (r rule) broken(s source, path string) bool {
	if s.test && (!r.tests || slices.Contains(anyTest, path)) || !under(s.dir, r.in) {
		return false
	}
	if slices.ContainsFunc(r.except, func(dir string) bool { return under(s.dir, dir) }) {
		return false
	}
	if slices.ContainsFunc(r.allow, func(p string) bool { return matches(path, p) }) {
		return false
	}
	if r.forbid == "third-party" {
		first, _, _ := strings.Cut(path, "/")
		return strings.Contains(first, ".")
	}
	return matches(path, r.forbid)
}

func under(dir, folder string) bool {
	return folder == "" || dir == folder || strings.HasPrefix(dir, folder+"/")
}

// matches compares an import path with a pattern; "a..." is a and all below it.
func matches(path, pattern string) bool {
	prefix, below := strings.CutSuffix(pattern, "...")
	prefix = strings.TrimSuffix(prefix, "/")
	return path == prefix || below && strings.HasPrefix(path, prefix+"/")
}

// TestRulesCatch makes sure that the rules would catch what they are for.
func TestRulesCatch(t *testing.T) {
	for _, bad := range []struct{ dir, path string }{
		{"actors", "github.com/mafredri/cdp/rpcc"},
		{"registry/mcpserver", "github.com/asynkron/protoactor-go/actor"},
		{"cmd/webmcp-hub", "github.com/mark3labs/mcp-go/server"},
		{"registry", "golang.org/x/time/rate"},
		{"registry", "webmcphub/cdpclient"},
		{"registry", "webmcphub/registry/mcpserver"},
		{"registry", "webmcphub/registry/focus"},
		{"registry", "webmcphub/registry/find"},
		{"registry/find", "webmcphub/registry/mcpserver/lens"},
		{"actors", "webmcphub/automation/page"},
		{"registry/mcpserver", "webmcphub/automation"},
		{"automation/page", "webmcphub/automation/snapshot"},
		{"registry/mcpserver/calls", "webmcphub/trust"},
		{"trust/rules", "webmcphub/registry/mcpserver/calls"},
		{"automation/snapshot", "webmcphub/actors"},
		{"automation/scripts", "webmcphub/automation/page"},
		{"registry/focus", "webmcphub/registry/mcpserver/lens"},
		{"registry/sanitize", "webmcphub/registry"},
		{"registry/sanitize", "webmcphub/registry/names"},
		{"registry/names", "webmcphub/registry"},
		{"registry/endings", "webmcphub/registry"},
		{"registry/offer", "webmcphub/registry"},
		{"registry/offer", "webmcphub/registry/sites"},
		{"registry/sites", "webmcphub/registry"},
		{"registry/sanitize", "github.com/santhosh-tekuri/jsonschema/v6"},
		{"registry", "log/slog"},
		{"registry/mcpserver", "webmcphub/actors"},
		{"registry/mcpserver", "webmcphub/cdpclient"},
		{"registry/mcpserver/calls", "webmcphub/registry/mcpserver"},
		{"registry/mcpserver/calls", "net/http"},
		{"registry/mcpserver/mcphttp", "webmcphub/registry"},
		{"registry/mcpserver/mcphttp", "webmcphub/registry/mcpserver/lens"},
		{"registry/mcpserver/wire", "webmcphub/registry/mcpserver/lens"},
		{"registry/mcpserver/lens", "webmcphub/registry/mcpserver/wire"},
		{"registry/mcpserver/client", "webmcphub/registry/mcpserver"},
		{"cdpclient", "webmcphub/registry"},
		{"cdpclient/bridge", "webmcphub/cdpclient/launch"},
		{"cdpclient/launch", "webmcphub/cdpclient/bridge"},
		{"cdpclient/mcpb", "webmcphub/cdpclient"},
		{"extlink", "webmcphub/registry"},
		{"extlink", "webmcphub/cdpclient"},
		{"actors", "github.com/gorilla/websocket"},
		{"actors", "webmcphub/registry/mcpserver"},
		{"actors/tab", "webmcphub/cdpclient"},
		{"actors/tab", "webmcphub/actors"},
		{"actors/tab", "webmcphub/actors/tab/ext"},
		{"actors/tab/cdp", "webmcphub/actors"},
		{"actors/tab/cdp", "webmcphub/actors/tab/ext"},
		{"actors/tab/cdp/pageserver", "webmcphub/cdpclient"},
		{"actors/tab/cdp/pageserver", "webmcphub/actors/tab/cdp"},
		{"actors", "webmcphub/actors/hubtest"},
		{"actors", "webmcphub/actors/tab/ext"},
		{"actors/browser", "webmcphub/actors"},
		{"actors/browser", "webmcphub/extlink"},
		{"actors/extbrowser", "webmcphub/cdpclient"},
		{"actors/extbrowser", "webmcphub/actors/browser"},
		{"actors/keeper", "webmcphub/actors/tab/cdp"},
		{"actors/tab/ext", "webmcphub/cdpclient"},
		{"actors/tab/ext", "webmcphub/actors"},
		{"actors", "webmcphub/cdpclient/cdptest"},
		{"e2e", "webmcphub/registry"},
		{"bench/plainhub", "github.com/mark3labs/mcp-go/server"},
		{"cmd/webmcp-hub", "gonum.org/v1/plot"},
		{"bench/storm", "gonum.org/v1/plot"},
		{"cmd/webmcp-hub/demo", "webmcphub/actors"},
		{"cmd/webmcp-hub/doctor", "webmcphub/registry/mcpserver"},
		{"cmd/webmcp-hub/process", "webmcphub/actors"},
		{"bench/storm", "webmcphub/cmd/webmcp-hub"},
		{"internal/jsonrpc", "webmcphub/registry"},
		{"internal/jsonrpc", "github.com/mark3labs/mcp-go/mcp"},
		{"internal/audit", "webmcphub/actors"},
		{"internal/toolstore", "webmcphub/registry/mcpserver"},
		{"internal/agent", "webmcphub/registry/mcpserver"},
		{"internal/settings", "webmcphub/internal/private"},
		{"internal/private", "webmcphub/registry"},
		{"internal/portholder", "webmcphub/extlink"},
		{"internal/audit", "go.etcd.io/bbolt"},
		{"registry/mcpserver", "github.com/prometheus/client_golang/prometheus"},
		{"internal/metrics", "webmcphub/actors"},
		{"cmd/webmcp-hub/web", "webmcphub/actors"},
		{"internal/private", "github.com/gofrs/flock"},
		{"actors", "webmcphub/internal/fakeclock"},
		{"registry", "webmcphub/internal/scripttest"},
		{"cluster/node", "webmcphub/registry/mcpserver"},
		{"cluster/gateway", "webmcphub/actors"},
		{"cluster/mailbox", "webmcphub/cluster/wire"},
		{"internal/telling", "webmcphub/actors"},
		{"cluster/replica", "webmcphub/cluster/link"},
		{"cluster/replica", "webmcphub/actors"},
	} {
		s := source{path: bad.dir + "/x.go", dir: bad.dir}
		if !slices.ContainsFunc(rules, func(r rule) bool { return r.broken(s, bad.path) }) {
			t.Errorf("no rule keeps %s from importing %s", bad.dir, bad.path)
		}
	}
}

func TestEveryPackageHasAComment(t *testing.T) {
	commented := map[string]bool{}
	for _, s := range sources(t, token.NewFileSet(), parser.ParseComments|parser.PackageClauseOnly) {
		commented[s.dir] = commented[s.dir] || s.file.Doc != nil
	}
	for dir, ok := range commented {
		if !ok {
			t.Errorf("the package in %s has no comment: say in its doc.go what lives there, what it promises, and who may call it from where", dir)
		}
	}
}

// TestNoSleep: a test waits for what happens, not for time to pass, and an actor
// waits for nothing. What lets a synctest bubble's fake time pass is
// internal/fakeclock.
func TestNoSleep(t *testing.T) {
	fset := token.NewFileSet()
	for _, s := range sources(t, fset, 0) {
		pkg := importName(s.file, "time")
		if !s.test && !under(s.dir, "actors") || pkg == "" {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Name == "Sleep" && isIdent(sel.X, pkg) {
				t.Errorf("%s sleeps: wait for an event instead, or use testing/synctest and internal/fakeclock; actors use timers that send messages", fset.Position(sel.Pos()))
			}
			return true
		})
	}
}

func isIdent(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

// importName is the name under which a file knows a package, or "".
func importName(file *ast.File, path string) string {
	for _, spec := range file.Imports {
		if p, _ := strconv.Unquote(spec.Path.Value); p == path {
			if spec.Name != nil {
				return spec.Name.Name
			}
			return path[strings.LastIndex(path, "/")+1:]
		}
	}
	return ""
}
