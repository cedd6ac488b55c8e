package sanitize

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"
)

// MaxResult is the longest result, in bytes, that is passed on by default. Clients end a connection at a line of 10
// MB.
const MaxResult = 8 << 20

// LimitResult makes a result fit into max bytes. It first removes structuredContent, because the text says the same;
// then it cuts texts and removes other blocks, the longest first, and puts a notice in the place of each. structured
// says that the tool has an output schema: without the structuredContent that the schema promises, clients would
// fail, so the result becomes an error.
func LimitResult(r Result, max int, structured bool) Result {
	if len(r.JSON) <= max {
		return r
	}
	var f fields
	var blocks []json.RawMessage
	if json.Unmarshal(r.JSON, &f) != nil || json.Unmarshal(f["content"], &blocks) != nil {
		return ErrorResult(fmt.Sprintf("The result of %d bytes was left out: at most %d are passed on.", len(r.JSON),
			max))
	}
	if s := f["structuredContent"]; s != nil {
		delete(f, "structuredContent")
		blocks = append(blocks, notice("structuredContent of %d bytes was left out: a result may have at most %d",
			len(s), max))
		if structured {
			f["isError"] = json.RawMessage("true")
		}
	}
	delete(f, "_meta")
	const envelope = 1 << 10
	f["content"] = Encode(limitBlocks(blocks, max-envelope))
	return Result{JSON: Encode(f), IsError: r.IsError || string(f["isError"]) == "true"}
}

// Promised checks the result of a tool with an output schema, because clients refuse a result that doesn't satisfy
// the schema. Such a result becomes an error, with its structuredContent as text. wrong says what is wrong with a
// structuredContent, or returns "".
func Promised(r Result, wrong func(structured json.RawMessage) string) Result {
	var f fields
	var blocks []json.RawMessage
	if json.Unmarshal(r.JSON, &f) != nil || json.Unmarshal(f["content"], &blocks) != nil {
		return r
	}
	s, why := f["structuredContent"], "it has no structuredContent"
	if s != nil {
		why = wrong(s)
	}
	if why == "" || s == nil && r.IsError {
		return r
	}
	if s != nil {
		delete(f, "structuredContent")
		text := Encode(textContent{"text", string(s)})
		if !slices.ContainsFunc(blocks, func(b json.RawMessage) bool { return bytes.Equal(b, text) }) {
			blocks = append(blocks, text)
		}
	}
	f["content"] = Encode(append(blocks,
		notice("the tool ran, but its result is not what its outputSchema promises: %s", why)))
	f["isError"] = json.RawMessage("true")
	r.JSON, r.IsError = Encode(f), true
	return r
}

// limitBlocks shortens the longest blocks until all fit into room bytes.
func limitBlocks(blocks []json.RawMessage, room int) []json.RawMessage {
	total := 0
	order := make([]int, len(blocks))
	for i, b := range blocks {
		total += len(b) + 1
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(blocks[b]), len(blocks[a])) })
	for _, i := range order {
		if total <= room {
			return blocks
		}
		was := len(blocks[i])
		blocks[i] = shortened(blocks[i], max(0, was-(total-room)))
		total += len(blocks[i]) - was
	}
	// There are so many blocks that even their notices don't fit.
	for i, b := range blocks {
		if room -= len(b) + 1; room < 0 {
			return append(blocks[:i:i], notice("%d more blocks were left out: the result is too long", len(blocks)-i))
		}
	}
	return blocks
}

// shortened cuts a text block to about size bytes, and replaces any other block by a notice.
func shortened(block json.RawMessage, size int) json.RawMessage {
	var c struct{ Type, Text string }
	_ = json.Unmarshal(block, &c)
	if c.Type != "text" {
		return notice("a block of type %s and %d bytes was left out: the result is too long", Text(c.Type, 32),
			len(block))
	}
	// Characters that JSON escapes take more room than they have bytes.
	suffix := fmt.Sprintf("\n[webmcp-hub: cut: the text had %d bytes, and the result is too long]", len(c.Text))
	keep := int(float64(len(c.Text)) * float64(size) / float64(len(block)))
	for {
		keep = max(0, keep)
		for keep > 0 && !utf8.RuneStart(c.Text[keep]) {
			keep--
		}
		short := Encode(textContent{"text", c.Text[:keep] + suffix})
		if len(short) <= size || keep == 0 {
			return short
		}
		keep -= len(short) - size
	}
}

// notice returns a text block with words of the hub.
func notice(format string, args ...any) json.RawMessage {
	return Encode(textContent{"text", "[webmcp-hub: " + fmt.Sprintf(format, args...) + "]"})
}

// WithOwn adds a text of the hub to a result's content without changing the text; "" adds nothing.
func WithOwn(r Result, text string) Result {
	var f fields
	var blocks []json.RawMessage
	if text == "" || json.Unmarshal(r.JSON, &f) != nil || json.Unmarshal(f["content"], &blocks) != nil {
		return r
	}
	f["content"] = Encode(append(blocks, Encode(textContent{"text", text})))
	r.JSON = Encode(f)
	return r
}

// WithNotice adds a text of the hub, one or more sentences, to a result's content. A result without content stays as
// it is.
func WithNotice(r Result, text string) Result {
	return WithOwn(r, "[webmcp-hub: "+text+"]")
}
