package tree

// What a snapshot calls the roles that Chrome has names of its own for. Others are
// ARIA's, and stay.
var roleNames = map[string]string{
	"RootWebArea":               "page",
	"WebArea":                   "page",
	"StaticText":                "text",
	"Iframe":                    "iframe",
	"IframePresentational":      "iframe",
	"Canvas":                    "canvas",
	"Video":                     "video",
	"Audio":                     "audio",
	"Date":                      "date",
	"DateTime":                  "datetime",
	"InputTime":                 "timefield",
	"ColorWell":                 "color",
	"DisclosureTriangle":        "summary",
	"DisclosureTriangleGrouped": "summary",
	"LabelText":                 "label",
	"PopUpButton":               "combobox",
	"TextFieldWithComboBox":     "combobox",
	"SvgRoot":                   "image",
	"EmbeddedObject":            "embed",
	"PluginObject":              "embed",
	"img":                       "image",
	"Details":                   "group",
	"listitem":                  "item",
}

// Acted are the roles that a person acts on.
var Acted = Set("button", "link", "textbox", "searchbox", "combobox", "listbox", "checkbox", "radio", "switch",
	"slider", "spinbutton", "scrollbar", "tab", "menuitem", "menuitemcheckbox", "menuitemradio", "option", "treeitem",
	"date", "datetime", "timefield", "color", "summary", "file", "clickable", "video", "audio", "canvas")

// Fields are the controls with a value: what is written in them is it.
var Fields = Set("textbox", "searchbox", "combobox", "slider", "spinbutton", "date", "datetime", "timefield", "color",
	"file")

// Landmarks are what a reader finds the way by. They can be asked for by their uid.
var Landmarks = Set("banner", "navigation", "main", "complementary", "contentinfo", "region", "search", "form",
	"dialog",
	"alertdialog", "alert", "status", "log", "table", "grid", "treegrid", "tree", "menu", "menubar", "tablist",
	"tabpanel",
	"toolbar", "listbox", "radiogroup", "article", "feed", "iframe", "heading")

// wrappers only lay out: without a name they give way to what is in them.
var wrappers = Set("generic", "none", "presentation", "label", "rowgroup", "LayoutTable", "LayoutTableRow",
	"LayoutTableCell",
	"MenuListPopup", "strong", "emphasis", "code", "mark", "superscript", "subscript", "insertion", "deletion",
	"Legend",
	"Figcaption", "caption", "Pre", "Ruby", "RubyAnnotation", "blockquote", "figure", "group", "section", "Section",
	"sectionheader", "sectionfooter", "FooterAsNonLandmark", "HeaderAsNonLandmark", "Abbr", "Header", "Footer",
	"paragraph",
	"DescriptionList", "DescriptionListTerm", "DescriptionListDetail", "term", "definition", "time", "document",
	"Unknown",
	"ImageMap", "Map", "SvgContainer", "graphics-document", "graphics-object", "separator", "directory", "list",
	"descriptionlist")

// Set is a set of words.
func Set(words ...string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}

func roleName(ax string) string {
	if name := roleNames[ax]; name != "" {
		return name
	}
	return ax
}

// roleOfTag is what an element is that the accessibility tree leaves out though it is
// there to be clicked.
func roleOfTag(n *domNode) string {
	switch {
	case n.attr("role") != "" && Acted[n.attr("role")]:
		return n.attr("role")
	case n.Tag == "BUTTON":
		return "button"
	case n.Tag == "A" && n.attr("href") != "":
		return "link"
	case n.Tag == "TEXTAREA":
		return "textbox"
	case n.Tag == "SELECT":
		return "combobox"
	case n.Tag == "INPUT":
		switch n.kind() {
		case "checkbox", "radio", "file", "button":
			return n.kind()
		case "submit", "reset", "image":
			return "button"
		}
		return "textbox"
	}
	return "clickable"
}
