package tree

import "cmp"

// NameDepth is how many levels below an element without a name are looked at for what it is called
// by: Chrome describes no more than some hundred.
const NameDepth = 40

// labels says whether a label is of a control that is shown by itself.
func (b *builder) labels(label *domNode) bool {
	target := b.labelled(label)
	if target == nil {
		return false
	}
	ax := b.doc.AX.byBackend[target.Backend]
	return ax != nil && !ax.Ignored || target.Attrs["type"] == "file"
}

// labelled is the control of a label, or nil.
func (b *builder) labelled(label *domNode) *domNode {
	dom := b.doc.DOM
	if id := label.Attrs["for"]; id != "" {
		if i, ok := dom.ids()[id]; ok {
			return &dom.Nodes[i]
		}
		return nil
	}
	at := dom.byBackend[label.Backend]
	for i := at + 1; i < min(at+label.Size, len(dom.Nodes)); i++ {
		switch dom.Nodes[i].Tag {
		case "INPUT", "SELECT", "TEXTAREA", "BUTTON":
			return &dom.Nodes[i]
		}
	}
	return nil
}

// nameOf is what an element without a name is called: what it says, or what is said of it.
func (b *builder) nameOf(dom *domNode) string {
	if name := dom.Attrs["aria-label"]; name != "" {
		return name
	}
	text := b.doc.DOM.text(dom, 100)
	if wordly(text) {
		return text
	}
	return cmp.Or(b.doc.DOM.saidOf(dom, 0), text)
}

// saidOf is what is said of an element, or of the first one in it of which something is.
func (d *DOM) saidOf(n *domNode, depth int) string {
	for _, name := range []string{"aria-label", "alt", "title", "placeholder"} {
		if v := n.Attrs[name]; v != "" {
			return v
		}
	}
	for i := n.FirstKid; i >= 0 && depth < NameDepth; i = d.Nodes[i].NextOfKin {
		if v := d.saidOf(&d.Nodes[i], depth+1); v != "" {
			return v
		}
	}
	return ""
}

func (b *builder) fileLabel(dom *domNode) string {
	if name := dom.Attrs["aria-label"]; name != "" {
		return name
	}
	if label := b.labelOf(dom); label != nil {
		return b.doc.DOM.text(label, 100)
	}
	if name := dom.Attrs["title"]; name != "" {
		return name
	}
	return dom.Attrs["name"]
}

// labelOf is the label of a control, or nil.
func (b *builder) labelOf(control *domNode) *domNode {
	nodes := b.doc.DOM.Nodes
	for i := control.Parent; i >= 0; i = nodes[i].Parent {
		if nodes[i].Tag == "LABEL" {
			return &nodes[i]
		}
	}
	if id := control.Attrs["id"]; id != "" {
		b.doc.DOM.ids()
		if i, ok := b.doc.DOM.labelFor[id]; ok {
			return &nodes[i]
		}
	}
	return nil
}
