package tree

import (
	"encoding/json"
	"fmt"
	"strings"
)

// The computed styles that a DOMSnapshot is asked for, in this order.
var Styles = []string{"cursor", "visibility", "overflow-x", "overflow-y", "position", "pointer-events", "opacity"}

const (
	styleCursor = iota
	styleVisibility
	styleOverflowX
	styleOverflowY
	stylePosition
	stylePointerEvents
	styleOpacity
)

// A domNode is what DOMSnapshot says of one node that the accessibility tree doesn't:
// where it is and whether the mouse does something there.
type domNode struct {
	Parent    int // index, -1 for the document
	Backend   int
	Tag       string // as Chrome has it: upper case for HTML
	Text      string // of a text node
	Rect      rect   // in the document's coordinates
	Style     [7]string
	Attrs     map[string]string // those of wantedAttributes
	Size      int               // nodes in its subtree, itself included
	Laid      bool              // it has a box
	Value     string            // what an input or a text area holds now
	Listens   bool              // it has a click handler, or is what the mouse acts on by itself
	InView    bool              // some of it is in the viewport, not clipped by what scrolls
	Document  int               // of a frame in the same process: the index of its document, else -1
	FirstKid  int               // index or -1
	NextOfKin int               // the next sibling's index or -1
}

type rect struct{ X, Y, W, H float64 }

func (r rect) meets(o rect) rect {
	x, y := max(r.X, o.X), max(r.Y, o.Y)
	return rect{x, y, min(r.X+r.W, o.X+o.W) - x, min(r.Y+r.H, o.Y+o.H) - y}
}

func (r rect) empty() bool { return r.W <= 0 || r.H <= 0 }

// wantedAttributes are those that are read off elements. Others can be of any size.
var wantedAttributes = map[string]bool{
	"type": true, "id": true, "for": true, "aria-label": true, "autocomplete": true, "placeholder": true,
	"title": true, "alt": true, "tabindex": true, "contenteditable": true, "role": true, "href": true, "multiple": true, "accept": true, "disabled": true,
	"draggable": true, "value": true, "name": true, "min": true, "max": true, "aria-valuemin": true, "aria-valuemax": true,
}

// A DOM is one document of a DOMSnapshot.
type DOM struct {
	Frame     string
	URL       string
	Nodes     []domNode
	byBackend map[int]int
	byID      map[string]int // by the attribute id; nil until it is asked for
	labelFor  map[string]int // labels by their attribute for
	View      rect           // the viewport, in the document's coordinates
}

// domWire is DOMSnapshot.captureSnapshot's answer: columns of indices.
type domWire struct {
	Strings   []string `json:"strings"`
	Documents []struct {
		DocumentURL   int     `json:"documentURL"`
		FrameID       int     `json:"frameId"`
		ScrollOffsetX float64 `json:"scrollOffsetX"`
		ScrollOffsetY float64 `json:"scrollOffsetY"`
		Nodes         struct {
			ParentIndex          []int     `json:"parentIndex"`
			NodeType             []int     `json:"nodeType"`
			NodeName             []int     `json:"nodeName"`
			NodeValue            []int     `json:"nodeValue"`
			BackendNodeID        []int     `json:"backendNodeId"`
			Attributes           [][]int   `json:"attributes"`
			ContentDocumentIndex rareInts  `json:"contentDocumentIndex"`
			IsClickable          rareBools `json:"isClickable"`
			InputValue           rareInts  `json:"inputValue"`
			TextValue            rareInts  `json:"textValue"`
		} `json:"nodes"`
		Layout struct {
			NodeIndex []int       `json:"nodeIndex"`
			Styles    [][]int     `json:"styles"`
			Bounds    [][]float64 `json:"bounds"`
		} `json:"layout"`
	} `json:"documents"`
}

type rareInts struct {
	Index []int `json:"index"`
	Value []int `json:"value"`
}

type rareBools struct {
	Index []int `json:"index"`
}

// maxDOM is how many bytes an answer may have; memory of several times that goes to decode it.
const maxDOM = 64 << 20

// DecodeDOM decodes the answer of DOMSnapshot.captureSnapshot, which has all
// documents of one process.
func DecodeDOM(raw json.RawMessage) ([]*DOM, error) {
	if len(raw) > maxDOM {
		return nil, fmt.Errorf("the texts and attributes of its documents take %d MiB, which is too much to read; evaluate_script can look into them", len(raw)>>20)
	}
	var w domWire
	if err := json.Unmarshal(raw, &w); err != nil {
		return nil, err
	}
	docs := make([]*DOM, len(w.Documents))
	for i := range w.Documents {
		docs[i] = w.document(i)
	}
	return docs, nil
}

func (w *domWire) string(i int) string {
	if i < 0 || i >= len(w.Strings) {
		return ""
	}
	return w.Strings[i]
}

func (w *domWire) document(at int) *DOM {
	src := &w.Documents[at]
	n := &src.Nodes
	d := &DOM{Frame: w.string(src.FrameID), URL: w.string(src.DocumentURL), byBackend: make(map[int]int, len(n.ParentIndex))}
	d.Nodes = make([]domNode, len(n.ParentIndex))
	for i := range d.Nodes {
		d.Nodes[i] = domNode{Parent: -1, Size: 1, Document: -1, FirstKid: -1, NextOfKin: -1}
		node := &d.Nodes[i]
		if p := n.ParentIndex[i]; p >= 0 && p < i { // parents come first
			node.Parent = p
		}
		if i < len(n.BackendNodeID) {
			node.Backend = n.BackendNodeID[i]
			d.byBackend[node.Backend] = i
		}
		if i < len(n.NodeName) {
			node.Tag = w.string(n.NodeName[i])
		}
		if i < len(n.NodeType) && n.NodeType[i] == 3 && i < len(n.NodeValue) {
			node.Text = w.string(n.NodeValue[i])
		}
		if i < len(n.Attributes) {
			node.Attrs = w.attributes(n.Attributes[i])
		}
	}
	for i, at := range n.ContentDocumentIndex.Index {
		if at >= 0 && at < len(d.Nodes) && i < len(n.ContentDocumentIndex.Value) {
			d.Nodes[at].Document = n.ContentDocumentIndex.Value[i]
		}
	}
	for _, values := range []rareInts{n.InputValue, n.TextValue} {
		for i, at := range values.Index {
			if at >= 0 && at < len(d.Nodes) && i < len(values.Value) {
				d.Nodes[at].Value = w.string(values.Value[i])
			}
		}
	}
	for _, at := range n.IsClickable.Index {
		if at >= 0 && at < len(d.Nodes) {
			d.Nodes[at].Listens = true
		}
	}
	for i, at := range src.Layout.NodeIndex {
		if at >= 0 && at < len(d.Nodes) && i < len(src.Layout.Bounds) && i < len(src.Layout.Styles) {
			w.box(&d.Nodes[at], src.Layout.Bounds[i], src.Layout.Styles[i])
		}
	}
	d.relate()
	if len(d.Nodes) > 0 {
		d.View = d.Nodes[0].Rect // the document's box is the viewport
		d.View.X, d.View.Y = src.ScrollOffsetX, src.ScrollOffsetY
	}
	d.look()
	return d
}

func (w *domWire) attributes(pairs []int) map[string]string {
	var found map[string]string
	for i := 0; i+1 < len(pairs); i += 2 {
		if name := w.string(pairs[i]); wantedAttributes[name] {
			if found == nil {
				found = map[string]string{}
			}
			found[name] = w.string(pairs[i+1])
		}
	}
	return found
}

// box notes where a node is. A node can have several boxes: its first is its own.
func (w *domWire) box(node *domNode, bounds []float64, styles []int) {
	if node.Laid || len(bounds) != 4 {
		return
	}
	node.Laid = true
	node.Rect = rect{bounds[0], bounds[1], bounds[2], bounds[3]}
	for i := range min(len(styles), len(node.Style)) {
		node.Style[i] = w.string(styles[i])
	}
}

// relate fills in what follows from who is whose parent.
func (d *DOM) relate() {
	for i := len(d.Nodes) - 1; i > 0; i-- {
		node := &d.Nodes[i]
		if node.Parent < 0 {
			continue
		}
		parent := &d.Nodes[node.Parent]
		parent.Size += node.Size
		node.NextOfKin = parent.FirstKid
		parent.FirstKid = i
	}
}

// look finds what is in the viewport. What scrolls clips what is in it, except what
// is positioned from further out.
func (d *DOM) look() {
	clip := make([]rect, len(d.Nodes))     // for what flows in it
	absolute := make([]rect, len(d.Nodes)) // for what is positioned absolutely in it
	for i := range d.Nodes {
		node := &d.Nodes[i]
		if node.Parent < 0 {
			clip[i], absolute[i] = d.View, d.View
			continue
		}
		mine := clip[node.Parent]
		switch node.Style[stylePosition] {
		case "fixed":
			mine = d.View
		case "absolute":
			mine = absolute[node.Parent]
		}
		node.InView = node.Laid && node.visible() && !node.Rect.meets(mine).empty()
		clip[i], absolute[i] = mine, absolute[node.Parent]
		if node.scrolls() && node.Tag != "HTML" && node.Tag != "BODY" {
			clip[i] = node.Rect.meets(mine)
		}
		if p := node.Style[stylePosition]; p != "" && p != "static" {
			absolute[i] = clip[i]
		}
	}
}

func (n *domNode) scrolls() bool {
	return n.Laid && (n.Style[styleOverflowX] != "visible" || n.Style[styleOverflowY] != "visible")
}

func (n *domNode) visible() bool {
	v := n.Style[styleVisibility]
	return n.Laid && (v == "" || v == "visible")
}

// ids finds elements by their attribute.
func (d *DOM) ids() map[string]int {
	if d.byID != nil {
		return d.byID
	}
	d.byID, d.labelFor = map[string]int{}, map[string]int{}
	for i := len(d.Nodes) - 1; i >= 0; i-- { // the first of several wins
		if id := d.Nodes[i].Attrs["id"]; id != "" {
			d.byID[id] = i
		}
		if d.Nodes[i].Tag == "LABEL" && d.Nodes[i].Attrs["for"] != "" {
			d.labelFor[d.Nodes[i].Attrs["for"]] = i
		}
	}
	return d.byID
}

// at is the node with that backend id, or nil.
func (d *DOM) at(backend int) *domNode {
	if d == nil || backend == 0 {
		return nil
	}
	if i, ok := d.byBackend[backend]; ok {
		return &d.Nodes[i]
	}
	return nil
}

// pointer says whether the hand begins at this node: that it can be clicked is shown
// by the cursor, which what is inside inherits.
func (d *DOM) pointer(n *domNode) bool {
	if n.Style[styleCursor] != "pointer" || n.Style[stylePointerEvents] == "none" {
		return false
	}
	return n.Parent < 0 || d.Nodes[n.Parent].Style[styleCursor] != "pointer"
}

// unspoken are the elements whose text isn't what something around them is called.
var unspoken = Set("SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE", "BUTTON", "INPUT", "SELECT", "TEXTAREA", "IFRAME")

// text is what is written in a node, about limit bytes, runs of space as one. What is
// in controls in it is theirs.
func (d *DOM) text(n *domNode, limit int) string {
	var b strings.Builder
	top := n
	var walk func(n *domNode, depth int)
	walk = func(n *domNode, depth int) {
		if b.Len() >= limit || depth > NameDepth || n != top && unspoken[n.Tag] {
			return
		}
		if words := strings.Join(strings.Fields(n.Text), " "); words != "" {
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(words)
		}
		for i := n.FirstKid; i >= 0; i = d.Nodes[i].NextOfKin {
			walk(&d.Nodes[i], depth+1)
		}
	}
	walk(n, 0)
	return b.String()
}
