package lint

import (
	"fmt"
	"slices"

	"webmcphub/check/finding"
	"webmcphub/check/seen"
)

// An entry is a rule and how it is looked for: in each tool by itself, or in the page.
type entry struct {
	finding.Rule
	tool func(t *tool, found say)
	page func(p *page, found say)
}

// say notes a breach. tool and where may be "".
type say func(tool, where, format string, args ...any)

// table has all rules, by what they are about.
var table = slices.Concat(nameRules, textRules, schemaRules, paramRules, hintRules, formRules, pageRules, timeRules)

// Rules are the rules that Page applies.
func Rules() (all []finding.Rule) {
	for _, e := range table {
		all = append(all, e.Rule)
	}
	return all
}

// Page judges a page. A page without tools breaks one rule, which says why it may have
// none; the others have nothing to look at then.
func Page(seen *seen.Page) (all []finding.Finding) {
	p := read(seen)
	for _, e := range table {
		found := func(tool, where, format string, args ...any) {
			all = append(all, finding.Finding{Rule: e.ID, Severity: e.Severity, Page: p.Asked, Tool: tool, Where: where, Message: fmt.Sprintf(format, args...)})
		}
		if e.page != nil {
			e.page(p, found)
			continue
		}
		for _, t := range p.tools {
			e.tool(t, found)
		}
	}
	return all
}

// A page is what was seen of it, read.
type page struct {
	*seen.Page
	tools []*tool
}

// A tool is one of its tools, with its schema read.
type tool struct {
	*seen.Tool
	schema node   // the root; zero if there is none, or it can't be read
	nodes  []node // all schemas within it, from the root on
	of     *page
}

func read(s *seen.Page) *page {
	p := &page{Page: s}
	for i := range s.Tools {
		t := &tool{Tool: &s.Tools[i], of: p}
		t.schema, t.nodes = readSchema(t.InputSchema)
		p.tools = append(p.tools, t)
	}
	return p
}

// registration is how the tool was registered; nil if that wasn't seen.
func (t *tool) registration() *seen.Registration {
	for i := range t.of.Registrations {
		if r := &t.of.Registrations[i]; r.Name == t.Name && r.Error == "" {
			return r
		}
	}
	return nil
}
