package tree

import (
	"strconv"
	"strings"
)

const boundless = 1e9

// everywhere is a rectangle that clips nothing.
var everywhere = rect{-boundless / 2, -boundless / 2, boundless, boundless}

// clip says which parts of a node are hidden. view is what a person sees now, reach what can be seen by scrolling.
type clip struct{ view, reach rect }

func (c clip) to(r rect) clip { return clip{c.view.meets(r), c.reach.meets(r)} }

// place says how an element affects its content: how it clips content in the normal flow, content that is positioned
// absolutely and content that is fixed, and whether it is transparent.
type place struct {
	at                    int // the index of the element
	flow, absolute, fixed clip
	clear                 bool
	closed                bool // it is a closed <details>, of which only the summary is shown
	skipped               bool // Chrome draws nothing of the content, in the top layer either
}

// look finds out what a person can see of each node. Parents come before their content.
func (w *domWire) look(d *DOM, document int) {
	src := &w.Documents[document]
	layouts := make(map[int][]int) // indices of text layouts by node
	for l, at := range src.Layout.NodeIndex {
		if l < len(src.Layout.Text) && src.Layout.Text[l] >= 0 {
			layouts[at] = append(layouts[at], l)
		}
	}
	boxes := make([][]int, len(src.Layout.NodeIndex))
	for b, l := range src.TextBoxes.LayoutIndex {
		if l >= 0 && l < len(boxes) {
			boxes[l] = append(boxes[l], b)
		}
	}
	view := d.View
	fixed := clip{view, view}
	if view.empty() && w.discarded {
		fixed.reach = everywhere
	}
	stack := []place{{at: -1, flow: clip{view, d.origin}, absolute: clip{view, d.origin}, fixed: fixed}}
	for i := range d.Nodes {
		node := &d.Nodes[i]
		for len(stack) > 1 && stack[len(stack)-1].at != node.Parent {
			stack = stack[:len(stack)-1]
		}
		in := &stack[len(stack)-1]
		if node.Style[styleOverlay] == "auto" { // in the top layer, where nothing around it clips it
			top := stack[0]
			top.closed, top.skipped = in.closed, in.skipped
			in = &top
		}
		if texts := layouts[i]; node.Laid && (node.Tag == "#text" || len(texts) > 0) {
			if node.visible() && !in.clear && !in.closed && !in.skipped {
				for _, l := range texts {
					node.Shown += src.TextBoxes.parts(w.string(src.Layout.Text[l]), boxes[l],
						func(r rect) bool { return r.meets(in.flow.reach).readable() })
					for _, b := range boxes[l] {
						r, known := src.TextBoxes.box(b)
						node.InView = node.InView || known && !r.meets(in.flow.view).empty()
					}
				}
			}
			node.Seen = strings.TrimSpace(node.Shown) != ""
			node.InView = node.InView && node.Seen
			if node.Size == 1 {
				continue
			}
		}
		if node.Size == 1 && !node.Laid {
			continue
		}
		inner := in.enter(i, node)
		stack = append(stack, inner)
	}
	d.joinFirstLetters(func(i int) (text string) {
		for _, l := range layouts[i] {
			text += w.string(src.Layout.Text[l])
		}
		return text
	})
}

// joinFirstLetters gives the text of each ::first-letter back to the text that it was taken from. Chrome reports it
// at the block that has the style, which can be far outside of the text's own element. laidOut returns what is left of
// a text in the layout. Of blocks inside each other, the inner one takes its letter first.
func (d *DOM) joinFirstLetters(laidOut func(i int) string) {
	whole := map[int]bool{} // texts that have their letters back
	for i := len(d.Nodes) - 1; i >= 0; i-- {
		letter := &d.Nodes[i]
		if letter.Tag != "::first-letter" || letter.Parent < 0 || letter.Shown == "" {
			continue
		}
		found := -1
		for at := i + 1; at < letter.Parent+d.Nodes[letter.Parent].Size; at++ {
			n := &d.Nodes[at]
			if !n.Laid || whole[at] {
				continue
			}
			left := Squeezed(laidOut(at))
			if n.Tag == "#text" && Squeezed(n.Text) != left && Squeezed(n.Text) == Squeezed(letter.Shown)+left {
				found = at
				break
			}
			if n.Tag == "::before" && left != "" && found < 0 { // it has the letter if no text lacks it
				found = at
			}
		}
		if found >= 0 {
			whole[found] = true
			rest := &d.Nodes[found]
			rest.Shown = letter.Shown + rest.Shown
			rest.Seen, rest.InView = rest.Seen || letter.Seen, rest.InView || letter.InView
			letter.Shown, letter.Seen, letter.InView = "", false, false
		}
	}
}

// enter returns the place of an element, and sets what can be seen of the element itself.
func (in *place) enter(i int, node *domNode) place {
	inner := *in
	inner.at = i
	inner.closed = node.Tag == "DETAILS" && !node.has("open")
	inner.skipped = in.skipped || in.closed && node.Tag != "SUMMARY"
	if !node.Laid { // display: contents
		return inner
	}
	own := in.flow
	switch node.Style[stylePosition] {
	case "fixed":
		own = in.fixed
	case "absolute":
		own = in.absolute
	}
	inner.clear = inner.clear || node.Style[styleOpacity] == "0"
	node.Seen = node.visible() && !inner.clear && !inner.skipped && node.seenIn(own.reach)
	node.InView = node.visible() && !node.Rect.meets(own.view).empty()
	// The content can have boxes all the same, from when it was shown or because a script asked for them.
	if node.Style[styleContentVisibility] == "hidden" && !node.flows() {
		inner.skipped = true
	}
	inner.flow = own
	if shape, ok := node.shape(); ok {
		own, inner.flow = own.to(shape), own.to(shape)
		inner.absolute, inner.fixed = in.absolute.to(shape), in.fixed.to(shape)
		node.Seen = node.Seen && node.seenIn(own.reach)
		node.InView = node.InView && !node.Rect.meets(own.view).empty()
	}
	if node.Tag != "HTML" && node.Tag != "BODY" && !node.flows() {
		inner.flow = node.overflows(own)
	}
	moved := node.Style[styleTransform] != "" && node.Style[styleTransform] != "none"
	if p := node.Style[stylePosition]; p != "" && p != "static" || moved {
		inner.absolute = inner.flow
	}
	if moved {
		inner.fixed = inner.flow
	}
	return inner
}

// seenIn says whether a person can see a part of an element's box, given what can be reached. Of a frame there has to
// be room for a letter, because its document is read only if the frame is seen.
func (n *domNode) seenIn(reach rect) bool {
	part := n.Rect.meets(reach)
	if n.Tag == "IFRAME" || n.Tag == "FRAME" {
		return part.readable()
	}
	return !part.empty()
}

// flows says whether an element is a part of lines and so clips nothing. A drawing is one box, whatever its display.
func (n *domNode) flows() bool {
	return (n.Style[styleDisplay] == "inline" || n.Style[styleDisplay] == "ruby") && n.Tag != "svg"
}

// overflows says how an element clips its content: what it hides can't be seen; what it scrolls can be seen if the
// element itself can.
func (n *domNode) overflows(own clip) clip {
	inner := own
	across, down := n.Style[styleOverflowX], n.Style[styleOverflowY]
	if across == "visible" && down == "visible" || across == "" {
		return inner
	}
	clips, scrolls := n.Rect, false
	reach := n.Rect
	for _, axis := range []struct {
		overflow   string
		from, size *float64
		low, span  *float64
	}{{across, &clips.X, &clips.W, &reach.X, &reach.W}, {down, &clips.Y, &clips.H, &reach.Y, &reach.H}} {
		switch axis.overflow {
		case "visible":
			*axis.from, *axis.size = everywhere.X, everywhere.W
			*axis.low, *axis.span = everywhere.X, everywhere.W
		case "auto", "scroll", "overlay":
			scrolls = true
			*axis.low, *axis.span = everywhere.X, everywhere.W
		}
	}
	inner.view = own.view.meets(clips)
	switch {
	case !scrolls:
		inner.reach = own.reach.meets(reach)
	case !n.Rect.meets(own.reach).readable():
		inner.reach = rect{}
	default:
		inner.reach = reach
	}
	return inner
}

// shape returns the box to which clip or clip-path also clips an element.
func (n *domNode) shape() (rect, bool) {
	box := n.Rect
	if v := n.Style[styleClip]; strings.HasPrefix(v, "rect(") &&
		(n.Style[stylePosition] == "absolute" || n.Style[stylePosition] == "fixed") {
		sides := lengths(v[len("rect("):], box.H, box.W)
		if len(sides) == 4 { // top, right, bottom, left, all from the top left
			if strings.Contains(v, "auto") {
				return box, false
			}
			return box.meets(rect{box.X + sides[3], box.Y + sides[0], sides[1] - sides[3], sides[2] - sides[0]}), true
		}
	}
	v := n.Style[styleClipPath]
	switch {
	case strings.HasPrefix(v, "inset("):
		v, _, _ = strings.Cut(v[len("inset("):], " round")
		sides := lengths(v, box.H, box.W)
		switch len(sides) {
		case 1: // the percentage of one value refers to the height here; the width has its own
			across := lengths(v, box.W, box.W)
			sides = []float64{sides[0], across[0], sides[0], across[0]}
		case 2:
			sides = append(sides, sides[0], sides[1])
		case 3:
			sides = append(sides, sides[1])
		}
		if len(sides) >= 4 {
			return rect{box.X + sides[3], box.Y + sides[0], box.W - sides[1] - sides[3], box.H - sides[0] - sides[2]},
				true
		}
	case strings.HasPrefix(v, "circle(0"), strings.HasPrefix(v, "ellipse(0"):
		return rect{box.X, box.Y, 0, 0}, true
	case strings.HasPrefix(v, "polygon("):
		points := lengths(v[len("polygon("):], box.W, box.H)
		if len(points) < 2 || len(points)%2 != 0 {
			return box, false
		}
		low, high := [2]float64{points[0], points[1]}, [2]float64{points[0], points[1]}
		for i, p := range points {
			low[i%2], high[i%2] = min(low[i%2], p), max(high[i%2], p)
		}
		return rect{box.X + low[0], box.Y + low[1], high[0] - low[0], high[1] - low[1]}, true
	}
	return box, false
}

// lengths parses a list of pixels and percentages. Percentages refer to first and second alternately.
func lengths(list string, first, second float64) []float64 {
	var all []float64
	for _, word := range strings.FieldsFunc(strings.TrimRight(list, ")"),
		func(r rune) bool { return r == ' ' || r == ',' || r == ')' }) {
		number, share := strings.CutSuffix(word, "%")
		v, err := strconv.ParseFloat(strings.TrimSuffix(number, "px"), 64)
		if err != nil {
			if word == "auto" {
				all = append(all, 0)
			}
			continue
		}
		if share {
			size := first
			if len(all)%2 == 1 {
				size = second
			}
			v = v * size / 100
		}
		all = append(all, v)
	}
	return all
}
