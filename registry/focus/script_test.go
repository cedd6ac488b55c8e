package focus

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"webmcphub/internal/scripttest"
	"webmcphub/registry"

	"webmcphub/registry/names"
	"webmcphub/registry/offer"
)

// TestFocusScripts plays testdata/*.txt, which read like the diagram of
// focus mode: a line is what happens, an arrow, and the state and tools that
// the client then sees, with "!list_changed" if it is told. Results and errors
// of calls follow, indented. An empty line begins anew, with no browser. Lines
// that begin with '#' are comments. Run with -update to rewrite what follows
// the arrows; read the diff before you commit it.
func TestFocusScripts(t *testing.T) {
	scripttest.Play(t, playFocus)
}

func playFocus(t *testing.T, file string) string {
	var b strings.Builder
	c := newFocusScript(t)
	for line := range strings.Lines(file) {
		line = strings.TrimRight(line, "\n")
		switch {
		case line == "":
			c = newFocusScript(t)
		case strings.HasPrefix(line, " "):
			continue // an old result
		case !strings.HasPrefix(line, "#"):
			line, _, _ = strings.Cut(line, " ->")
			c.told, c.said = 0, nil
			if err := c.run(line); err != nil {
				t.Errorf("%q: %v", line, err)
			}
			line += " -> " + c.sees()
			for _, s := range c.said {
				line += "\n    " + s
			}
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// focusScript is the state behind one paragraph: a hub and one client of it.
// Page "2" is the tab with the id 2.
type focusScript struct {
	hub    *hub
	focus  Focus
	seen   *View // what the client read last
	opened int
	told   int // list_changed, by this line
	said   []string
}

func newFocusScript(t *testing.T) *focusScript {
	c := &focusScript{hub: newHub(t, registry.Options{}), focus: Focus{For: registry.VisibleTools{Browser: true}}}
	c.world(registry.BrowserChanged{Status: "no browser is running"})
	return c
}

// world tells the hub what happened, and the client of each new catalog.
func (c *focusScript) world(events ...registry.Event) {
	for _, e := range append(events, registry.FlushDue{}, registry.FlushDue{}) {
		for _, effect := range c.hub.step(e) {
			if _, new := effect.(registry.SetCatalog); new {
				c.step(CatalogChanged{})
			}
		}
	}
}

func (c *focusScript) step(e Event) {
	if c.focus.Step(c.now(), e) {
		c.told++
	}
}

func (c *focusScript) now() *registry.Catalog { return c.hub.state.Catalog() }

func (c *focusScript) view() View { return c.focus.View(c.now()) }

// sees is what the client sees: the state and the tools, in the seed's order.
func (c *focusScript) sees() string {
	v := c.view()
	s := v.State.String() + ": " + strings.Join(append(v.State.CoreTools(), toolNames(v.Tools)...), " ")
	switch c.told {
	case 0:
	case 1:
		s += " !list_changed"
	default:
		s += fmt.Sprintf(" !list_changed (%d times)", c.told)
	}
	return s
}

func (c *focusScript) answer(r registry.Result) {
	structured := decoded[struct{ StructuredContent json.RawMessage }](c.hub.t, r.JSON).StructuredContent
	c.said = append(c.said, string(structured))
}

func (c *focusScript) fail(err error) { c.said = append(c.said, "error: "+err.Error()) }

func (c *focusScript) run(line string) error {
	args, named, err := scripttest.Words(line)
	if err != nil {
		return err
	}
	if page, rest := args[0], args[1:]; isNumber(page) {
		return c.page(registry.PageID(page), rest)
	}
	for _, t := range CoreTools() {
		if t.Name == args[0] {
			if err := RefuseCoreTool(c.focus.State(c.now()), c.now(), t.Name, everybody); err != nil {
				c.fail(err)
				return nil
			}
			return c.core(args, named)
		}
	}
	switch strings.Join(args[:min(2, len(args))], " ") {
	case "browser starts", "browser returns": // browser starts [URL…]: with these tabs
		c.world(registry.BrowserChanged{})
		for _, url := range args[2:] {
			c.open(url)
		}
	case "browser disconnects": // its tabs go with it
		c.world(registry.BrowserChanged{Status: "the connection to Chrome was lost"})
		for _, t := range c.now().Tabs() {
			c.world(registry.PageClosed{Page: t.Page})
		}
	case "client disconnects":
		c.step(Disconnect{})
	case "user opens": // user opens URL
		c.open(args[2])
	case "user switches": // user switches TAB: the client's focus follows the user's
		c.step(FocusTab{registry.PageID(args[2])})
	case "tools/list":
		v := c.view()
		c.seen = &v
	default:
		if args[0] != "call" { // call NAME
			return fmt.Errorf("no such command")
		}
		if t, err := ResolveBare(c.seen, c.view(), args[1]); err != nil {
			c.fail(err)
		} else {
			c.said = append(c.said, fmt.Sprintf("calls %q of tab %s", t.Route.Tool, t.Route.Page))
		}
	}
	return nil
}

// core is a call of a core tool that the client may call.
func (c *focusScript) core(args []string, named map[string]string) error {
	switch args[0] {
	case ConnectBrowser: // connect_browser [launch=true]
		if c.now().BrowserStatus() != "" && named["launch"] != "true" {
			c.answer(NotConnectedResult("", ""))
			return nil
		}
		c.world(registry.BrowserChanged{})
		c.step(Connect{})
		c.answer(ConnectedResult("Chrome", "120.0.0", c.now()))
	case ListTabs:
		c.answer(ListTabsResult(c.now(), c.focus.Tab(c.now())))
	case OpenTab: // open_tab URL [focus=false]
		url, err := names.CheckAddress(OpenTab, args[1], func(host string) (string, error) { return host, nil })
		if err != nil {
			c.fail(err)
			return nil
		}
		focused := named["focus"] != "false"
		if focused {
			c.step(FocusTab{registry.PageID(strconv.Itoa(c.opened + 1))})
		}
		c.open(url)
		c.world(registry.PageChanged{Page: registry.PageID(strconv.Itoa(c.opened)), Arrived: true})
		v := c.view()
		c.answer(OpenTabResult(c.now().Tab(registry.PageID(strconv.Itoa(c.opened))), focused, v.Tools))
	case FocusOnTab: // focus_tab TAB
		t, err := FindTab(c.now(), number(args[1]))
		if err != nil {
			c.fail(err)
			return nil
		}
		c.step(FocusTab{t.Page})
		v := c.view()
		c.seen = &v // the answer shows the names
		c.answer(FocusTabResult(t, v.Tools))
	case CloseTab: // close_tab [TAB]
		var id *float64
		if len(args) > 1 {
			n := number(args[1])
			id = &n
		}
		t, err := FindTabToClose(c.now(), c.focus.Tab(c.now()), id)
		if err != nil {
			c.fail(err)
			return nil
		}
		c.world(registry.PageClosed{Page: t.Page})
		c.answer(CloseTabResult(t.ID))
	}
	return nil
}

// page is what happens to a tab by itself, or by the user.
func (c *focusScript) page(id registry.PageID, args []string) error {
	tab := c.now().Tab(id)
	if tab == nil {
		return fmt.Errorf("there is no tab %s", id)
	}
	switch args[0] {
	case "offers": // 2 offers TOOL…: these are the page's tools now
		var tools []*registry.PageTool
		for _, name := range args[1:] {
			tools = append(tools, &registry.PageTool{Name: name, Frame: registry.FrameID(id), Doc: c.hub.gens[id], Runtime: offer.Native})
		}
		c.world(registry.ToolsReported{Page: id, Gen: c.hub.gens[id], Tools: tools})
	case "navigates": // 2 navigates URL
		c.hub.gens[id]++
		c.world(registry.Navigated{Page: id, Gen: c.hub.gens[id], URL: args[1]})
	case "reloads":
		c.hub.gens[id]++
		c.world(registry.PageChanged{Page: id, URL: tab.URL, Title: tab.Title}, registry.Navigated{Page: id, Gen: c.hub.gens[id], URL: tab.URL})
	case "is": // 2 is titled TITLE
		c.world(registry.PageChanged{Page: id, URL: tab.URL, Title: args[2], State: tab.State})
	case "crashes":
		c.world(registry.PageChanged{Page: id, URL: tab.URL, Title: tab.Title, State: "crashed"}, registry.ToolsReported{Page: id, Gen: c.hub.gens[id], Tools: nil})
	case "closes": // by the user
		c.world(registry.PageClosed{Page: id})
	default:
		return fmt.Errorf("no such thing happens to a tab")
	}
	return nil
}

func (c *focusScript) open(url string) {
	c.opened++
	id := registry.PageID(strconv.Itoa(c.opened))
	c.hub.gens[id]++
	c.world(registry.PageOpened{Page: id, URL: url}, registry.Navigated{Page: id, Gen: c.hub.gens[id], URL: url})
}

func isNumber(s string) bool { _, err := strconv.Atoi(s); return err == nil }

func number(s string) float64 { n, _ := strconv.ParseFloat(s, 64); return n }
