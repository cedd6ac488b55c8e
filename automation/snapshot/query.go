package snapshot

import (
	"fmt"
	"regexp"
	"strings"

	"webmcphub/automation/snapshot/tree"
)

// matcher returns the test of a query: whether a text contains the query, ignoring case, or whether a /regular
// expression/ matches.
func matcher(query string) (func(string) bool, error) {
	if len(query) > 1000 {
		return nil, fmt.Errorf("the query is %d bytes long, and may have 1,000", len(query))
	}
	if end := strings.LastIndexByte(query, '/'); strings.HasPrefix(query, "/") && end > 0 &&
		strings.Trim(query[end+1:], "imsu") == "" {
		pattern := query[1:end]
		if flags := strings.Map(func(r rune) rune {
			if r == 'u' {
				return -1
			}
			return r
		}, query[end+1:]); flags != "" {
			pattern = "(?" + flags + ")" + pattern
		}
		re, err := regexp.Compile(pattern)
		if err != nil {
			return nil, fmt.Errorf("the query is not a regular expression (RE2's syntax): %w. Without slashes, it is "+
				"searched for as a text", err)
		}
		return re.MatchString, nil
	}
	wanted := strings.ToLower(strings.Join(strings.Fields(query), " "))
	return func(s string) bool { return strings.Contains(strings.ToLower(s), wanted) }, nil
}

// searchable returns the texts of a node in which a query searches.
func searchable(n *tree.Node) []string {
	return []string{strings.ReplaceAll(n.Name, tree.Bar, " "), n.Value, n.Hint, n.Role, n.URL,
		strings.Join(n.States, " "), n.About}
}

// query writes the nodes that match, with their content if that is short, and with their ancestors.
func (p *printer) query(base *tree.Node) (*Rendering, error) {
	matches, err := matcher(p.view.Query)
	if err != nil {
		return nil, err
	}
	s := usual
	s.verbose = p.view.Verbose
	p.c = newChooser(base, s, p.view.Depth)
	p.got = &Rendering{}
	budget := p.view.budget() - 40
	found, shown := 0, 0
	for i := range p.c.items {
		if !p.matches(p.c.items[i].node, matches) {
			continue
		}
		found++
		if spent, chosen := p.chooseHit(i, budget); chosen {
			budget -= spent
			shown++
		}
	}
	switch {
	case found == 0:
		fmt.Fprintf(&p.out, "nothing matches %s among the page's %d texts and controls\n",
			tree.Quote(tree.Cut(p.view.Query, 100)), len(p.c.items))
	case shown < found:
		fmt.Fprintf(&p.out, "%s, of which the first %d are shown:\n", matchCount(found), shown)
	default:
		fmt.Fprintf(&p.out, "%s:\n", matchCount(found))
	}
	for i := range p.c.items {
		if p.c.items[i].chosen {
			p.node(p.c.items[i])
		}
	}
	p.got.Left = found - shown
	p.got.Text = p.out.String()
	p.got.Tokens = Tokens(p.got.Text)
	return p.got, nil
}

// units are the roles of nodes that are shown as a whole around a match, because a row's other cells and controls say
// what the match belongs to.
var units = tree.Set(`row item treeitem article option`)

const (
	shortUnit = 200 // bounds a row or an item that is shown as a whole, in tokens
	shortHit  = 80  // the same for anything else
)

// chooseHit chooses a match: with the whole row or item that contains it, or with its own content, if these are
// short, or else alone.
func (p *printer) chooseHit(i, budget int) (spent int, chosen bool) {
	for at := i; at >= 0; at = p.c.items[at].parent {
		if it := p.c.items[at]; units[it.node.Role] && it.whole <= shortUnit {
			spent, _ = p.c.choose(at, it.end, budget)
			break
		}
	}
	if !p.c.items[i].chosen {
		more, _ := p.c.choose(i, p.c.items[i].end, min(budget-spent, shortHit))
		spent += more
	}
	if !p.c.items[i].chosen {
		more, _ := p.c.choose(i, i+1, budget-spent)
		spent += more
	}
	return spent, p.c.items[i].chosen
}

func matchCount(n int) string {
	if n == 1 {
		return "1 match"
	}
	return thousands(n) + " matches"
}

func (p *printer) matches(n *tree.Node, matches func(string) bool) bool {
	for _, s := range searchable(n) {
		if s != "" && matches(s) {
			return true
		}
	}
	if n.Traits.Select && !p.c.opens(n) {
		for _, o := range n.Children {
			if matches(o.Name) {
				return true
			}
		}
	}
	return false
}
