package tree

import (
	"encoding/json"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
)

// Identity says to which element a uid was given, so that an action can find out whether the element is still what
// the snapshot showed. Only [DOM.identify] makes it, both for snapshots and for actions.
type Identity struct {
	Role, Name string // as the accessibility tree has them; no role if that wasn't asked or has none
	Element    string // its tag and the attributes that identify it
	Text       string // a hash of its text, if its name comes from its text
}

// identify returns the identity of an element. ax may be nil. byText says that the element's name comes from its
// text.
func (d *DOM) identify(i int, ax *axNode, byText bool) Identity {
	n := &d.Nodes[i]
	id := Identity{Element: strings.Join([]string{n.Tag, n.kind(), n.attr("role"), n.attr("aria-label")}, " ")}
	if ax != nil && !ax.Ignored {
		id.Role, id.Name = d.role(i, ax), Clean(ax.Name.String(), MaxName)
	}
	if byText {
		id.Text = d.fingerprint(i)
	}
	return id
}

// role returns the role of an element that the accessibility tree has.
func (d *DOM) role(i int, ax *axNode) string {
	n := &d.Nodes[i]
	switch {
	case n.Tag == "INPUT" && n.kind() == "file":
		return "file"
	case n.Tag == "IFRAME" || n.Tag == "FRAME":
		return "iframe"
	case richRoot(ax, n):
		return "textbox"
	}
	return roleName(ax.Role.String())
}

// fingerprint returns a hash of the text in an element, visible or not, that doesn't depend on the order of its
// shadow tree.
func (d *DOM) fingerprint(i int) string {
	var words []string
	var walk func(at, depth int)
	walk = func(at, depth int) {
		n := &d.Nodes[at]
		if depth > nameDepth || at != i && apart[n.Tag] || len(words) > 1000 {
			return
		}
		words = append(words, strings.Fields(n.Text)...)
		for k := n.FirstKid; k >= 0; k = d.Nodes[k].NextOfKin {
			walk(k, depth+1)
		}
	}
	walk(i, 0)
	slices.Sort(words)
	h := fnv.New64a()
	for _, word := range words {
		_, _ = h.Write([]byte(word + " "))
	}
	return strconv.FormatUint(h.Sum64(), 36)
}

// Same says whether an element with the identity now is the one that had the identity id. Spaces in names don't
// count, because one name may come from Chrome and the other from the DOM.
func (id Identity) Same(now Identity) bool {
	if id.Text != "" && id.Text != now.Text {
		return false
	}
	if id.Role == "" {
		return id.Element == now.Element
	}
	return id.Role == now.Role && Squeezed(id.Name) == Squeezed(now.Name)
}

// Element is what Chrome says about one element now.
type Element struct {
	Identity
	Text  string // its text, or the text of its attributes
	There bool   // the accessibility tree has it, so it is in a document
}

// domTree is what DOM.describeNode returns of a node and its content.
type domTree struct {
	Name        string     `json:"nodeName"`
	Value       string     `json:"nodeValue"`
	Backend     int        `json:"backendNodeId"`
	Attributes  []string   `json:"attributes"`
	Children    []*domTree `json:"children"`
	ShadowRoots []*domTree `json:"shadowRoots"`
	ShadowRoot  string     `json:"shadowRootType"`
	// Distributed are the nodes that a slot shows. Chrome doesn't describe them here.
	Distributed []struct {
		Backend int `json:"backendNodeId"`
	} `json:"distributedNodes"`
}

// Depth returns how deep DOM.describeNode has to look for [Identify].
func (id Identity) Depth() int {
	if id.Text != "" {
		return nameDepth
	}
	return 0
}

// Description is what Chrome says of an element and of its content, as DOM.describeNode answers.
type Description struct {
	root  *domTree
	nodes map[int]*domTree // by backend id
	slots []*domTree       // those that show something
}

// Add adds an answer of DOM.describeNode: first that of the element, then those of the nodes that
// [Description.Missing] returned.
func (d *Description) Add(answer json.RawMessage) error {
	var is struct {
		Node *domTree `json:"node"`
	}
	if err := json.Unmarshal(answer, &is); err != nil {
		return err
	}
	if d.nodes == nil {
		d.root, d.nodes = is.Node, map[int]*domTree{}
	}
	var note func(t *domTree)
	note = func(t *domTree) {
		if t == nil {
			return
		}
		d.nodes[t.Backend] = t
		if len(t.Distributed) > 0 {
			d.slots = append(d.slots, t)
		}
		for _, kid := range t.ShadowRoots {
			note(kid)
		}
		for _, kid := range t.Children {
			note(kid)
		}
	}
	note(is.Node)
	return nil
}

// Missing returns the backend ids of the nodes that slots in the description show and that the description lacks: an
// element in a shadow tree can show nodes of the light tree.
func (d *Description) Missing() (ids []int) {
	for _, slot := range d.slots {
		for _, shown := range slot.Distributed {
			if d.nodes[shown.Backend] == nil {
				ids = append(ids, shown.Backend)
			}
		}
	}
	return ids
}

// Identify says what an element is now. accessibility is Chrome's answer of Accessibility.getPartialAXTree.
func Identify(accessibility json.RawMessage, described *Description) (Element, error) {
	ax, err := DecodeAX(accessibility)
	if err != nil {
		return Element{}, err
	}
	d := &DOM{byBackend: map[int]int{}}
	if described.root != nil {
		d.grow(described, described.root, -1, 0)
	}
	if len(d.Nodes) == 0 {
		return Element{}, nil
	}
	d.relate()
	found := ax.byBackend[d.Nodes[0].Backend]
	e := Element{Identity: d.identify(0, found, true), There: found != nil && !found.Ignored,
		Text: d.text(0, nameLength)}
	if !wordly(e.Text) {
		if label := d.attributeText(0, 0); label != "" {
			e.Text = label
		}
	}
	e.Text = Clean(e.Text, nameLength)
	return e, nil
}

// grow adds a node and what it shows in the form of a DOMSnapshot, except for the order of nodes: a host shows its
// shadow tree, and a slot the nodes that are assigned to it, or else its own content.
func (d *DOM) grow(described *Description, t *domTree, parent, depth int) {
	at := len(d.Nodes)
	n := domNode{Parent: parent, Backend: t.Backend, Tag: t.Name, Size: 1, FirstKid: -1, NextOfKin: -1}
	if n.Tag == "#text" {
		n.Text = t.Value
	}
	for i := 0; i+1 < len(t.Attributes); i += 2 {
		if name := strings.ToLower(t.Attributes[i]); wantedAttributes[name] {
			n.Attrs = append(n.Attrs, name, t.Attributes[i+1])
		}
	}
	d.Nodes = append(d.Nodes, n)
	d.byBackend[t.Backend] = at
	if depth > 2*nameDepth {
		return
	}
	kids := t.Children
	switch {
	case len(t.Distributed) > 0:
		kids = nil
		for _, shown := range t.Distributed {
			kids = append(kids, described.nodes[shown.Backend])
		}
	case slices.ContainsFunc(t.ShadowRoots, (*domTree).ofPage):
		kids = slices.DeleteFunc(slices.Clone(t.ShadowRoots), func(c *domTree) bool { return !c.ofPage() })
	}
	for _, c := range kids {
		if c != nil {
			d.grow(described, c, at, depth+1)
		}
	}
}

// ofPage says whether a shadow root is the page's own, and not the browser's.
func (t *domTree) ofPage() bool { return t != nil && t.ShadowRoot != "user-agent" }
