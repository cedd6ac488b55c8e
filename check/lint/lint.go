package lint

import (
	"context"
	"fmt"
	"slices"
)

// An entry is a rule with the function that looks for breaches: tool in each tool by itself, or page in the page.
type entry struct {
	Rule
	tool func(t *tool, found reportFunc)
	page func(p *page, found reportFunc)
}

// reportFunc notes a breach of a rule. tool and where may be "".
type reportFunc func(tool, where, format string, args ...any)

// table has all rules, grouped by subject.
var table = slices.Concat(nameRules, textRules, schemaRules, paramRules, hintRules, formRules, pageRules, timeRules)

// Rules returns the rules that [Page] applies.
func Rules() (all []Rule) {
	for _, e := range table {
		all = append(all, e.Rule)
	}
	return all
}

// maxFindings limits how many breaches of one rule on one page are listed.
const maxFindings = 100

// Page judges a page. A page without tools breaks the rule no-tools, whose finding says why the page may have none;
// the rules about tools find nothing then. If ctx ends before all has been judged, the error is its cause.
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

// A page is a SeenPage with its tools' schemas parsed.
type page struct {
	*SeenPage
	tools []*tool
	ended func() bool // reports whether the context of the check has ended
}

// A tool is one of a page's tools, with its input schema parsed.
type tool struct {
	*Tool
	schema node   // the root; zero if there is no schema, or it can't be parsed
	nodes  []node // the root and all schemas within it
	wrong  error  // why the schema can't be compiled; nil if it can, or if schema is zero
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

// registration returns the successful registration of the tool; nil if the check saw none.
func (t *tool) registration() *Registration {
	for i := range t.of.Registrations {
		if r := &t.of.Registrations[i]; r.Name == t.Name && r.Error == "" {
			return r
		}
	}
	return nil
}

// silent reports whether the page gave the tool none of these hints, neither true nor false. Chrome itself reports
// only true hints. Of a native tool without a known registration, such as one of a frame of another site, silent
// reports false.
func (t *tool) silent(hints ...string) bool {
	r := t.registration()
	if r == nil {
		return t.Runtime != "native"
	}
	return !slices.ContainsFunc(hints, func(h string) bool { return slices.Contains(r.Hinted, h) })
}
