package tree

import (
	"slices"
	"strings"
)

// A Document is what Chrome told of one frame's document.
type Document struct {
	Session, Frame, Loader string
	URL                    string
	Unreadable             string // why nothing is known of it, or ""
	Owner                  Key    // the iframe element that it is in; zero for the main frame's
	Name                   string

	AX   *AX
	DOM  *DOM
	Part *Part // of a large document: what of it was asked for
}

// A builder makes nodes of one document. They are raw: all that only lays out is
// there yet.
type builder struct {
	doc  *Document
	keep map[Key]bool // asked for by uid: never unwrapped
	made map[int]*Node
	seen bool // the frame's element is in view

	// placed are those that are in the tree: an answer that has one twice, as a child of
	// itself even, has it once.
	placed map[*axNode]bool
}

// Build joins the documents, the main frame's first, into a tree. keep are nodes that
// stay in it even if they only lay out.
func Build(docs []*Document, keep map[Key]bool) *Tree {
	roots := map[Key][]*Node{}
	inView := map[Key]bool{}
	parted := map[string]bool{}
	var main *Node
	var lost []*Node // documents of frames whose elements aren't known
	beyond := 0
	for _, doc := range docs {
		if doc.Part != nil {
			beyond += doc.Part.beyond
			parted[doc.Frame] = true
		}
		b := &builder{doc: doc, keep: keep, made: map[int]*Node{}, placed: map[*axNode]bool{}, seen: main == nil || inView[doc.Owner]}
		root := b.document()
		switch {
		case main == nil:
			main = root
		case doc.Owner.Backend == 0:
			lost = append(lost, root)
		default:
			roots[doc.Owner] = append(roots[doc.Owner], root)
		}
		for backend, n := range b.made {
			if n.Role == "iframe" {
				inView[b.key(backend)] = n.Traits.InView
			}
		}
	}
	if main == nil {
		main = &Node{Role: "page"}
	}
	t := &Tree{URL: docs[0].URL, Title: main.Name, Beyond: beyond, Parted: parted}
	for _, root := range lost {
		n := &Node{}
		t.put(n, root)
		if n.About == "" {
			n.About = "where it is in the page is not known"
		}
		main.Children = append(main.Children, n)
	}
	main.Walk(0, func(n *Node, _ int) bool { return t.join(n, roots) })
	Distill(main, keep)
	t.Root = main
	main.Walk(0, func(*Node, int) bool { t.Nodes++; return true })
	return t
}

// join puts the documents of an iframe into it.
func (t *Tree) join(n *Node, roots map[Key][]*Node) bool {
	for _, root := range roots[n.Key] {
		if n.Key.Backend == 0 {
			break
		}
		t.put(n, root)
	}
	return true
}

// put puts a document into its iframe.
func (t *Tree) put(n, root *Node) {
	n.Role, n.Traits.Actable = "iframe", false
	if root.About != "" {
		n.About = root.About
	}
	if n.Name == "" {
		n.Name = root.Name
	}
	n.URL = strings.TrimPrefix(strings.TrimPrefix(relative(root.URL, t.URL), "https:"), "http:")
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
	root := &Node{Role: "page", Name: Clean(b.doc.Name, 200), URL: PlainURL(b.doc.URL)}
	if b.doc.Unreadable != "" || b.doc.AX == nil {
		root.About = b.doc.Unreadable
		return root
	}
	for _, ax := range b.doc.AX.roots {
		n := b.node(ax, 0)
		if n == nil {
			continue
		}
		if n.Role == "page" {
			root.Key = n.Key
			if n.Name != "" {
				root.Name = n.Name
			}
			root.Called = root.Name
			root.Children = append(root.Children, n.Children...)
			b.made[n.Key.Backend] = root
			continue
		}
		b.place(root, n, b.doc.DOM.at(n.Key.Backend))
	}
	b.stray(root)
	b.omitted(root)
	return root
}

const maxDepth = 2000 // of a tree that is deeper, the rest is left out

func (b *builder) node(ax *axNode, depth int) *Node {
	if dropped[ax.Role.String()] || depth > maxDepth || b.placed[ax] || b.made[ax.Backend] != nil && ax.Backend != 0 {
		return nil
	}
	b.placed[ax] = true
	dom := b.doc.DOM.at(ax.Backend)
	n := &Node{Key: b.key(ax.Backend), Role: roleName(ax.Role.String())}
	if ax.Backend != 0 {
		b.made[ax.Backend] = n
	}
	switch {
	case ax.Ignored:
		n.Role = "none"
		if !ax.inert() {
			b.hidden(n, dom)
		}
	default:
		n.Name = Clean(ax.Name.String(), MaxName)
		if n.Role == "text" {
			n.Name = Cut(oneSpace(ax.Name.String()), MaxName)
		}
		describe(n, ax, dom, b.doc.URL)
	}
	n.Traits.InView = dom != nil && dom.InView && b.seen
	if dom != nil {
		n.Traits.Inline = inline[dom.Tag]
	}
	for _, id := range ax.Children {
		if child := b.doc.AX.byID[id]; child != nil {
			if c := b.node(child, depth+1); c != nil {
				n.Children = append(n.Children, c)
			}
		}
	}
	if dom != nil && !n.Traits.Actable && !ax.inert() && (ax.property("editable") == "" || b.doc.DOM.pointer(dom)) {
		b.clickable(n, dom)
	}
	n.Called = n.Name
	return n
}

// oneSpace cleans a text, and keeps whether space is around it: it flows on.
func oneSpace(s string) string {
	words := Clean(s, MaxName)
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

// hidden looks at what the accessibility tree ignores, as with aria-hidden, though a
// person sees it and can act on it.
func (b *builder) hidden(n *Node, dom *domNode) {
	if dom == nil || !dom.visible() || dom.Rect.empty() {
		return
	}
	role := roleOfTag(dom)
	if role == "clickable" { // see clickable
		return
	}
	n.Role, n.Traits.Actable = role, true
	n.Name, n.Traits.ByText = Clean(b.nameOf(dom), nameLength), true
}

// nameLength is how many bytes an element that has no name is called by of what is written in it.
const nameLength = 100

// clickable makes a control of what only the mouse knows to be one.
func (b *builder) clickable(n *Node, dom *domNode) {
	switch dom.Tag {
	case "HTML", "BODY", "#document", "#text", "OPTION", "OPTGROUP", "IFRAME", "svg", "FORM":
		return
	case "LABEL":
		if b.labels(dom) || !b.doc.DOM.pointer(dom) && !dom.Listens {
			return
		}
	}
	_, tabindex := dom.Attrs["tabindex"]
	pointer := b.doc.DOM.pointer(dom)
	listens := dom.Listens && !(dom.Tag == "A" && dom.Attrs["href"] != "")
	if !dom.visible() || !pointer && !listens && !(tabindex && dom.Attrs["tabindex"] != "-1") {
		return
	}
	if !pointer && !tabindex && len(Controls(n)) > 0 { // it listens for what is in it
		return
	}
	if !pointer && !listens && wrappers[n.Role] && n.Name == "" && (len(Controls(n)) > 0 || len(texts(n)) > nameLength) {
		n.Role, n.Traits.Reached = "group", true // as what scrolls
		return
	}
	n.Traits.Actable = true
	if wrappers[n.Role] || n.Role == "image" && n.Name == "" {
		n.Role = "clickable"
	}
	if n.Name == "" {
		n.Name, n.Traits.ByText = Clean(b.nameOf(dom), nameLength), true
	}
}

// stray finds what the accessibility tree doesn't have at all: file inputs that are
// hidden behind a nicer button, and canvases without a name.
func (b *builder) stray(root *Node) {
	if b.doc.DOM == nil {
		return
	}
	modal := b.doc.AX.modal()
	for i := range b.doc.DOM.Nodes {
		dom := &b.doc.DOM.Nodes[i]
		file := dom.Tag == "INPUT" && strings.EqualFold(dom.Attrs["type"], "file")
		there := dom.visible() && !dom.Rect.empty()
		canvas := dom.Tag == "CANVAS" && there
		if !file && !canvas && there && b.made[dom.Backend] == nil && b.unheard(dom) && !b.doc.Part.skips(i) && (modal == nil || b.within(dom, modal.Backend)) {
			n := &Node{Key: b.key(dom.Backend), Traits: Traits{Actable: true, ByText: true, InView: dom.InView && b.seen}}
			n.Role, n.Name = roleOfTag(dom), Clean(b.nameOf(dom), nameLength)
			n.Called = n.Name
			b.made[dom.Backend] = n
			b.place(root, n, dom)
			continue
		}
		if !file && !canvas || b.doc.Part.skips(i) || modal != nil && !b.within(dom, modal.Backend) {
			continue
		}
		n := b.made[dom.Backend]
		if n == nil {
			n = &Node{Key: b.key(dom.Backend)}
			b.made[dom.Backend] = n
			b.place(root, n, dom)
		} else if n.Traits.Actable {
			continue
		}
		n.Traits = Traits{Actable: true, ByText: true, InView: dom.InView && b.seen}
		n.Role, n.Name = "canvas", Clean(b.nameOf(dom), nameLength)
		if file {
			n.Role, n.Name, n.States = "file", Clean(b.fileLabel(dom), 100), []string{"hidden"}
			if label := b.labelOf(dom); label != nil {
				n.Traits.InView = label.InView && b.seen
			}
		}
		n.Called = n.Name
	}
}

// unheard says whether an element that the accessibility tree doesn't have is one that
// the mouse acts on: not a part of another, and not inert.
func (b *builder) unheard(dom *domNode) bool {
	if !b.doc.DOM.pointer(dom) || dom.Tag == "LABEL" || dom.Tag == "BODY" || dom.Tag == "HTML" {
		return false
	}
	for i := dom.Parent; i >= 0; i = b.doc.DOM.Nodes[i].Parent {
		backend := b.doc.DOM.Nodes[i].Backend
		if n := b.made[backend]; n != nil && n.Traits.Actable {
			return false
		}
		if ax := b.doc.AX.byBackend[backend]; ax != nil {
			return !ax.inert()
		}
	}
	return true
}

func (b *builder) within(dom *domNode, backend int) bool {
	for {
		if dom.Backend == backend {
			return true
		}
		if dom.Parent < 0 {
			return false
		}
		dom = &b.doc.DOM.Nodes[dom.Parent]
	}
}

// place puts a node where its element stands among those that are there.
func (b *builder) place(root, n *Node, dom *domNode) {
	parent := root
	if dom != nil {
		for i := dom.Parent; i >= 0; i = b.doc.DOM.Nodes[i].Parent {
			if p := b.made[b.doc.DOM.Nodes[i].Backend]; p != nil && p != n {
				parent = p
				break
			}
		}
	}
	at := len(parent.Children)
	if dom != nil {
		mine := b.doc.DOM.byBackend[dom.Backend]
		for i, c := range parent.Children {
			if other, ok := b.doc.DOM.byBackend[c.Key.Backend]; ok && c.Key.Backend != 0 && other > mine {
				at = i
				break
			}
		}
	}
	parent.Children = slices.Insert(parent.Children, at, n)
}
