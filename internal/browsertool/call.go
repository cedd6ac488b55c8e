package browsertool

import (
	"context"
	"encoding/json"

	"webmcphub/registry"
)

// Tool is one of the tools, as the MCP server lists it. It must not be modified.
type Tool struct {
	Name                  string
	Input, Encoded        json.RawMessage // the input schema, and the whole Tool object
	ReadOnly, Destructive bool            // what its annotations say
	// Tabs reports that the tool lists, opens, chooses or closes tabs. Clients in focus mode use the core tools for
	// that instead. For other clients such tools replace the core tools.
	Tabs bool
	// OwnTime reports that the tool needs no browser and decides itself how long it takes. The client's time limit
	// doesn't end it, and no list_changed waits for its answer.
	OwnTime bool
	// Arguments translates earlier spellings of the arguments into the current ones.
	Arguments func(json.RawMessage) json.RawMessage
}

// Client describes the client that made a call.
type Client struct {
	ID   string // the session's id; "" if calls of the same client can't be told from others' calls
	Name string // as shown to other agents
	// Current returns the hub's current catalog. Catalog returns the same, but first asks the browser for the titles
	// that tabs show now.
	Current func() *registry.Catalog
	Catalog func(ctx context.Context) *registry.Catalog
	// Await waits for a catalog for which satisfied is true. It returns nil if ctx ends first.
	Await func(ctx context.Context, satisfied func(*registry.Catalog) bool) *registry.Catalog
	// Refusal says why the client must not use a tab that another client keeps to itself. It returns "" if the client
	// may use the tab.
	Refusal func(*registry.Tab) string
	// Focused returns the tab that the client has focused by focus_tab, or nil if it has focused none.
	Focused func() *registry.Tab
	// FocusMode says that the client chooses its tab by focus_tab.
	FocusMode bool
	// Roots returns the folders, as file URIs, in which the client lets the tools read and write files. The error
	// says why they aren't known.
	Roots func(ctx context.Context) ([]string, error)
	// Elsewhere says that the client's files are on another machine. The tools then read and write no files.
	Elsewhere bool
	// Chosen holds the client's current page where the tools don't keep it; otherwise it is nil.
	Chosen *CurrentPages
}

// Call is one call of a tool.
type Call struct {
	Tool string
	Args json.RawMessage // an object that satisfies the tool's schema
	Client
	// Progress tells the client what the call is waiting for. It never blocks.
	Progress func(what string)
	// About is told which tab the call acts on.
	About func(*registry.Tab)
	// Judge decides whether the call may carry out action d, and returns an error that says why not. It may take
	// long, for example while it asks a person. From [StageAct] on it returns at once, and any goroutine may call it.
	// If Judge is nil, everything is allowed.
	Judge func(ctx context.Context, d Action) error
	// Reads is told the origins of the documents of which the call's result tells. It may be nil.
	Reads func(origins []string)
}

// Action describes what a call is about to do, for the judge that decides whether it may.
type Action struct {
	Tab *registry.Tab // nil if the call acts without a tab
	// Frame is the origin of the document in which the call acts, or "" if that is the tab's own document. If that
	// origin doesn't say who controls the document, Around has further origins: that of the document's address and
	// those of the documents around it.
	Frame  string
	Around []string
	To     string // the address to which the call navigates, or ""
	// Emulated says that settings of the emulate tool are in force in the tab. The page at To would notice them.
	Emulated bool
	Stage    Stage
	// Anywhere says that the call may tell its arguments to any site.
	Anywhere bool
	// On describes in words the elements on which the call acts; "" if there are none.
	On string
}

// Stage says how far a call has come when one of its actions is decided about.
type Stage int

// The stages.
const (
	StageBegin  Stage = iota // the call is to begin
	StageEnter               // the call goes on in a further document; it doesn't count as another call
	StageAct                 // the action was allowed earlier and is carried out now; nobody is asked
	StageRead                // the call changes nothing more, it only reads a further document; nobody is asked
	StageFollow              // the call goes on in a further document to which it has led; nobody is asked
)
