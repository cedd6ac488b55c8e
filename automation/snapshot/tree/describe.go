package tree

import (
	"webmcphub/internal/mask"
)

// describe sets the traits, value, states and the like of a node whose role is known.
func describe(n *Node, ax *axNode, dom *domNode, document string) {
	tag := ""
	if dom != nil {
		tag = dom.Tag
	}
	n.Traits.Actable = Acted[n.Role] || ax.is("focusable") && n.Role != "page" && !wrappers[n.Role] &&
		n.Role != "iframe"
	takes := takesSecret(dom)
	n.Traits.Secret = takes != ""
	n.Traits.Select = tag == "SELECT"
	n.Traits.Native = tag == "INPUT" || tag == "TEXTAREA"
	n.About = Clean(ax.Description.String(), 200)
	if n.Role == "link" {
		n.URL = PlainURL(relative(ax.property("url"), document))
	}
	value := ax.Value.String()
	if n.Role == "spinbutton" && value == "0" && dom != nil && dom.Value == "" && dom.attr("aria-valuenow") == "" {
		value = "" // which Chrome reports for one that holds nothing
	}
	if Fields[n.Role] || n.Role == "progressbar" || n.Role == "meter" {
		n.Value = Clean(value, MaxValue)
		if text := Clean(ax.property("valuetext"), 100); text != "" && !wordy(n.Role) {
			n.Value = text
		}
	}
	n.States = states(n, ax, dom)
	if n.Traits.Secret {
		if n.Value != "" {
			n.States = append(n.States, "filled")
		}
		n.Value = ""
		n.States = append([]string{takes}, n.States...)
	}
	if n.Traits.Native && Fields[n.Role] && value == "" {
		if hint := Clean(dom.attr("placeholder"), MaxName); Squeezed(hint) != Squeezed(n.Name) {
			n.Hint = hint
		}
	}
}

// wordy says that a control of this role holds a text.
func wordy(role string) bool { return role == "textbox" || role == "searchbox" || role == "combobox" }

// richRoot says whether an element is the root of a rich text editor.
func richRoot(ax *axNode, dom *domNode) bool {
	if dom == nil || ax.property("editable") == "" || !ax.is("focusable") {
		return false
	}
	v, ok := dom.Attrs.find("contenteditable")
	ok = ok && v != "false" || dom.Tag == "BODY" // a document's designMode makes its body one
	return ok && (wrappers[ax.Role.String()] || ax.Role.String() == "textbox")
}

// takesSecret returns what kind of secret a field takes, or "".
func takesSecret(dom *domNode) string {
	if dom == nil || dom.Tag != "INPUT" && dom.Tag != "TEXTAREA" {
		return ""
	}
	if drawn := dom.Style[styleTextSecurity]; drawn != "" && drawn != "none" {
		return "password" // a person sees dots
	}
	if dom.Tag != "INPUT" || dom.attr("role") == "combobox" && dom.kind() != "password" {
		return "" // search fields of lists ask for a new password to keep the browser from filling them in
	}
	return mask.Field(dom.kind(), dom.attr("autocomplete"))
}

// states returns a node's states. Those that matter most for acting come first.
func states(n *Node, ax *axNode, dom *domNode) []string {
	var all []string
	add := func(when bool, word string) {
		if when {
			all = append(all, word)
		}
	}
	add(ax.is("disabled"), "disabled")
	add(ax.is("readonly"), "readonly")
	add(ax.is("required"), "required")
	add(n.Role == "textbox" && (ax.is("multiline") || dom != nil &&
		(dom.Tag == "TEXTAREA" || richRoot(ax, dom))), "multiline")
	switch ax.property("checked") {
	case "true":
		add(true, "checked")
	case "mixed":
		add(true, "mixed")
	}
	add(ax.is("pressed"), "pressed")
	switch ax.property("expanded") {
	case "true":
		add(true, "expanded")
	case "false":
		add(n.Role != "combobox" || ax.property("hasPopup") != "menu", "collapsed") // a closed select is not mentioned
	}
	add(ax.is("selected"), "selected")
	if v := ax.property("invalid"); v != "" && v != "false" {
		add(true, "invalid")
	}
	add(ax.is("focused") && n.Role != "page", "focused")
	add(ax.is("multiselectable"), "multiple")
	add(ax.is("modal"), "modal")
	add(ax.is("busy"), "busy")
	if n.Role == "heading" {
		if level := ax.property("level"); level != "" {
			add(true, "level="+Clean(level, 4))
		}
	}
	if n.Role == "slider" || n.Role == "spinbutton" {
		for _, bound := range []string{"valuemin", "valuemax"} {
			if v := ax.property(bound); v != "" && (n.Role == "slider" || dom.declares(bound)) {
				add(true, bound[len("value"):]+"="+PlainURL(Clean(v, 20)))
			}
		}
	}
	return all
}

// declares says whether a number field has the bound "valuemin" or "valuemax". Chrome reports 0 if it has none.
func (n *domNode) declares(bound string) bool {
	if n == nil {
		return false
	}
	return n.has(bound[len("value"):]) && n.Tag == "INPUT" || n.has("aria-"+bound)
}
