package calls

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"

	"webmcphub/registry"

	"webmcphub/mcpserver/arguments"
	"webmcphub/registry/focus"

	"webmcphub/mcpserver/listing"
	"webmcphub/mcpserver/view"

	"webmcphub/mcpserver/results"

	"webmcphub/registry/sanitize"
)

// Caller reaches pages. Its methods may be called from any goroutine.
type Caller interface {
	// Call runs a tool in its page. It always returns: when ctx ends, the
	// page is told to stop and a result that says so (see
	// [endings.ByTimeout]) comes back at once. context.Cause(ctx) is then
	// a [wire.TimeoutError], or else says who cancelled.
	Call(ctx context.Context, call Call) registry.Result
}

// Browser carries out the tab tools. Its methods may be called from any
// goroutine; they return when Chrome has answered, or ctx ends.
type Browser interface {
	// Connect returns when a browser is reached and its tabs are in the catalog.
	// With launch it starts a Chrome if there is none. Where there are several it is one of
	// those in, by their names, or of all. The error says what to do.
	Connect(ctx context.Context, launch bool, in ...string) (name, version string, err error)
	// OpenTab opens a tab and gives the id under which its page will appear.
	OpenTab(ctx context.Context, tab registry.NewTab) (registry.PageID, error)
	// ActivateTab brings a tab to the front.
	ActivateTab(ctx context.Context, page registry.PageID) error
	// CloseTab closes a tab; its page disappears soon after.
	CloseTab(ctx context.Context, page registry.PageID) error
	// ConnectPage attaches to a page and DisconnectPage lets go of it, unless
	// that is so already. The page's state in the catalog follows
	// ([registry.NotConnected]).
	ConnectPage(ctx context.Context, page registry.PageID) error
	DisconnectPage(ctx context.Context, page registry.PageID) error
	// Titles are those that tabs show now, which the catalog may not know yet. Tabs
	// that are missing show the catalog's.
	Titles(ctx context.Context) (map[registry.PageID]registry.Title, error)
}

// Call is one call of a page's tool.
type Call struct {
	Tool *registry.HubTool
	// Args is a JSON object that satisfies the tool's schema.
	Args json.RawMessage
	// Progress passes on the params of the page's progress notifications; nil
	// if the client wants none. It never blocks.
	Progress func(params json.RawMessage)
	// Meta is what the client's _meta says to the page, and Extensions MCP-B's
	// extensions of the call; each an object, or nil.
	Meta, Extensions json.RawMessage
	// Exactly is the tool as it was judged ([Trust]): if its page has changed it since,
	// it isn't called. Nil calls whichever the page has.
	Exactly *registry.PageTool
}

// besides is a [Action].Besides.
func (c Call) besides() json.RawMessage {
	meta := sanitize.WithoutTrace(c.Meta) // of which the client makes another for each request
	if meta == nil && c.Extensions == nil {
		return nil
	}
	return sanitize.Encode(struct {
		Meta       json.RawMessage `json:"_meta,omitempty"`
		Extensions json.RawMessage `json:"extensions,omitempty"`
	}{meta, c.Extensions})
}

// BrowserOptions say how browsers are reached. The zero value has none.
type BrowserOptions struct {
	Browser Browser // for the tab tools; without one they are not there
	// OnRequest says that browsers are reached when connect_browser asks, so
	// that clients that see all tabs need it too.
	OnRequest bool
	// OnNeed says that browsers are reached when a client that sees all tabs
	// needs one: by a call, or by having stayed.
	OnNeed bool
	// Several says that there are several browsers, each with a name, which agents can say.
	Several bool
	// Extension says that browsers may come by their extension.
	Extension bool
	// ExplicitConnect says that pages are left alone until connect_webmcp, so
	// that clients in focus mode need to see that too.
	ExplicitConnect bool
}

// Unreachable is a [Browser] that reaches none, whatever is called. The browser's
// status says all that can be done about it.
type Unreachable interface{ Unreachable() }

func (o BrowserOptions) unreachable() bool {
	_, is := o.Browser.(Unreachable)
	return is
}

// allTabsAudience is who all clients are that see all tabs.
func (o BrowserOptions) allTabsAudience() registry.Audience {
	return registry.Audience{Browser: o.OnRequest && !o.unreachable(), Connect: true, ByName: true}
}

// FocusAudience is who clients in focus mode are, where it shows them the tools.
func (o BrowserOptions) FocusAudience() registry.Audience {
	return registry.Audience{Browser: !o.unreachable(), Connect: o.ExplicitConnect}
}

// Options are what calls need besides.
type Options struct {
	BrowserOptions
	Automation Automation // nil for none
	MaxResult  int        // of a tool, in bytes
	Logger     *slog.Logger
	Oversight
}

// Handler carries out the clients' calls of tools. Any goroutine may use it.
type Handler struct {
	options Options
	log     *slog.Logger
	caller  Caller
	Current *view.Current
	own     ownTools
	schemas *arguments.Checker
	Leases  view.Leases
	Finder  *listing.Finder
	Wholes  results.Store // whole results of those that were cut
	opening openings
	changes ChangedTools // if there is a Trust
}

// New makes a handler, and the catalog that it begins with.
func New(o Options, caller Caller) *Handler {
	h := &Handler{options: o, log: o.Logger, caller: caller, schemas: arguments.New(o.Logger)}
	h.opening.now = map[string]*opening{}
	h.Finder = listing.NewFinder(func() *view.Served { return h.Current.Load() }, o.Logger)
	h.own = h.ownTools()
	h.Current = view.NewCurrent(view.Serve(registry.StartingCatalog(),
		view.Own{Listed: inList(h.own.allTabs), Static: leanList(h.own.allTabs)}, h.overall))
	return h
}

// ownTools are the hub's own tools.
type ownTools struct {
	core    []staticTool    // the tab tools, sorted
	connect []staticTool    // connect_webmcp and its opposite, sorted
	allTabs []staticTool    // those in the list of a client that sees all tabs, sorted
	operate []staticTool    // those of automation, sorted
	ofTabs  map[string]bool // of these, by name: see AutomationTool.Tabs
	byName  map[string]staticTool
}

func (s *Handler) ownTools() (own ownTools) {
	own.operate, own.ofTabs = s.automationTools()
	own.allTabs = append(staticTools(s), own.operate...)
	if browser := s.options.Browser; browser != nil {
		t := tabTools{s, browser}
		own.core, own.connect = t.staticTools(), t.connectTools()
		own.allTabs = append(own.allTabs, own.connect...)
		for _, t := range own.core {
			if (t.Name != focus.ConnectBrowser || s.options.OnRequest) && !(len(own.ofTabs) > 0 && slices.Contains(replacedTabTools, t.Name)) { // connected they are all the same
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
	return own
}

func inList(tools []staticTool) (all []json.RawMessage) {
	for _, t := range tools {
		all = append(all, t.Encoded)
	}
	return all
}

// leanList is the same for the static list.
func leanList(tools []staticTool) (all []json.RawMessage) {
	for _, t := range tools {
		all = append(all, view.LeanTool(t.Tool))
	}
	return all
}

// OwnTools are the hub's own tools that clients may be shown: what each says of itself, by
// name.
func (s *Handler) OwnTools() map[string]string {
	all := make(map[string]string, len(s.own.byName))
	for name, t := range s.own.byName {
		all[name] = t.Description
	}
	return all
}

// Reserved are the names of the tools of automation, which no page's tool may have in
// focus mode.
func (s *Handler) Reserved() (reserved []string) {
	for _, t := range s.own.operate {
		reserved = append(reserved, t.Name)
	}
	return reserved
}

// FocusListing is the list of a client in focus mode: the core tools of its
// state and the focused tab's tools.
func (s *Handler) FocusListing(shown *focus.View) view.Listing {
	var core []staticTool
	if s.options.ExplicitConnect && (shown.State == focus.NoneFocused || shown.State == focus.TabFocused) {
		core = slices.Clone(s.own.connect)
	}
	for _, t := range s.own.core {
		if slices.Contains(shown.State.CoreTools(), t.Name) {
			core = append(core, t)
		}
	}
	if shown.State == focus.NoneFocused || shown.State == focus.TabFocused {
		for _, t := range s.own.operate {
			if !s.own.ofTabs[t.Name] {
				core = append(core, t)
			}
		}
	}
	slices.SortFunc(core, byToolName)
	return view.NewListing(inList(core), shown.Tools)
}
