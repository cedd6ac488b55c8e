package tree

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Lengths in bytes of texts that are put on one line.
const (
	joinText = 80  // a text that is joined with its neighbours
	joinLine = 160 // texts together
	joinRow  = 400 // those of a row
)

// byContent are the roles that are called by what is in them.
var byContent = Set("button", "link", "option", "tab", "menuitem", "menuitemcheckbox", "menuitemradio", "checkbox", "radio",
	"switch", "summary", "heading", "clickable", "canvas", "image", "columnheader", "rowheader", "tooltip", "gridcell")

// Absorbing are the roles whose texts stand on their own line.
var Absorbing = Set("row", "item", "gridcell", "columnheader", "rowheader", "treeitem", "alert", "status", "article", "definition", "term", "tooltip", "caption", "label")

// empty containers are dropped.
var hollow = Set("row", "item", "list", "table", "grid", "cell", "gridcell", "navigation", "region", "banner", "contentinfo",
	"complementary", "article", "main", "form", "search", "heading", "columnheader", "rowheader", "tabpanel", "toolbar",
	"status", "log", "group", "figure", "image", "radiogroup", "math", "note", "feed", "tablist", "menu", "LayoutTable")

// cells are columns of a row: empty ones hold their place.
var cells = Set("cell", "gridcell", "columnheader", "rowheader")

// A distiller takes away what only lays out.
type distiller struct {
	keep map[Key]bool
	sole map[*Node]bool // forms that are the only one of their document
}

// Distill takes away from a raw tree what only lays out, what says nothing, and what
// repeats a name. Nodes of keep stay.
func Distill(root *Node, keep map[Key]bool) {
	d := &distiller{keep, map[*Node]bool{}}
	d.look(root)
	d.node(root, false)
}

// look finds the forms of a document that are the only one there, and those of the documents in
// it, and gives the forms of the document.
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

// node makes n and what is below it fit to be shown. inRow says that it is a column.
func (d *distiller) node(n *Node, inRow bool) {
	row := n.Role == "row"
	var kids []*Node
	for _, c := range n.Children {
		d.node(c, row)
		kids = append(kids, d.yield(c, row)...)
	}
	n.Children = merge(kids, row)
	if !row {
		n.Children = unlabelled(n.Children)
	}
	d.settle(n)
}

// yield is what stands for a child in its parent.
func (d *distiller) yield(c *Node, inRow bool) []*Node {
	switch {
	case c.Role == "text" || c.More != nil || c.Traits.Actable || c.Traits.Reached:
		return []*Node{c}
	case d.keep[c.Key]:
		if c.Name != "" {
			c.Role = grouping(c.Role)
		}
		return []*Node{c}
	case cells[c.Role]:
		return column(c, inRow)
	case c.Role == "item" && len(c.Children) == 1 && c.Name == "" && c.Children[0].Role != "text":
		return c.Children
	case c.Role == "list" && (len(c.Children) < 2 || c.Name == "" && len(c.Children) < 5):
		return block(c)
	case c.Role == "group" && c.Name != "" && len(c.Children) > 1:
		return []*Node{c}
	case wrappers[c.Role] && c.Role != "list" && (c.Name == "" || !named(c)):
		return block(c)
	case hollow[c.Role] && len(c.Children) == 0 && c.Name == "":
		return nil
	case c.Name == "" && d.sole[c]: // it tells nothing apart
		return block(c)
	}
	c.Role = grouping(c.Role)
	return []*Node{c}
}

// grouping is what a wrapper is called that is shown by itself.
func grouping(role string) string {
	switch role {
	case "generic", "none", "section":
		return "group"
	}
	return role
}

// named says whether a wrapper's name is more than what is written in it.
func named(c *Node) bool {
	switch c.Role {
	case "generic", "group", "figure", "section", "separator", "blockquote", "document":
		return !strings.Contains(Squeezed(texts(c)), Squeezed(c.Name))
	}
	return false
}

// block is what is in a wrapper, its texts set off from those beside it.
func block(c *Node) []*Node {
	if !c.Traits.Inline {
		for _, k := range c.Children {
			k.Traits.Inline = k.Traits.Inline && k.Role != "text"
		}
	}
	return c.Children
}

// column is a cell: its text, or what is in it.
func column(c *Node, inRow bool) []*Node {
	switch {
	case len(c.Children) > 0:
		return block(c)
	case c.Name != "":
		return []*Node{{Key: c.Key, Role: "text", Name: c.Name, Traits: Traits{InView: c.Traits.InView}}}
	case inRow:
		return []*Node{{Role: "text", Name: "–", Traits: Traits{InView: c.Traits.InView}}}
	}
	return nil
}

// merge joins texts that are next to each other: those that flow into each other as
// one, short ones of different blocks with a bar between.
func merge(kids []*Node, row bool) []*Node {
	out := kids[:0:0]
	var last *Node
	for _, c := range kids {
		if c.Role != "text" {
			if last != nil {
				last.Name = strings.TrimSpace(last.Name)
			}
			out, last = append(out, c), nil
			continue
		}
		if last == nil && strings.TrimSpace(c.Name) == "" {
			continue
		}
		if last != nil && last.flow(c, row) {
			continue
		}
		copied := *c
		copied.Name = strings.TrimLeft(c.Name, " ")
		out, last = append(out, &copied), &copied
	}
	for _, c := range out {
		if c.Role == "text" {
			c.Name = strings.TrimSpace(c.Name)
		}
	}
	return slices.DeleteFunc(out, func(c *Node) bool {
		return c.Role == "text" && (c.Name == "" || !row && utf8.RuneCountInString(c.Name) <= 2 && !wordly(c.Name))
	})
}

// unlabelled are nodes without the texts that the field behind them is called by.
func unlabelled(kids []*Node) []*Node {
	out := kids[:0:0]
	for i, c := range kids {
		if c.Role == "text" && i+1 < len(kids) && Fields[kids[i+1].Role] && Squeezed(c.Name) == Squeezed(kids[i+1].Name) {
			continue
		}
		out = append(out, c)
	}
	return out
}

// flow adds the text c to n, if they belong on one line.
func (n *Node) flow(c *Node, row bool) bool {
	text := strings.TrimSpace(c.Name)
	switch {
	case n.Traits.Inline && c.Traits.Inline:
		n.Name = Cut(n.Name+c.Name, 4*MaxName)
	case text == "":
	case row && len(n.Name)+len(text) < joinRow,
		len(n.Name)+len(text) < joinLine && len(text) <= joinText:
		n.Name = strings.TrimSpace(n.Name) + " | " + text
	default:
		return false
	}
	n.Traits.InView = n.Traits.InView || c.Traits.InView
	n.Traits.Inline = c.Traits.Inline
	return true
}

// settle drops from n what repeats what n says itself.
func (d *distiller) settle(n *Node) {
	switch {
	case n.Traits.Select:
		n.Children = options(n.Children)
	case Fields[n.Role] && n.Role != "combobox":
		if n.Role == "textbox" && n.Value == "" && !n.Traits.Secret && !strings.Contains(strings.Join(n.States, " "), "password") {
			n.Value = Cut(texts(n), MaxValue)
		}
		n.written()
	case n.Role == "combobox":
		n.Children = slices.DeleteFunc(n.Children, func(c *Node) bool { return c.Role == "text" })
	case (byContent[n.Role] || n.Traits.ByText) && n.Name != "":
		n.content()
	case Absorbing[n.Role] && (n.Name == "" || n.Role == "row"):
		n.absorb()
	case n.Role == "region" || n.Role == "dialog" || n.Role == "article" || n.Role == "form" || n.Role == "group":
		if len(n.Children) > 0 && n.Children[0].Role == "heading" && n.Children[0].Name == n.Name && len(n.Children[0].Children) == 0 {
			n.Children = n.Children[1:]
		}
	}
	if n.Name != "" && len(n.Children) > 0 {
		in := Squeezed(n.Name)
		n.Children = slices.DeleteFunc(n.Children, func(c *Node) bool { return c.Role == "text" && strings.Contains(in, Squeezed(c.Name)) })
	}
	if n.Role == "article" && !n.Traits.Actable && len(n.Children) > 0 && Squeezed(n.Children[0].Name) == Squeezed(n.Name) {
		n.Name = ""
	}
}

// content drops what is in a node that is called by it, but what can be acted on.
func (n *Node) content() {
	if said := texts(n); n.Traits.ByText && (len(Squeezed(said)) > len(Squeezed(n.Name)) || !repeats(n.Name, said)) {
		return // it is called by how it begins
	}
	if !n.Traits.ByText && !repeats(n.Name, texts(n)) {
		if n.Traits.Actable || n.Role == "heading" { // its name is not what is written there: say both
			said := Clean(texts(n), joinLine)
			n.Children = append([]*Node{{Role: "text", Name: said, Traits: Traits{InView: n.Traits.InView}}}, Controls(n)...)
			return
		}
	}
	kids := Controls(n)
	if n.Role == "heading" && len(kids) == 1 && Squeezed(kids[0].Name) == Squeezed(n.Name) {
		n.Name = ""
	}
	n.Children = kids
}

// written drops from a field what its value says. What can be acted on in one that the page made
// itself stays, as does a text that is too long for a value.
func (n *Node) written() {
	switch {
	case n.Traits.Native:
		n.Children = nil
	case n.Role != "textbox" || n.Traits.Secret || len(texts(n)) <= MaxValue:
		n.Children = Controls(n)
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
	if len(all) == 0 || size > limit && len(rest) > 0 || len(all) > 1 && n.Role == "article" {
		return
	}
	var words []string
	for _, c := range all {
		words = append(words, c.Name)
		n.Traits.InView = n.Traits.InView || c.Traits.InView
	}
	n.Name = strings.TrimRight(strings.Join(words, " | "), "–| ")
	n.Children = rest
}

// texts is all that is written in n and not in what can be acted on in it.
func texts(n *Node) string {
	var words []string
	for _, c := range n.Children {
		c.Walk(0, func(c *Node, _ int) bool {
			if c.Role == "text" || c.Name != "" && !c.Traits.Actable {
				words = append(words, strings.ReplaceAll(c.Name, " | ", " "))
			}
			return !c.Traits.Actable
		})
	}
	return strings.Join(words, " ")
}

// Controls are the topmost nodes in n that can be acted on.
func Controls(n *Node) []*Node {
	var found []*Node
	for _, c := range n.Children {
		c.Walk(0, func(c *Node, _ int) bool {
			if c.Traits.Actable || c.More != nil {
				found = append(found, c)
				return false
			}
			return true
		})
	}
	return found
}

// options are those of a select, out of their groups, which give them a first name.
func options(kids []*Node) []*Node {
	var all []*Node
	for _, c := range kids {
		if c.Role == "option" {
			c.Children = nil
			all = append(all, c)
			continue
		}
		all = append(all, options(c.Children)...)
	}
	return all
}
