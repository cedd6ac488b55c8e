package tree

// A Key says which node of which document a [Node] is. Backend ids are Chrome's; two
// processes can have the same, so the session belongs to it.
type Key struct {
	Session string // the CDP session of the frame's process
	Frame   string
	Loader  string // of the document in the frame
	Backend int    // 0 for what has no node in the DOM
}

// A Node is one thing of a page as a snapshot shows it. Its texts are those of the
// page, clean and on one line, but untrusted.
type Node struct {
	Key      Key
	UID      string // "" for what nobody acts on, unless it was needed to name it
	Role     string
	Name     string
	Called   string // its name before what is written in it was taken into it or out of it
	Is       Identity
	Value    string
	Hint     string // the placeholder that stands in an empty field, unless the field is called so
	URL      string
	States   []string // in the order in which they are shown
	About    string   // its description, or why a frame can't be read
	Traits   Traits
	Children []*Node
}

// Traits are what a snapshot goes by.
type Traits struct {
	Actable bool // it can be clicked, typed into or the like
	InView  bool // a person sees some of it without scrolling
	Unseen  bool // nobody can see its own box, even by scrolling
	Inline  bool // text that flows with what is next to it
	Whole   bool // text that is all there is in a block, which isn't a paragraph
	ByText  bool // it has no name in the accessibility tree, but is called by what is written in it
	Secret  bool // its value is never shown
	Select  bool // a select: its options are shown on its own line
	Native  bool // an input or a text area: what is in it is Chrome's
	Reached bool // the keyboard gets to it, though it is no control but holds a part of the page
}

// A Tree is what a page shows at one time: its frames joined, all that only lays out
// taken away. It is complete, however little of it a text shows, but for what Behind and Beyond count.
// Nobody changes it once it is made.
type Tree struct {
	Root  *Node
	URL   string
	Title string
	Nodes int // how many the tree has
	// Behind is how many texts and controls a modal dialog keeps from being used.
	Behind int
	// Beyond is how many texts and controls of a very large page aren't in the tree.
	Beyond int
}

// Walk calls visit for n and all below it, in the document's order, with their
// depths. visit says whether to look below.
func (n *Node) Walk(depth int, visit func(n *Node, depth int) bool) {
	if n == nil || !visit(n, depth) {
		return
	}
	for _, c := range n.Children {
		c.Walk(depth+1, visit)
	}
}

// Find is the node that has a uid, or nil.
func (t *Tree) Find(uid string) *Node {
	var found *Node
	t.Root.Walk(0, func(n *Node, _ int) bool {
		if uid != "" && n.UID == uid {
			found = n
		}
		return found == nil
	})
	return found
}

// FindKey is the node with a key, or nil.
func (t *Tree) FindKey(key Key) *Node {
	var found *Node
	t.Root.Walk(0, func(n *Node, _ int) bool {
		if n.Key == key && key.Backend != 0 {
			found = n
		}
		return found == nil
	})
	return found
}
