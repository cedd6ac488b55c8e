package report

import (
	_ "embed"
	"html/template"
	"io"
	"sync"
)

//go:embed report.html
var pageText string

var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("report").Funcs(template.FuncMap{"about": about,
		"given": parameterText}).Parse(pageText))
})

// HTML writes the report as one page that loads no resources and runs no scripts.
func (r *Report) HTML(w io.Writer) error {
	return pageTemplate().Execute(w, struct {
		*Report
		Summary string
		Rule    func(id string) any
	}{r, r.summary(), func(id string) any { return r.rule(id) }})
}
