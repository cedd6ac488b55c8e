package snapshot

import (
	"fmt"
	"slices"
	"strings"

	"webmcphub/automation/snapshot/tree"
)

// DefaultTokens bounds a snapshot, unless the View says otherwise.
const DefaultTokens = 6000

const maxTokens = 1_000_000 // the upper bound of View.MaxTokens

// View says what part of a tree is shown.
type View struct {
	Root         string // the uid of the node that is shown; "" means the page
	Skip         int    // how many of the root's first children are left out
	Depth        int    // how many levels below the root are shown; 0 means all
	Query        string // a text or a /regular expression/: shows what matches, with its ancestors
	Verbose      bool   // shows longer texts, descriptions, and each option of a select on its own
	ViewportOnly bool   // shows only what a person sees without scrolling
	MaxTokens    int    // bounds the text, see [Tokens]; 0 means DefaultTokens, -1 no bound
}

func (v View) budget() int {
	switch {
	case v.MaxTokens > 0:
		return v.MaxTokens
	case v.MaxTokens < 0:
		return maxTokens
	}
	return DefaultTokens
}

// Rendering is a tree as text.
type Rendering struct {
	Text   string
	Tokens int
	Shown  []*tree.Node // the nodes with a uid that the text shows
	Left   int          // how many nodes of the tree the text leaves out
}

// Render writes a tree. uid gives a uid to a node that has none; the text needs it to name a node whose content is
// left out.
func Render(t *tree.Tree, v View, uid func(*tree.Node) string) (*Rendering, error) {
	base := t.Root
	if v.Root != "" {
		if base = t.Find(v.Root); base == nil {
			return nil, fmt.Errorf("the element of uid %s is not shown on the page now. Take a snapshot without root",
				tree.Quote(tree.Cut(v.Root, 40)))
		}
	}
	if v.Skip > 0 {
		copied := *base
		copied.Children = base.Children[min(v.Skip, len(base.Children)):]
		base = &copied
	}
	p := &printer{tree: t, view: v, uid: uid}
	if v.Query != "" {
		return p.query(base)
	}
	if v.ViewportOnly {
		base = inView(base)
	}
	return p.print(base), nil
}

// printer writes the chosen items.
type printer struct {
	view View
	uid  func(*tree.Node) string
	tree *tree.Tree
	c    *chooser
	out  strings.Builder
	got  *Rendering
}

func (p *printer) print(base *tree.Node) *Rendering {
	budget := p.view.budget()
	styles := []style{whole, usual}
	if p.view.Verbose {
		styles = []style{verbose}
	}
	for _, s := range styles {
		p.c = newChooser(base, s, p.view.Depth)
		if p.c.all() <= budget {
			p.write(budget)
			if p.got.Tokens <= budget {
				return p.got
			}
		}
	}
	if !p.view.Verbose {
		s := lean
		s.value = max(s.value, p.alone(base, budget))
		p.c = newChooser(base, s, p.view.Depth)
	}
	note := min(60, budget/4) // room for the lines about what is left out
	for room := budget - note; ; room = room * 9 / 10 {
		p.c.fit(room)
		p.write(budget)
		if p.got.Tokens <= budget || room < 20 {
			return p.got
		}
	}
}

// alone bounds the value, in bytes, of a field that was asked for by itself.
func (p *printer) alone(base *tree.Node, budget int) int {
	if p.view.Root == "" || base.Value == "" || len(base.Children) > 0 {
		return 0
	}
	const bytes = 2 // bytes per token, in the worst case
	return bytes * budget
}

// write writes the chosen items, and how much is left out.
func (p *printer) write(budget int) {
	p.out.Reset()
	p.got = &Rendering{}
	p.emit(0)
	controls, others, cut := 0, 0, 0
	for i := range p.c.items {
		switch it := &p.c.items[i]; {
		case it.chosen:
			cut += p.c.style.cut(it.node)
		case it.node.Traits.Actable:
			controls++
		default:
			others++
		}
	}
	if p.view.Root == "" && p.tree.Behind > 0 {
		fmt.Fprintf(&p.out, "(%s more behind the modal dialog)\n", count(p.tree.Behind, "text or control"))
	}
	if p.view.Root == "" && p.tree.Beyond > 0 {
		fmt.Fprintf(&p.out, "(%s more, as the page is too large to read)\n", count(p.tree.Beyond, "text or control"))
	}
	p.got.Left = controls + others
	var left []string
	if p.got.Left > 0 {
		left = append(left, count(controls, "control")+" and "+count(others, "text or group"))
	}
	if cut > 0 {
		left = append(left, count(cut, "byte")+" of long texts")
	}
	if len(left) > 0 {
		fmt.Fprintf(&p.out, "(left out for length: %s. To see more: root=uid with skip, query=text, or maxTokens above %d)\n",
			strings.Join(left, "; "), budget)
	}
	p.got.Text = p.out.String()
	p.got.Tokens = Tokens(p.got.Text)
}

func count(n int, what string) string {
	if first, second, ok := strings.Cut(what, " or "); ok && n != 1 {
		return thousands(n) + " " + plural(first, n) + " or " + plural(second, n)
	}
	return thousands(n) + " " + plural(what, n)
}

// emit writes an item and the chosen items inside it. Where siblings are left out, it says so.
func (p *printer) emit(i int) {
	it := p.c.items[i]
	p.node(it)
	var left []int
	for j := i + 1; j < it.end; j = p.c.items[j].end {
		if !p.c.items[j].chosen {
			left = append(left, j)
			continue
		}
		p.fold(it, left)
		left = left[:0]
		p.emit(j)
	}
	p.fold(it, left)
}

func (p *printer) node(it item) {
	n := it.node
	p.indent(it.depth)
	if n.UID != "" {
		p.got.Shown = append(p.got.Shown, n)
	}
	p.out.WriteString(p.c.style.line(n) + "\n")
	if p.c.limit > 0 && it.depth == p.c.limit && p.c.opens(n) && len(n.Children) > 0 && p.view.Query == "" {
		p.deeper(n, it.depth)
	}
}

// deeper says what is below the depth that was asked for.
func (p *printer) deeper(n *tree.Node, depth int) {
	role := n.Children[0].Role
	what := "more " + plural(role, len(n.Children))
	if slices.ContainsFunc(n.Children, func(c *tree.Node) bool { return c.Role != role }) {
		what = "inside"
	}
	p.more(n, depth+1, len(n.Children), what, 0)
}

// more says how many children of a node are left out, and how to see them.
func (p *printer) more(n *tree.Node, depth, count int, what string, skip int) {
	if n.UID == "" && n.Key.Backend != 0 {
		n.UID = p.uid(n)
	}
	p.indent(depth)
	p.out.WriteString("… " + thousands(count) + " " + what)
	if n.UID != "" {
		p.out.WriteString(": root=" + n.UID)
		if skip > 0 {
			fmt.Fprintf(&p.out, " skip=%d", skip)
		}
	}
	p.out.WriteByte('\n')
}

func (p *printer) indent(depth int) {
	for range min(depth, 24) {
		p.out.WriteByte(' ')
	}
}

// fold says that children of an item are left out, if there are several or if one can be acted on. A single text is
// only counted.
func (p *printer) fold(it item, left []int) {
	acts := false
	var roles []string
	for _, j := range left {
		roles = append(roles, p.c.items[j].node.Role)
		for k := j; k < p.c.items[j].end; k++ {
			acts = acts || p.c.items[k].node.Traits.Actable
		}
	}
	if len(left) < runLength && !acts {
		return
	}
	n := it.node
	first := slices.Index(n.Children, p.c.items[left[0]].node)
	if n == p.c.base {
		first += p.view.Skip
	}
	what := "more"
	if len(slices.Compact(roles)) == 1 {
		what += " " + plural(roles[0], len(left))
	}
	p.more(n, it.depth+1, len(left), what, first)
}

// inView returns a copy of n with only what a person sees without scrolling, and its ancestors.
func inView(n *tree.Node) *tree.Node {
	copied := *n
	copied.Children = nil
	for _, c := range n.Children {
		if k := inView(c); k.Traits.InView && (k.Role == "text" || k.Traits.Actable || len(k.Children) > 0 ||
			k.Name != "") || len(k.Children) > 0 {
			copied.Children = append(copied.Children, k)
		}
	}
	if n.Traits.Select {
		copied.Children = n.Children
	}
	return &copied
}
