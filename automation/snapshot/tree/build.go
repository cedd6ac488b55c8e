package tree

import (
	"slices"
	"strings"
)

// Document is what Chrome reports about one frame's document.
type Document struct {
	Session, Frame, Loader string
	URL                    string
	Unreadable             string // why nothing is known of the document, or ""
	Owner                  Key    // the iframe element that shows the document; zero for the main frame
	Name                   string
	DOM                    *DOM
	AX                     *AX    // nil if it isn't known; roles and names are then inferred
	Partly                 string // why its accessibility tree is missing, if it should be there
}

// maxNodes bounds the nodes of a document in a tree.
const maxNodes = 150_000

// builder makes the nodes of one document. They are raw: nodes that only lay out are still there.
type builder struct {
	doc    *Document
	d      *DOM
	seen   bool // the frame's element is in the viewport
	frames map[int]*Node
	behind int
	beyond int
	nodes  int
	// acted are the names of the controls around the present element whose names come from their content.
	acted []string
}

// Build makes one tree of the documents. The main frame's document comes first. Nodes of keep stay in the tree even
// if they only lay out.
func Build(docs []*Document, keep map[Key]bool) *Tree {
	frames := map[Key]*Node{} // iframe elements
	hidden := map[Key]bool{}  // iframe elements that nobody can see
	t := &Tree{}
	var main *Node
	var lost []*Node // roots of documents whose iframe elements aren't known
	for _, doc := range docs {
		b := &builder{doc: doc, d: doc.DOM, seen: true, frames: map[int]*Node{}}
		if b.d != nil {
			t.Read += len(b.d.Nodes)
		}
		owner := frames[doc.Owner]
		if main != nil {
			b.seen = owner != nil && owner.Traits.InView
			if hidden[doc.Owner] {
				hide(doc, hidden)
				continue
			}
		}
		root := b.document()
		t.Behind += b.behind
		t.Beyond += b.beyond
		for backend, n := range b.frames {
			if key := b.key(backend); n == nil {
				hidden[key] = true
			} else {
				frames[key] = n
			}
		}
		switch {
		case main == nil:
			main = root
		case owner == nil:
			lost = append(lost, root)
		default:
			owner.put(root, docs[0].URL)
		}
	}
	if main == nil {
		main = &Node{Role: "page"}
	}
	t.URL = docs[0].URL
	for _, root := range lost {
		n := &Node{}
		n.put(root, t.URL)
		if n.About == "" {
			n.About = "where it is in the page is not known"
		}
		main.Children = append(main.Children, n)
	}
	Distill(main, keep)
	t.Root = main
	main.Walk(0, func(*Node, int) bool { t.Nodes++; return true })
	return t
}

// hide records that nobody can see the frames in a document that nobody can see.
func hide(doc *Document, hidden map[Key]bool) {
	if doc.DOM == nil {
		return
	}
	for i := range doc.DOM.Nodes {
		if n := &doc.DOM.Nodes[i]; n.Tag == "IFRAME" || n.Tag == "FRAME" {
			hidden[Key{doc.Session, doc.Frame, doc.Loader, n.Backend}] = true
		}
	}
}

// put puts a document's root into its iframe node.
func (n *Node) put(root *Node, page string) {
	n.Role, n.Traits.Actable = "iframe", false
	if root.About != "" {
		n.About = root.About
	}
	if n.Name == "" {
		n.Name = root.Name
	}
	n.URL = strings.TrimPrefix(strings.TrimPrefix(relative(root.URL, page), "https:"), "http:")
	if strings.HasPrefix(root.URL, "about:") {
		n.URL = ""
	}
	n.Children = append(n.Children, root.Children...)
}

func (b *builder) key(backend int) Key {
	if backend == 0 {
		return Key{}
	}
	return Key{b.doc.Session, b.doc.Frame, b.doc.Loader, backend}
}

func (b *builder) document() *Node {
	root := &Node{Role: "page", Name: Clean(b.doc.Name, 200), URL: PlainURL(b.doc.URL), About: b.doc.Unreadable}
	if b.doc.Unreadable != "" || b.d == nil || len(b.d.Nodes) == 0 {
		return root
	}
	root.About = b.doc.Partly
	root.Key = b.key(b.d.Nodes[0].Backend)
	if ax := b.ax(0); ax != nil && ax.Name.String() != "" {
		root.Name = Clean(ax.Name.String(), MaxName)
	}
	root.Called, root.Is = root.Name, b.d.identify(0, nil, false)
	root.Children = b.children(0, usable, 0)
	return root
}

// ax returns what the accessibility tree has for an element, or what is inferred.
func (b *builder) ax(i int) *axNode {
	if b.doc.AX == nil {
		return b.d.infer(i)
	}
	return b.doc.AX.byBackend[b.d.Nodes[i].Backend]
}

// use says whether the content of an element can be used.
type use int

const (
	usable use = iota
	inert
	behind // it is behind a modal dialog
)

const maxDepth = 2000 // bounds a tree's depth; deeper nodes are only counted

// children returns the nodes of an element's content.
func (b *builder) children(i int, u use, depth int) []*Node {
	var kids []*Node
	for k := b.d.Nodes[i].FirstKid; k >= 0; k = b.d.Nodes[k].NextOfKin {
		if c := b.node(k, u, depth); c != nil {
			kids = append(kids, c)
		}
	}
	return kids
}

// node returns the node of a text, or of an element with its content; nil if there is nothing to show.
func (b *builder) node(i int, u use, depth int) *Node {
	dom := &b.d.Nodes[i]
	file := dom.Tag == "INPUT" && dom.kind() == "file"
	if boxless[dom.Tag] || !dom.Boxes && !file && dom.Tag != "AREA" && !b.holdsFile(i) {
		if dom.Tag == "IFRAME" || dom.Tag == "FRAME" {
			b.frames[dom.Backend] = nil
		}
		return nil
	}
	if dom.Tag == "::marker" {
		return nil
	}
	if depth > maxDepth || b.nodes >= maxNodes {
		b.beyond += b.d.count(i)
		return nil
	}
	if dom.Tag == "#text" || strings.HasPrefix(dom.Tag, "::") {
		return b.text(i, u, depth)
	}
	if dom.Tag == "BR" {
		return &Node{Role: "text", Name: " ", Traits: Traits{Inline: true}}
	}
	b.nodes++
	ax := b.ax(i)
	if ax != nil {
		switch isBehind, isInert := ax.inert(); {
		case isBehind:
			u = behind
		case isInert:
			u = inert
		case !ax.Ignored:
			u = usable
		}
	}
	n := &Node{Key: b.key(dom.Backend), Role: "none"}
	n.Traits.InView, n.Traits.Unseen = dom.InView && b.seen, dom.Laid && !dom.Seen
	n.Traits.Inline = strings.HasPrefix(dom.Style[styleDisplay], "inline") || !dom.Laid
	known := ax != nil && !ax.Ignored && u == usable
	if known {
		n.Role = b.d.role(i, ax)
		name := ax.Name.String()
		if b.d.namedByHiddenCaption(i) {
			name = b.d.nameOf(i, ax.Role.String())
		}
		n.Name = Clean(name, MaxName)
		describe(n, ax, dom, b.doc.URL)
		if n.Role == "option" && n.Traits.Unseen { // the list that a person sees is another one
			n.Traits.Actable = false
		}
		if !n.Traits.Actable && (cells[n.Role] || n.Role == "row" || n.Role == "tooltip") && !dom.has("aria-label") &&
			!dom.has("aria-labelledby") {
			n.Name = "" // the name comes from the content, some of which may be invisible
		}
	}
	if !known && dom.Seen && holdsText[dom.Tag] && (u == inert || u == usable && b.inControl(i)) {
		b.held(n, i, u)
	}
	switch {
	case dom.Tag == "IFRAME" || dom.Tag == "FRAME":
		if !dom.Seen || u == behind {
			b.frames[dom.Backend] = nil
			return nil
		}
		n.Role, n.Traits.Actable = "iframe", false
		b.frames[dom.Backend] = n
	case dom.Tag == "SELECT":
		if dom.visible() {
			n.Children = b.options(i)
		}
	case dom.Tag == "VIDEO" || dom.Tag == "AUDIO":
		n.Children = b.player(ax, 0)
	default:
		acted := n.Traits.Actable && byContent[n.Role]
		if acted {
			b.acted = append(b.acted, n.Name)
		}
		n.Children = b.children(i, u, depth+1)
		if acted {
			b.acted = b.acted[:len(b.acted)-1]
		}
	}
	switch {
	case u == behind && !dom.Seen:
	case u == behind:
		if formTags[dom.Tag] || dom.Tag == "A" {
			b.behind++
		}
	case u == usable:
		b.operable(n, i, ax, known)
	}
	n.Called = n.Name
	n.Is = b.d.identify(i, ax, n.Traits.ByText)
	return n
}

// held makes a node of a field that can be read but not used.
func (b *builder) held(n *Node, i int, u use) {
	dom := &b.d.Nodes[i]
	is := b.d.infer(i)
	role := b.d.role(i, is)
	if !Fields[role] || b.d.valueOf(i) == "" {
		return
	}
	n.Role, n.Name = role, Clean(is.Name.String(), MaxName)
	describe(n, is, dom, b.doc.URL)
	n.Traits.Actable = false
	if u == inert && !slices.Contains(n.States, "disabled") {
		n.States = append(n.States, "disabled")
	}
}

// holdsText are the elements whose values are read although they have no text of their own.
var holdsText = Set(`INPUT SELECT TEXTAREA`)

// holdsFile says whether an element contains a file input. A file input needs no box.
func (b *builder) holdsFile(i int) bool {
	for k := i + 1; k < min(i+b.d.Nodes[i].Size, len(b.d.Nodes)); k++ {
		if n := &b.d.Nodes[k]; n.Tag == "INPUT" && n.kind() == "file" || n.Tag == "AREA" {
			return true
		}
	}
	return false
}

// count returns how many texts and controls are in a subtree that is left out.
func (d *DOM) count(i int) int {
	all := 0
	for k := i; k < min(i+d.Nodes[i].Size, len(d.Nodes)); k++ {
		if n := &d.Nodes[k]; n.Tag == "#text" && n.Seen || n.Tag != "#text" && n.Laid &&
			(formTags[n.Tag] || n.Tag == "A") {
			all++
		}
	}
	return all
}

// text returns the node of a text that can be read; nil if there is nothing to read.
func (b *builder) text(i int, u use, depth int) *Node {
	dom := &b.d.Nodes[i]
	words := oneSpace(dom.Shown)
	if words == "" {
		kids := b.children(i, u, depth+1) // the text may be in pseudo-elements such as ::first-letter
		if len(kids) == 0 {
			return nil
		}
		return &Node{Role: "none", Traits: Traits{Inline: true}, Children: kids}
	}
	if u == behind {
		if words != " " {
			b.behind++
		}
		return nil
	}
	b.nodes++
	n := &Node{Key: b.key(dom.Backend), Role: "text", Name: words,
		Traits: Traits{Inline: true, InView: dom.InView && b.seen}}
	if dom.Tag == "#text" {
		n.Called, n.Is = strings.TrimSpace(words), b.d.identify(i, nil, true)
	}
	return n
}

// oneSpace cleans a text, and keeps one space at either end if there was any, because the text may flow into others.
func oneSpace(s string) string {
	words := Clean(s, MaxText)
	if words == "" {
		return strings.Repeat(" ", min(1, len(s)))
	}
	if strings.TrimLeft(s, " \n\t") != s {
		words = " " + words
	}
	if strings.TrimRight(s, " \n\t") != s {
		words += " "
	}
	return words
}

// options returns the options of a select. They have no box while the select is closed.
func (b *builder) options(list int) []*Node {
	var all []*Node
	nodes := b.d.Nodes
	for i := list + 1; i < min(list+nodes[list].Size, len(nodes)); i++ {
		if nodes[i].Tag != "OPTION" || nodes[i].has("hidden") {
			continue
		}
		ax := b.ax(i)
		if ax != nil && ax.Ignored && ax.onlyKeptFromUse() { // a person can read it all the same
			ax = b.d.infer(i)
		}
		if ax == nil || ax.Ignored {
			continue
		}
		n := &Node{Key: b.key(nodes[i].Backend), Role: "option", Name: Clean(ax.Name.String(), MaxName)}
		describe(n, ax, &nodes[i], b.doc.URL)
		// The accessibility tree's "disabled" can stay after the select has been enabled again.
		n.States = slices.DeleteFunc(n.States, func(s string) bool { return s == "disabled" })
		if p := nodes[i].Parent; nodes[i].has("disabled") || nodes[p].Tag == "OPTGROUP" && nodes[p].has("disabled") ||
			nodes[list].has("disabled") {
			n.States = append([]string{"disabled"}, n.States...)
		}
		n.Traits.InView = nodes[i].InView && b.seen
		n.Called, n.Is = n.Name, b.d.identify(i, ax, false)
		all = append(all, n)
	}
	return all
}

// player returns the controls of a video or audio element. Only the accessibility tree has them.
func (b *builder) player(ax *axNode, depth int) []*Node {
	var all []*Node
	if ax == nil || b.doc.AX == nil || depth > nameDepth {
		return nil
	}
	for _, id := range ax.Children {
		c := b.doc.AX.byID[id]
		if c == nil {
			continue
		}
		n := &Node{Key: b.key(c.Backend), Role: roleName(c.Role.String()), Name: Clean(c.Name.String(), MaxName)}
		if !c.Ignored && Acted[n.Role] {
			describe(n, c, nil, b.doc.URL)
			n.Called, n.Is = n.Name, Identity{Role: n.Role, Name: n.Name}
			all = append(all, n)
			continue
		}
		all = append(all, b.player(c, depth+1)...)
	}
	return all
}

// operable finds elements that can be acted on although the accessibility tree doesn't say so: elements that only
// react to the mouse, and elements that the accessibility tree leaves out.
func (b *builder) operable(n *Node, i int, ax *axNode, known bool) {
	dom := &b.d.Nodes[i]
	switch {
	case dom.Tag == "INPUT" && dom.kind() == "file":
		n.Role, n.Traits.Native = "file", true
		if !n.Traits.Actable {
			n.Traits.Actable, n.States = true, []string{"hidden"}
			n.Name = Clean(b.d.fileLabel(i), nameLength)
			if label := b.d.labelOf(i); label >= 0 {
				n.Traits.InView = b.d.Nodes[label].InView && b.seen
			}
		}
		return
	case dom.Tag == "CANVAS" && dom.Seen:
		n.Role, n.Traits.Actable = "canvas", true
	case !known && dom.visible() && !dom.Rect.empty() && roleOfTag(dom) != "clickable" && !b.inControl(i):
		n.Role, n.Traits.Actable = roleOfTag(dom), true
		if Fields[n.Role] && takesSecret(dom) == "" && n.Role != "file" {
			n.Value = Clean(b.d.valueOf(i), MaxValue)
		}
		n.Traits.Native = dom.Tag == "INPUT" || dom.Tag == "TEXTAREA"
		n.Traits.Select = dom.Tag == "SELECT"
	case !n.Traits.Actable:
		b.clickable(n, i, ax)
	}
	if n.Traits.Actable && n.Name == "" && !n.Traits.Select && !(Fields[n.Role] && known) {
		b.callByText(n, i)
	}
}

// callByText names a node by its readable text outside of controls, or else by its attributes.
func (b *builder) callByText(n *Node, i int) {
	text := strings.TrimSpace(read(n))
	if !wordly(text) {
		if label := b.d.attributeText(i, 0); label != "" {
			text = label
		}
	}
	n.Name, n.Traits.ByText = Clean(text, nameLength), true
}

// inControl says whether an element is a part of a control.
func (b *builder) inControl(i int) bool {
	for p := b.d.Nodes[i].Parent; p >= 0; p = b.d.Nodes[p].Parent {
		if t := b.d.Nodes[p].Tag; t == "A" || t == "BUTTON" || t == "LABEL" {
			return t != "LABEL"
		}
	}
	return false
}

// clickable makes a node a control if its element reacts to the mouse.
func (b *builder) clickable(n *Node, i int, ax *axNode) {
	dom := &b.d.Nodes[i]
	pointer := b.d.pointer(dom)
	switch dom.Tag {
	case "HTML", "BODY", "#document", "OPTION", "OPTGROUP", "IFRAME", "FORM":
		return
	case "LABEL":
		if target := b.d.labelled(i); target >= 0 && (b.shownAlone(target) || b.d.Nodes[target].kind() == "file") ||
			!pointer && !dom.Listens {
			return
		}
	}
	if ax != nil && ax.property("editable") != "" && !pointer {
		return
	}
	tabindex := dom.has("tabindex") && dom.attr("tabindex") != "-1"
	listens := dom.Listens && !(dom.Tag == "A" && dom.attr("href") != "")
	drags := dom.attr("draggable") == "true"
	if !dom.visible() || !pointer && !listens && !tabindex && !drags {
		return
	}
	if last := len(b.acted) - 1; last >= 0 && !tabindex && !drags { // the tab or button around it is the control
		if text := read(n); !listens || dom.Rect.empty() || wordly(text) && Squeezed(text) == Squeezed(b.acted[last]) {
			return
		}
	}
	controls := len(Controls(n)) > 0
	if (pointer || listens) && b.delegates(n, i, controls) {
		return
	}
	if !pointer && !tabindex && !drags && controls { // the element listens for the controls inside it
		return
	}
	if !pointer && !listens && !drags && wrappers[n.Role] && n.Name == "" && (controls || len(read(n)) > nameLength) {
		n.Role, n.Traits.Reached = "group", true // as a scrollable element
		return
	}
	n.Traits.Actable = true
	if wrappers[n.Role] || n.Role == "image" && n.Name == "" || strings.HasPrefix(n.Role, "graphics-") {
		n.Role = "clickable"
	}
}

// delegates says whether an element listens for its children because they are alike: items of a sortable list, days,
// suggestions. The children are then the controls.
func (b *builder) delegates(n *Node, i int, controls bool) bool {
	var kids []int
	for k := b.d.Nodes[i].FirstKid; k >= 0; k = b.d.Nodes[k].NextOfKin {
		c := &b.d.Nodes[k]
		if strings.HasPrefix(c.Tag, "#") || strings.HasPrefix(c.Tag, "::") || !c.Laid {
			if c.Seen { // the element has a text of its own
				return false
			}
			continue
		}
		if len(kids) > 0 {
			first := &b.d.Nodes[kids[0]]
			if c.Tag != first.Tag || firstWord(c.attr("class")) != firstWord(first.attr("class")) ||
				c.attr("role") != first.attr("role") {
				return false
			}
		}
		kids = append(kids, k)
	}
	if len(kids) < 2 {
		return false
	}
	switch first := &b.d.Nodes[kids[0]]; first.Tag {
	case "LI":
	case "DIV", "SPAN":
		if controls || first.attr("class") == "" { // the children are, for example, parts of a card
			return false
		}
	default:
		return false
	}
	for _, k := range kids {
		at := slices.IndexFunc(n.Children, func(c *Node) bool { return c.Key.Backend == b.d.Nodes[k].Backend })
		if at < 0 || n.Children[at].Traits.Actable {
			continue
		}
		c := n.Children[at]
		c.Traits.Actable = true
		if wrappers[c.Role] {
			c.Role = "clickable"
		}
		if c.Name == "" {
			b.callByText(c, k)
		}
		c.Called, c.Is = c.Name, b.d.identify(k, b.ax(k), c.Traits.ByText)
	}
	return true
}

func firstWord(s string) string {
	if words := strings.Fields(s); len(words) > 0 {
		return words[0]
	}
	return ""
}

// shownAlone says whether the control of a label is shown on its own.
func (b *builder) shownAlone(i int) bool {
	ax := b.ax(i)
	return ax != nil && !ax.Ignored
}
