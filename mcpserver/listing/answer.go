package listing

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"webmcphub/registry"
	"webmcphub/registry/find"
	"webmcphub/registry/names"
	"webmcphub/registry/sanitize"
	"webmcphub/registry/tokencount"
)

// hit is a tool that was found, as its client sees it.
type hit struct {
	Tool *registry.HubTool
	Tab  *registry.Tab // nil for a tool of a site
	Site string        // the host
	Also []string      // the names of the same tool in other tabs of the site
}

// answer is the structured result of find_webmcp_tools.
type answer struct {
	Tools []foundJSON `json:"tools"`
	Total int         `json:"total"`
	Note  string      `json:"note,omitempty"`
}

type foundJSON struct {
	Name        string          `json:"name"`
	Signature   string          `json:"signature,omitempty"`
	Also        []string        `json:"also,omitempty"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"inputSchema,omitempty"`
	Annotations json.RawMessage `json:"annotations,omitempty"`
}

const (
	// maxTokens is about how long an answer may be in a model's context, and maxAlone if it shows only one tool.
	maxTokens, maxAlone = 10_000, 25_000
	// maxAlso is how many names of the same tool in other tabs are shown.
	maxAlso = 5
)

// tell makes the answer of a search that found hits, out of total tools, in the requested detail. notes are added to
// the answer's note.
func tell(a FindArguments, hits []hit, total int, notes []string) answer {
	all := answer{Tools: []foundJSON{}, Total: total}
	for _, h := range hits {
		all.Tools = append(all.Tools, foundJSON{Name: h.Tool.Name})
	}
	left := maxTokens - tokencount.Estimate(sanitize.Encode(all.Tools))
	fits := func(more foundJSON, left *int) bool {
		cost := tokencount.Estimate(sanitize.Encode(more))
		if cost > *left {
			return false
		}
		*left -= cost
		return true
	}
	unsigned, bare := 0, 0
	for i, h := range hits {
		one := &all.Tools[i]
		if a.Detail != "names" {
			if text := line(h); fits(foundJSON{Signature: text}, &left) {
				one.Signature = text
			} else {
				unsigned++
			}
		}
		if also := h.Also[:min(len(h.Also), maxAlso)]; fits(foundJSON{Also: also}, &left) {
			one.Also = also
		}
	}
	if len(hits) == 1 {
		left += maxAlone - maxTokens
	}
	for i, h := range hits {
		if a.Detail != "full" {
			break
		}
		more := foundJSON{Description: h.Tool.Description, InputSchema: h.Tool.InputSchema,
			Annotations: h.Tool.Annotations()}
		if !fits(more, &left) {
			bare++
			continue
		}
		one := &all.Tools[i]
		one.Description, one.InputSchema, one.Annotations = more.Description, more.InputSchema, more.Annotations
	}
	if unsigned > 0 {
		notes = append(notes, fmt.Sprintf("The signatures of %d tools were left out, because the answer would be too "+
			"long: use a lower limit.", unsigned))
	}
	switch {
	case bare > 0 && len(hits) == 1:
		notes = append(notes, "The tool's schema was left out, because the answer would be too long: "+
			"list_webmcp_tools with its tab, detail full and maxTokens 0 has it.")
	case bare > 0:
		notes = append(notes, fmt.Sprintf("The schemas of %d tools were left out, because the answer would be too "+
			"long: find them with limit 1.", bare))
	}
	all.Note = strings.Join(notes, " ")
	return all
}

// line returns a tool's signature, site and tab in one line.
func line(h hit) string {
	where := h.Site
	if from := h.Tool.FrameOrigin(); from != "" {
		where += " (frame of " + sanitize.Text(from, 200) + ")"
	}
	switch {
	case h.Tab != nil:
		where += fmt.Sprintf(", tab %d", h.Tab.ID)
	case h.Tool.SiteTool != nil && h.Tool.SiteTool.Cached:
		where += ", opens a tab"
	default:
		where += ", any tab"
	}
	return h.Tool.Mark() + find.Signature(h.Tool) + " " + where
}

// maxMap is about how many tokens a map of sites has.
const maxMap = 400

// siteMap names the sites with tools, and the kinds of these, in about maxMap tokens. Sites in first come first. may
// reports whether the client may see the tools of a tab. A model that reads the map can choose a site in any language.
func siteMap(c *registry.Catalog, first []string, may func(tab *registry.Tab, site string) bool) string {
	order := slices.Clone(first)
	tools := map[string][]*registry.HubTool{}
	for _, t := range c.Tabs() {
		h := names.PageHost(t.URL, t.Origin)
		if len(t.Tools) == 0 || !may(t, h) {
			continue
		}
		order = append(order, h)
		tools[h] = append(tools[h], t.Tools...)
	}
	for _, t := range c.SiteTools() {
		if h := names.DisplayHost(t.SiteTool.Site); may(nil, h) {
			order = append(order, h)
			tools[h] = append(tools[h], t)
		}
	}
	seen := map[string]bool{}
	order = slices.DeleteFunc(order, func(h string) bool {
		again := seen[h] || len(tools[h]) == 0
		seen[h] = true
		return again
	})
	if len(order) == 0 {
		return "No open page offers tools now."
	}
	var text string
	for _, words := range []int{10, 7, 5, 4, 3, 2, 1} {
		shown := 0
		if text, shown = mapOf(order, tools, words); shown == len(order) {
			return text + "."
		}
	}
	return text
}

// mapOf returns the map with at most words words for each site. shown is the number of sites that fit.
func mapOf(order []string, tools map[string][]*registry.HubTool, words int) (text string, shown int) {
	text = "Sites with tools: "
	size := tokencount.Estimate([]byte(text))
	for i, h := range order {
		one := fmt.Sprintf("%s (%d): %s", sanitize.Text(h, 100), len(tools[h]), find.Kinds(tools[h], words))
		if i > 0 {
			one = "; " + one
		}
		if size += tokencount.Estimate([]byte(one)); size > maxMap {
			return fmt.Sprintf("%s; and %d more.", text, len(order)-i), i
		}
		text += one
	}
	return text, len(order)
}
