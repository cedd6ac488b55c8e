package tree

import (
	"cmp"
	"strings"
)

// nameDepth is how many levels below an element are searched for a name. Chrome describes no more than some hundred
// levels.
const nameDepth = 40

// nameLength bounds a name that is made from an element's text, in bytes.
const nameLength = 100

// attributeText returns the text of an element's attributes, or of the first element inside it whose attributes have
// one.
func (d *DOM) attributeText(i, depth int) string {
	n := &d.Nodes[i]
	for _, name := range []string{"aria-label", "alt", "title", "placeholder"} {
		if v := n.attr(name); v != "" {
			return v
		}
	}
	for k := n.FirstKid; k >= 0 && depth < nameDepth; k = d.Nodes[k].NextOfKin {
		if d.Nodes[k].Tag == "title" { // the title of an SVG
			if v := d.text(k, nameLength); v != "" {
				return v
			}
		}
		if v := d.attributeText(k, depth+1); v != "" {
			return v
		}
	}
	return ""
}

// text returns about limit bytes of the text in a node, visible or not.
func (d *DOM) text(i, limit int) string {
	return d.gather(i, limit, func(n *domNode) string { return n.Text })
}

// shown returns about limit bytes of the text in a node that a person can read.
func (d *DOM) shown(i, limit int) string {
	return d.gather(i, limit, func(n *domNode) string { return n.Shown })
}

// gather joins the words of a node and its descendants, with single spaces. It leaves out text in controls.
func (d *DOM) gather(i, limit int, words func(*domNode) string) string {
	var b strings.Builder
	var walk func(i, depth int)
	walk = func(at, depth int) {
		n := &d.Nodes[at]
		if b.Len() >= limit || depth > nameDepth || at != i && apart[n.Tag] {
			return
		}
		for word := range strings.FieldsSeq(words(n)) {
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(word)
		}
		for k := n.FirstKid; k >= 0; k = d.Nodes[k].NextOfKin {
			walk(k, depth+1)
		}
	}
	walk(i, 0)
	return b.String()
}

// labelOf returns the label of a control, or -1.
func (d *DOM) labelOf(control int) int {
	for i := d.Nodes[control].Parent; i >= 0; i = d.Nodes[i].Parent {
		if d.Nodes[i].Tag == "LABEL" {
			return i
		}
	}
	if id := d.Nodes[control].attr("id"); id != "" {
		d.readIDs()
		return d.nearest(d.labelFor[id], control)
	}
	return -1
}

// labelled returns the control of a label, or -1.
func (d *DOM) labelled(label int) int {
	if id := d.Nodes[label].attr("for"); id != "" {
		return d.named(id, label)
	}
	for i := label + 1; i < min(label+d.Nodes[label].Size, len(d.Nodes)); i++ {
		switch d.Nodes[i].Tag {
		case "INPUT", "SELECT", "TEXTAREA", "BUTTON":
			return i
		}
	}
	return -1
}

// fileLabel returns the name of a file input, which may be hidden behind its label.
func (d *DOM) fileLabel(i int) string {
	n := &d.Nodes[i]
	if name := n.attr("aria-label"); name != "" {
		return name
	}
	if label := d.labelOf(i); label >= 0 {
		if text := d.shown(label, nameLength); text != "" {
			return text
		}
	}
	return cmp.Or(n.attr("title"), n.attr("name"))
}
