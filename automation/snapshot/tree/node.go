package tree

// Key identifies the node of a document that a [Node] stands for. Two processes can have the same backend ids, so the
// session is part of the key.
type Key struct {
	Session string // the CDP session of the frame's process
	Frame   string
	Loader  string // the loader id of the document in the frame
	Backend int    // the backend node id; 0 if there is no node in the DOM
}

// Node is a node of a page as a snapshot shows it. Its texts come from the page; they are clean and on one line, but
// untrusted.
type Node struct {
	Key      Key
	UID      string // "" if nobody acts on it, unless the snapshot needs it to name it
	Role     string
	Name     string
	Called   string // its name before texts were moved into it or out of it
	Is       Identity
	Value    string
	Hint     string // the placeholder of an empty field, unless that is its name
	URL      string
	States   []string // in the order in which they are shown
	About    string   // its description, or why a frame can't be read
	Traits   Traits
	Children []*Node
}

// Traits are properties of a node that decide how a snapshot shows it.
type Traits struct {
	Actable bool // it can be clicked, typed into or the like
	InView  bool // a person sees some of it without scrolling
	Unseen  bool // nobody can see its own box, even by scrolling
	Inline  bool // a text that flows into the text next to it
	Whole   bool // a text that is the whole content of a block, which isn't a paragraph
	ByText  bool // it has no name in the accessibility tree, and its name comes from its text
	Secret  bool // its value is never shown
	Select  bool // a select, whose options are shown on its own line
	Native  bool // an input or a text area, whose content is Chrome's
	Reached bool // the keyboard can reach it, although it is no control but a part of the page
}

// Tree is what a page shows at one time: its frames joined, and nodes that only lay out removed. It is complete,
// except for what Behind and Beyond count. It is immutable.
type Tree struct {
	Root  *Node
	URL   string
	Nodes int // how many nodes the tree has
	Read  int // how many nodes the documents have of which it was made
	// Behind is how many texts and controls a modal dialog keeps from being used.
	Behind int
	// Beyond is how many texts and controls of a very large page aren't in the tree.
	Beyond int
}

// Walk calls visit for n and all its descendants in document order, with their depths. visit says whether to visit
// the descendants.
func (n *Node) Walk(depth int, visit func(n *Node, depth int) bool) {
	if n == nil || !visit(n, depth) {
		return
	}
	for _, c := range n.Children {
		c.Walk(depth+1, visit)
	}
}

// Find returns the node with a uid, or nil.
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

// FindKey returns the node with a key, or nil.
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
