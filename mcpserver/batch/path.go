package batch

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Path leads to a value in a step's result: cart.items[0].id, 2["odd key"][-1].
type Path struct {
	text string
	head string // the step's name or number
	step int
	keys []key
}

// key is one level of a path: a member's name, or an index.
type key struct {
	name  string
	index int
	at    bool // it is an index
	end   int  // where the key ends in the path's text
}

// parsePath reads a path: a step's name, followed by .name, [index] (from the end if it is negative) and ["any
// name"].
func parsePath(text string) (Path, error) {
	p := Path{text: text}
	i := strings.IndexAny(text, ".[")
	if i < 0 {
		i = len(text)
	}
	if p.head = text[:i]; p.head == "" {
		return p, fmt.Errorf("%q is not a path: a path begins with a step's name or number, as in cart.items[0].id",
			cut(text, 80))
	}
	for i < len(text) {
		k, next, ok := parseKey(text, i)
		if !ok {
			return p, fmt.Errorf("%q can't follow %q: a path continues with .name, [0] or [\"name\"]",
				cut(text, 80), cut(text[:i], 80))
		}
		p.keys = append(p.keys, k)
		i = next
	}
	return p, nil
}

// parseKey reads the key that begins at i.
func parseKey(text string, i int) (k key, next int, ok bool) {
	rest := text[i+1:]
	switch {
	case text[i] == '.':
		n := strings.IndexAny(rest, ".[")
		if n < 0 {
			n = len(rest)
		}
		k, next = key{name: rest[:n]}, i+1+n
		ok = n > 0
	case text[i] == '[' && strings.HasPrefix(rest, `"`):
		d := json.NewDecoder(strings.NewReader(rest))
		if d.Decode(&k.name) == nil {
			next = i + 1 + int(d.InputOffset())
			ok = strings.HasPrefix(text[next:], "]")
			next++
		}
	case text[i] == '[':
		n := strings.IndexByte(rest, ']')
		if n >= 0 {
			index, err := strconv.Atoi(rest[:n])
			k, next, ok = key{index: index, at: true}, i+2+n, err == nil
		}
	}
	k.end = next
	return k, next, ok
}
