package records

import (
	"fmt"
	"strings"
	"time"

	"webmcphub/internal/wording"
	"webmcphub/registry/sanitize"
)

const (
	lineText = 500 // bounds the text of a message in a list, in bytes
	lineURL  = 160 // bounds an address in a list, in bytes
)

// Text returns the list as text for a model, with one line for each message.
func (l MessageList) Text() string {
	var b strings.Builder
	l.Shown.head(&b, "console message", l.Lost, l.Dropped)
	leftOut(&b, l.Hidden, "console message")
	at := newAddresses(l.Documents)
	for i := range l.Messages {
		m := &l.Messages[i]
		at.announce(&b, m.Document)
		of := ""
		if m.Worker.Kind != "" {
			of = " of " + m.Worker.Kind + " " + at.short(m.Worker.URL)
		}
		fmt.Fprintf(&b, "msgid=%d [%s%s] %s", m.ID, m.Type, of, line(m.Text, lineText))
		if m.Count > 1 {
			fmt.Fprintf(&b, " [%d times]", m.Count)
		}
		if m.Request > 0 {
			fmt.Fprintf(&b, " reqid=%d", m.Request)
		}
		b.WriteByte('\n')
		if l.stacks {
			m.writeStack(&b, at)
		}
	}
	return b.String()
}

// leftOut says how many entries are left out of a list.
func leftOut(b *strings.Builder, n int, what string) {
	if n > 0 {
		fmt.Fprintf(b, "%s of other sites left out, which the user's rules don't let you read.\n", wording.Count(n, what))
	}
}

// head says what is shown, and what isn't.
func (s Shown) head(b *strings.Builder, what string, lost int, dropped uint64) {
	if dropped > 0 {
		fmt.Fprintf(b, "%s of this tab came faster than the hub could take them and were dropped, so some may be "+
			"missing or incomplete.\n", wording.Count(int(dropped), "event"))
	}
	if lost > 0 {
		fmt.Fprintf(b, "%s older than these were dropped: the page made more than the hub keeps.\n",
			wording.Count(lost, what))
	}
	switch {
	case s.Total == 0:
		fmt.Fprintf(b, "No %ss found.\n", what)
	case s.paged:
		fmt.Fprintf(b, "Showing %d-%d of %d (page %d of %d).\n", s.From+1, s.To, s.Total, s.Page+1, s.Pages)
		if s.Page+1 < s.Pages {
			fmt.Fprintf(b, "Next page: pageIdx %d.\n", s.Page+1)
		}
	case s.From > 0:
		fmt.Fprintf(b, "Showing the last %d of %s. For the others use pageSize and pageIdx, or filters.\n", s.To-s.From,
			wording.Count(s.Total, what))
	}
}

// Detail returns the message as text for a model, with its arguments and stack.
func (m Message) Detail(documents []Document) string {
	var b strings.Builder
	at := newAddresses(documents)
	fmt.Fprintf(&b, "msgid=%d [%s] %s\n", m.ID, m.Type, quoted(m.Text, maxText))
	if m.Count > 1 {
		fmt.Fprintf(&b, "Said %d times in a row.\n", m.Count)
	}
	if m.Source != "" {
		fmt.Fprintf(&b, "Source: %s\n", line(m.Source, 100))
	}
	if m.Worker.Kind != "" {
		fmt.Fprintf(&b, "From: %s %s\n", m.Worker.Kind, at.short(m.Worker.URL))
	}
	if m.Time > 0 {
		fmt.Fprintf(&b, "Time: %s\n", clock(m.Time))
	}
	if m.URL != "" && len(m.Stack) == 0 {
		fmt.Fprintf(&b, "At: %s\n", at.place(m.URL, m.Line, m.Column))
	}
	if m.Request > 0 {
		fmt.Fprintf(&b, "Request: reqid=%d\n", m.Request)
	}
	if len(m.Args) > 0 {
		b.WriteString("Arguments:\n")
		for i, a := range m.Args {
			fmt.Fprintf(&b, "  %d: %s\n", i, quoted(a, maxArg))
		}
	}
	if len(m.Stack) > 0 {
		b.WriteString("Stack:\n")
		m.writeStack(&b, at)
	}
	if m.Cause != "" {
		fmt.Fprintf(&b, "Caused by: %s\n", quoted(m.Cause, maxArg))
	}
	return b.String()
}

func (m *Message) writeStack(b *strings.Builder, at *addresses) {
	for _, c := range m.Stack {
		if c.Async != "" {
			fmt.Fprintf(b, "  (%s)\n", line(c.Async, 100))
		}
		name := c.Function
		if name == "" {
			name = "(anonymous)"
		}
		fmt.Fprintf(b, "  at %s %s\n", line(name, 200), at.place(c.URL, c.Line, c.Column))
	}
	if m.Omitted > 0 {
		fmt.Fprintf(b, "  (%s more)\n", wording.Count(m.Omitted, "call"))
	}
}

// Text returns the list as text for a model, with one line for each request.
func (l RequestList) Text() string {
	var b strings.Builder
	l.Shown.head(&b, "request", l.Lost, l.Dropped)
	leftOut(&b, l.Hidden, "request")
	if l.Since > 0 {
		fmt.Fprintf(&b, "Recorded since %s; requests of this document before then are unknown (navigate_page with "+
			"type reload records all).\n", clock(l.Since))
	}
	if l.NoSockets {
		b.WriteString("WebSockets are left out: a frame that the user's rules for sites keep out shares its process " +
			"with the page, and Chrome does not say whose a WebSocket is.\n")
	}
	at := newAddresses(l.Documents)
	for i := range l.Requests {
		at.announce(&b, l.Requests[i].Document)
		b.WriteString(l.Requests[i].line(at))
	}
	return b.String()
}

func (r *Request) line(at *addresses) string {
	var b strings.Builder
	fmt.Fprintf(&b, "reqid=%d %s %s [%s]", r.ID, line(r.Method, 20), at.short(r.URL), r.Outcome())
	if r.RedirectedTo > 0 {
		fmt.Fprintf(&b, " → reqid=%d", r.RedirectedTo)
	}
	b.WriteByte('\n')
	return b.String()
}

// Outcome returns the status, or why there is none: "200", "net::ERR_FAILED", "pending".
func (r *Request) Outcome() string {
	var parts []string
	if r.Status > 0 {
		parts = append(parts, fmt.Sprint(r.Status))
	}
	switch r.State {
	case Failed, Blocked, Canceled:
		why := r.Failure
		if why == "" {
			why = string(r.State)
		}
		parts = append(parts, line(why, 200))
	case Pending:
		if r.Status == 101 {
			parts = append(parts, "open")
		} else {
			parts = append(parts, "pending")
		}
	}
	if len(parts) == 0 { // a data: address has no status
		parts = append(parts, string(r.State))
	}
	if r.Response.From != "" {
		parts = append(parts, "from "+r.Response.From)
	}
	return strings.Join(parts, ", ")
}

// DownloadList is the result of [Tab.Downloads].
type DownloadList []Download

// Text returns the list as text for a model, with one line for each download.
func (l DownloadList) Text() string {
	if len(l) == 0 {
		return "No downloads.\n"
	}
	var b strings.Builder
	for _, d := range l {
		fmt.Fprintf(&b, "download=%d %s [%s", d.ID, line(d.Name, 200), line(d.State, 20))
		switch {
		case d.Total > 0 && d.State == "inProgress":
			fmt.Fprintf(&b, ", %s of %s", bytesText(d.Received), bytesText(d.Total))
		case d.Received > 0:
			fmt.Fprintf(&b, ", %s", bytesText(d.Received))
		}
		fmt.Fprintf(&b, "] from %s", line(d.URL, lineURL))
		if d.Path != "" {
			fmt.Fprintf(&b, " to %s", line(d.Path, 500))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// quoted sanitizes a page's text and keeps its lines. Each line but the first, which follows the hub's own words,
// begins with a bar, so that no line looks like one of the hub's.
func quoted(s string, max int) string {
	return strings.NewReplacer("\n", "\n  | ", "\u2028", "\n  | ", "\u2029", "\n  | ").Replace(sanitize.Text(s, max))
}

// line makes one line of a page's text, so that it can't look like several lines.
func line(s string, max int) string {
	s = sanitize.Text(s, max)
	if strings.ContainsAny(s, "\n\t\u2028\u2029") {
		s = strings.NewReplacer("\n", " ↵ ", "\u2028", " ↵ ", "\u2029", " ↵ ", "\t", " ").Replace(s)
	}
	return s
}

func clock(millis float64) string {
	return time.UnixMicro(int64(millis * 1000)).UTC().Format("15:04:05.000 UTC")
}

func bytesText(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	case n < 1_000_000_000:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/1e9)
}
