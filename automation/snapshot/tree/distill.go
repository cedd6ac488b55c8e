package tree

import (
	"slices"
	"strings"
)

// Bounds of texts that are put on one line, in bytes.
const (
	joinText = 80  // of a text that is joined with its neighbours
	joinLine = 160 // of the joined texts
	joinRow  = 400 // of the joined texts of a row
)

// byContent are the roles whose names come from their content.
var byContent = Set(`button link option tab menuitem menuitemcheckbox menuitemradio checkbox radio switch summary
	heading clickable canvas image columnheader rowheader tooltip gridcell`)

// Absorbing are the roles whose texts are put on the node's own line.
var Absorbing = Set(`row item gridcell columnheader rowheader treeitem alert status article definition term tooltip
	caption label`)

// hollow are the containers that are dropped if they are empty.
var hollow = Set(`row item list table grid cell gridcell navigation region banner contentinfo complementary article
	main form search heading columnheader rowheader tabpanel toolbar status log group figure image radiogroup math
	note feed tablist menu LayoutTable`)

// cells are the roles of a row's columns. Empty ones keep their place.
var cells = Set(`cell gridcell columnheader rowheader`)

// distiller removes nodes that only lay out.
type distiller struct {
	keep map[Key]bool
	sole map[*Node]bool // forms that are the only form of their document
}

// Distill removes from a raw tree the nodes that only lay out, and texts that only repeat a name that is shown. No
// text is lost: it stays, or all its words are in the name of a node that contains it, or of the field that it
// labels. Nodes of keep stay.
func Distill(root *Node, keep map[Key]bool) {
	d := &distiller{keep, map[*Node]bool{}}
	d.look(root)
	d.node(root)
	root.settle()
}

// look finds the forms that are the only form of their document, here and in the documents inside. It returns the
// forms of this document.
func (d *distiller) look(n *Node) (forms []*Node) {
	for _, c := range n.Children {
		forms = append(forms, d.look(c)...)
	}
	switch n.Role {
	case "form":
		return append(forms, n)
	case "iframe", "page":
		if len(forms) == 1 {
			d.sole[forms[0]] = true
		}
		return nil
	}
	return forms
}

// node distills n and its descendants.
func (d *distiller) node(n *Node) {
	row := n.Role == "row"
	var kids []*Node
	for _, c := range n.Children {
		d.node(c)
		kids = append(kids, d.yield(c, row)...)
	}
	n.Children = merge(kids, row)
	if !n.Traits.Inline || !wrappers[n.Role] { // otherwise its texts may flow on around it
		n.Children = trimmed(n.Children, row)
	}
	if !row {
		n.Children = unlabelled(n.Children)
	}
}

// yield returns what replaces a child in its parent: the child itself, or its content. Content that a node's name
// repeats may be dropped only if that node itself is shown.
func (d *distiller) yield(c *Node, inRow bool) []*Node {
	switch {
	case c.Role == "text":
		return []*Node{c}
	case c.Traits.Actable || c.Traits.Reached:
	case d.keep[c.Key]:
		if c.Name != "" {
			c.Role = grouping(c.Role)
		}
	case c.Traits.Unseen && len(c.Children) == 0: // its name isn't visible either
		return nil
	case cells[c.Role]:
		return column(c, inRow)
	case c.Role == "item" && len(c.Children) == 1 && c.Name == "" && c.Children[0].Role != "text":
		return c.Children
	case c.Role == "list" && (len(c.Children) < 2 || c.Name == "" && len(c.Children) < 5):
		return block(c)
	case c.Role == "group" && c.Name != "" && len(c.Children) > 1:
	case wrappers[c.Role] && c.Role != "list" && (c.Name == "" || !named(c)):
		return block(c)
	case hollow[c.Role] && len(c.Children) == 0 && c.Name == "":
		return nil
	case c.Name == "" && d.sole[c]: // the only form needs no node to distinguish it
		return block(c)
	default:
		c.Role = grouping(c.Role)
	}
	c.settle()
	return []*Node{c}
}

// grouping returns the role of a wrapper that is shown on its own.
func grouping(role string) string {
	switch role {
	case "generic", "none", "section":
		return "group"
	}
	return role
}

// named says whether a wrapper's name is more than its own text.
func named(c *Node) bool {
	switch c.Role {
	case "generic", "group", "figure", "section", "separator", "blockquote", "document":
		return !strings.Contains(Squeezed(texts(c)), Squeezed(c.Name))
	}
	return false
}

// block returns the content of a wrapper, with its texts separated from texts beside the wrapper.
func block(c *Node) []*Node {
	if !c.Traits.Inline {
		setOff(c)
	}
	return c.Children
}

// setOff keeps the texts of a block from flowing into others. A text that is the whole block may share a line with
// other such texts.
func setOff(c *Node) {
	for _, k := range c.Children {
		if k.Role == "text" {
			if k.Traits.Inline {
				k.Traits.Whole = len(c.Children) == 1 && c.Role != "paragraph"
			}
			k.Traits.Inline = false
		}
	}
}

// column returns what replaces a cell: its text or its content.
func column(c *Node, inRow bool) []*Node {
	switch {
	case len(c.Children) > 0:
		setOff(c)
		if c.Name != "" && inRow && !repeats(content(c), c.Name) { // its name differs from its content
			return append([]*Node{{Key: c.Key, Role: "text", Name: c.Name,
				Traits: Traits{InView: c.Traits.InView, Whole: true}}}, c.Children...)
		}
		return c.Children
	case c.Name != "":
		return []*Node{{Key: c.Key, Role: "text", Name: c.Name, Traits: Traits{InView: c.Traits.InView, Whole: true}}}
	case inRow:
		return []*Node{{Role: "text", Name: "–", Traits: Traits{InView: c.Traits.InView, Whole: true}}}
	}
	return nil
}

// merge joins adjacent texts: texts that flow into each other become one, and short ones of different blocks are
// joined with a bar between them.
func merge(kids []*Node, row bool) []*Node {
	out := kids[:0:0]
	var last *Node
	for _, c := range kids {
		if c.Role != "text" {
			out, last = append(out, c), nil
			continue
		}
		if last != nil && strings.TrimSpace(last.Name) == "" && !(last.Traits.Inline && c.Traits.Inline) {
			out, last = out[:len(out)-1], nil // space before a block
		}
		if last != nil && last.flow(c, row) {
			continue
		}
		copied := *c
		out, last = append(out, &copied), &copied
	}
	return out
}

// trimmed returns the nodes without the space at the ends of texts, and without texts that say nothing.
func trimmed(kids []*Node, row bool) []*Node {
	return slices.DeleteFunc(kids, func(c *Node) bool {
		if c.Role == "text" {
			c.Name = strings.TrimSpace(c.Name)
		}
		return c.Role == "text" && (c.Name == "" || !row && parting(c.Name))
	})
}

// unlabelled returns the nodes without texts that only label the control beside them.
func unlabelled(kids []*Node) []*Node {
	out := kids[:0:0]
	labels := func(text *Node, at int) bool {
		return at >= 0 && at < len(kids) && (Fields[kids[at].Role] || toggles[kids[at].Role]) &&
			Squeezed(text.Name) == Squeezed(kids[at].Name)
	}
	for i, c := range kids {
		if c.Role == "text" && (labels(c, i+1) || labels(c, i-1)) {
			continue
		}
		out = append(out, c)
	}
	return out
}

var toggles = Set(`checkbox radio switch listbox`)

// flow appends the text c to n, if they belong on one line.
func (n *Node) flow(c *Node, row bool) bool {
	text := strings.TrimSpace(c.Name)
	switch {
	case n.Traits.Inline && c.Traits.Inline:
		if strings.HasSuffix(n.Name, " ") {
			n.Name += strings.TrimLeft(c.Name, " ")
		} else {
			n.Name += c.Name
		}
	case text == "":
	case row && len(n.Name)+len(text) < joinRow,
		n.Traits.Whole && c.Traits.Whole && len(n.Name)+len(text) < joinLine && len(text) <= joinText:
		n.Name, n.Is = strings.TrimSpace(n.Name)+Bar+text, Identity{} // it is of several elements
	default:
		return false
	}
	n.Traits.InView = n.Traits.InView || c.Traits.InView
	n.Traits.Inline, n.Traits.Whole = c.Traits.Inline, n.Traits.Whole && c.Traits.Whole
	return true
}

// settle removes from n's content what n's own line says, too.
func (n *Node) settle() {
	n.Children = trimmed(n.Children, n.Role == "row")
	switch {
	case n.Traits.Select:
	case Fields[n.Role]:
		n.written()
	case Absorbing[n.Role] && (n.Name == "" || n.Role == "row" && repeats(content(n), n.Name)):
		n.absorb()
	case n.Name != "" && (byContent[n.Role] || n.Traits.ByText):
		n.Children = n.rest()
		if n.Role == "heading" && len(n.Children) == 1 && Squeezed(n.Children[0].Name) == Squeezed(n.Name) &&
			n.Children[0].Traits.Actable {
			n.Name = ""
		}
	case n.Role == "region" || n.Role == "dialog" || n.Role == "article" || n.Role == "form" || n.Role == "group":
		if len(n.Children) > 0 && n.Children[0].Role == "heading" && n.Children[0].Name == n.Name &&
			len(n.Children[0].Children) == 0 {
			n.Children = n.Children[1:]
		}
	}
	if n.Name != "" && n.Role != "row" && n.Role != "page" && n.Role != "iframe" { // the names of these are titles
		n.Children = slices.DeleteFunc(n.Children,
			func(c *Node) bool { return c.Role == "text" && within(n.Name, c.Name) })
	}
	if n.Role == "article" && !n.Traits.Actable && len(n.Children) > 0 &&
		Squeezed(n.Children[0].Name) == Squeezed(n.Name) {
		n.Name = ""
	}
}

// within says whether a name contains a text, word for word.
func within(name, text string) bool {
	in, textWords := words(name), words(text)
	if len(textWords) == 0 {
		return true
	}
	for at := 0; at+len(textWords) <= len(in); at++ {
		if slices.Equal(in[at:at+len(textWords)], textWords) {
			return true
		}
	}
	return false
}

// rest returns the content of a node whose name comes from its content, without the parts that the name repeats and
// that can't be acted on. If the name is only the beginning of the text, rest returns all content.
func (n *Node) rest() []*Node {
	text := texts(n)
	if repeats(n.Name, text) && !(n.Traits.ByText && len(words(text)) > len(words(n.Name))) {
		return silent(n.Name, n.Children)
	}
	if n.Traits.ByText {
		return n.Children
	}
	// The name differs from the text, so both are shown.
	if trimmed := strings.TrimSpace(text); len(trimmed) < joinLine && !strings.Contains(trimmed, Bar) && plain(n) {
		return append([]*Node{{Role: "text", Name: trimmed, Traits: Traits{InView: n.Traits.InView}}}, Controls(n)...)
	}
	return n.Children
}

// plain says whether a node contains only texts and controls.
func plain(n *Node) bool {
	for _, c := range n.Children {
		if c.Role != "text" && !c.Traits.Actable {
			return false
		}
	}
	return true
}

// silent returns the nodes that a name doesn't repeat: those that can be acted on, that have a value, or that say
// something else.
func silent(name string, kids []*Node) []*Node {
	var out []*Node
	for _, c := range kids {
		switch {
		case c.Traits.Actable || c.Traits.Reached || c.Value != "":
			out = append(out, c)
		case c.Role == "text":
		case repeats(name, c.Name):
			out = append(out, silent(name, c.Children)...)
		default:
			out = append(out, c)
		}
	}
	return out
}

// written removes from a field what its value repeats. In a field that the page has built itself, controls stay, and
// texts that the value doesn't contain.
func (n *Node) written() {
	if n.Traits.Native {
		n.Children = nil
		return
	}
	text := texts(n)
	if wordy(n.Role) && n.Value == "" && !n.Traits.Secret && !slices.Contains(n.States, "password") {
		n.Value = Cut(strings.TrimSpace(strings.ReplaceAll(text, Bar, " ")), MaxValue)
	}
	if repeats(n.Name+" "+n.Value, text) {
		n.Children = silent(n.Name+" "+n.Value, n.Children)
	}
}

// absorb puts the texts of a node on its own line.
func (n *Node) absorb() {
	limit := joinLine
	if n.Role == "row" {
		limit = joinRow
	}
	var all, rest []*Node
	size := 0
	for _, c := range n.Children {
		if c.Role == "text" {
			all = append(all, c)
			size += len(c.Name) + 3
		} else {
			rest = append(rest, c)
		}
	}
	if n.Role == "row" {
		n.Name = "" // its cells have the name's texts
	}
	if len(all) == 0 || size > limit && len(rest) > 0 || len(all) > 1 && n.Role == "article" {
		return
	}
	var lines []string
	for _, c := range all {
		lines = append(lines, c.Name)
		n.Traits.InView = n.Traits.InView || c.Traits.InView
	}
	n.Name = strings.TrimRight(strings.Join(lines, Bar), "–"+Bar+" ")
	n.Children = rest
}

// texts returns all text in n that isn't in a control.
func texts(n *Node) string { return written(n, func(*Node) bool { return true }) }

// read does the same in a raw tree, where only names of images count, because other names may come from invisible
// content.
func read(n *Node) string {
	return written(n, func(c *Node) bool { return c.Role == "text" || c.Role == "image" && !c.Traits.Unseen })
}

// written returns all text in n, with the names of nodes for which named is true.
func written(n *Node, named func(*Node) bool) string {
	var b strings.Builder
	apart := false // the next text belongs to another block
	var walk func(n *Node)
	walk = func(n *Node) {
		for _, c := range n.Children {
			if c.Traits.Actable && c.Role != "text" {
				apart = true
				continue
			}
			flows := c.Traits.Inline
			apart = apart || !flows
			before := b.Len()
			walk(c)
			if c.Name != "" && b.Len() == before && named(c) { // otherwise its content has said it
				if apart && b.Len() > 0 {
					b.WriteByte(' ')
				}
				b.WriteString(strings.ReplaceAll(c.Name, Bar, " "))
				apart = false
			}
			apart = apart || !flows || c.Role != "text" && c.Name != ""
		}
	}
	walk(n)
	return b.String()
}

// content returns all text in n, including that of controls.
func content(n *Node) string {
	var b strings.Builder
	for _, c := range n.Children {
		c.Walk(0, func(c *Node, _ int) bool {
			b.WriteString(strings.ReplaceAll(c.Name+" "+c.Value+" ", Bar, " "))
			return !c.Traits.Select
		})
	}
	return b.String()
}

// Controls returns the topmost nodes in n that can be acted on.
func Controls(n *Node) []*Node {
	var found []*Node
	for _, c := range n.Children {
		c.Walk(0, func(c *Node, _ int) bool {
			if c.Traits.Actable {
				found = append(found, c)
				return false
			}
			return true
		})
	}
	return found
}
