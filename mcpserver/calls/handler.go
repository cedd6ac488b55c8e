package calls

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"sync"

	"webmcphub/mcpserver/arguments"
	"webmcphub/mcpserver/listing"
	"webmcphub/mcpserver/results"
	"webmcphub/mcpserver/view"
	"webmcphub/registry"
	"webmcphub/registry/focus"
	"webmcphub/registry/sanitize"
)

// Caller calls tools in pages. Any goroutine may call its methods.
type Caller interface {
	// Call runs a tool in its page and always returns. When ctx ends, Call cancels the call in the page and at once
	// returns a result that says so (see [registry.EndedByTimeout]). context.Cause(ctx) is then a [wire.TimeoutError],
	// or an error that says who cancelled the call.
	Call(ctx context.Context, call Call) registry.Result
}

// Browser carries out the tab tools. Any goroutine may call its methods. They return when Chrome has answered or ctx
// ends.
type Browser interface {
	// Connect returns when a browser is reached and its tabs are in the catalog. If launch is true and there is no
	// Chrome, Connect starts one. Where there are several browsers, Connect reaches one of those named by in, or any
	// one if in is empty. The error says what to do.
	Connect(ctx context.Context, launch bool, in ...string) (name, version string, err error)
	// OpenTab opens a tab and returns the id under which its page will appear in the catalog.
	OpenTab(ctx context.Context, tab registry.NewTab) (registry.PageID, error)
	// ActivateTab brings a tab to the front.
	ActivateTab(ctx context.Context, page registry.PageID) error
	// CloseTab closes a tab. Its page leaves the catalog soon after.
	CloseTab(ctx context.Context, page registry.PageID) error
	// ConnectPage attaches to a page, and DisconnectPage detaches from it. Each does nothing if that has happened
	// already. The page's state in the catalog ([registry.NotConnected]) follows.
	ConnectPage(ctx context.Context, page registry.PageID) error
	DisconnectPage(ctx context.Context, page registry.PageID) error
	// Titles returns the titles that the tabs show now, which may be newer than the catalog's. A tab that is missing
	// from the map shows the catalog's title.
	Titles(ctx context.Context) (map[registry.PageID]registry.Title, error)
}

// Call is one call of a page's tool.
type Call struct {
	Tool *registry.HubTool
	// Args is a JSON object that satisfies the tool's schema.
	Args json.RawMessage
	// Progress receives the params of the page's progress notifications. It is nil if the client wants none. It never
	// blocks.
	Progress func(params json.RawMessage)
	// Meta is the part of the client's _meta that the page receives, and Extensions are MCP-B's extensions of the
	// call. Each is a JSON object or nil.
	Meta, Extensions json.RawMessage
	// Exactly is the tool's definition when [Trust] allowed the call. If the page has changed the definition since,
	// the Caller doesn't call the tool. If Exactly is nil, any definition will do.
	Exactly *registry.PageTool
}

// besides returns the call's [Action].Besides.
func (c Call) besides() json.RawMessage {
	meta := sanitize.WithoutTrace(c.Meta) // the client sends another trace with each request
	if meta == nil && c.Extensions == nil {
		return nil
	}
	return sanitize.Encode(struct {
		Meta       json.RawMessage `json:"_meta,omitempty"`
		Extensions json.RawMessage `json:"extensions,omitempty"`
	}{meta, c.Extensions})
}

// BrowserOptions say how the hub reaches browsers. With the zero value it reaches none.
type BrowserOptions struct {
	Browser Browser // carries out the tab tools; if it is nil, there are no tab tools
	// OnRequest reports that the hub reaches browsers when an agent calls connect_browser. Then that tool is also in
	// the list of clients that see all tabs.
	OnRequest bool
	// OnNeed reports that the hub reaches browsers when a client that sees all tabs needs one: because it calls a
	// tool, or because it has stayed connected for a while.
	OnNeed bool
	// Several reports that there are several browsers. Each has a name, by which agents can choose it.
	Several bool
	// Extension reports that browsers may connect through the extension.
	Extension bool
	// ExplicitConnect reports that the hub attaches to no page until an agent calls connect_webmcp. Then that tool is
	// also in the list of clients in focus mode.
	ExplicitConnect bool
	// Unreachable reports that Browser never reaches a browser, whichever method is called. The browser's status then
	// says all that can be done about it.
	Unreachable bool
}

// allTabsVisible returns the tools that texts for clients that see all tabs may name.
func (o BrowserOptions) allTabsVisible() registry.VisibleTools {
	return registry.VisibleTools{Browser: o.OnRequest && !o.Unreachable, Connect: true, ByName: true}
}

// FocusVisible returns the tools that texts for clients in focus mode may name, if those clients' list contains them.
func (o BrowserOptions) FocusVisible() registry.VisibleTools {
	return registry.VisibleTools{Browser: !o.Unreachable, Connect: o.ExplicitConnect}
}

// Options configure a Handler; it also needs a [Caller].
type Options struct {
	BrowserOptions
	Automation Automation // nil for none
	Categories string     // the [view.Settings.Automation] of clients that bring no view of their own
	MaxResult  int        // of a tool's result, in bytes
	Logger     *slog.Logger
	Oversight
}

// Handler carries out the clients' tool calls. Any goroutine may use it.
type Handler struct {
	options Options
	log     *slog.Logger
	caller  Caller
	Current *view.Current
	own     sync.Map // an *ownTools for each [view.Settings.Automation] of a client
	schemas *arguments.Checker
	Leases  view.Leases
	Finder  *listing.Finder
	Wholes  results.Store // the full text of results that were cut
	opening openings
	changes ChangedTools // kept only if there is a Trust
}

// New returns a Handler whose current catalog is the starting catalog.
func New(o Options, caller Caller) *Handler {
	h := &Handler{options: o, log: o.Logger, caller: caller, schemas: arguments.New(o.Logger)}
	h.opening.now = map[string]*opening{}
	h.Finder = listing.NewFinder(func() *view.ServedCatalog { return h.Current.Load() })
	h.Current = view.NewCurrent(view.NewServedCatalog(registry.StartingCatalog(), h.ownFor(o.Categories).lists))
	return h
}

// Setup returns what the view of a client begins with. longest is as in [view.Setup].
func (s *Handler) Setup(v view.Settings, longest int) view.Setup {
	own := s.ownFor(v.Automation)
	var reserved []string
	for _, t := range own.operate {
		reserved = append(reserved, t.Name)
	}
	return view.Setup{
		Longest: longest, Served: s.Current.Load(), Own: own.lists, For: s.options.FocusVisible(), Reserved: reserved,
		Core: func(shown *focus.View) view.Listing { return s.focusListing(own, shown) },
	}
}

// ownFor returns the hub's own tools for clients with these categories of browser tools.
func (s *Handler) ownFor(categories string) *ownTools {
	own, made := s.own.Load(categories)
	if !made {
		own, _ = s.own.LoadOrStore(categories, s.ownTools(categories))
	}
	return own.(*ownTools)
}

// ownTool returns the tool of the hub that a client means by a name.
func (c ToolCall) ownTool(s *Handler, name string) (t staticTool, ok bool) {
	t, ok = s.ownFor(c.Client.View.Settings().Automation).byName[name]
	return t, ok
}

type ownTools struct {
	lists   *view.Own
	core    []staticTool    // the tab tools, sorted
	connect []staticTool    // connect_webmcp and disconnect_webmcp, sorted
	allTabs []staticTool    // the tools listed for a client that sees all tabs, sorted
	operate []staticTool    // the browser tools of Automation, sorted
	ofTabs  map[string]bool // the names of those in operate that are about tabs, see browsertool.Tool.Tabs
	byName  map[string]staticTool
}

func (s *Handler) ownTools(categories string) *ownTools {
	own := &ownTools{}
	own.operate, own.ofTabs = s.automationTools(categories)
	own.allTabs = append(staticTools(s), own.operate...)
	if s.options.Browser != nil {
		own.core, own.connect = s.coreTools(), s.connectTools()
		own.allTabs = append(own.allTabs, own.connect...)
		for _, t := range own.core {
			// Clients that see all tabs are connected anyway.
			if (t.Name != focus.ConnectBrowser || s.options.OnRequest) &&
				!(len(own.ofTabs) > 0 && slices.Contains(replacedTabTools, t.Name)) {
				own.allTabs = append(own.allTabs, t)
			}
		}
	}
	for i, t := range own.allTabs {
		if slices.Contains(view.InView, t.Name) {
			own.allTabs[i].Tool = t.Labelled(view.KeepInView)
		}
	}
	slices.SortFunc(own.allTabs, byToolName)
	own.byName = map[string]staticTool{}
	for _, t := range append(slices.Clone(own.core), own.allTabs...) {
		own.byName[t.Name] = t
	}
	own.lists = &view.Own{Listed: inList(own.allTabs), Static: leanList(own.allTabs)}
	return own
}

func inList(tools []staticTool) (all []json.RawMessage) {
	for _, t := range tools {
		all = append(all, t.Encoded)
	}
	return all
}

// leanList does what inList does, for the static list.
func leanList(tools []staticTool) (all []json.RawMessage) {
	for _, t := range tools {
		all = append(all, view.LeanTool(t.Tool))
	}
	return all
}

// OwnTools returns the descriptions of the hub's own tools for clients with these categories of browser tools, by name.
func (s *Handler) OwnTools(categories string) map[string]string {
	own := s.ownFor(categories)
	all := make(map[string]string, len(own.byName))
	for name, t := range own.byName {
		all[name] = t.Description
	}
	return all
}

// focusListing returns the list of a client in focus mode: the core tools for its state, then the focused tab's
// tools.
func (s *Handler) focusListing(own *ownTools, shown *focus.View) view.Listing {
	var core []staticTool
	if s.options.ExplicitConnect && (shown.State == focus.NoneFocused || shown.State == focus.TabFocused) {
		core = slices.Clone(own.connect)
	}
	for _, t := range own.core {
		if slices.Contains(shown.State.CoreTools(), t.Name) {
			core = append(core, t)
		}
	}
	if shown.State == focus.NoneFocused || shown.State == focus.TabFocused {
		for _, t := range own.operate {
			if !own.ofTabs[t.Name] {
				core = append(core, t)
			}
		}
	}
	slices.SortFunc(core, byToolName)
	return view.NewListing(inList(core), shown.Tools)
}
