package webmcphub_test

// A folder here is a top-level folder with all packages below it.
//
// arrows says which folders the packages of a folder may import.
var arrows = map[string][]string{
	"registry":   {}, // the pure core
	"extension":  {},
	"cdpclient":  {"extension", "internal"},
	"extlink":    {"internal"},
	"actors":     {"registry", "cdpclient", "extlink", "internal"},
	"mcpserver":  {"registry", "internal"},
	"automation": {"registry", "cdpclient", "internal"},
	"trust":      {"registry", "mcpserver", "internal"},
	"recording":  {"registry", "internal"},
	"live":       {"registry", "mcpserver", "internal"},
	"check":      {"registry", "mcpserver", "actors", "cdpclient", "recording", "internal"},
	"cluster":    {"registry", "mcpserver", "actors", "cdpclient", "automation", "internal"},
	"internal":   {"registry", "mcpserver"},
	"cmd": {"registry", "mcpserver", "actors", "cdpclient", "extlink", "extension", "automation", "trust", "recording",
		"live", "check", "cluster", "release", "internal"},
	"bench":   {"registry", "mcpserver", "actors", "cdpclient", "extlink", "internal"},
	"docs":    {"cdpclient", "internal"},
	"e2e":     {}, // it starts the programs, as users do
	"deploy":  {},
	"release": {"extension"}, // it packs this, and the programs that goreleaser has built
}

// testArrows says what the tests of a folder may import besides: they run it together with the folders that use it.
var testArrows = map[string][]string{
	"actors":     {"mcpserver"},
	"automation": {"mcpserver", "actors"},
	"bench":      {"check", "recording"},
}

// anyTest are the packages that only tests import, from whichever folder.
var anyTest = []string{
	module + "/actors/hubtest", module + "/automation/automationtest", module + "/automation/corpus", module + "/internal/proxytest",
	module + "/cdpclient/cdptest", module + "/cluster/leases/leasetest", module + "/cluster/etcd/etcdtest",
	module + "/extlink/exttest", module + "/internal/fakeclock", module + "/internal/mask/masktest", module + "/internal/o200k", module + "/internal/proctest", module + "/internal/scripttest",
}

// A rule says what the packages under a folder ("" is all) may import, beyond the arrows between folders.
type rule struct {
	in     string   // the folder the rule holds for, with what is below it
	except []string // folders below it for which it doesn't hold
	forbid string   // the import path, or its beginning when it ends in "..."
	allow  []string // imports that are fine all the same, written likewise
	tests  bool     // whether it holds for _test.go files too
	why    string
}

var rules = []rule{
	// Libraries: each is known in one place.
	{in: "", except: []string{"cdpclient"}, forbid: "github.com/mafredri/cdp...",
		why: "cdpclient alone knows how Chrome is reached"},
	{in: "", except: []string{"actors"}, forbid: "github.com/asynkron/protoactor-go...", tests: true,
		why: "the actor library's hazards are handled in actors"},
	{in: "", except: []string{"mcpserver"}, forbid: "github.com/mark3labs/mcp-go/server...",
		why: "the MCP server has one writer"},
	{in: "mcpserver/calls", forbid: "github.com/mark3labs/mcp-go/server...", why: "calls answer; the sessions send"},
	{in: "mcpserver/calls", forbid: "net/http...", why: "calls don't know how their client is connected"},
	{in: "", except: []string{"cluster/etcd"}, forbid: "go.etcd.io/etcd/...", tests: true,
		why: "what the cluster keeps is decided in cluster/leases; where it is kept is known in one place"},
	{in: "", except: []string{"internal/o200k"}, forbid: "github.com/pkoukk/...", tests: true,
		why: "the hub's binary has no tokenizer; registry/tokencount estimates"},
	{in: "", except: []string{"internal/toolstore"}, forbid: "go.etcd.io/bbolt...", tests: true,
		why: "one package writes the database of tools"},
	{in: "", except: []string{"internal/private", "mcpserver/share", "cdpclient/launch", "trust/pins/store"}, forbid: "github.com/gofrs/flock", tests: true,
		why: "files are locked where several processes write them"},
	{in: "", except: []string{"internal/metrics"}, forbid: "github.com/prometheus/...", tests: true, why: "one package knows Prometheus"},
	{in: "", except: []string{"internal/tracing", "e2e"}, forbid: "go.opentelemetry.io/...", tests: true, why: "one package knows OpenTelemetry"},
	{in: "internal/tracing", forbid: "go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp",
		why: "its client reads environment variables and follows redirects"},
	{in: "", except: []string{"internal/terminal"}, forbid: "github.com/schollz/progressbar...", tests: true, why: "one package draws on the terminal"},
	{in: "actors", forbid: "github.com/gorilla/websocket", why: "the two links read and write sockets"},
	{in: "mcpserver", forbid: "github.com/gorilla/websocket", why: "MCP has no WebSocket transport"},

	{in: "", except: []string{"cmd/release", "release"}, forbid: module + "/release", why: "no program that is shipped makes packages"},

	// The pure core: no clock, no I/O, no library.
	{in: "release", forbid: "third-party", why: "packages are made with the standard library, so that nothing has to be fetched for it"},
	{in: "registry", forbid: "third-party", why: "the core needs the standard library only, so that tests are plain values"},
	{in: "registry", forbid: "context", why: "the core waits for nothing"},
	{in: "registry", forbid: "log...", why: "the core's results say what happened"},
	{in: "registry", forbid: "os...", why: "the core does no I/O"},
	{in: "registry", forbid: "net/http...", why: "the core does no I/O"},
	{in: "registry/sanitize", forbid: module + "/...", tests: true, why: "a leaf: it makes texts, schemas and results safe, whoever sent them"},
	{in: "registry/tokencount", forbid: module + "/...", tests: true, why: "a leaf"},
	{in: "registry/names", forbid: module + "/...", allow: []string{module + "/registry/sanitize"}, tests: true, why: "a leaf: names and origins are made of texts"},
	{in: "registry/offer", forbid: module + "/...", allow: []string{module + "/registry/names", module + "/registry/sanitize"}, tests: true,
		why: "a definition is made without knowing what else there is: no State, no Catalog"},
	{in: "registry", except: []string{"registry/find", "registry/focus"}, forbid: module + "/registry/find", why: "the index is made of catalogs, not the other way round"},
	{in: "registry", except: []string{"registry/focus"}, forbid: module + "/registry/focus", why: "what one client sees is made of catalogs, not the other way round"},
	{in: "automation/snapshot/tree", forbid: "context", why: "pure: Chrome's answers become a tree"},
	{in: "automation/snapshot/tree", forbid: module + "/...", allow: []string{module + "/registry/sanitize", module + "/internal/mask"}, why: "pure: Chrome's answers become a tree"},
	{in: "automation/trace", except: []string{"automation/trace/record"}, forbid: "context", why: "pure: a trace is read, whoever recorded it"},
	{in: "automation/trace", except: []string{"automation/trace/record"}, forbid: module + "/...", allow: []string{module + "/registry/sanitize"}, why: "pure: a trace is read, whoever recorded it"},
	{in: "automation/input/keys", forbid: module + "/...", tests: true, why: "a leaf: the keyboard"},
	{in: "trust/rules", forbid: module + "/...", allow: []string{module + "/registry/names", module + "/registry/sanitize", module + "/internal/private", module + "/internal/settings", module + "/internal/fakeclock"}, tests: true,
		why: "rules decide by what they are asked, and know neither clients nor pages"},
	{in: "trust/flow", forbid: module + "/...", allow: []string{module + "/registry/names"}, tests: true, why: "a leaf: origins and what was read of them"},
	{in: "trust/pins", except: []string{"trust/pins/store"}, forbid: "os...", why: "pure: pinned definitions are compared; trust/pins/store keeps them"},
	{in: "trust/pins", forbid: module + "/mcpserver...", tests: true, why: "pins know definitions, and no client"},
	{in: "check", except: []string{"check/probe"}, forbid: module + "/actors...", tests: true, why: "only check/probe opens pages"},
	{in: "check", except: []string{"check/probe"}, forbid: module + "/cdpclient...", tests: true, why: "only check/probe opens pages"},
	{in: "internal/mask", except: []string{"internal/mask/masktest"}, forbid: module + "/...", allow: []string{module + "/internal/wording", module + "/internal/jsonrpc"}, why: "a leaf: secrets are the same wherever they are written"},
	{in: "internal/jsonrpc", forbid: module + "/...", why: "a leaf: messages are read the same everywhere"},

	// Arrows inside folders.
	{in: "cdpclient", except: []string{"cdpclient/launch", "cdpclient/cdptest"}, forbid: module + "/cdpclient/launch", why: "a connection doesn't start what it connects to"},
	{in: "cdpclient/launch", forbid: module + "/cdpclient/bridge", why: "what starts Chrome puts nothing into pages"},
	{in: "cdpclient/pagemcp", forbid: module + "/cdpclient", why: "it speaks with a page's server over any bridge"},
	{in: "actors/tab", except: []string{"actors/tab/cdp"}, forbid: module + "/...",
		allow: []string{module + "/registry", module + "/registry/offer", module + "/registry/names", module + "/registry/sanitize"},
		why:   "a tab's life is the same however it is reached"},
	{in: "actors/tab/cdp", forbid: module + "/extlink...", why: "one of the two ways to a tab"},
	{in: "actors/browser", forbid: module + "/extlink...", why: "one of the two ways to a browser"},
	{in: "actors/extbrowser", forbid: module + "/cdpclient", why: "one of the two ways to a browser"},
	{in: "actors/supervisor", forbid: module + "/actors/tab/cdp", why: "it keeps tabs however they are reached"},
	{in: "mcpserver", except: []string{"mcpserver/share"}, forbid: module + "/mcpserver/share", why: "a server doesn't know that processes share it"},
	{in: "mcpserver/wire", forbid: module + "/mcpserver/view", why: "a connection carries messages; what its client sees is decided elsewhere"},
	{in: "automation/page", forbid: module + "/automation/...", why: "a page doesn't know the tools that act on it"},
	{in: "automation/snapshot", forbid: module + "/automation/input...", why: "looking acts on nothing"},
	{in: "cluster/leases", forbid: module + "/...", allow: []string{module + "/cluster/leases...", module + "/cluster/names"}, tests: true,
		why: "a leaf: its Client is pure, as who gets which browser follows from who is there and who waits; its Store reaches the entries through a Backend only"},
	{in: "cluster/mailbox", forbid: module + "/...", tests: true, why: "a leaf: messages wait, whatever they are"},
	{in: "cluster/node", forbid: module + "/mcpserver...", why: "a node is a hub without MCP: clients are at the gateways"},
	{in: "cluster/gateway", forbid: module + "/actors...", why: "a gateway has no browser"},
	{in: "cluster/gateway", forbid: module + "/mcpserver/share", tests: true, why: "processes of one machine share a hub; gateways share nodes"},
	{in: "cluster/pages", forbid: "third-party", allow: []string{"google.golang.org/protobuf..."}, why: "pure: what a gateway knows of a node follows from messages"},
	{in: "cluster/pages", forbid: module + "/cluster/transport", tests: true, why: "pure: what a gateway knows of a node follows from messages"},
	{in: "cluster/pages", forbid: "google.golang.org/grpc...", tests: true, why: "pure: what a gateway knows of a node follows from messages"},
	{in: "cluster/api", forbid: module + "/...", why: "it is made from node.proto"},
	{in: "cmd/webmcp-hub", forbid: module + "/cluster...", tests: true, why: "the hub of one machine carries no gRPC and no etcd"},
	{in: "bench", except: []string{"bench/cmd"}, forbid: module + "/cmd...", tests: true, why: "benchmarks measure the program as it is started, or its parts"},
}
