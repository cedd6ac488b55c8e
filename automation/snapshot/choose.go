package snapshot

import (
	"slices"

	"webmcphub/automation/snapshot/tree"
)

// Tiers are the order in which a snapshot chooses nodes for the room that it has.
const (
	seenControls  = iota // controls that a person sees
	signposts            // headings, landmarks, alerts, frames
	seenTexts            // texts that a person reads without scrolling
	otherControls        // other controls, of each run of similar items only the first
	otherTexts           //
	moreOfTheSame        // later items of such runs, each as a whole
	tiers
)

const (
	runLength = 5 // at least this many similar siblings are a run
	runShown  = 3 // how many items of a run count as the first
)

// item is a node that could be shown.
type item struct {
	node   *tree.Node
	parent int // the index of the parent item; -1 if there is none
	end    int // the index after the last item inside it
	depth  int
	cost   int // the tokens of its line
	whole  int // the tokens of its line and of everything inside it
	tier   int
	place  int // its position in a run of similar siblings, if it isn't among the first
	chosen bool
}

// chooser lists a tree as items and chooses those that fit.
type chooser struct {
	style style
	items []item
	base  *tree.Node
	limit int // bounds the depth
}

func newChooser(base *tree.Node, s style, depth int) *chooser {
	c := &chooser{style: s, base: base, limit: depth}
	c.add(base, -1, 0, false, false)
	return c
}

// add adds n and what is inside it. later says that n isn't among the first in a run of similar items. urgent says
// that a person has to see it first.
func (c *chooser) add(n *tree.Node, parent, depth int, later, urgent bool) int {
	at := len(c.items)
	urgent = urgent || n.Role == "alert" || n.Role == "alertdialog" || slices.Contains(n.States, "modal")
	cost := Tokens(c.style.line(n)) + 1
	c.items = append(c.items, item{node: n, parent: parent, end: at + 1, depth: depth, cost: cost, whole: cost,
		tier: tierOf(n, later, urgent)})
	if !c.opens(n) || c.limit > 0 && depth >= c.limit {
		return cost
	}
	for i, place := range positions(n.Children) {
		next := len(c.items)
		c.items[at].whole += c.add(n.Children[i], at, depth+1, later || place >= runShown, urgent)
		if place >= runShown {
			c.items[next].place = place
		}
	}
	c.items[at].end = len(c.items)
	return c.items[at].whole
}

// opens says whether the children of a node get lines of their own.
func (c *chooser) opens(n *tree.Node) bool {
	return !n.Traits.Select || c.style.verbose || n == c.base
}

func tierOf(n *tree.Node, later, urgent bool) int {
	seen := n.Traits.InView || urgent
	switch {
	case n.Traits.Actable && seen:
		return seenControls
	case tree.Landmarks[n.Role] && !later:
		return signposts
	case n.Role == "text" || !n.Traits.Actable:
		switch {
		case seen:
			return seenTexts
		case later:
			return moreOfTheSame
		}
		return otherTexts
	case later:
		return moreOfTheSame
	}
	return otherControls
}

// positions returns the position of each node in its run of similar siblings, or 0 if it is in none.
func positions(kids []*tree.Node) []int {
	all := make([]int, len(kids))
	for i := 0; i < len(kids); {
		j := i + 1
		for j < len(kids) && kids[j].Role == kids[i].Role {
			j++
		}
		if j-i >= runLength {
			for k := i; k < j; k++ {
				all[k] = k - i
			}
		}
		i = j
	}
	return all
}

// all chooses everything, and returns how many tokens that is.
func (c *chooser) all() int {
	for i := range c.items {
		c.items[i].chosen = true
	}
	return c.items[0].whole
}

// fit chooses what matters most within a budget of tokens. Later items of runs come last and only as a whole, because
// half an item helps nobody. The runs take turns, so that the longest one is cut.
func (c *chooser) fit(budget int) {
	for i := range c.items {
		c.items[i].chosen = i == 0
	}
	left := budget - c.items[0].cost
	for tier := range moreOfTheSame {
		for i := range c.items {
			if c.items[i].tier == tier {
				spent, _ := c.choose(i, i+1, left)
				left -= spent
			}
		}
	}
	var late []int
	for i := range c.items {
		if c.items[i].place > 0 {
			late = append(late, i)
		}
	}
	slices.SortStableFunc(late, func(a, b int) int { return c.items[a].place - c.items[b].place })
	full := map[int]bool{} // parents of runs whose next item doesn't fit
	for _, i := range late {
		if parent := c.items[i].parent; !full[parent] {
			spent, all := c.choose(i, c.items[i].end, left)
			left -= spent
			full[parent] = !all
		}
	}
	for i := range c.items { // items that are too large to be chosen as a whole
		if it := &c.items[i]; left > 0 && !it.chosen {
			spent, _ := c.choose(i, i+1, left)
			left -= spent
		}
	}
}

// choose chooses the items from i until end, and the ancestors of i, if those that aren't chosen yet cost no more than
// left.
func (c *chooser) choose(i, end, left int) (spent int, ok bool) {
	missing := make([]*item, 0, 32)
	for p := c.items[i].parent; p >= 0 && !c.items[p].chosen; p = c.items[p].parent {
		missing = append(missing, &c.items[p])
	}
	for j := i; j < end; j++ {
		if !c.items[j].chosen {
			missing = append(missing, &c.items[j])
		}
	}
	for _, it := range missing {
		spent += it.cost
	}
	if spent > left {
		return 0, false
	}
	for _, it := range missing {
		it.chosen = true
	}
	return spent, true
}
