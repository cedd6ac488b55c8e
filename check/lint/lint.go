package lint

import (
	"context"
	"fmt"
	"slices"
)

// An entry is a rule and how it is looked for: in each tool by itself, or in the page.
type entry struct {
	Rule
	tool func(t *tool, found reportFunc)
	page func(p *page, found reportFunc)
}

// reportFunc notes a breach. tool and where may be "".
type reportFunc func(tool, where, format string, args ...any)

// table has all rules, by what they are about.
var table = slices.Concat(nameRules, textRules, schemaRules, paramRules, hintRules, formRules, pageRules, timeRules)

// Rules are the rules that Page applies.
func Rules() (all []Rule) {
	for _, e := range table {
		all = append(all, e.Rule)
	}
	return all
}

// maxFindings is how many breaches of a rule on one page are listed.
const maxFindings = 100

// Page judges a page. A page without tools breaks one rule, which says why it may have
// none; the others have nothing to look at then. If ctx ends before all has been judged,
// the error is its cause.
func Page(ctx context.Context, seen *SeenPage) (all []Finding, err error) {
	p := read(ctx, seen)
	for _, e := range table {
		n := 0
		found := func(tool, where, format string, args ...any) {
			if n++; n <= maxFindings {
				all = append(all, Finding{Rule: e.ID, Severity: e.Severity, Page: p.Asked, Tool: tool, Where: where,
					Message: fmt.Sprintf(format, args...)})
			}
		}
		if e.page != nil {
			e.page(p, found)
		} else {
			for _, t := range p.tools {
				if ctx.Err() == nil {
					e.tool(t, found)
				}
			}
		}
		if n > maxFindings {
			all = append(all, Finding{Rule: e.ID, Severity: e.Severity, Page: p.Asked,
				Message: fmt.Sprintf("and %d more times", n-maxFindings)})
		}
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return all, err
}

// A page is what was seen of it, read.
type page struct {
	*SeenPage
	tools []*tool
	ended func() bool // nobody waits for the rest any more
}

// A tool is one of its tools, with its schema read.
type tool struct {
	*Tool
	schema node   // the root; zero if there is none, or it can't be read
	nodes  []node // the schemas within it, from the root on
	wrong  error  // what is wrong with it as such
	of     *page
}

func read(ctx context.Context, s *SeenPage) *page {
	p := &page{SeenPage: s, ended: func() bool { return ctx.Err() != nil }}
	for i := range s.Tools {
		if p.ended() {
			break
		}
		t := &tool{Tool: &s.Tools[i], of: p}
		if t.schema, t.nodes = readSchema(t.InputSchema); t.schema.is != nil {
			_, t.wrong = CompileSchema(t.InputSchema, false)
		}
		p.tools = append(p.tools, t)
	}
	return p
}

// registration is how the tool was registered; nil if that wasn't seen.
func (t *tool) registration() *Registration {
	for i := range t.of.Registrations {
		if r := &t.of.Registrations[i]; r.Name == t.Name && r.Error == "" {
			return r
		}
	}
	return nil
}

// silent says that the page said none of these hints of the tool. Chrome tells only of those
// that are true; what a frame of another site said of its own tools isn't known.
func (t *tool) silent(hints ...string) bool {
	r := t.registration()
	if r == nil {
		return t.Runtime != "native"
	}
	return !slices.ContainsFunc(hints, func(h string) bool { return slices.Contains(r.Hinted, h) })
}
