package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// A tape records what a client and its hub said to each other, for checkOrder.
// Any goroutine may use it.
type tape struct {
	mu    sync.Mutex
	start time.Time
	lines []line
}

// A line is one line of a transcript. Its place there is its number: what was
// said to the hub is recorded before it's written, and what the hub said after
// it was read, so a line's causes always come before it.
type line struct {
	At   time.Duration `json:"at"` // since the tape's start
	From speaker       `json:"from"`
	Text string        `json:"text"` // with its line break
	// Touches are the hub names of the tools that a call may add, change or
	// take away; one that ends in * stands for all that begin like it.
	Touches []string `json:"touches,omitempty"`
}

// A speaker is who said a line.
type speaker string

const (
	theClient speaker = "client"
	theHub    speaker = "hub"
	// theTest says what is true: the names of all page tools, as a JSON array.
	theTest speaker = "test"
)

func newTape() *tape { return &tape{start: time.Now()} }

func (p *tape) add(from speaker, text string, touches ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lines = append(p.lines, line{time.Since(p.start), from, text, touches})
}

// transcript is what was said so far.
func (p *tape) transcript() []line {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lines[:len(p.lines):len(p.lines)]
}

// count is how often the hub has sent a notification.
func (p *tape) count(method string) (n int) {
	for _, l := range p.transcript() {
		var m message
		if l.From == theHub && len(l.Text) < 10_000 && json.Unmarshal([]byte(l.Text), &m) == nil && m.Method == method {
			n++
		}
	}
	return n
}

// check fails the test for each rule that the transcript breaks, shows where,
// and keeps the transcript of a failed test.
func (p *tape) check(t *testing.T) {
	t.Helper()
	lines := p.transcript()
	found := checkOrder(lines)
	for i, v := range found {
		if i == 5 {
			t.Errorf("and %d more", len(found)-i)
			break
		}
		t.Errorf("line %d breaks %q: %s\n%s", v.line, v.rule, v.what, excerpt(lines, v.line))
	}
	if !t.Failed() {
		return
	}
	path := filepath.Join(t.ArtifactDir(), "transcript.jsonl")
	if err := os.WriteFile(path, asLines(lines), 0o644); err != nil {
		t.Error(err)
		return
	}
	t.Logf("the transcript of %d lines is kept by go test -artifacts as %s", len(lines), filepath.Base(path))
}

func asLines(lines []line) (out []byte) {
	for _, l := range lines {
		b, _ := json.Marshal(l)
		out = append(append(out, b...), '\n')
	}
	return out
}

// excerpt shows the lines around one, without what is long in them.
func excerpt(lines []line, at int) string {
	var b strings.Builder
	for i := max(0, at-12); i < min(len(lines), at+4); i++ {
		l, mark := lines[i], " "
		if i == at {
			mark = ">"
		}
		text := strings.TrimSuffix(l.Text, "\n")
		if len(text) > 240 {
			text = fmt.Sprintf("%s … (%d bytes)", text[:200], len(text))
		}
		fmt.Fprintf(&b, "%s%5d %9.4fs %-6s %s", mark, i, l.At.Seconds(), l.From, text)
		if l.Touches != nil {
			fmt.Fprintf(&b, "   touches %s", strings.Join(l.Touches, " "))
		}
		b.WriteByte('\n')
	}
	return b.String()
}
