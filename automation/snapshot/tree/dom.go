package tree

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf16"
)

// Styles are the computed styles to request from DOMSnapshot.captureSnapshot, in this order.
var Styles = []string{"cursor", "visibility", "overflow-x", "overflow-y", "position", "pointer-events", "opacity",
	"display", "clip", "clip-path", "transform", "content-visibility", "overlay",
	"-webkit-text-security"}

const (
	styleCursor = iota
	styleVisibility
	styleOverflowX
	styleOverflowY
	stylePosition
	stylePointerEvents
	styleOpacity
	styleDisplay
	styleClip
	styleClipPath
	styleTransform
	styleContentVisibility
	styleOverlay
	styleTextSecurity
	styleCount
)

// domNode is a node of a DOMSnapshot. A DOMSnapshot has the flat tree: a slot contains what it shows.
type domNode struct {
	Parent    int // index, -1 for the document
	Backend   int
	Tag       string // as Chrome reports it: upper case for HTML
	Text      string // the text of a text node, as it is in the DOM
	Shown     string // the part of Text that a person can read, scrolling if need be
	Rect      rect   // in the document's coordinates
	Style     [styleCount]string
	Attrs     attributes // only those of wantedAttributes
	Size      int        // how many nodes its subtree has, with itself
	Laid      bool       // it has a box
	Boxes     bool       // it or something in it has a box
	Value     string     // what an input or a text area holds now
	Checked   bool       // an input is checked
	Selected  bool       // an option is selected
	Listens   bool       // it has a click handler, or reacts to the mouse by itself
	Seen      bool       // some of it can be seen, scrolling if need be
	InView    bool       // some of it is in the viewport, not clipped by what scrolls
	FirstKid  int        // index or -1
	NextOfKin int        // the next sibling's index or -1
}

type rect struct{ X, Y, W, H float64 }

func (r rect) meets(o rect) rect {
	x, y := max(r.X, o.X), max(r.Y, o.Y)
	return rect{x, y, min(r.X+r.W, o.X+o.W) - x, min(r.Y+r.H, o.Y+o.H) - y}
}

func (r rect) empty() bool { return r.W <= 0 || r.H <= 0 }

// readable says whether there is room for a letter. Texts that are only for assistive technology are clipped to a
// pixel.
func (r rect) readable() bool { return r.W > 1.5 && r.H > 1.5 }

// wantedAttributes are the attributes that are read. Others can be of any size.
var wantedAttributes = Set(`type id for class role name value href alt title label placeholder tabindex
	contenteditable draggable autocomplete dir size min max scope disabled readonly required multiple open hidden
	inert controls aria-label aria-labelledby aria-hidden aria-disabled aria-readonly aria-required aria-checked
	aria-pressed aria-expanded aria-selected aria-invalid aria-multiselectable aria-modal aria-busy aria-level
	aria-valuemin aria-valuemax aria-valuenow aria-valuetext aria-multiline`)

// attributes has names and values alternately.
type attributes []string

func (a attributes) find(name string) (value string, ok bool) {
	for i := 0; i+1 < len(a); i += 2 {
		if a[i] == name {
			return a[i+1], true
		}
	}
	return "", false
}

func (n *domNode) attr(name string) string {
	v, _ := n.Attrs.find(name)
	return v
}

func (n *domNode) has(name string) bool {
	_, ok := n.Attrs.find(name)
	return ok
}

// kind returns the type of an input, in lower case.
func (n *domNode) kind() string { return strings.ToLower(n.attr("type")) }

// DOM is one document of a DOMSnapshot.
type DOM struct {
	Frame          string
	URL            string
	base           *url.URL // URL; nil until needed
	Nodes          []domNode
	byBackend      map[int]int
	byID           map[string][]int // node indices by the id attribute; nil until needed
	labelFor       map[string][]int // indices of labels by their for attribute
	hiddenCaptions []int            // captions that nobody sees, in ascending order; nil until needed
	View           rect             // the viewport, in the document's coordinates
	origin         rect             // where one can scroll to; unbounded to the right and below
}

// domWire is the answer of DOMSnapshot.captureSnapshot: columns of indices.
type domWire struct {
	tab       bool // as in DecodeDOM
	discarded bool // Chrome has discarded the tab

	Strings   []string `json:"strings"`
	Documents []struct {
		DocumentURL   int     `json:"documentURL"`
		FrameID       int     `json:"frameId"`
		ScrollOffsetX float64 `json:"scrollOffsetX"`
		ScrollOffsetY float64 `json:"scrollOffsetY"`
		ContentWidth  float64 `json:"contentWidth"`
		Nodes         struct {
			ParentIndex    indices   `json:"parentIndex"`
			NodeType       indices   `json:"nodeType"`
			NodeName       indices   `json:"nodeName"`
			NodeValue      indices   `json:"nodeValue"`
			BackendNodeID  indices   `json:"backendNodeId"`
			Attributes     rows[int] `json:"attributes"`
			IsClickable    rareBools `json:"isClickable"`
			InputValue     rareInts  `json:"inputValue"`
			TextValue      rareInts  `json:"textValue"`
			InputChecked   rareBools `json:"inputChecked"`
			OptionSelected rareBools `json:"optionSelected"`
		} `json:"nodes"`
		Layout struct {
			NodeIndex indices       `json:"nodeIndex"`
			Styles    rows[int]     `json:"styles"`
			Bounds    rows[float64] `json:"bounds"`
			Text      indices       `json:"text"`
		} `json:"layout"`
		TextBoxes textBoxes `json:"textBoxes"`
	} `json:"documents"`
}

type textBoxes struct {
	LayoutIndex indices       `json:"layoutIndex"`
	Bounds      rows[float64] `json:"bounds"`
	Start       indices       `json:"start"`
	Length      indices       `json:"length"`
}

type rareInts struct {
	Index indices `json:"index"`
	Value indices `json:"value"`
}

type rareBools struct {
	Index indices `json:"index"`
}

// maxDOM bounds an answer, in bytes. Decoding it needs several times as much memory.
const maxDOM = 64 << 20

// DecodeDOM decodes the answer of DOMSnapshot.captureSnapshot, which has all documents of one process. tab says that
// the first of them is the tab's own document.
func DecodeDOM(raw json.RawMessage, tab bool) ([]*DOM, error) {
	if len(raw) > maxDOM {
		return nil, fmt.Errorf("the texts and attributes of its documents take %d MiB, which is too much to read; "+
			"evaluate_script can look into them", len(raw)>>20)
	}
	w := domWire{tab: tab}
	if err := json.Unmarshal(raw, &w); err != nil {
		return nil, err
	}
	wanted := make([]bool, len(w.Strings))
	for i, s := range w.Strings {
		wanted[i] = wantedAttributes[s]
	}
	docs := make([]*DOM, len(w.Documents))
	for i := range w.Documents {
		docs[i] = w.document(i, wanted)
	}
	return docs, nil
}

func (w *domWire) string(i int) string {
	if i < 0 || i >= len(w.Strings) {
		return ""
	}
	return w.Strings[i]
}

func (w *domWire) document(at int, wanted []bool) *DOM {
	src := &w.Documents[at]
	n := &src.Nodes
	d := &DOM{Frame: w.string(src.FrameID), URL: w.string(src.DocumentURL),
		byBackend: make(map[int]int, len(n.ParentIndex))}
	d.Nodes = make([]domNode, len(n.ParentIndex))
	for i := range d.Nodes {
		d.Nodes[i] = domNode{Parent: -1, Size: 1, FirstKid: -1, NextOfKin: -1}
		node := &d.Nodes[i]
		if p := n.ParentIndex[i]; p >= 0 && p < i { // parents come before their children
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
			node.Attrs = w.attributes(n.Attributes[i], wanted)
		}
	}
	each := func(index []int, set func(node *domNode, i int)) {
		for i, at := range index {
			if at >= 0 && at < len(d.Nodes) {
				set(&d.Nodes[at], i)
			}
		}
	}
	for _, values := range []rareInts{n.InputValue, n.TextValue} {
		each(values.Index, func(node *domNode, i int) {
			if i < len(values.Value) {
				node.Value = w.string(values.Value[i])
			}
		})
	}
	each(n.IsClickable.Index, func(node *domNode, _ int) { node.Listens = true })
	each(n.InputChecked.Index, func(node *domNode, _ int) { node.Checked = true })
	each(n.OptionSelected.Index, func(node *domNode, _ int) { node.Selected = true })
	each(src.Layout.NodeIndex, func(node *domNode, i int) {
		if i < len(src.Layout.Bounds) && i < len(src.Layout.Styles) {
			w.box(node, src.Layout.Bounds[i], src.Layout.Styles[i])
		}
	})
	d.relate()
	if len(d.Nodes) > 0 {
		d.View = d.Nodes[0].Rect // the document's box is the viewport
		d.View.X, d.View.Y = src.ScrollOffsetX, src.ScrollOffsetY
	}
	d.origin = rect{0, 0, boundless, boundless}
	if d.rightToLeft() {
		d.origin.X = min(0, d.View.W-src.ContentWidth)
	}
	if at == 0 && w.tab {
		w.discarded = d.View.empty() // a discarded tab has no size
	}
	w.look(d, at)
	return d
}

func (w *domWire) attributes(pairs []int, wanted []bool) attributes {
	var found attributes
	for i := 0; i+1 < len(pairs); i += 2 {
		if name := pairs[i]; name >= 0 && name < len(wanted) && wanted[name] {
			found = append(found, w.Strings[name], w.string(pairs[i+1]))
		}
	}
	return found
}

// box sets where a node is. A node can have several boxes; the first one is its own.
func (w *domWire) box(node *domNode, bounds []float64, styles []int) {
	if node.Laid || len(bounds) != 4 {
		return
	}
	node.Laid, node.Boxes = true, true
	node.Rect = rect{bounds[0], bounds[1], bounds[2], bounds[3]}
	for i := range min(len(styles), len(node.Style)) {
		node.Style[i] = w.string(styles[i])
	}
}

// relate sets what follows from the parents.
func (d *DOM) relate() {
	for i := len(d.Nodes) - 1; i > 0; i-- {
		node := &d.Nodes[i]
		if node.Parent < 0 {
			continue
		}
		parent := &d.Nodes[node.Parent]
		parent.Size += node.Size
		parent.Boxes = parent.Boxes || node.Boxes
		node.NextOfKin = parent.FirstKid
		parent.FirstKid = i
	}
	const early = 10 // Chrome lists ::after before the content, among the first nodes of its element
	for i := range d.Nodes {
		if node := &d.Nodes[i]; node.Tag == "::after" && node.Parent >= 0 && i-node.Parent < early {
			at := &d.Nodes[node.Parent].FirstKid
			for *at != i {
				at = &d.Nodes[*at].NextOfKin
			}
			for *at = node.NextOfKin; *at >= 0; {
				at = &d.Nodes[*at].NextOfKin
			}
			*at, node.NextOfKin = i, -1
		}
	}
}

func (d *DOM) rightToLeft() bool {
	for i := range min(len(d.Nodes), 50) {
		if n := &d.Nodes[i]; n.Tag == "HTML" || n.Tag == "BODY" {
			if strings.EqualFold(n.attr("dir"), "rtl") {
				return true
			}
		}
	}
	return false
}

// box returns a box, and false if there is none.
func (b *textBoxes) box(i int) (r rect, known bool) {
	if i >= len(b.Bounds) || len(b.Bounds[i]) != 4 {
		return r, false
	}
	return rect{b.Bounds[i][0], b.Bounds[i][1], b.Bounds[i][2], b.Bounds[i][3]}, true
}

// parts returns the visible texts of a layout object's boxes. Chrome counts their positions in UTF-16 code units.
func (b *textBoxes) parts(text string, at []int, visible func(rect) bool) string {
	hidden := func(i int) bool { r, known := b.box(i); return known && !visible(r) }
	switch {
	case len(at) == 0: // the text isn't drawn
		return strings.Repeat(" ", min(1, len(text)))
	case !slices.ContainsFunc(at, hidden):
		return text
	}
	var shown strings.Builder
	units := utf16.Encode([]rune(text))
	for _, i := range at {
		if r, known := b.box(i); !known || !visible(r) || i >= len(b.Start) || i >= len(b.Length) {
			continue
		}
		if from, to := b.Start[i], b.Start[i]+b.Length[i]; from >= 0 && to >= from && to <= len(units) {
			if shown.Len() > 0 {
				shown.WriteByte(' ')
			}
			shown.WriteString(string(utf16.Decode(units[from:to])))
		}
	}
	return shown.String()
}

// visible says whether an element has a box that CSS doesn't hide. The box may be clipped, off-screen or transparent.
func (n *domNode) visible() bool {
	v := n.Style[styleVisibility]
	return n.Laid && (v == "" || v == "visible")
}

// named returns the element with an id that node i means, or -1.
func (d *DOM) named(id string, i int) int {
	d.readIDs()
	return d.nearest(d.byID[id], i)
}

func (d *DOM) readIDs() {
	if d.byID != nil {
		return
	}
	d.byID, d.labelFor = map[string][]int{}, map[string][]int{}
	for i := range d.Nodes {
		if id := d.Nodes[i].attr("id"); id != "" {
			d.byID[id] = append(d.byID[id], i)
		}
		if id := d.Nodes[i].attr("for"); id != "" && d.Nodes[i].Tag == "LABEL" {
			d.labelFor[id] = append(d.labelFor[id], i)
		}
	}
}

// nearest returns the first of some nodes in the innermost element around node i that has any of them, or -1. Ids are
// unique only within a shadow tree, and a document can have many.
func (d *DOM) nearest(nodes []int, i int) int {
	for p := i; p >= 0 && len(nodes) > 0; p = d.Nodes[p].Parent {
		at, _ := slices.BinarySearch(nodes, p)
		if at < len(nodes) && nodes[at] < p+d.Nodes[p].Size {
			return nodes[at]
		}
	}
	return -1
}

// pointer says whether the pointer cursor begins at this node. The cursor shows that the node can be clicked; its
// descendants inherit it.
func (d *DOM) pointer(n *domNode) bool {
	if n.Style[styleCursor] != "pointer" || n.Style[stylePointerEvents] == "none" {
		return false
	}
	return n.Parent < 0 || d.Nodes[n.Parent].Style[styleCursor] != "pointer"
}

// boxless are elements whose content is never shown as text of the page.
var boxless = Set(`SCRIPT STYLE NOSCRIPT TEMPLATE HEAD TITLE DATALIST`)

// apart are elements whose text doesn't belong to the name of an element around them.
var apart = Set(`SCRIPT STYLE NOSCRIPT TEMPLATE BUTTON INPUT SELECT TEXTAREA IFRAME VIDEO AUDIO OBJECT CANVAS METER
	PROGRESS`)
