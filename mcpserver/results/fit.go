package results

import (
	"encoding/json"
	"fmt"
	"strings"

	"webmcphub/internal/jsonrpc"
	"webmcphub/registry/sanitize"
	"webmcphub/registry/tokencount"
)

// Fitted is a result that fits.
type Fitted struct {
	Result json.RawMessage
	// Cut reports that the result is not whole. Missing says in words what is missing.
	Cut     bool
	Missing []string
	// Whole is the whole content of the result, and JSON reports whether that is JSON. They are set only if the result
	// was cut.
	Whole string
	JSON  bool
}

// fields are the members of an object. Unlike a struct, it doesn't accept a member whose name differs in case;
// clients don't either.
type fields map[string]json.RawMessage

// Fit cuts a CallToolResult. Its texts together keep at most max tokens, and so does its structuredContent alone,
// because clients show one of the two. valid reports whether structured content satisfies the tool's schema; it is nil
// if there is none.
func Fit(result json.RawMessage, max int, valid func(json.RawMessage) bool) Fitted {
	whole := Fitted{Result: result}
	if max <= 0 || len(result) <= max {
		return whole
	}
	var f fields
	var blocks []json.RawMessage
	if json.Unmarshal(result, &f) != nil || json.Unmarshal(f["content"], &blocks) != nil {
		return whole
	}
	c := cutter{max: max}
	c.blocks(blocks)
	structured := f["structuredContent"]
	c.structured(structured, valid)
	if !c.cut {
		return whole
	}
	f["content"] = sanitize.Encode(c.out)
	if c.content != nil {
		f["structuredContent"] = c.content
	}
	out := Fitted{Result: sanitize.Encode(f), Cut: true, Missing: c.missing}
	if c.content == nil {
		structured = nil // it was not cut
	}
	out.Whole, out.JSON = document(c.texts, structured)
	return out
}

// Size returns how many tokens a CallToolResult has: the tokens of its texts or of its structuredContent, whichever
// are more.
func Size(result json.RawMessage) int {
	if len(result) == 0 {
		return 0
	}
	var r fields
	_ = json.Unmarshal(result, &r) // it is an object
	texts := 0
	for b := range jsonrpc.Elements(r["content"]) {
		text, _ := textIn(b)
		texts += size(text)
	}
	return max(texts, size(string(r["structuredContent"])))
}

// SizeOf returns about how many tokens a JSON value has.
func SizeOf(value json.RawMessage) int { return size(string(value)) }

// size returns how many tokens a text has. For a very long text, which is far beyond any limit, it extrapolates from
// the beginning.
func size(text string) int {
	const sample = 1 << 20
	if len(text) <= sample {
		return tokencount.Estimate(text)
	}
	return int(float64(tokencount.Estimate(text[:sample])) * float64(len(text)) / sample)
}

// cutter cuts the parts of one result.
type cutter struct {
	max     int
	out     []json.RawMessage
	texts   []string // the whole texts
	content json.RawMessage
	cut     bool
	missing []string
}

// textIn returns the text of a block, or of the resource in it. is reports whether there is one.
func textIn(block json.RawMessage) (text string, is bool) {
	var b fields
	_ = json.Unmarshal(block, &b)
	if string(b["type"]) == `"resource"` {
		var inner fields
		_ = json.Unmarshal(b["resource"], &inner)
		return jsonrpc.Text(inner["text"])
	}
	if string(b["type"]) != `"text"` {
		return "", false
	}
	return jsonrpc.Text(b["text"])
}

// withText returns a block with its text replaced.
func withText(block json.RawMessage, text string) json.RawMessage {
	var b, inner fields
	_ = json.Unmarshal(block, &b)
	if string(b["type"]) == `"resource"` {
		_ = json.Unmarshal(b["resource"], &inner)
		inner["text"] = sanitize.Encode(text)
		b["resource"] = sanitize.Encode(inner)
		return sanitize.Encode(b)
	}
	b["text"] = sanitize.Encode(text)
	return sanitize.Encode(b)
}

// fewTokens is a share that is too small to cut a text to.
const fewTokens = 20

// blocks cuts the texts in a result's blocks.
func (c *cutter) blocks(blocks []json.RawMessage) {
	texts := make([]string, len(blocks))
	sizes := make([]int, len(blocks))
	total := 0
	for i, b := range blocks {
		text, is := textIn(b)
		if !is {
			continue
		}
		texts[i] = text
		c.texts = append(c.texts, text)
		sizes[i] = size(text)
		total += sizes[i]
	}
	if total <= c.max {
		c.out = blocks
		return
	}
	c.cut = true
	shares := Shares(sizes, c.max)
	left, dropped := c.max, 0
	for i, b := range blocks {
		switch {
		case sizes[i] == 0:
		case c.max/len(blocks) < fewTokens: // there are so many texts that only the first ones are kept
			if sizes[i] > left {
				dropped++
				continue
			}
			left -= sizes[i]
		case shares[i] < sizes[i]:
			b = withText(b, c.text(texts[i], shares[i]))
		}
		c.out = append(c.out, b)
	}
	if dropped > 0 {
		c.missing = append(c.missing, counted(dropped, "more text")+" of the result's "+number(len(c.texts)))
	}
}

// text cuts one text.
func (c *cutter) text(text string, max int) string {
	if tree := sanitize.Structure(text); tree != nil {
		if short, missing, ok := JSON(tree, max, true); ok {
			c.missing = append(c.missing, missing...)
			return string(short)
		}
	}
	kept := Text(text, max)
	c.missing = append(c.missing, fmt.Sprintf("the text has the first %s of its %s", number(kept),
		counted(len(text), "byte")))
	return text[:kept]
}

// structured cuts structured content, if it can be cut.
func (c *cutter) structured(content json.RawMessage, valid func(json.RawMessage) bool) {
	if !jsonrpc.IsObject(content) || fits(string(content), c.max) {
		return
	}
	for _, counts := range []bool{true, false} {
		short, missing, ok := JSON(content, c.max, counts)
		if !ok || valid != nil && !valid(short) {
			continue
		}
		c.content, c.cut = short, true
		if len(c.missing) == 0 {
			c.missing = missing
		}
		return
	}
	if c.cut { // only the text is cut
		c.missing = append(c.missing, "structuredContent is whole, because shortened it would not satisfy the tool's "+
			"outputSchema")
	}
}

// document returns the whole content of a result as one text. structured is nil if it was not cut.
func document(texts []string, structured json.RawMessage) (whole string, isJSON bool) {
	included := structured == nil
	for _, text := range texts {
		included = included || jsonrpc.Same(structured, []byte(text)) ||
			jsonrpc.Same(jsonrpc.OnlyMember(structured, "result"), []byte(text))
	}
	if !included {
		texts = append(texts, string(structured))
	}
	whole = strings.Join(texts, "\n\n")
	return whole, len(texts) == 1 && sanitize.Structure(whole) != nil
}

// IsError reports whether a CallToolResult is that of a failed call.
func IsError(result json.RawMessage) bool {
	return string(jsonrpc.Member(result, "isError")) == "true"
}
