package tree

import (
	"encoding/json"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
)

// An Identity says which element a uid was given to, so that an action finds out whether the element is still what the
// snapshot showed. [DOM.identify] alone makes it, from what Chrome says of an element: for snapshots and for actions.
type Identity struct {
	Role, Name string // as the accessibility tree has them; no role if that wasn't asked, or has none
	Element    string // its tag and the attributes that say what it is
	Text       string // a hash of what is written in it, of one that is called by that
}

// identify is the identity of an element. ax may be nil. byText says that it is called by what is written in it.
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

// role is what an element is that the accessibility tree has.
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

// fingerprint is a hash of what is written in an element, in whatever order its shadow tree is told, seen or not.
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
// count: one name may be Chrome's, the other one put together from the DOM.
func (id Identity) Same(now Identity) bool {
	if id.Text != "" && id.Text != now.Text {
		return false
	}
	if id.Role == "" {
		return id.Element == now.Element
	}
	return id.Role == now.Role && Squeezed(id.Name) == Squeezed(now.Name)
}

// An Element is what Chrome says of one element now.
type Element struct {
	Identity
	Text  string // what is written in it, or said of it
	There bool   // the accessibility tree has it, and so it is in a document
}

// domTree is what DOM.describeNode says of a node and what is in it.
type domTree struct {
	Name        string     `json:"nodeName"`
	Value       string     `json:"nodeValue"`
	Backend     int        `json:"backendNodeId"`
	Attributes  []string   `json:"attributes"`
	Children    []*domTree `json:"children"`
	ShadowRoots []*domTree `json:"shadowRoots"`
	ShadowRoot  string     `json:"shadowRootType"`
}

// Depth is how deep DOM.describeNode has to look for [Identify].
func (id Identity) Depth() int {
	if id.Text != "" {
		return nameDepth
	}
	return 0
}

// Identify says what an element is now. It is given Chrome's answers of Accessibility.getPartialAXTree and
// DOM.describeNode about it.
func Identify(accessibility, node json.RawMessage) (Element, error) {
	ax, err := DecodeAX(accessibility)
	if err != nil {
		return Element{}, err
	}
	var described struct {
		Node *domTree `json:"node"`
	}
	if err := json.Unmarshal(node, &described); err != nil {
		return Element{}, err
	}
	d := &DOM{byBackend: map[int]int{}}
	if described.Node != nil {
		d.grow(described.Node, -1, 0)
		d.relate()
	}
	if len(d.Nodes) == 0 {
		return Element{}, nil
	}
	found := ax.byBackend[d.Nodes[0].Backend]
	e := Element{Identity: d.identify(0, found, true), There: found != nil && !found.Ignored,
		Text: d.text(0, nameLength)}
	if !wordly(e.Text) {
		if said := d.saidOf(0, 0); said != "" {
			e.Text = said
		}
	}
	e.Text = Clean(e.Text, nameLength)
	return e, nil
}

// grow adds a node and all in it, as a DOMSnapshot has them but for their order: of a host whose shadow tree has no slot,
// the children are shown nowhere.
func (d *DOM) grow(t *domTree, parent, depth int) (slot bool) {
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
	slot = t.Name == "SLOT"
	if depth > 2*nameDepth {
		return slot
	}
	takes := true
	for _, c := range t.ShadowRoots {
		if c != nil && c.ShadowRoot != "user-agent" {
			takes = d.grow(c, at, depth+1)
		}
	}
	for _, c := range t.Children {
		if c != nil && takes {
			slot = d.grow(c, at, depth+1) || slot
		}
	}
	return slot
}
