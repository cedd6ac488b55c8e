package tree

import (
	"encoding/json"
	"strings"
)

// domTree is what DOM.describeNode says of a node and what is in it.
type domTree struct {
	Name        string     `json:"nodeName"`
	Value       string     `json:"nodeValue"`
	Backend     int        `json:"backendNodeId"`
	Attributes  []string   `json:"attributes"`
	Children    []*domTree `json:"children"`
	ShadowRoots []*domTree `json:"shadowRoots"`
}

// Identify says what a node is called now, as a tree would: its role and its name. It is
// given Chrome's answers of Accessibility.getPartialAXTree and DOM.describeNode about it,
// and what it was when it was shown, as what only the mouse knows is called by its text.
// There says that Chrome has it in the accessibility tree, and so in a document: of what is
// in none, or is hidden, it gives no more than that it is ignored.
func Identify(accessibility, node json.RawMessage, was string, byText bool) (role, name string, there bool, err error) {
	ax, err := DecodeAX(accessibility)
	if err != nil {
		return "", "", false, err
	}
	var described struct {
		Node *domTree `json:"node"`
	}
	if err := json.Unmarshal(node, &described); err != nil {
		return "", "", false, err
	}
	d := &DOM{byBackend: map[int]int{}}
	if described.Node != nil {
		d.grow(described.Node, -1)
		d.relate()
	}
	if len(d.Nodes) == 0 {
		return "", "", false, nil
	}
	dom := &d.Nodes[0]
	n := &Node{Role: "none"}
	if found := ax.byBackend[dom.Backend]; found != nil && !found.Ignored {
		there = true
		n.Role, n.Name = roleName(found.Role.String()), Clean(found.Name.String(), MaxName)
		describe(n, found, dom, "")
	}
	if !byText {
		if was == "group" && wrappers[n.Role] { // shown by itself, or as what the keyboard reaches
			n.Role = "group"
		}
		return n.Role, n.Name, there, nil
	}
	b := &builder{doc: &Document{DOM: d}}
	if role = n.Role; wrappers[role] || role == "image" && was == "clickable" {
		role = roleOfTag(dom)
	}
	if was == "canvas" && dom.Tag == "CANVAS" {
		role = "canvas"
	}
	return role, Clean(b.nameOf(dom), 100), there, nil
}

// grow adds a node and all in it, as a DOMSnapshot has them.
func (d *DOM) grow(t *domTree, parent int) {
	at := len(d.Nodes)
	n := domNode{Parent: parent, Backend: t.Backend, Tag: t.Name, Size: 1, Document: -1, FirstKid: -1, NextOfKin: -1}
	if n.Tag == "#text" {
		n.Text = t.Value
	}
	for i := 0; i+1 < len(t.Attributes); i += 2 {
		if name := strings.ToLower(t.Attributes[i]); wantedAttributes[name] {
			if n.Attrs == nil {
				n.Attrs = map[string]string{}
			}
			n.Attrs[name] = t.Attributes[i+1]
		}
	}
	d.Nodes = append(d.Nodes, n)
	d.byBackend[t.Backend] = at
	for _, c := range t.ShadowRoots {
		d.grow(c, at)
	}
	for _, c := range t.Children {
		d.grow(c, at)
	}
}
