package automation

import (
	"fmt"
	"strconv"
	"strings"

	"webmcphub/registry"

	"webmcphub/registry/sanitize"
)

// ListedPage is a page in a list of pages.
type ListedPage struct {
	ID      int    `json:"id"`
	Title   string `json:"title"`
	URL     string `json:"url"`
	Browser string `json:"browser,omitempty"` // the browser's name, if there are several browsers
	Current bool   `json:"current,omitempty"`
	Owner   string `json:"owner,omitempty"`
	State   string `json:"state,omitempty"`
	Tools   int    `json:"webmcpTools,omitempty"`
	// Isolated is the name that the client gave to the page's browser context with new_page.
	Isolated string `json:"isolatedContext,omitempty"`
}

func (p ListedPage) line() string {
	line := fmt.Sprintf("%d: %s %s", p.ID, cutTitle(p.Title), sanitize.Text(p.URL, 200))
	if p.Browser != "" {
		line += " [browser " + p.Browser + "]"
	}
	if p.Current {
		line += " [current]"
	}
	if p.Owner != "" {
		line += " [" + p.Owner + "]"
	}
	if p.Isolated != "" {
		line += " [isolatedContext=" + p.Isolated + "]"
	}
	if p.Tools > 0 {
		line += fmt.Sprintf(" [%d WebMCP tools]", p.Tools)
	}
	if p.State != "" {
		line += " — " + p.State
	}
	return line
}

// PageList returns the answer of list_pages: pages, which must not be nil, and, if now has several browsers, those.
func PageList(pages []ListedPage, now *registry.Catalog) *Result {
	var lines []string
	for _, p := range pages {
		lines = append(lines, p.line())
	}
	if len(lines) == 0 {
		lines = append(lines, "No page is open; new_page opens one.")
	}
	if several := now.Browsers(); several != nil {
		lines = append(lines, "Browsers: "+registry.BrowsersText(several))
	}
	return &Result{Text: strings.Join(lines, "\n"), Structured: struct {
		Pages    []ListedPage             `json:"pages"`
		Browsers []registry.ListedBrowser `json:"browsers,omitempty"`
	}{pages, registry.ListBrowsers(now.Browsers())}}
}

func cutTitle(title string) string {
	if title == "" {
		return "(untitled)"
	}
	return strconv.Quote(sanitize.Text(title, 60)) // quoted, to distinguish it from the hub's own words
}

// PageToolsHint returns the line that tells an agent to prefer a page's own tools. n is their number, and name returns
// the name of the i-th.
func PageToolsHint(n int, name func(i int) string) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "\nThe page offers a tool of its own (WebMCP): " + name(0)
	default:
		return fmt.Sprintf("\nThe page offers %d tools of its own (WebMCP), such as %s", n, name(0))
	}
}

// ListOpenPages lists the tabs of a catalog, for an error text. shown returns a tab's address.
func ListOpenPages(c *registry.Catalog, shown func(*registry.Tab) string) string {
	if status := c.BrowserStatus(); status != "" {
		return registry.Sentence(status)
	}
	var open []string
	for i, t := range c.Tabs() {
		if i == 20 {
			open = append(open, "…")
			break
		}
		open = append(open, fmt.Sprintf("%d (%s)", t.ID, shown(t)))
	}
	if len(open) == 0 {
		return "No page is open; new_page opens one."
	}
	return "Open pages: " + strings.Join(open, ", ") + "."
}
