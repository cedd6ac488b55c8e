package tree

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// infer returns what the accessibility tree would have for an element, as far as the DOM shows it: roles by HTML-AAM,
// names by accname. It is used if Chrome doesn't answer, or isn't asked because the tree of a large document takes
// seconds.
func (d *DOM) infer(i int) *axNode {
	n := &d.Nodes[i]
	ax := &axNode{Backend: n.Backend}
	role := d.roleOf(i)
	ax.Role.Value = role
	hidden := n.Parent >= 0 && !ofList[n.Tag] && (!n.Boxes || n.Laid && !n.visible())
	if hidden || n.attr("aria-hidden") == "true" || role == "" || role == "presentation" && !focusable(n) {
		ax.Ignored = true
		return ax
	}
	ax.Name.Value = d.nameOf(i, role)
	set := func(name string, value any) {
		ax.Properties = append(ax.Properties, axProperty{name, axValue{value}})
	}
	flag := func(property, native, aria string) {
		if n.has(native) && native != "" && formTags[n.Tag] || n.attr(aria) == "true" {
			set(property, true)
		}
	}
	if focusable(n) {
		set("focusable", true)
	}
	flag("disabled", "disabled", "aria-disabled")
	flag("readonly", "readonly", "aria-readonly")
	flag("required", "required", "aria-required")
	flag("multiselectable", "multiple", "aria-multiselectable")
	flag("pressed", "", "aria-pressed")
	flag("selected", "", "aria-selected")
	flag("modal", "", "aria-modal")
	flag("busy", "", "aria-busy")
	flag("multiline", "", "aria-multiline")
	if n.Tag == "TEXTAREA" {
		set("multiline", true)
	}
	if n.Tag == "OPTION" && n.Selected {
		set("selected", true)
	}
	if checked := cmp.Or(n.attr("aria-checked"), strconv.FormatBool(n.Checked)); checked != "false" {
		set("checked", checked)
	}
	if v := n.attr("aria-expanded"); v != "" {
		set("expanded", v)
	} else if n.Tag == "SUMMARY" && n.Parent >= 0 {
		set("expanded", strconv.FormatBool(d.Nodes[n.Parent].has("open")))
	}
	if v := n.attr("aria-invalid"); v != "" {
		set("invalid", v)
	}
	switch {
	case role == "heading":
		level := n.attr("aria-level")
		if level == "" && len(n.Tag) == 2 && n.Tag[0] == 'H' {
			level = n.Tag[1:]
		}
		set("level", cmp.Or(level, "2"))
	case role == "link":
		set("url", d.absolute(n.attr("href")))
	case role == "slider" || role == "spinbutton":
		low, high := cmp.Or(n.attr("aria-valuemin"), n.attr("min")), cmp.Or(n.attr("aria-valuemax"), n.attr("max"))
		if n.Tag == "INPUT" && role == "slider" {
			low, high = cmp.Or(low, "0"), cmp.Or(high, "100")
		}
		set("valuemin", low)
		set("valuemax", high)
	}
	if text := n.attr("aria-valuetext"); text != "" {
		set("valuetext", text)
	}
	if v, ok := n.Attrs.find("contenteditable"); ok && v != "false" && focusable(n) {
		set("editable", "richtext")
	}
	ax.Value.Value = d.valueOf(i)
	return ax
}

// ofList are elements that have no box of their own.
var ofList = Set(`OPTION OPTGROUP AREA`)

var formTags = Set(`INPUT SELECT TEXTAREA BUTTON OPTION OPTGROUP FIELDSET`)

func focusable(n *domNode) bool {
	if n.has("tabindex") {
		return true
	}
	if v, ok := n.Attrs.find("contenteditable"); ok && v != "false" {
		return true
	}
	switch n.Tag {
	case "BUTTON", "SELECT", "TEXTAREA", "SUMMARY":
		return true
	case "INPUT":
		return n.kind() != "hidden"
	case "A", "AREA":
		return n.has("href")
	}
	return false
}

// rolesOfTags are the roles of elements whose role doesn't depend on what is around them.
var rolesOfTags = map[string]string{
	"BUTTON": "button", "TEXTAREA": "textbox", "SUMMARY": "DisclosureTriangle", "OPTION": "option", "H1": "heading",
	"H2": "heading",
	"H3": "heading", "H4": "heading", "H5": "heading", "H6": "heading", "NAV": "navigation", "MAIN": "main",
	"ASIDE": "complementary",
	"TABLE": "table", "TR": "row", "TD": "cell", "TH": "columnheader", "THEAD": "rowgroup", "TBODY": "rowgroup",
	"TFOOT": "rowgroup",
	"UL":    "list", "OL": "list", "MENU": "list", "LI": "listitem", "ARTICLE": "article", "DIALOG": "dialog",
	"FIELDSET": "group", "OPTGROUP": "group",
	"IMG": "image", "svg": "SvgRoot", "IFRAME": "Iframe", "FRAME": "Iframe", "VIDEO": "Video", "AUDIO": "Audio",
	"CANVAS":   "Canvas",
	"PROGRESS": "progressbar", "METER": "meter", "OUTPUT": "status", "SEARCH": "search", "P": "paragraph",
	"LABEL":  "LabelText",
	"FIGURE": "figure", "BLOCKQUOTE": "blockquote", "DETAILS": "Details", "FORM": "form", "EMBED": "EmbeddedObject",
	"OBJECT": "PluginObject",
}

var rolesOfInputs = map[string]string{
	"button": "button", "submit": "button", "reset": "button", "image": "button", "file": "button",
	"checkbox": "checkbox", "radio": "radio",
	"range": "slider", "number": "spinbutton", "search": "searchbox", "date": "Date", "datetime-local": "DateTime",
	"month": "DateTime",
	"week":  "DateTime", "time": "InputTime", "color": "ColorWell",
}

// roleOf returns an element's role, as Chrome names it, or "" if it has none.
func (d *DOM) roleOf(i int) string {
	n := &d.Nodes[i]
	if n.Parent < 0 {
		return "RootWebArea"
	}
	if n.Tag == "INPUT" && n.kind() == "hidden" {
		return ""
	}
	for role := range strings.FieldsSeq(strings.ToLower(n.attr("role"))) {
		switch role {
		case "none":
			role = "presentation"
		case "img":
			role = "image"
		}
		if ariaRoles[role] {
			return role
		}
	}
	switch n.Tag {
	case "A", "AREA":
		if n.has("href") {
			return "link"
		}
	case "INPUT":
		return cmp.Or(rolesOfInputs[n.kind()], "textbox")
	case "SELECT":
		if n.has("multiple") || len(n.attr("size")) > 0 && n.attr("size") != "1" && n.attr("size") != "0" {
			return "listbox"
		}
		return "combobox"
	case "IMG":
		if alt, ok := n.Attrs.find("alt"); ok && alt == "" {
			return ""
		}
	case "SECTION":
		if n.has("aria-label") || n.has("aria-labelledby") {
			return "region"
		}
	case "TH":
		if n.attr("scope") == "row" {
			return "rowheader"
		}
	case "HEADER", "FOOTER":
		for p := n.Parent; p >= 0; p = d.Nodes[p].Parent {
			switch d.Nodes[p].Tag {
			case "ARTICLE", "ASIDE", "MAIN", "NAV", "SECTION":
				return "generic"
			}
		}
		if n.Tag == "HEADER" {
			return "banner"
		}
		return "contentinfo"
	}
	return cmp.Or(rolesOfTags[n.Tag], "generic")
}

var ariaRoles = Set(`alert alertdialog application article banner blockquote button caption cell checkbox code
	columnheader combobox complementary contentinfo definition deletion dialog directory document emphasis feed figure
	form generic grid gridcell group heading image insertion link list listbox listitem log main mark marquee math
	menu menubar menuitem menuitemcheckbox menuitemradio meter navigation note option paragraph presentation
	progressbar radio radiogroup region row rowgroup rowheader scrollbar search searchbox separator slider spinbutton
	status strong subscript superscript switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree
	treegrid treeitem`)

// nameOf returns an element's accessible name.
func (d *DOM) nameOf(i int, role string) string {
	n := &d.Nodes[i]
	if n.Parent < 0 {
		return d.title()
	}
	var named []string
	for _, at := range d.labelledBy(i) {
		name := d.Nodes[at].attr("aria-label")
		switch {
		case name != "":
		case d.hasHiddenCaption(at):
			name = d.content(at)
		default:
			name = d.text(at, MaxName)
		}
		named = append(named, name)
	}
	if name := cmp.Or(strings.Join(named, " "), n.attr("aria-label")); strings.TrimSpace(name) != "" {
		return name
	}
	switch n.Tag {
	case "INPUT", "SELECT", "TEXTAREA", "METER", "PROGRESS", "OUTPUT":
		switch n.kind() {
		case "submit", "reset", "button":
			if n.Tag == "INPUT" {
				names := map[string]string{"submit": "Submit", "reset": "Reset"}
				return cmp.Or(n.attr("value"), names[n.kind()], n.attr("title"))
			}
		case "image":
			return cmp.Or(n.attr("alt"), n.attr("title"), "Submit")
		}
		if label := d.labelOf(i); label >= 0 {
			if name := cmp.Or(d.Nodes[label].attr("aria-label"), d.content(label)); name != "" {
				return name
			}
		}
		return cmp.Or(n.attr("title"), n.attr("placeholder"))
	case "IMG", "AREA":
		return cmp.Or(n.attr("alt"), n.attr("title"))
	case "OPTGROUP", "OPTION":
		return cmp.Or(n.attr("label"), d.text(i, MaxName))
	case "FIELDSET", "TABLE", "FIGURE":
		for k := n.FirstKid; k >= 0; k = d.Nodes[k].NextOfKin {
			if captions[d.Nodes[k].Tag] {
				return cmp.Or(d.content(k), n.attr("title"))
			}
		}
	case "svg":
		for k := n.FirstKid; k >= 0; k = d.Nodes[k].NextOfKin {
			if d.Nodes[k].Tag == "title" {
				return d.text(k, MaxName)
			}
		}
	}
	if byContent[roleName(role)] && n.Tag != "IMG" && n.Tag != "CANVAS" && n.Tag != "svg" {
		if name := d.content(i); name != "" {
			return name
		}
	}
	return n.attr("title")
}

// captions are the elements that name the element around them.
var captions = Set(`LEGEND CAPTION FIGCAPTION`)

// namedByHiddenCaption says whether the name that Chrome gives element i can contain a caption that nobody sees: one
// in the element, in its label or in what aria-labelledby names. Chrome adds such captions, with the values of fields
// in them, to the names of the elements that they name, and of elements around those.
func (d *DOM) namedByHiddenCaption(i int) bool {
	if len(d.hidden()) == 0 {
		return false
	}
	if d.hasHiddenCaption(i) || slices.ContainsFunc(d.labelledBy(i), d.hasHiddenCaption) {
		return true
	}
	label := -1
	if formTags[d.Nodes[i].Tag] {
		label = d.labelOf(i)
	}
	return label >= 0 && d.hasHiddenCaption(label)
}

// hasHiddenCaption says whether element i is a caption that nobody sees, or has one in it.
func (d *DOM) hasHiddenCaption(i int) bool {
	all := d.hidden()
	next, _ := slices.BinarySearch(all, i)
	return next < len(all) && all[next] < i+d.Nodes[i].Size
}

// hidden returns the captions that nobody sees: captions that CSS hides, and captions with only text that CSS hides.
func (d *DOM) hidden() []int {
	if d.hiddenCaptions == nil {
		d.hiddenCaptions = []int{}
		for k := range d.Nodes {
			if captions[d.Nodes[k].Tag] && d.content(k) == "" && (!d.Nodes[k].visible() || d.text(k, MaxName) != "") {
				d.hiddenCaptions = append(d.hiddenCaptions, k)
			}
		}
	}
	return d.hiddenCaptions
}

// maxLabels is how many elements aria-labelledby may name.
const maxLabels = 100

// labelledBy returns the elements that aria-labelledby names.
func (d *DOM) labelledBy(i int) (all []int) {
	for id := range strings.FieldsSeq(d.Nodes[i].attr("aria-labelledby")) {
		if len(all) == maxLabels {
			break
		}
		if at := d.named(id, i); at >= 0 {
			all = append(all, at)
		}
	}
	return all
}

// content returns the name that an element gets from its content: texts and names of images that
// CSS doesn't hide.
func (d *DOM) content(i int) string {
	return d.gather(i, MaxName, func(n *domNode) string {
		switch {
		case n.Tag == "#text" && n.visible() && n.Parent >= 0:
			return n.Text
		case n.Tag == "IMG" && n.visible():
			return n.attr("alt")
		case n.Tag == "svg" && n.visible():
			return n.attr("aria-label")
		}
		return ""
	})
}

func (d *DOM) title() string {
	for i := range min(len(d.Nodes), 2000) {
		if d.Nodes[i].Tag == "TITLE" {
			return d.text(i, MaxName)
		}
	}
	return ""
}

// valueOf returns the value of a control.
func (d *DOM) valueOf(i int) string {
	n := &d.Nodes[i]
	if n.Tag == "SELECT" {
		for k := i + 1; k < min(i+n.Size, len(d.Nodes)); k++ {
			if d.Nodes[k].Tag == "OPTION" && d.Nodes[k].Selected {
				return d.nameOf(k, "option")
			}
		}
		return ""
	}
	return cmp.Or(n.Value, n.attr("aria-valuenow"))
}

// absolute resolves a link's address, as Chrome does for the accessibility tree.
func (d *DOM) absolute(href string) string {
	if d.base == nil {
		document, _, _ := strings.Cut(d.URL, "#") // Chrome allows more in fragments than Parse does
		d.base, _ = url.Parse(document)
	}
	if d.base == nil || d.base.Opaque != "" || href == "" { // as of about:blank
		return href
	}
	to, err := d.base.Parse(strings.TrimSpace(href))
	if err != nil {
		return href
	}
	return to.String()
}
