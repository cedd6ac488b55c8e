package corpus

import (
	"cmp"
	"os"
	"path/filepath"
)

// debian is the folder where Debian's package base-passwd, which every Debian has, puts its documentation.
const debian = "/usr/share/doc/base-passwd"

// Page is one page of the corpus.
type Page struct {
	// Name is the page's name in tables.
	Name string
	// Path is its address on the corpus.
	Path string
	// Ready is a JavaScript expression that is true once the page is complete.
	Ready string
	// File is a file that the page needs and that this machine may lack; "" if there is none.
	File string
	// Controls are the controls that the test operates, in this order.
	Controls []Control
}

// Control is something that a person can operate.
type Control struct {
	// Name is the control's name in failures. It is unique on its page.
	Name string
	// Do is the control's tool: click, fill, drag, or type, which is a click and then press_key for each letter.
	Do string
	// At is a CSS selector of the control, which also reaches into open shadow roots. It means the first matching
	// element for which a snapshot has a uid.
	At string
	// With is the text to fill in or type, or the selector of the element onto which to drag the control.
	With string
	// By is a JavaScript expression for [x, y]: the place in the element to click, or the distance to drag it if With
	// is "".
	By string
	// Twice makes a click a double click.
	Twice bool
	// Effect is a JavaScript expression that is false before the action, and becomes true. $ finds the first element
	// of a selector, $$ all of them, in open shadow roots too.
	Effect string
}

// There reports whether the machine has the file that the page needs.
func (p Page) There() bool {
	_, err := os.Stat(p.File)
	return p.File == "" || err == nil
}

// Until returns the condition under which the page is complete.
func (p Page) Until() string {
	return "document.readyState == 'complete' && (" + cmp.Or(p.Ready, "true") + ")"
}

// Pages are all pages of the corpus.
var Pages = []Page{
	{Name: "Hacker News", Path: "/news.html", Controls: []Control{
		{Name: "vote", Do: "click", At: "#up_40000",
			Effect: `$('#un_40000')`},
		{Name: "hide", Do: "click", At: `a[href='#hide40001']`,
			Effect: `!$('[id="40001"]')`},
		{Name: "more", Do: "click", At: ".morelink",
			Effect: `location.hash == '#p=2'`},
	}},
	{Name: "forms in tables", Path: "/forms.html", Controls: []Control{
		{Name: "field", Do: "fill", At: "[name=given]", With: "Ada",
			Effect: `$('[name=given]').value == 'Ada'`},
		{Name: "select", Do: "fill", At: "[name=dep]", With: "Dispatch",
			Effect: `$('[name=dep]').value == 'Dispatch'`},
		{Name: "radio", Do: "click", At: "[value=u]",
			Effect: `$('[value=u]').checked`},
		{Name: "check box", Do: "click", At: "[name=ok]",
			Effect: `$('[name=ok]').checked`},
		{Name: "text area", Do: "fill", At: "[name=remarks]", With: "Thanks",
			Effect: `$('[name=remarks]').value == 'Thanks'`},
		{Name: "submit", Do: "click", At: "[type=submit]",
			Effect: `$('#done').innerText.includes('Sent: Ada, Dispatch')`},
	}},
	{Name: "Wikipedia", Path: "/article.html", Controls: []Control{
		{Name: "sort", Do: "click", At: "th.headerSort:nth-child(2)",
			Effect: `$('th.headerSort:nth-child(2)').title == 'Sort descending'`},
		{Name: "show the box", Do: "click", At: "#nbtoggle",
			Effect: `!$('#nbt').classList.contains('mw-collapsed')`},
		{Name: "hide the contents", Do: "click", At: "#pin",
			Effect: `$('#toc').hidden`},
		{Name: "search", Do: "fill", At: "#searchInput", With: "arch",
			Effect: `$('#searchInput').value == 'arch'`},
		{Name: "search button", Do: "click", At: "#searchform button",
			Effect: `$('#firstHeading').innerText == 'Search results for arch'`},
	}},
	{Name: "Debian HTML", Path: "/debian/users-and-groups.html", File: filepath.Join(debian, "users-and-groups.html")},
	{Name: "TodoMVC React", Path: "/todo-react.html", Ready: "$('.todo-list li')", Controls: []Control{
		{Name: "item", Do: "click", At: ".toggle",
			Effect: `$('.todo-count').innerText.startsWith('1 ')`},
		{Name: "filter", Do: "click", At: `a[href='#/completed']`,
			Effect: `$$('.todo-list li').length == 2`},
		{Name: "clear", Do: "click", At: ".clear-completed",
			Effect: `!$('.todo-list li')`},
		{Name: "all", Do: "click", At: `a[href='#/']`,
			Effect: `$('.todo-list li')`},
		{Name: "edit", Do: "click", At: ".todo-list li", Twice: true,
			Effect: `$('.todo-list #todo-input')`},
	}},
	{Name: "TodoMVC Vue", Path: "/todo-vue.html", Ready: "$('.todo-list li')", Controls: []Control{
		{Name: "item", Do: "click", At: ".toggle",
			Effect: `$('.todo-count').innerText.startsWith('1 ')`},
		{Name: "filter", Do: "click", At: `a[href='#/completed']`,
			Effect: `$$('.todo-list li').length == 2`},
	}},
	{Name: "TodoMVC Backbone", Path: "/todo-backbone.html", Ready: "$('.todo-count strong')", Controls: []Control{
		{Name: "item", Do: "click", At: ".toggle",
			Effect: `$('.todo-count').innerText.startsWith('1 ')`},
		{Name: "clear", Do: "click", At: ".clear-completed",
			Effect: `$$('.todo-list li').length == 1`},
	}},
	{Name: "TodoMVC Lit", Path: "/todo-lit.html", Ready: "$('.todo-list label')", Controls: []Control{
		{Name: "item", Do: "click", At: ".toggle",
			Effect: `$('.todo-count').innerText.startsWith('1 ')`},
		{Name: "edit", Do: "click", At: "li", Twice: true,
			Effect: `$('li.editing')`},
		{Name: "filter", Do: "click", At: `a[href='#/completed']`,
			Effect: `$$('todo-item').length == 2`},
	}},
	{Name: "Swagger UI", Path: "/swagger.html", Ready: "$('.opblock') && $('.models')", Controls: []Control{
		{Name: "operation", Do: "click", At: ".opblock-summary-control",
			Effect: `$('.opblock.is-open')`},
		{Name: "try it out", Do: "click", At: ".try-out__btn",
			Effect: `$('.btn.execute')`},
	}},
	{Name: "Tabulator", Path: "/tabulator.html", Ready: "window.built", Controls: []Control{
		{Name: "sort", Do: "click", At: ".tabulator-col[tabulator-field], .tabulator-col[tabulator-field] " +
			".tabulator-col-content",
			Effect: `$('.tabulator-col[aria-sort=ascending],.tabulator-col[aria-sort=descending]')`},
	}},
	{Name: "jQuery UI", Path: "/jqueryui.html", Controls: []Control{
		{Name: "drop", Do: "drag", At: "#draggable",
			By:     `(([a, b]) => [b.x - a.x + 30, b.y - a.y + 30])([$('#draggable'), $('#droppable')].map((e) => e.getBoundingClientRect()))`,
			Effect: `$('#droppable').classList.contains('ui-state-highlight') || $('#droppable').innerText.includes('Dropped')`},
		{Name: "sortable", Do: "drag", At: "#s1", With: "#s3",
			Effect: `[...$$('#sortable li')].map((e) => e.id).join() != 's1,s2,s3'`},
		{Name: "accordion", Do: "click", At: "#accordion h3:nth-of-type(2)",
			Effect: `$('#accordion h3:nth-of-type(2)').getAttribute('aria-expanded') == 'true'`},
		{Name: "tab", Do: "click", At: `a[href='#tabs-2']`,
			Effect: `$('#tabs-2').offsetHeight > 0`},
		{Name: "dialog", Do: "click", At: "#opener",
			Effect: `$('.ui-dialog').offsetHeight > 0`},
	}},
	{Name: "sortable lists", Path: "/sortables.html", Ready: "window.built && $('#kit li') && $('#pangea li')", Controls: []Control{
		{Name: "SortableJS", Do: "drag", At: "#sortable li:nth-of-type(1)", With: "#sortable li:nth-of-type(3)",
			Effect: `$$('#sortable li').map((e) => e.innerText).indexOf('Apples') > 0`},
		{Name: "dragula", Do: "drag", At: "#dragula li:nth-of-type(1)", With: "#dragula li:nth-of-type(3)",
			Effect: `$$('#dragula li').map((e) => e.innerText).indexOf('Dates') > 0`},
		{Name: "Hello Pangea", Do: "drag", At: "#pangea li:nth-of-type(1)", With: "#pangea li:nth-of-type(3)",
			Effect: `$$('#pangea li').map((e) => e.innerText).indexOf('Jam') > 0`},
		{Name: "dnd kit", Do: "drag", At: "#kit li:nth-of-type(1)", With: "#kit li:nth-of-type(3)",
			Effect: `$$('#kit li').map((e) => e.innerText).indexOf('Mint') > 0`},
		{Name: "Muuri", Do: "drag", At: "#muuri li:nth-of-type(1)", With: "#muuri li:nth-of-type(3)",
			Effect: `muuri.getItems().map((i) => i.getElement().innerText).indexOf('Grapes') > 0`},
	}},
	{Name: "flatpickr", Path: "/flatpickr.html", Controls: []Control{
		{Name: "day", Do: "click", At: `.flatpickr-calendar.inline .flatpickr-day[aria-label='June 10, 2026']`,
			Effect: `$('.flatpickr-calendar.inline .selected')`},
		{Name: "field", Do: "click", At: "#arrival",
			Effect: `$('.flatpickr-calendar.open')`},
	}},
	{Name: "Select2", Path: "/select2.html", Controls: []Control{
		{Name: "open", Do: "click", At: ".select2-selection",
			Effect: `$('.select2-container--open')`},
		{Name: "option", Do: "click", At: ".select2-results__option:nth-child(3)",
			Effect: `!$('.select2-container--open')`},
	}},
	{Name: "react-select", Path: "/react-select.html", Ready: "$('#log')", Controls: []Control{
		{Name: "remove", Do: "click", At: ".many .rs__multi-value__remove",
			Effect: `$('#log').innerText.includes('; Red;') || !$('#log').innerText.includes('Purple and Red')`},
		{Name: "clear", Do: "click", At: "main", // the sign has no uid: a script far above listens for clicks on it
			By:     `(([a, b]) => [b.x - a.x + b.width / 2, b.y - a.y + b.height / 2])([$('main'), $('.one .rs__clear-indicator')].map((e) => e.getBoundingClientRect()))`,
			Effect: `$('#log').innerText.startsWith('Ordered: nothing')`},
		{Name: "type", Do: "type", At: ".made input", With: "Tag7",
			Effect: `$('.made .rs__option')`},
		{Name: "create", Do: "click", At: ".made .rs__option",
			Effect: `$('#log').innerText.includes('tag Tag7')`},
	}},
	{Name: "AG Grid", Path: "/aggrid.html", Ready: "window.built && $('.ag-row')", Controls: []Control{
		{Name: "cell", Do: "click", At: `.ag-row[row-index='1'] [col-id=country]`,
			Effect: `$('#log').innerText.startsWith('Clicked')`},
		{Name: "select a row", Do: "click",
			At:     `.ag-row[row-index='2'] .ag-selection-checkbox input, .ag-row[row-index='2'] input`,
			Effect: `$('.ag-row-selected')`},
		{Name: "next page", Do: "click", At: `[aria-label='Next Page']`,
			Effect: `$('.ag-paging-row-summary-panel').innerText.includes('51')`},
	}},
	{Name: "Shoelace", Path: "/shoelace.html", Ready: "!$(':not(:defined)') && $$('sl-tree-item').every((e) => " +
		"e.updateComplete)", Controls: []Control{
		{Name: "tab", Do: "click", At: "sl-tab:nth-of-type(2)",
			Effect: `$('sl-tab:nth-of-type(2)').active`},
	}},
	{Name: "Material Web", Path: "/material.html", Ready: "!$(':not(:defined)')", Controls: []Control{
		{Name: "list item", Do: "click", At: "button.list-item",
			Effect: `$('#log').innerText == 'Basel it is'`},
		{Name: "check box", Do: "click", At: "input[type=checkbox]",
			Effect: `$('#bike').checked`},
		{Name: "switch", Do: "click", At: "[role=switch]",
			Effect: `$('#quiet').selected`},
		{Name: "slider", Do: "fill", At: "input[type=range]", With: "5",
			Effect: `$('#seats').value == 5`},
		{Name: "text field", Do: "fill", At: "input.input", With: "Basel",
			Effect: `$('md-outlined-text-field').value == 'Basel'`},
	}},
	{Name: "Leaflet", Path: "/leaflet.html", Ready: "window.built && $('.leaflet-tile-loaded')", Controls: []Control{
		{Name: "zoom in", Do: "click", At: ".leaflet-control-zoom-in",
			Effect: `window.map ? map.getZoom() : $('.leaflet-zoom-anim, .leaflet-control-zoom-in')`},
	}},
	{Name: "Monaco", Path: "/monaco.html", Ready: "window.built && $('.view-line')", Controls: []Control{
		{Name: "type", Do: "type", At: "textarea, .native-edit-context, .view-lines", With: "Z9",
			Effect: `(window.editor.getValue ? window.editor.getValue() : '').includes('Z9')`},
	}},
	{Name: "CodeMirror 5", Path: "/codemirror5.html", Ready: "window.editor", Controls: []Control{
		{Name: "type", Do: "type", At: ".CodeMirror textarea, .CodeMirror-line", With: "Z9",
			Effect: `editor.getValue().includes('Z9')`},
	}},
	{Name: "CodeMirror 6", Path: "/codemirror6.html", Ready: "window.editor && $('.cm-foldGutter [title]')",
		Controls: []Control{
			{Name: "type", Do: "type", At: ".cm-content", With: "Z9",
				Effect: `editor.state.doc.toString().includes('Z9')`},
			{Name: "fill", Do: "fill", At: ".cm-content", With: "all new",
				Effect: `editor.state.doc.toString().trim() == 'all new'`},
		}},
	{Name: "ProseMirror", Path: "/prosemirror.html", Ready: "window.editor", Controls: []Control{
		{Name: "type", Do: "type", At: ".ProseMirror", With: "Z9",
			Effect: `editor.state.doc.textContent.includes('Z9')`},
		{Name: "fill", Do: "fill", At: ".ProseMirror", With: "all new",
			Effect: `editor.state.doc.textContent == 'all new'`},
	}},
	{Name: "Quill", Path: "/quill.html", Ready: "window.editor", Controls: []Control{
		{Name: "type", Do: "type", At: ".ql-editor", With: "Z9",
			Effect: `editor.getText().includes('Z9')`},
		{Name: "fill", Do: "fill", At: ".ql-editor", With: "all new",
			Effect: `editor.getText().trim() == 'all new'`},
		{Name: "bold", Do: "click", At: ".ql-bold",
			Effect: `$('.ql-bold.ql-active')`},
	}},
	{Name: "Lexical", Path: "/lexical.html", Ready: "window.editor && $('#editor h3')", Controls: []Control{
		{Name: "type", Do: "type", At: "#editor", With: "Z9",
			Effect: `$('#editor').innerText.includes('Z9')`},
		{Name: "fill", Do: "fill", At: "#editor", With: "all new",
			Effect: `$('#editor').innerText.trim() == 'all new'`},
	}},
	{Name: "Draft.js", Path: "/draft.html", Ready: "$('[contenteditable]')", Controls: []Control{
		{Name: "type", Do: "type", At: "[contenteditable]", With: "Z9",
			Effect: `window.text.includes('Z9')`},
	}},
	{Name: "1,000 issues", Path: "/issues.html", Controls: []Control{
		{Name: "check box", Do: "click", At: "#issue_5000 input",
			Effect: `$('#log').innerText == '1 selected'`},
		{Name: "last check box", Do: "click", At: "#issue_4001 input",
			Effect: `$('#log').innerText == '2 selected'`},
		{Name: "search", Do: "fill", At: "[name=q]", With: "tank",
			Effect: `$('[name=q]').value == 'tank'`},
		{Name: "search button", Do: "click", At: "#search button",
			Effect: `$('#log').innerText == 'Searched tank'`},
	}},
	{Name: "webmail", Path: "/mail.html", Controls: []Control{
		{Name: "check box of a row", Do: "click", At: "#rows .oZ-jc",
			Effect: `$$('#rows [aria-checked=true]').length == 1`},
		{Name: "star", Do: "click", At: ".T-KT",
			Effect: `$('.T-KT-Jp')`},
		{Name: "compose", Do: "click", At: "#compose",
			Effect: `$('.dw')`},
		{Name: "recipient", Do: "fill", At: ".agP", With: "ada@example.com",
			Effect: `$('.agP').value == 'ada@example.com'`},
		{Name: "body", Do: "fill", At: ".dw .Am", With: "Good morning",
			Effect: `$('.dw .Am').innerText.trim() == 'Good morning'`},
		{Name: "send", Do: "click", At: "#send",
			Effect: `!$('.dw')`},
	}},
	{Name: "GOV.UK", Path: "/govuk.html", Ready: "window.built", Controls: []Control{
		{Name: "accordion", Do: "click", At: ".govuk-accordion__section-button",
			Effect: `$('.govuk-accordion__section-button').ariaExpanded == 'true'`},
		{Name: "radio", Do: "click", At: ".govuk-radios__input",
			Effect: `$$('.govuk-radios__input').some((e) => e.checked)`},
		{Name: "check box", Do: "click", At: ".govuk-checkboxes__input",
			Effect: `$$('.govuk-checkboxes__input').some((e) => e.checked)`},
		{Name: "details", Do: "click", At: ".govuk-details summary",
			Effect: `$('.govuk-details').open`},
		{Name: "tab", Do: "click", At: ".govuk-tabs__list-item:nth-child(2) a",
			Effect: `$('.govuk-tabs__list-item:nth-child(2)').classList.contains('govuk-tabs__list-item--selected')`},
		{Name: "day", Do: "fill", At: ".govuk-date-input__input", With: "27",
			Effect: `$$('.govuk-date-input__input').some((e) => e.value == '27')`},
	}},
	{Name: "USWDS", Path: "/uswds.html", Ready: "window.built && $('.usa-combo-box__list')", Controls: []Control{
		{Name: "banner", Do: "click", At: ".usa-banner__button",
			Effect: `$('.usa-banner__content:not([hidden])')`},
		{Name: "open a combo box", Do: "click", At: ".usa-combo-box__toggle-list",
			Effect: `$$('.usa-combo-box__list:not([hidden]) li').length > 1`},
		{Name: "option", Do: "click", At: ".usa-combo-box__list-option:nth-child(2)",
			Effect: `$('.usa-combo-box__input').value`},
		{Name: "calendar", Do: "click", At: ".usa-date-picker__button",
			Effect: `$('.usa-date-picker__calendar:not([hidden])')`},
	}},
	{Name: "virtual list", Path: "/virtual.html", Ready: "$('.item')", Controls: []Control{
		{Name: "edit", Do: "click", At: ".item button",
			Effect: `$('#log').innerText.startsWith('Editing')`},
	}},
}
