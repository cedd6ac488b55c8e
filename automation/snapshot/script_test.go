package snapshot

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"webmcphub/internal/scripttest"

	"webmcphub/automation/snapshot/tree"
)

// TestScripts plays testdata/*.txt. A script makes trees and looks at them:
//
//	tree NAME             the lines that begin with "| " are its nodes, as Chrome has them
//	show NAME k=v…        what Render says; root, skip, depth, query, tokens, verbose, view
//	changes A B tokens=N  what Changes says
//
// A node is a role, its name, #backend, its states, and value=, url=; @ says that a person
// sees it, * that it can be acted on, ~ that its text flows, N× that it comes so often.
// Lines that begin with "> " are what came of it.
func TestScripts(t *testing.T) { scripttest.Play(t, play) }

func play(t *testing.T, text string) string {
	var out strings.Builder
	s := &stage{trees: map[string]*tree.Tree{}, table: NewTable(0)}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		if strings.HasPrefix(line, "> ") || line == ">" {
			continue
		}
		out.WriteString(line + "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		var nodes []string
		for i+1 < len(lines) && strings.HasPrefix(lines[i+1], "| ") {
			i++
			nodes = append(nodes, lines[i][2:])
			out.WriteString(lines[i] + "\n")
		}
		got, err := s.do(line, nodes)
		if err != nil {
			got = "error: " + err.Error()
		}
		for _, l := range strings.Split(strings.TrimSuffix(got, "\n"), "\n") {
			if got != "" {
				out.WriteString("> " + l + "\n")
			}
		}
	}
	return out.String()
}

type stage struct {
	trees map[string]*tree.Tree
	table *Table
	made  int // backend ids
}

func (s *stage) do(line string, nodes []string) (string, error) {
	words, named, err := scripttest.Words(strings.TrimSpace(line))
	if err != nil {
		return "", err
	}
	number := func(name string) int {
		n, _ := strconv.Atoi(named[name])
		return n
	}
	switch words[0] {
	case "tree":
		s.trees[words[1]], err = s.tree(nodes)
		return "", err
	case "show":
		v := View{Root: named["root"], Skip: number("skip"), Depth: number("depth"), Query: named["query"],
			MaxTokens: number("tokens"), Verbose: named["verbose"] != "", ViewportOnly: named["view"] != ""}
		got, err := Render(s.trees[words[1]], v, func(n *tree.Node) string { return s.table.Assign(n.Key, Label{}, false) })
		if err != nil {
			return "", err
		}
		if v.MaxTokens > 0 && got.Tokens > v.MaxTokens {
			return "", fmt.Errorf("%d tokens", got.Tokens)
		}
		return got.Text, nil
	case "changes":
		got := Changes(s.trees[words[1]], s.trees[words[2]], number("tokens"))
		return fmt.Sprintf("%s(%d left)", got.Text, got.Left), nil
	}
	return "", fmt.Errorf("no command %s", words[0])
}

func (s *stage) tree(lines []string) (*tree.Tree, error) {
	root := &tree.Node{Role: "page", Name: "T", Key: key(1_000_000)}
	path := []*tree.Node{root}
	depths := []int{-1}
	for _, line := range lines {
		depth := len(line) - len(strings.TrimLeft(line, " "))
		for depths[len(depths)-1] >= depth {
			path, depths = path[:len(path)-1], depths[:len(depths)-1]
		}
		times := 1
		if n, rest, ok := strings.Cut(strings.TrimLeft(line, " "), "× "); ok && len(n) < 6 {
			times, _ = strconv.Atoi(n)
			line = rest
		}
		parent := path[len(path)-1]
		for i := range times {
			n, err := s.node(strings.ReplaceAll(line, "%", strconv.Itoa(i+1)))
			if err != nil {
				return nil, err
			}
			parent.Children = append(parent.Children, n)
			path, depths = append(path[:len(depths)], n), append(depths, depth)
			path, depths = path[:len(depths)], depths[:len(path)]
			if i < times-1 {
				path, depths = path[:len(path)-1], depths[:len(depths)-1]
			}
		}
	}
	t := &tree.Tree{Root: root}
	tree.Distill(root, nil)
	root.Walk(0, func(*tree.Node, int) bool { t.Nodes++; return true })
	assign(t, s.table, false)
	return t, nil
}

func (s *stage) node(line string) (*tree.Node, error) {
	words, named, err := scripttest.Words(strings.TrimSpace(line))
	if err != nil {
		return nil, err
	}
	n := &tree.Node{Role: words[0], Value: named["value"], URL: named["url"]}
	for i, w := range words[1:] {
		switch {
		case strings.HasPrefix(w, "#"):
			backend, _ := strconv.Atoi(w[1:])
			n.Key = key(backend)
		case w == "@":
			n.Traits.InView = true
		case w == "*":
			n.Traits.Actable = true
		case w == "~":
			n.Traits.Inline = true
		case w == "select":
			n.Traits.Select = true
		case i == 0:
			n.Name = w
		default:
			n.States = append(n.States, w)
		}
	}
	if n.Key.Backend == 0 {
		s.made++
		n.Key = key(10_000 + s.made)
	}
	if level := named["level"]; level != "" {
		n.States = append(n.States, "level="+level)
	}
	n.Traits.Actable = n.Traits.Actable || tree.Acted[n.Role]
	n.Called = n.Name
	n.Traits.Inline = n.Traits.Inline || n.Role == "text"
	return n, nil
}
