package agent

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"

	"webmcphub/internal/jsonrpc"
	"webmcphub/registry/tokencount"
)

// Costs says about how many tokens a list of all tools has.
type Costs struct {
	Tokens int         `json:"tokens"` // together
	Own    int         `json:"own"`    // of the hub's own tools
	Tabs   []TabCosts  `json:"tabs"`   // the most expensive first
	Sites  []ToolCosts `json:"sites,omitempty"`
}

// TabCosts has the costs of one tab.
type TabCosts struct {
	TabID  int         `json:"tabId"`
	Page   int         `json:"page"`
	URL    string      `json:"url"`
	Title  string      `json:"title"`
	Tokens int         `json:"tokens"`
	Tools  []ToolCosts `json:"tools"` // the most expensive first
}

// ToolCosts has the cost of one tool.
type ToolCosts struct {
	Name   string `json:"name"`
	Tokens int    `json:"tokens"`
}

// Count counts the tokens of a list of tools by tab.
func Count(o Overview, list []mcp.Tool) (c Costs, err error) {
	of := map[string]int{}
	for _, t := range list {
		raw, err := jsonrpc.Encode(t)
		if err != nil {
			return c, err
		}
		of[t.Name] = tokencount.Estimate(raw)
		c.Tokens += of[t.Name]
	}
	c.Own = c.Tokens
	c.Tabs = []TabCosts{}
	for _, p := range o.Pages {
		tab := TabCosts{TabID: p.TabID, Page: p.Page, URL: p.URL, Title: p.Title, Tools: []ToolCosts{}}
		for _, t := range p.Tools {
			tab.Tools = append(tab.Tools, ToolCosts{t.Name, of[t.Name]})
			tab.Tokens += of[t.Name]
		}
		slices.SortStableFunc(tab.Tools, dearer)
		c.Own -= tab.Tokens
		c.Tabs = append(c.Tabs, tab)
	}
	for _, t := range o.Sites {
		c.Sites = append(c.Sites, ToolCosts{t.Name, of[t.Name]})
		c.Own -= of[t.Name]
	}
	slices.SortStableFunc(c.Tabs, func(a, b TabCosts) int { return cmp.Compare(b.Tokens, a.Tokens) })
	slices.SortStableFunc(c.Sites, dearer)
	return c, nil
}

func dearer(a, b ToolCosts) int { return cmp.Compare(b.Tokens, a.Tokens) }

// Print writes the costs for people, with at most most tools of each tab; 0 means all.
func (c Costs) Print(w io.Writer, most int) {
	fmt.Fprintf(w, "tools/list with all tools has about %d tokens, of which %d are the hub's own tools.\n", c.Tokens,
		c.Own)
	for _, t := range c.Tabs {
		fmt.Fprintf(w, "%7d  tab %d, page %d  %s  %s\n", t.Tokens, t.TabID, t.Page, cmp.Or(t.Title, "(no title)"),
			t.URL)
		printTools(w, t.Tools, most)
	}
	if len(c.Sites) > 0 {
		fmt.Fprintln(w, "         tools of sites, in whichever of their tabs suits")
		printTools(w, c.Sites, most)
	}
}

func printTools(w io.Writer, tools []ToolCosts, most int) {
	for i, t := range tools {
		if most > 0 && i == most {
			rest := 0
			for _, t := range tools[i:] {
				rest += t.Tokens
			}
			fmt.Fprintf(w, "%7d    %d more\n", rest, len(tools)-i)
			return
		}
		fmt.Fprintf(w, "%7d    %s\n", t.Tokens, t.Name)
	}
}
