package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
)

// A singlePage is a page in the manner of WebMCP's demos: a single-page app that registers all its
// tools anew at each render, and renders after each call.
type singlePage struct {
	of    string
	tools string // what it registers in its state, a list in JavaScript
	// does are calls in their order, each with what it answers.
	does [][2]string
}

var apps = []singlePage{
	{"shop", `[
		tool('search_products', 'Finds products', () => 'tea, 4 EUR'), tool('add_to_cart', 'Adds a product to the cart', () => { state.cart++; return 'added' }),
		...(state.cart ? [tool('check_out', 'Orders what is in the cart', () => { state.cart = 0; return 'ordered' })] : [])]`,
		[][2]string{{"search_products", "tea, 4 EUR"}, {"add_to_cart", "added"}, {"check_out", "ordered"}, {"search_products", "tea, 4 EUR"}}},
	{"booking", `[
		tool('find_slots', 'Finds free times', () => '10:00, 11:00'),
		state.booked ? tool('cancel_booking', 'Gives the time back', () => { state.booked = 0; return 'cancelled' }) : tool('book_slot', 'Books a time', () => { state.booked = 1; return 'booked' })]`,
		[][2]string{{"find_slots", "10:00, 11:00"}, {"book_slot", "booked"}, {"cancel_booking", "cancelled"}, {"book_slot", "booked"}}},
	{"configurator", `[tool('set_option', 'Chooses an option', () => { state.price += 10; return 'chosen' }), tool('read_price', 'Says the price', () => 'from ' + (state.price > 0))]`,
		[][2]string{{"set_option", "chosen"}, {"read_price", "from true"}, {"set_option", "chosen"}}},
}

// renders begins an app; deploy('name', 'text') is a release with another description.
const renders = `(() => {
	window.state = { cart: 0, booked: 0, price: 0, says: {} };
	window.tool = (name, description, execute) => ({ name, description: state.says[name] || description, inputSchema: { type: 'object', properties: { what: { type: 'string' } } },
		execute: () => { const text = execute(); setTimeout(render); return { content: [{ type: 'text', text }] } } });
	window.render = () => {
		window.shown?.abort();
		window.shown = new AbortController();
		for (const t of eval(TOOLS)) document.modelContext.registerTool(t, { signal: shown.signal });
	};
	window.deploy = (name, text) => { state.says[name] = text; render() };
	render();
})()`

// TestBenignPages: pages that do nothing wrong are never stopped. Under the defaults nobody is
// asked anything. Under --flow=enforce an agent reads and acts on the pages of one site, and
// under --pins=hold one question covers a release.
func TestBenignPages(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name     string
		flags    []string
		releases int // how many questions two releases take
	}{{"defaults", nil, 0}, {"guarded", []string{"--flow=enforce", "--pins=hold"}, 2}} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			letScriptsGrant(t)
			c := nativeChrome(t)
			user := &person{action: mcp.ElicitationResponseActionAccept, content: map[string]any{"decision": "accept"}}
			dir := filepath.Join(t.TempDir(), "pins")
			h := startHubWith(t, []client.ClientOption{client.WithLegacyProtocolOnly(), client.WithElicitationHandler(user)},
				append([]string{"--browser-url", c.browserURL(), "--no-share", "--pins-dir", dir}, row.flags...)...)
			var tabs []*tab
			for i, a := range apps {
				p := c.open(t, pages.url("plain.html", "of="+a.of))
				p.eval(strings.Replace(renders, "TOOLS", asJSON(a.tools), 1))
				h.waitTool(toolName(string(rune('0'+i)), a.does[0][0]))
				tabs = append(tabs, p)
			}
			// A call may meet the page while it renders, and is made again then; it is never stopped.
			does := func(name, want string) {
				t.Helper()
				poll(t, name+" is never done", func() bool {
					said := textOf(h.call("call_webmcp_tool", map[string]any{"name": name, "arguments": map[string]any{"what": "tea"}}))
					for _, stop := range []string{"--allow", "not carried out", "asked", "never accepted"} {
						if strings.Contains(said, stop) && !strings.Contains(said, "has accepted it just now") {
							t.Fatalf("%s: %s", name, said)
						}
					}
					return said == want
				})
			}
			all := func() {
				t.Helper()
				for _, a := range apps {
					for _, call := range a.does {
						does(call[0], call[1])
					}
				}
			}
			asked := func(want int) {
				t.Helper()
				if got := user.questions(); len(got) != want {
					t.Errorf("%d questions, want %d: %q", len(got), want, got)
				}
			}
			all()
			tabs[1].eval(`state.booked = 0, render(), 0`)
			asked(0)
			if row.releases > 0 {
				origin := strings.TrimSuffix(pages.url(""), "/")
				pinned(t, dir, origin, "8 definitions accepted")
				pinsOf(t, dir, "accept", origin) // the first visit is over
			}
			all()
			asked(0)
			for i, text := range []string{"Finds teas", "Finds teas and cups"} {
				tabs[0].eval(`deploy('search_products', ` + asJSON(text) + `), 0`)
				if row.releases > 0 {
					wantRefused(t, h, "search_products", "never accepted")
				}
				does("search_products", "tea, 4 EUR")
				does("add_to_cart", "added")
				asked(row.releases * (i + 1) / 2)
			}
		})
	}
}
