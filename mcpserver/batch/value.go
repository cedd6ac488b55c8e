package batch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"webmcphub/internal/jsonrpc"
	"webmcphub/internal/wording"
	"webmcphub/registry/sanitize"
)

// Value is a step's result in the form to which other steps refer. The zero value means that there is no result.
type Value struct {
	main, also json.RawMessage // also is another form of the result, or nil
	tooLarge   int             // the size of a result that was too large to keep, in bytes; otherwise 0
}

func (v Value) size() int { return len(v.main) + len(v.also) }

// ValueOf returns the value of a CallToolResult: its structuredContent or, if it has none, its text. The text is a
// JSON value if it is an object or an array, and otherwise a string. A page's result that is no object was wrapped as
// {"result": …} for MCP; its value is the unwrapped one.
func ValueOf(result json.RawMessage) Value {
	structured, text := parts(result)
	if len(structured) < len(result)/2 {
		structured = bytes.Clone(structured) // otherwise the value would keep all of the result in memory
	}
	tree := sanitize.Structure(text)
	switch {
	case !jsonrpc.IsObject(structured):
		if tree == nil {
			tree = jsonrpc.MustEncode(text)
		}
		return Value{main: tree}
	case wraps(structured, text):
		return Value{main: jsonrpc.OnlyMember(structured, "result"), also: structured}
	}
	if jsonrpc.Same(structured, tree) {
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
	return jsonrpc.Member(result, "structuredContent"), textOf(jsonrpc.Member(result, "content"))
}

// textOf joins the texts of a result's content.
func textOf(content json.RawMessage) string {
	var all []string
	for block := range jsonrpc.Elements(content) {
		var b map[string]json.RawMessage // unlike a struct, it ignores a member whose name differs in case
		if json.Unmarshal(block, &b) != nil || string(b["type"]) != `"text"` {
			continue
		}
		if text, is := jsonrpc.Text(b["text"]); is {
			all = append(all, text)
		}
	}
	return strings.Join(all, "\n")
}

// wraps reports whether the only member of structured content is a result that equals the text.
func wraps(structured json.RawMessage, text string) bool {
	inner := jsonrpc.OnlyMember(structured, "result")
	if inner == nil {
		return false
	}
	if s, is := jsonrpc.Text(inner); is {
		return s == text
	}
	return jsonrpc.Same(inner, json.RawMessage(strings.TrimSpace(text)))
}

// find returns the value to which a path leads. The error says what is there instead.
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

// child returns the member or item to which a key leads. If there is none, wrong says what is there.
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

// plain returns a member's name for a text. The name is the page's. It is quoted unless it is a plain name, so that
// nobody takes it for words of the hub.
func plain(name string) string {
	odd := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-.$…", r)
	}
	if name == "" || strings.ContainsFunc(name, odd) {
		return strconv.Quote(name)
	}
	return name
}

// itemOf returns the item of an array to which a key leads. If there is none, wrong says what is there.
func itemOf(array json.RawMessage, k key) (found json.RawMessage, wrong string) {
	n := 0
	for range jsonrpc.Elements(array) {
		n++
	}
	index, err := k.index, error(nil)
	if !k.at {
		if index, err = strconv.Atoi(k.name); err != nil {
			return nil, fmt.Sprintf("is an array of %s: it takes an index, such as [0]", wording.Count(n, "item"))
		}
	}
	if index < 0 {
		index += n
	}
	if index < 0 || index >= n {
		return nil, "has " + wording.Count(n, "item")
	}
	for item := range jsonrpc.Elements(array) {
		if index--; index < 0 {
			return item, ""
		}
	}
	return nil, "has " + wording.Count(n, "item")
}

// describe describes a value without members.
func describe(value json.RawMessage) string {
	if s, is := jsonrpc.Text(value); is {
		return "the text " + strconv.Quote(cut(s, 80))
	}
	return cut(string(value), 80)
}
