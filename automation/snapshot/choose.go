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
	c.items = append(c.items, item{node: n, parent: parent, depth: depth, cost: cost, whole: cost,
		tier: tierOf(n, later, urgent)})
	if !c.opens(n) || c.limit > 0 && depth >= c.limit {
		return cost
	}
	for i, run := range runs(n.Children) {
		child, late := n.Children[i], later || run.place >= runShown
		next := len(c.items)
		c.items[at].whole += c.add(child, at, depth+1, late, urgent)
		if run.place >= runShown {
			c.items[next].place = run.place
		}
	}
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

// standing is a node's position in a run of similar siblings. The zero value means that it is in no run.
type standing struct{ place, length int }

// runs returns the standing of each node.
func runs(kids []*tree.Node) []standing {
	places := make([]standing, len(kids))
	for i := 0; i < len(kids); {
		j := i + 1
		for j < len(kids) && kids[j].Role == kids[i].Role {
			j++
		}
		if j-i >= runLength {
			for k := i; k < j; k++ {
				places[k] = standing{k - i, j - i}
			}
		}
		i = j
	}
	return places
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
				left -= c.choose(i, left)
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
			spent, all := c.chooseWhole(i, left)
			left -= spent
			full[parent] = !all
		}
	}
	for i := range c.items { // items that are too large to be chosen as a whole
		if it := &c.items[i]; left > 0 && !it.chosen {
			left -= c.choose(i, left)
		}
	}
}

// price returns the cost of an item, with those of its ancestors that aren't chosen.
func (c *chooser) price(i int) int {
	cost := 0
	for ; i >= 0 && !c.items[i].chosen; i = c.items[i].parent {
		cost += c.items[i].cost
	}
	return cost
}

func (c *chooser) choose(i, left int) (spent int) {
	price := c.price(i)
	if price > left {
		return 0
	}
	for ; i >= 0 && !c.items[i].chosen; i = c.items[i].parent {
		c.items[i].chosen = true
	}
	return price
}

func (c *chooser) chooseWhole(i, left int) (spent int, all bool) {
	end := c.end(i)
	price := 0
	if p := c.items[i].parent; p >= 0 {
		price = c.price(p)
	}
	for j := i; j < end; j++ {
		if !c.items[j].chosen {
			price += c.items[j].cost
		}
	}
	if price > left {
		return 0, false
	}
	for p := c.items[i].parent; p >= 0 && !c.items[p].chosen; p = c.items[p].parent {
		c.items[p].chosen = true
	}
	for j := i; j < end; j++ {
		c.items[j].chosen = true
	}
	return price, true
}

// end returns the index after the last item inside item i.
func (c *chooser) end(i int) int {
	j := i + 1
	for j < len(c.items) && c.items[j].depth > c.items[i].depth {
		j++
	}
	return j
}
