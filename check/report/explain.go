package report

import (
	"fmt"
	"io"
	"strings"

	"webmcphub/check/lint"
)

// Explain writes a rule's explanation and examples.
func Explain(w io.Writer, r lint.Rule) error {
	_, err := fmt.Fprintf(w, "%s (%s)\n%s.\n%s\n%s", r.ID, r.Severity, r.Title, plain(r.Why),
		examples(r, "\n%s:\n%s\n", func(s string) string {
			return "  " + strings.ReplaceAll(s, "\n", "\n  ")
		}))
	return err
}

// examples returns a rule's examples. format formats an example's kind and its text, which quoted has prepared.
func examples(r lint.Rule, format string, quoted func(string) string) string {
	var b strings.Builder
	for _, e := range []struct{ what, text string }{{"Bad", r.Bad}, {"Good", r.Good}} {
		if e.text != "" {
			fmt.Fprintf(&b, format, e.what, quoted(e.text))
		}
	}
	return b.String()
}

// plain returns a Markdown text without the backquotes around code.
func plain(s string) string { return strings.ReplaceAll(s, "`", "") }

// help returns the text that code scanning shows for a rule to readers without this program's documentation.
func help(r lint.Rule) map[string]any {
	return map[string]any{
		"text":     plain(r.Why) + "\n" + examples(r, "\n%s:\n%s\n", func(s string) string { return s }),
		"markdown": r.Why + "\n" + examples(r, "\n%s:\n\n%s\n", func(s string) string { return "```\n" + s + "\n```" }),
	}
}
