package snapshot

import (
	"slices"

	"webmcphub/automation/snapshot/tree"
)

// Tiers say in which order a snapshot chooses what it has room for.
const (
	seenControls   = iota // what a person sees and can act on
	signposts             // headings, landmarks, alerts, frames
	seenTexts             // what a person reads without scrolling
	otherControls         // the rest of the page, the first of each run of alike things
	otherTexts            //
	moreOfTheSame         // what comes later in such runs, one whole thing after the other
	wholeOfTheSame        //
	tiers
)

const (
	runLength = 5 // so many alike siblings are a run
	runShown  = 3 // of which these count as the page's own

	foldFrom = 20 // a run that is so long is folded even if there is room:
	foldKeep = 10 // to so many, and those that a person sees
)

// An item is a node that could be shown.
type item struct {
	node   *tree.Node
	parent int // index of the item, -1
	depth  int
	cost   int // tokens of its line
	whole  int // and of all that is in it
	tier   int
	folded bool // it is late in a long run
	chosen bool
}

// A chooser lays a tree out as items and chooses those that fit.
type chooser struct {
	style style
	items []item
	base  *tree.Node
	limit int // of depth
}

func newChooser(base *tree.Node, s style, depth int) *chooser {
	c := &chooser{style: s, base: base, limit: depth}
	c.add(base, -1, 0, false, false)
	return c
}

// add lays out n. later says that it is late in a run of alike things, urgent that a
// person has to see it first.
func (c *chooser) add(n *tree.Node, parent, depth int, later, urgent bool) int {
	at := len(c.items)
	urgent = urgent || n.Role == "alert" || n.Role == "alertdialog" || slices.Contains(n.States, "modal")
	cost := Tokens(c.style.line(n)) + 1
	c.items = append(c.items, item{node: n, parent: parent, depth: depth, cost: cost, whole: cost, tier: tierOf(n, later, urgent)})
	if !c.opens(n) || c.limit > 0 && depth >= c.limit {
		return cost
	}
	for i, run := range runs(n.Children) {
		child, late := n.Children[i], later || run.place >= runShown
		next := len(c.items)
		c.items[at].whole += c.add(child, at, depth+1, late, urgent)
		c.items[next].folded = run.length >= foldFrom && run.place >= foldKeep && !seen(child)
	}
	return c.items[at].whole
}

// opens says whether what is in a node gets lines of its own.
func (c *chooser) opens(n *tree.Node) bool {
	return !n.Traits.Select || c.style.verbose || n == c.base
}

func tierOf(n *tree.Node, later, urgent bool) int {
	seen := n.Traits.InView || urgent
	switch {
	case n.Traits.Actable && seen:
		return seenControls
	case n.More != nil:
		return seenTexts
	case tree.Landmarks[n.Role] && !later:
		return signposts
	case n.Role == "text" || !n.Traits.Actable:
		switch {
		case seen:
			return seenTexts
		case later:
			return wholeOfTheSame
		}
		return otherTexts
	case later:
		return moreOfTheSame
	}
	return otherControls
}

// seen says whether a person sees some of a node.
func seen(n *tree.Node) bool { return n.Traits.InView || slices.ContainsFunc(n.Children, seen) }

// A standing says where a node stands in a run of alike siblings; the zero value is in
// none.
type standing struct{ place, length int }

// runs says of each node where it stands.
func runs(kids []*tree.Node) []standing {
	places := make([]standing, len(kids))
	for i := 0; i < len(kids); {
		j := i + 1
		for j < len(kids) && kids[j].Role == kids[i].Role && kids[j].More == nil {
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

// all chooses everything, or with fold what isn't late in a long run, and says how many
// tokens that is.
func (c *chooser) all(fold bool) int {
	total := 0
	for i := 0; i < len(c.items); {
		if fold && c.items[i].folded {
			for end := c.end(i); i < end; i++ {
				c.items[i].chosen = false
			}
			continue
		}
		c.items[i].chosen = true
		total += c.items[i].cost
		i++
	}
	return total
}

// fit chooses what matters most within a budget of tokens. What is in something alike
// to its siblings comes with it, if it is small: half of it helps nobody.
func (c *chooser) fit(budget int) {
	for i := range c.items {
		c.items[i].chosen = i == 0
	}
	left := budget - c.items[0].cost
	for tier := range tiers {
		for i := range c.items {
			it := &c.items[i]
			if it.tier != tier && !(tier == moreOfTheSame && it.tier == wholeOfTheSame) {
				continue
			}
			if tier == moreOfTheSame && it.whole <= budget/10 {
				left -= c.chooseWhole(i, left)
				continue
			}
			if tier != moreOfTheSame || it.tier == tier {
				left -= c.choose(i, left)
			}
			if left <= 0 {
				return
			}
		}
	}
}

// price is what an item costs with those above it that aren't chosen.
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

func (c *chooser) chooseWhole(i, left int) (spent int) {
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
		return 0
	}
	for p := c.items[i].parent; p >= 0 && !c.items[p].chosen; p = c.items[p].parent {
		c.items[p].chosen = true
	}
	for j := i; j < end; j++ {
		c.items[j].chosen = true
	}
	return price
}

// end is the index after the last item that is in i.
func (c *chooser) end(i int) int {
	j := i + 1
	for j < len(c.items) && c.items[j].depth > c.items[i].depth {
		j++
	}
	return j
}
