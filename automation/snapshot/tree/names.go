package tree

import (
	"cmp"
	"strings"
)

// nameDepth is how many levels below an element are looked at for a name: Chrome describes no more than some hundred.
const nameDepth = 40

// nameLength is how many bytes an element that has no name is called by of what is written in it.
const nameLength = 100

// saidOf is what is said of an element, or of the first one in it of which something is.
func (d *DOM) saidOf(i, depth int) string {
	n := &d.Nodes[i]
	for _, name := range []string{"aria-label", "alt", "title", "placeholder"} {
		if v := n.attr(name); v != "" {
			return v
		}
	}
	for k := n.FirstKid; k >= 0 && depth < nameDepth; k = d.Nodes[k].NextOfKin {
		if d.Nodes[k].Tag == "title" { // an SVG's
			if v := d.text(k, nameLength); v != "" {
				return v
			}
		}
		if v := d.saidOf(k, depth+1); v != "" {
			return v
		}
	}
	return ""
}

// text is what is written in a node, whether it is seen or not, about limit bytes.
func (d *DOM) text(i, limit int) string {
	return d.gather(i, limit, func(n *domNode) string { return n.Text })
}

// shown is what a person can read in a node, about limit bytes.
func (d *DOM) shown(i, limit int) string {
	return d.gather(i, limit, func(n *domNode) string { return n.Shown })
}

// gather joins the words of a node and of what is in it, runs of space as one. What is in controls in it is theirs.
func (d *DOM) gather(i, limit int, words func(*domNode) string) string {
	var b strings.Builder
	var walk func(i, depth int)
	walk = func(at, depth int) {
		n := &d.Nodes[at]
		if b.Len() >= limit || depth > nameDepth || at != i && apart[n.Tag] {
			return
		}
		for _, word := range strings.Fields(words(n)) {
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

// labelOf is the label of a control, or -1.
func (d *DOM) labelOf(control int) int {
	for i := d.Nodes[control].Parent; i >= 0; i = d.Nodes[i].Parent {
		if d.Nodes[i].Tag == "LABEL" {
			return i
		}
	}
	if id := d.Nodes[control].attr("id"); id != "" {
		d.ids()
		if i, ok := d.labelFor[id]; ok {
			return i
		}
	}
	return -1
}

// labelled is the control of a label, or -1.
func (d *DOM) labelled(label int) int {
	if id := d.Nodes[label].attr("for"); id != "" {
		if i, ok := d.ids()[id]; ok {
			return i
		}
		return -1
	}
	for i := label + 1; i < min(label+d.Nodes[label].Size, len(d.Nodes)); i++ {
		switch d.Nodes[i].Tag {
		case "INPUT", "SELECT", "TEXTAREA", "BUTTON":
			return i
		}
	}
	return -1
}

// fileLabel is what a file input is called by: it may be hidden behind its label.
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
