package records

import (
	"strconv"
	"strings"
)

// Call is one call of a stack. The innermost comes first.
type Call struct {
	Function string
	Place
	Async string // how a later call was scheduled: "setTimeout", "await"
}

type stackTrace struct {
	Description string
	CallFrames  []struct {
		FunctionName, URL        string
		LineNumber, ColumnNumber int
	}
	Parent *stackTrace
}

// stackFrom adds at most maxStack calls of a trace, with its asynchronous parents. It also sets the message's place to
// that of the innermost call, if the place isn't known.
func (m *Message) stackFrom(s *stackTrace) {
	async := ""
	for ; s != nil; s = s.Parent {
		if len(m.Stack) > 0 || s.Description != "" {
			async = s.Description
		}
		for _, f := range s.CallFrames {
			if len(m.Stack) >= maxStack {
				m.Omitted++
				continue
			}
			m.Stack = append(m.Stack, Call{clip(f.FunctionName, 200),
				Place{clip(f.URL, maxURL), f.LineNumber + 1, f.ColumnNumber + 1}, async})
			async = ""
		}
	}
	if m.URL == "" && len(m.Stack) > 0 {
		m.Place = m.Stack[0].Place
	}
}

// stackFromText reads the calls from an error's description. For a replayed error, nothing else has them.
func (m *Message) stackFromText(description string) {
	for line := range strings.Lines(description) {
		at, ok := strings.CutPrefix(strings.TrimSpace(line), "at ")
		if !ok {
			continue
		}
		if len(m.Stack) >= maxStack {
			m.Omitted++
			continue
		}
		m.Stack = append(m.Stack, parseCall(at))
	}
}

// parseCall parses "f (url:line:column)" or "url:line:column".
func parseCall(at string) Call {
	var c Call
	if open := strings.LastIndex(at, " ("); open >= 0 && strings.HasSuffix(at, ")") {
		c.Function, at = clip(at[:open], 200), at[open+2:len(at)-1]
	}
	c.URL = clip(at, maxURL)
	rest, column, ok := lastNumber(at)
	if !ok {
		return c
	}
	if url, line, ok := lastNumber(rest); ok {
		c.URL, c.Line, c.Column = clip(url, maxURL), line, column
	}
	return c
}

func lastNumber(s string) (before string, n int, ok bool) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 {
		return s, 0, false
	}
	n, err := strconv.Atoi(s[i+1:])
	return s[:i], n, err == nil
}

// firstLines returns an error's description without its stack.
func firstLines(description string) string {
	if before, _, ok := strings.Cut(description, "\n    at "); ok {
		return before
	}
	return description
}
