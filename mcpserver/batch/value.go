package batch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"webmcphub/internal/jsonrpc"
	"webmcphub/registry/sanitize"
)

// Value is what a step's result is to those that refer to it. The zero value is no result.
type Value struct {
	main, also json.RawMessage // also is another form of it, or nil
	tooLarge   int             // it had so many bytes and was not kept
}

func (v Value) size() int { return len(v.main) + len(v.also) }

// ValueOf is the value of a CallToolResult: its structuredContent or, where it has none, its
// text; as JSON where it is an object or an array, and else as a string. What pages return
// that is no object is wrapped as {"result": …} for MCP: it counts as it was.
func ValueOf(result json.RawMessage) Value {
	structured, text := parts(result)
	if len(structured) < len(result)/2 {
		structured = bytes.Clone(structured) // else all of the result is kept with it
	}
	tree := treeOf(text)
	switch {
	case !jsonrpc.IsObject(structured):
		if tree == nil {
			tree = jsonrpc.MustEncode(text)
		}
		return Value{main: tree}
	case wraps(structured, text):
		return Value{main: jsonrpc.OnlyMember(structured, "result"), also: structured}
	}
	if sameJSON(structured, tree) {
		tree = nil
	}
	return Value{main: structured, also: tree}
}

// TextOf joins the texts of a CallToolResult.
func TextOf(result json.RawMessage) string {
	_, text := parts(result)
	return text
}

func parts(result json.RawMessage) (structured json.RawMessage, text string) {
	for name, value := range jsonrpc.Members(result) {
		switch name {
		case "structuredContent":
			structured = value
		case "content":
			text = textOf(value)
		}
	}
	return structured, text
}

// textOf joins the texts of a result's content.
func textOf(content json.RawMessage) string {
	var all []string
	for block := range jsonrpc.Elements(content) {
		var b map[string]json.RawMessage // unlike a struct it takes no member by a name that differs in case
		if json.Unmarshal(block, &b) != nil || string(b["type"]) != `"text"` {
			continue
		}
		if text, is := jsonrpc.Text(b["text"]); is {
			all = append(all, text)
		}
	}
	return strings.Join(all, "\n")
}

// treeOf is text as JSON if it is an object or an array, or nil. What is nested so deeply that
// it isn't passed on as a structure is none.
func treeOf(text string) json.RawMessage {
	tree := bytes.TrimSpace([]byte(text))
	if len(tree) == 0 || tree[0] != '{' && tree[0] != '[' || sanitize.NestedDeeper(tree, sanitize.MaxResultDepth) ||
		!json.Valid(tree) {
		return nil
	}
	return tree
}

// wraps says that structured content has as its only member what the text says.
func wraps(structured json.RawMessage, text string) bool {
	inner := jsonrpc.OnlyMember(structured, "result")
	if inner == nil {
		return false
	}
	if s, is := jsonrpc.Text(inner); is {
		return s == text
	}
	return sameJSON(inner, json.RawMessage(strings.TrimSpace(text)))
}

// sameJSON says that two texts are the same JSON but for white space.
func sameJSON(a, b json.RawMessage) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	var ca, cb bytes.Buffer
	return json.Compact(&ca, a) == nil && json.Compact(&cb, b) == nil && bytes.Equal(ca.Bytes(), cb.Bytes())
}

// find follows a path, or says what is there instead.
func (v Value) find(p Path) (json.RawMessage, error) {
	switch {
	case v.tooLarge > 0:
		return nil, fmt.Errorf("%q: the result of %d bytes was not kept: a batch keeps %d at most", cut(p.text, 80),
			v.tooLarge, MaxKept)
	case v.main == nil:
		return nil, fmt.Errorf("%q: %s has no result", cut(p.text, 80), p.head)
	}
	found, err := follow(v.main, p)
	if err != nil && v.also != nil {
		if other, no := follow(v.also, p); no == nil {
			return other, nil
		}
	}
	return found, err
}

func follow(value json.RawMessage, p Path) (json.RawMessage, error) {
	at := p.head
	for _, k := range p.keys {
		next, wrong := child(bytes.TrimSpace(value), k)
		if wrong != "" {
			return nil, fmt.Errorf("%q finds nothing: %s %s", cut(p.text, 200), cut(at, 200), wrong)
		}
		value, at = next, p.text[:k.end]
	}
	return value, nil
}

// child is what a key leads to, or wrong says what is there.
func child(value json.RawMessage, k key) (found json.RawMessage, wrong string) {
	if len(value) > 0 && value[0] == '[' {
		return itemOf(value, k)
	}
	if !jsonrpc.IsObject(value) {
		return nil, "is " + describe(value)
	}
	if k.at {
		k.name = strconv.Itoa(k.index)
	}
	var names []string
	n := 0
	for name, member := range jsonrpc.Members(value) {
		if name == k.name {
			found = member
		}
		if n++; n <= 20 {
			names = append(names, plain(cut(name, 60)))
		}
	}
	switch {
	case found != nil:
		return found, ""
	case n == 0:
		return nil, "is an empty object"
	case n > len(names):
		names = append(names, "…")
	}
	return nil, fmt.Sprintf("has no member %q; it has %s", cut(k.name, 60), strings.Join(names, ", "))
}

// plain shows a member's name. It is the page's: one that is no plain name is quoted, so that
// it can't pass for words of the hub.
func plain(name string) string {
	odd := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-.$…", r)
	}
	if name == "" || strings.ContainsFunc(name, odd) {
		return strconv.Quote(name)
	}
	return name
}

// itemOf is the item of an array that a key leads to, or wrong says what is there.
func itemOf(array json.RawMessage, k key) (found json.RawMessage, wrong string) {
	n := 0
	for range jsonrpc.Elements(array) {
		n++
	}
	index, err := k.index, error(nil)
	if !k.at {
		if index, err = strconv.Atoi(k.name); err != nil {
			return nil, fmt.Sprintf("is an array of %s: it takes an index, such as [0]", count(n, "item"))
		}
	}
	if index < 0 {
		index += n
	}
	if index < 0 || index >= n {
		return nil, "has " + count(n, "item")
	}
	for item := range jsonrpc.Elements(array) {
		if index--; index < 0 {
			return item, ""
		}
	}
	return nil, "has " + count(n, "item")
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// describe tells what a value is that has nothing in it.
func describe(value json.RawMessage) string {
	if s, is := jsonrpc.Text(value); is {
		return "the text " + strconv.Quote(cut(s, 80))
	}
	return cut(string(value), 80)
}
