package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"webmcphub/check/lint"
)

// Text writes the report for people, with colors if color is set.
func (r *Report) Text(w io.Writer, color bool) error {
	var b strings.Builder
	for _, p := range r.Pages {
		fmt.Fprintf(&b, "%s\n", p.Asked)
		if p.URL != "" && p.URL != p.Asked {
			fmt.Fprintf(&b, "  led to %s\n", p.URL)
		}
		if p.Error != "" {
			fmt.Fprintf(&b, "  %s %s\n", paint(p.unchecked(), lint.Error, color), p.Error)
		}
		if p.Error == "" || p.seen() {
			fmt.Fprintf(&b, "  %s, %q, looked at for %.1f s\n", counted(len(p.Tools), "tool"),
				cmp.Or(p.Title, "no title"), p.Seconds)
		}
		if len(p.NotCalled) > 0 {
			fmt.Fprintf(&b, "  not called, because they don't say that they only read: %s (--all calls them, too)\n",
				strings.Join(p.NotCalled, ", "))
		}
		for _, n := range p.NotTried {
			fmt.Fprintf(&b, "  not tried: %s, because %s\n", n.Tool, n.Why)
		}
		r.findings(&b, p, color)
		b.WriteString("\n")
	}
	if r.Coverage != nil {
		coverageText(&b, r.Coverage)
		b.WriteString("\n")
	}
	if len(r.Pages) == 0 {
		_, err := io.WriteString(w, b.String())
		return err
	}
	fmt.Fprintf(&b, "%s.", r.summary())
	if r.Found() {
		b.WriteString(" \"webmcp-hub check --explain RULE\" shows a bad and a good example.")
	}
	b.WriteString("\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// findings writes a page's findings, grouped by rule.
func (r *Report) findings(b *strings.Builder, p Page, color bool) {
	last := ""
	for _, f := range p.Findings {
		if f.Rule != last {
			rule := r.rule(f.Rule)
			fmt.Fprintf(b, "  %s %s (%s)\n      %s\n", paint(string(f.Severity), f.Severity, color), rule.Title, f.Rule,
				plain(rule.Why))
			last = f.Rule
		}
		if a := about(f); a != "" {
			fmt.Fprintf(b, "      - %s: %s\n", a, f.Message)
		} else {
			fmt.Fprintf(b, "      - %s\n", f.Message)
		}
	}
}

func paint(text string, s lint.Severity, color bool) string {
	if !color {
		return text
	}
	code := map[lint.Severity]string{lint.Error: "31", lint.Warning: "33", lint.Info: "36"}[s]
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// GitHub writes workflow commands, which GitHub Actions shows as annotations of the run.
func (r *Report) GitHub(w io.Writer) error {
	var b strings.Builder
	levels := map[lint.Severity]string{lint.Error: "error", lint.Warning: "warning", lint.Info: "notice"}
	for _, p := range r.Pages {
		if p.Error != "" {
			fmt.Fprintf(&b, "::error title=%s::%s\n", property(p.Asked), data(p.Error))
		}
		for _, f := range p.Findings {
			fmt.Fprintf(&b, "::%s title=%s::%s\n", levels[f.Severity], property(f.Rule+": "+r.rule(f.Rule).Title),
				data(strings.TrimPrefix(about(f)+": ", ": ")+f.Message+" ("+p.Asked+")"))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// data and property escape the characters that have a meaning in GitHub's workflow commands.
func data(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func property(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}
