package snapshot

import (
	"fmt"
	"strconv"
	"strings"

	"webmcphub/automation/snapshot/tree"
)

const maxURL = 60 // bounds an address in usual lines, in bytes

// style bounds the parts of a line, in bytes.
type style struct {
	name, text, value, url, options int
	verbose                         bool
}

const uncut = 1 << 30

// A snapshot is written in the first of the styles whole, usual and lean for which its budget has room. In the style
// lean, nodes are left out too.
var (
	whole   = style{name: uncut, text: uncut, value: uncut, url: maxURL, options: uncut}
	usual   = style{name: 150, text: 600, value: 120, url: maxURL, options: 200}
	lean    = style{name: 80, text: 160, value: 80, url: 40, options: 100}
	verbose = style{name: uncut, text: uncut, value: uncut, url: 300, options: uncut, verbose: true}
)

// line describes a node: its uid, its role, its name in quotes, its value, its states and where it leads. Only what
// is in quotes comes from the page.
func (s style) line(n *tree.Node) string {
	if n.Role == "text" && n.UID == "" {
		return tree.Quote(tree.Cut(n.Name, s.text))
	}
	var b strings.Builder
	if n.UID != "" {
		b.WriteString(n.UID)
		b.WriteByte(' ')
	}
	b.WriteString(s.what(n))
	return b.String()
}

// what returns a line without its uid.
func (s style) what(n *tree.Node) string {
	var b strings.Builder
	role, states := n.Role, n.States
	if role == "heading" && len(states) > 0 {
		if level, ok := strings.CutPrefix(states[len(states)-1], "level="); ok {
			role, states = "h"+level, states[:len(states)-1]
		}
	}
	b.WriteString(role)
	if n.Name != "" {
		limit := s.name
		if tree.Absorbing[n.Role] {
			limit = s.text
		}
		b.WriteByte(' ')
		b.WriteString(tree.Quote(tree.Cut(n.Name, limit)))
	}
	if n.Value != "" && n.Value != n.Name {
		b.WriteString(" value=" + tree.Quote(tree.Cut(n.Value, s.value)))
		if over := len(n.Value) - s.value; over > 0 {
			b.WriteString(" (" + thousands(over) + " more bytes")
			if n.UID != "" {
				b.WriteString(": root=" + n.UID)
			}
			b.WriteString(")")
		}
	}
	if n.Hint != "" {
		b.WriteString(" placeholder=" + tree.Quote(tree.Cut(n.Hint, s.name)))
	}
	for _, state := range states {
		b.WriteByte(' ')
		b.WriteString(state)
	}
	if n.URL != "" {
		url := tree.ShortURL(n.URL, s.url)
		if s.verbose {
			url = tree.Cut(n.URL, s.url)
		}
		b.WriteString(" " + url)
	}
	if n.Traits.Select && len(n.Children) > 0 {
		b.WriteString(" options=" + s.optionsOf(n))
	}
	if n.About != "" && (s.verbose || n.Role == "iframe" || n.Role == "page" || tree.Fields[n.Role]) &&
		n.About != n.Name {
		b.WriteString(" (" + s.about(n) + ")")
	}
	return b.String()
}

// about returns a description, which comes from the page, or the reason why a frame can't be read, which doesn't.
func (s style) about(n *tree.Node) string {
	if n.Role == "iframe" || n.Role == "page" {
		return n.About
	}
	return tree.Quote(tree.Cut(n.About, s.name))
}

// optionsOf lists the options of a select. An option with a state has quotes of its own, with the state after them,
// because only text of the page may stand in quotes.
func (s style) optionsOf(n *tree.Node) string {
	var groups, plain []string
	end := func() {
		if len(plain) > 0 {
			groups, plain = append(groups, tree.Quote(strings.Join(plain, tree.Bar))), nil
		}
	}
	shown, size := 0, 0
	for _, o := range n.Children {
		if size+len(o.Name) > s.options && shown > 0 {
			break
		}
		name, state := tree.Cut(o.Name, min(s.options, s.name)), ""
		for _, is := range o.States {
			if is == "disabled" || is == "selected" && n.Role == "listbox" {
				state += " (" + is + ")"
			}
		}
		if plain = append(plain, name); state != "" {
			plain = plain[:len(plain)-1]
			end()
			groups = append(groups, tree.Quote(name)+state)
		}
		size += len(name) + len(" | ")
		shown++
	}
	end()
	text := strings.Join(groups, " | ")
	if rest := len(n.Children) - shown; rest > 0 {
		text += fmt.Sprintf(" and %d more", rest)
	}
	return text
}

// cut returns how many bytes of a node's text the style leaves out.
func (s style) cut(n *tree.Node) int {
	limit := s.name
	if n.Role == "text" || tree.Absorbing[n.Role] {
		limit = s.text
	}
	return max(0, len(n.Name)-limit)
}

func plural(role string, n int) string {
	switch {
	case n == 1:
		return role
	case strings.HasSuffix(role, "y"):
		return role[:len(role)-1] + "ies"
	case strings.HasSuffix(role, "x") || strings.HasSuffix(role, "ch") || strings.HasSuffix(role, "s"):
		return role + "es"
	}
	return role + "s"
}

func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
