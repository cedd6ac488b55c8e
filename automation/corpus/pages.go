package corpus

import (
	"cmp"
	"os"
	"path/filepath"
)

// debian is where Debian's package base-passwd, which every Debian has, puts its documentation.
const debian = "/usr/share/doc/base-passwd"

// A Page is one page of the corpus.
type Page struct {
	// Name is what the page is called in tables.
	Name string
	// Path is its address on the corpus.
	Path string
	// Ready is a JavaScript expression that is true once the page is complete.
	Ready string
	// File is one that the page needs on this machine, if that isn't sure to be there.
	File string
}

// There says that the machine has what the page needs.
func (p Page) There() bool {
	_, err := os.Stat(p.File)
	return p.File == "" || err == nil
}

// Until is the condition under which the page is complete.
func (p Page) Until() string {
	return "document.readyState == 'complete' && (" + cmp.Or(p.Ready, "true") + ")"
}

// Pages are the corpus.
var Pages = []Page{
	{Name: "Hacker News", Path: "/news.html"},
	{Name: "forms in tables", Path: "/forms.html"},
	{Name: "Wikipedia", Path: "/article.html"},
	{Name: "Debian HTML", Path: "/debian/users-and-groups.html", File: filepath.Join(debian, "users-and-groups.html")},
	{Name: "TodoMVC React", Path: "/todo-react.html", Ready: "$('.todo-list li')"},
	{Name: "TodoMVC Vue", Path: "/todo-vue.html", Ready: "$('.todo-list li')"},
	{Name: "TodoMVC Backbone", Path: "/todo-backbone.html", Ready: "$('.todo-count strong')"},
	{Name: "TodoMVC Lit", Path: "/todo-lit.html", Ready: "$('.todo-list label')"},
	{Name: "Swagger UI", Path: "/swagger.html", Ready: "$('.opblock') && $('.models')"},
	{Name: "Tabulator", Path: "/tabulator.html", Ready: "window.built"},
	{Name: "jQuery UI", Path: "/jqueryui.html"},
	{Name: "flatpickr", Path: "/flatpickr.html"},
	{Name: "Select2", Path: "/select2.html"},
	{Name: "react-select", Path: "/react-select.html", Ready: "$('#log')"},
	{Name: "AG Grid", Path: "/aggrid.html", Ready: "window.built && $('.ag-row')"},
	{Name: "Shoelace", Path: "/shoelace.html", Ready: "!$(':not(:defined)') && $$('sl-tree-item').every((e) => e.updateComplete)"},
	{Name: "Material Web", Path: "/material.html", Ready: "!$(':not(:defined)')"},
	{Name: "Leaflet", Path: "/leaflet.html", Ready: "window.built && $('.leaflet-tile-loaded')"},
	{Name: "Monaco", Path: "/monaco.html", Ready: "window.built && $('.view-line')"},
	{Name: "CodeMirror 5", Path: "/codemirror5.html", Ready: "window.editor"},
	{Name: "CodeMirror 6", Path: "/codemirror6.html", Ready: "window.editor && $('.cm-foldGutter [title]')"},
	{Name: "ProseMirror", Path: "/prosemirror.html", Ready: "window.editor"},
	{Name: "Quill", Path: "/quill.html", Ready: "window.editor"},
	{Name: "Lexical", Path: "/lexical.html", Ready: "window.editor && $('#editor h3')"},
	{Name: "Draft.js", Path: "/draft.html", Ready: "$('[contenteditable]')"},
	{Name: "1,000 issues", Path: "/issues.html"},
	{Name: "webmail", Path: "/mail.html"},
	{Name: "GOV.UK", Path: "/govuk.html", Ready: "window.built"},
	{Name: "USWDS", Path: "/uswds.html", Ready: "window.built && $('.usa-combo-box__list')"},
	{Name: "virtual list", Path: "/virtual.html", Ready: "$('.item')"},
}
