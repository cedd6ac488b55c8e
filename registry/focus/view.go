package focus

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"webmcphub/registry"

	"webmcphub/registry/names"
)

// reservedNames are names that no page's tool may have in focus mode, besides those in [Focus].Reserved.
var reservedNames = map[string]bool{
	ConnectBrowser: true, ListTabs: true, OpenTab: true, FocusOnTab: true, CloseTab: true,
	"connect_webmcp": true, "disconnect_webmcp": true, "list_webmcp_tools": true, "find_webmcp_tools": true,
	"call_webmcp_tool": true, "call_webmcp_tools": true, "read_result": true,
}

// BareTools returns a tab's published tools as focus mode shows them, sorted by name. They have the page's own names,
// sanitized, at most max bytes long (0 means [names.DefaultMaxName]). Equal names get distinguishing suffixes, and
// names that the hub or reserved keeps get the prefix "page_". Neither name, description nor _meta has the page's
// index, which changes when other tabs close. The same tab gives the same tools; callers that need them often keep
// them.
func BareTools(t *registry.Tab, max int, reserved ...string) []*registry.HubTool {
	n := bareNamer{reserved: reserved, max: bareLimit(max), taken: make(map[string]bool, len(t.Published())),
		ranks: map[registry.FrameID]int{}}
	bare := make([]*registry.HubTool, 0, len(t.Published()))
	for _, h := range t.Published() {
		name := n.name(h)
		if name == "" {
			continue // a page that provokes clashing hashes loses this tool
		}
		bare = append(bare, h.Bare(name))
	}
	slices.SortFunc(bare, func(a, b *registry.HubTool) int { return strings.Compare(a.Name, b.Name) })
	return bare
}

func bareLimit(max int) int { return names.MaxName(cmp.Or(max, names.DefaultMaxName)) }

// bareNamer gives the tools of one tab their names, first come, first served.
type bareNamer struct {
	reserved []string
	max      int
	taken    map[string]bool
	ranks    map[registry.FrameID]int // the frames in the order of their tools
}

func (n *bareNamer) name(h *registry.HubTool) string {
	if _, seen := n.ranks[h.Route.Frame]; !seen {
		n.ranks[h.Route.Frame] = len(n.ranks)
	}
	plain := names.Sanitize(h.Route.Tool)
	if plain[0] >= '0' && plain[0] <= '9' || strings.HasPrefix(plain, "webmcp_") || reservedNames[plain] ||
		slices.Contains(n.reserved, plain) {
		plain = "page_" + plain // model APIs require a letter or '_' first
	}
	key := strconv.Itoa(n.ranks[h.Route.Frame]) + "\x00" + h.Route.Tool
	name := names.First(names.Style{}.Plain("", 0, plain, n.max), func(name string) bool { return !n.taken[name] },
		func(attempt int) string {
			return names.Style{}.Distinct("", 0, plain, key, attempt, n.max)
		})
	n.taken[name] = true
	return name
}

// View is what a client in focus mode sees at one moment. It is immutable.
type View struct {
	Catalog *registry.Catalog
	State   State
	Tab     *registry.Tab       // the focused tab, or nil
	Tools   []*registry.HubTool // the focused tab's tools, sorted by name

	to registry.VisibleTools // as Focus.For
}

// View returns what the client sees now.
func (f Focus) View(c *registry.Catalog) View {
	v := View{Catalog: c, State: f.State(c), Tab: f.Tab(c), to: f.For}
	if v.Tab != nil {
		v.Tools = BareTools(v.Tab, f.MaxName, f.Reserved...)
	}
	return v
}

// VisibleTools says which of the tools that the client sees now help it.
func (v View) VisibleTools() registry.VisibleTools {
	return registry.VisibleTools{
		Browser: v.to.Browser && v.State == Disconnected,
		Connect: v.to.Connect && (v.State == NoneFocused || v.State == TabFocused),
	}
}

// Has reports whether the client sees a tool of that name.
func (v View) Has(name string) bool { return v.lookup(name) != nil }

// lookup returns the tool with a bare name, or nil.
func (v View) lookup(name string) *registry.HubTool {
	i, found := slices.BinarySearchFunc(v.Tools, name,
		func(t *registry.HubTool, name string) int { return strings.Compare(t.Name, name) })
	if !found {
		return nil
	}
	return v.Tools[i]
}
