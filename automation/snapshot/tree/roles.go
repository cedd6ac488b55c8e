package tree

import "strings"

// roleNames are a snapshot's names for roles for which Chrome has names of its own. Other roles have ARIA's names.
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

// Acted are the roles on which a person acts.
var Acted = Set(`button link textbox searchbox combobox listbox checkbox radio switch slider spinbutton scrollbar tab
	menuitem menuitemcheckbox menuitemradio option treeitem date datetime timefield color summary file clickable video
	audio canvas`)

// Fields are the controls whose value is the text in them.
var Fields = Set(`textbox searchbox combobox slider spinbutton date datetime timefield color file`)

// Landmarks are the roles by which a reader finds the way in a page. An agent can ask for one by its uid.
var Landmarks = Set(`banner navigation main complementary contentinfo region search form dialog alertdialog alert
	status log table grid treegrid tree menu menubar tablist tabpanel toolbar listbox radiogroup article feed iframe
	heading`)

// wrappers are roles that only lay out. Without a name they are replaced by their content.
var wrappers = Set(`generic none presentation label rowgroup LayoutTable LayoutTableRow LayoutTableCell MenuListPopup
	strong emphasis code mark superscript subscript insertion deletion Legend Figcaption caption Pre Ruby
	RubyAnnotation blockquote figure group section Section sectionheader sectionfooter FooterAsNonLandmark
	HeaderAsNonLandmark Abbr Header Footer paragraph DescriptionList DescriptionListTerm DescriptionListDetail term
	definition time document Unknown ImageMap Map SvgContainer graphics-document graphics-object separator directory
	list descriptionlist`)

// Set returns the set of the words of a text.
func Set(text string) map[string]bool {
	m := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		m[word] = true
	}
	return m
}

func roleName(ax string) string {
	if name := roleNames[ax]; name != "" {
		return name
	}
	return ax
}

// roleOfTag returns the role of an element that the accessibility tree leaves out although it can be clicked.
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
