package tree

import (
	"slices"
	"strings"
)

// A Part says which of a large document's nodes are asked for.
type Part struct {
	roots []int        // indices of the nodes that are asked for with all that is in them
	alone []int        // of those that are asked for without
	left  map[int]bool // the topmost nodes that are left out
	more  []leftOut
	// beyond counts what a query finds and that isn't asked for, as it is too much.
	beyond int
	all    []domNode
	Nodes  int // how many are asked for, about
}

// leftOut is a run of alike children.
type leftOut struct {
	parent, first int // indices
	Omitted
}

// Alone are the backend ids of the nodes that are asked for without what is in them.
func (p *Part) Alone() []int { return p.backends(p.alone) }

// Whole are those that are asked for with all that is in them.
func (p *Part) Whole() []int { return p.backends(p.roots) }

func (p *Part) backends(at []int) []int {
	ids := make([]int, len(at))
	for i, k := range at {
		ids[i] = p.all[k].Backend
	}
	return ids
}

// skips says whether the node at an index is left out.
func (p *Part) skips(i int) bool {
	if p == nil {
		return false
	}
	for ; i >= 0; i = p.all[i].Parent {
		if p.left[i] {
			return true
		}
	}
	return false
}

// omitted puts a stand-in where children were left out.
func (b *builder) omitted(root *Node) {
	if b.doc.Part == nil {
		return
	}
	for _, run := range b.doc.Part.more {
		backend := b.doc.DOM.Nodes[run.parent].Backend
		parent := b.made[backend]
		if parent == nil {
			parent = root
		}
		more := run.Omitted
		more.In = b.key(backend)
		at := slices.IndexFunc(parent.Children, func(c *Node) bool {
			i, ok := b.doc.DOM.byBackend[c.Key.Backend]
			return ok && i > run.first
		})
		if at < 0 {
			at = len(parent.Children)
		}
		parent.Children = slices.Insert(parent.Children, at, &Node{Role: "more", More: &more})
	}
}

// Bounds of what is asked for of a large document.
const (
	tinyDocument  = 60    // nodes; up to here it is asked for as a whole whatever room there is
	largeDocument = 6_000 // nodes; up to here it is asked for as a whole
	smallSubtree  = 400   // nodes; up to here what is in a node is asked for with it
	partNodes     = 6_000 // nodes altogether
	partRoots     = 700   // questions altogether
	partRun       = 30    // of alike children, so many are asked for, and as many of those in view
)

// Room is how many nodes are asked for of all documents of one process.
const Room = 2 * partNodes

// A planner decides what of a large document is asked for.
type planner struct {
	doc   *DOM
	part  *Part
	nodes int
	room  int // how many nodes it may be
	skip  int // of the children of base
	base  int
}

// Plan decides what of a document is worth asking the accessibility tree for, if it is
// large; nil is all of it. base is the backend id of the node to begin with, 0 is the
// document, and the first skip children of it are passed over. room is how many nodes may be
// asked for, which other documents of the page have a share in; see [Room].
func Plan(d *DOM, base, skip, room int) *Part {
	if d == nil || len(d.Nodes) <= min(largeDocument, max(room, tinyDocument)) {
		return nil
	}
	p := &planner{doc: d, room: min(room, partNodes), part: &Part{left: map[int]bool{}, all: d.Nodes}, base: d.byBackend[base], skip: skip}
	for i := d.Nodes[p.base].Parent; i >= 0; i = d.Nodes[i].Parent {
		p.part.alone = append(p.part.alone, i)
		for k := d.Nodes[i].FirstKid; k >= 0; k = d.Nodes[k].NextOfKin {
			if !p.leadsTo(k) {
				p.part.left[k] = true
			}
		}
	}
	p.look(p.base)
	p.part.Nodes = p.nodes
	return p.part
}

func (p *planner) leadsTo(i int) bool {
	return i <= p.base && p.base < i+p.doc.Nodes[i].Size
}

// look asks for a node: with all that is in it if that is little, else alone, and for
// its children, of alike ones the first and those in view.
func (p *planner) look(i int) {
	node := &p.doc.Nodes[i]
	if node.Size <= smallSubtree && (i != p.base || p.skip == 0 && (node.Size <= p.room || node.Size <= tinyDocument)) {
		p.part.roots = append(p.part.roots, i)
		p.nodes += node.Size
		return
	}
	p.part.alone = append(p.part.alone, i)
	passed := 0
	var run []int
	flush := func() {
		if len(run) > 0 {
			p.run(i, run, passed-len(run))
		}
		run = run[:0]
	}
	for k := node.FirstKid; k >= 0; k = p.doc.Nodes[k].NextOfKin {
		child := &p.doc.Nodes[k]
		if child.Text != "" && child.Tag == "#text" && Squeezed(child.Text) == "" {
			continue
		}
		passed++
		if i == p.base && passed <= p.skip {
			p.part.left[k] = true
			continue
		}
		if len(run) > 0 && p.doc.Nodes[run[0]].Tag != child.Tag {
			passed--
			flush()
			passed++
		}
		run = append(run, k)
	}
	flush()
}

// run looks at alike children of a node, of which first come before.
func (p *planner) run(parent int, run []int, first int) {
	seen, left, from := 0, 0, 0
	end := func(next int) {
		if left > 0 {
			p.part.more = append(p.part.more, leftOut{parent: parent, first: run[from],
				Omitted: Omitted{Role: p.roleOf(run[from]), Count: left, Skip: first + from}})
		}
		left, from = 0, next
	}
	for at, k := range run {
		node := &p.doc.Nodes[k]
		wanted := at < partRun
		if !wanted && node.InView && seen < 2*partRun {
			seen++
			wanted = true
		}
		if p.nodes+min(node.Size, smallSubtree) > p.room || len(p.part.roots)+len(p.part.alone) > partRoots {
			wanted = false
		}
		if !wanted {
			if left == 0 {
				from = at
			}
			left++
			p.part.left[k] = true
			continue
		}
		end(at)
		p.look(k)
	}
	end(len(run))
}

// roleOf guesses what a node is from its element, for counting.
func (p *planner) roleOf(i int) string {
	switch tag := p.doc.Nodes[i].Tag; tag {
	case "TR":
		return "row"
	case "LI":
		return "item"
	case "ARTICLE":
		return "article"
	case "OPTION":
		return "option"
	case "A":
		return "link"
	case "BUTTON":
		return "button"
	case "#text":
		return "text"
	case "P":
		return "paragraph"
	}
	if role := p.doc.Nodes[i].Attrs["role"]; role == "row" || role == "listitem" || role == "option" || role == "article" {
		return roleName(role)
	}
	return "element"
}

// Search decides what of a large document is asked for to answer a query: what is
// written in it matches. base is the backend id of the node to search in, 0 is the document. room
// is as for [Plan]; what is found beyond it is counted.
func Search(d *DOM, base int, matches func(string) bool, room int) *Part {
	if len(d.Nodes) <= min(largeDocument, max(room, tinyDocument)) {
		return nil
	}
	from := d.byBackend[base]
	p := &planner{doc: d, room: min(room, partNodes), part: &Part{left: map[int]bool{}, all: d.Nodes}}
	wanted := map[int]bool{}
	above := map[int]bool{}
	for k := from; k > 0; k = d.Nodes[k].Parent { // it is shown even if nothing is found
		above[k] = true
		p.part.alone = append(p.part.alone, k)
	}
	for i := from; i < min(from+d.Nodes[from].Size, len(d.Nodes)); i++ {
		if !d.found(i, matches) {
			continue
		}
		if p.nodes >= p.room || len(wanted) > partRoots/2 {
			p.part.beyond++
			continue
		}
		at := i
		for d.Nodes[at].Parent > 0 && at != from && (d.Nodes[at].Tag == "#text" || inline[d.Nodes[at].Tag] || ofSelect[d.Nodes[at].Tag]) {
			at = d.Nodes[at].Parent
		}
		if d.Nodes[at].Size > smallSubtree { // it is written right in something large
			at = i
		}
		if wanted[at] || above[at] || p.covered(at, wanted) {
			continue
		}
		wanted[at] = true
		if d.Nodes[at].Size > smallSubtree || d.Nodes[at].Tag == "#text" {
			p.part.alone = append(p.part.alone, at)
		} else {
			p.nodes += d.Nodes[at].Size
			p.part.roots = append(p.part.roots, at)
		}
		for k := d.Nodes[at].Parent; k >= 0 && !above[k]; k = d.Nodes[k].Parent {
			above[k] = true
			p.part.alone = append(p.part.alone, k)
		}
	}
	for k := range above {
		for c := d.Nodes[k].FirstKid; c >= 0; c = d.Nodes[c].NextOfKin {
			if !above[c] && !wanted[c] {
				p.part.left[c] = true
			}
		}
	}
	if len(above) == 0 {
		p.part.alone = []int{0}
		p.part.left[d.Nodes[0].FirstKid] = true
	}
	p.part.Nodes = p.nodes
	return p.part
}

func (p *planner) covered(i int, by map[int]bool) bool {
	for ; i >= 0; i = p.doc.Nodes[i].Parent {
		if by[i] {
			return true
		}
	}
	return false
}

// ofSelect are the elements in a select, which have no box while it is closed.
var ofSelect = Set("OPTION", "OPTGROUP")

// shown says whether a person sees an element, or can by opening the select that it is in.
func (d *DOM) shown(i int) bool {
	for ofSelect[d.Nodes[i].Tag] && d.Nodes[i].Parent >= 0 {
		i = d.Nodes[i].Parent
	}
	return d.Nodes[i].Laid
}

// found says whether a node's own words match.
func (d *DOM) found(i int, matches func(string) bool) bool {
	n := &d.Nodes[i]
	if n.Tag == "#text" {
		return n.Text != "" && n.Parent >= 0 && d.shown(n.Parent) && matches(n.Text)
	}
	if n.Value != "" && n.Laid && !secret(n.Tag, strings.ToLower(n.Attrs["type"]), n) && matches(n.Value) {
		return true
	}
	for _, name := range []string{"aria-label", "placeholder", "title", "alt", "href"} {
		if v := n.Attrs[name]; v != "" && n.Laid && matches(v) {
			return true
		}
	}
	return false
}
