package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"webmcphub/check/lint"
	"webmcphub/internal/terminal"
	"webmcphub/internal/wording"
)

// TextOptions say how [Report.Text] writes the report.
type TextOptions struct {
	Color   bool
	Verbose bool // write all findings of each rule, also infos
	Width   int  // of the terminal, in columns; 0 doesn't wrap
}

// maxShown limits how many findings of a rule are written, unless Verbose is set.
const maxShown = 5

// Text writes the report for people.
func (r *Report) Text(w io.Writer, o TextOptions) error {
	t := texter{Report: r, TextOptions: o}
	for _, p := range r.Pages {
		t.page(p)
		t.WriteString("\n")
	}
	if r.Coverage != nil {
		coverageText(&t.Builder, r.Coverage)
		t.WriteString("\n")
	}
	if len(r.Pages) > 0 {
		summary := r.summary() + "."
		if r.Found() {
			summary += " \"webmcp-hub check --explain RULE\" shows a bad and a good example."
		}
		t.para("", "", "%s", summary)
	}
	_, err := io.WriteString(w, t.String())
	return err
}

// A texter writes a report for people.
type texter struct {
	*Report
	TextOptions
	strings.Builder
}

// para writes a wrapped paragraph, with first before its first line and rest before all others.
func (t *texter) para(first, rest, format string, args ...any) {
	t.WriteString(terminal.Wrap(fmt.Sprintf(format, args...), t.Width, first, rest) + "\n")
}

func (t *texter) page(p Page) {
	t.para("", "  ", "%s", p.Asked)
	if p.URL != "" && p.URL != p.Asked {
		t.para("  ", "    ", "led to %s", p.URL)
	}
	if p.Error != "" {
		t.para("  ", "    ", "%s %s", paint(p.unchecked(), lint.Error, t.Color), p.Error)
	}
	if p.Error == "" || p.seen() {
		t.para("  ", "    ", "%s, %q, looked at for %.1f s%s", wording.Count(len(p.Tools), "tool"),
			cmp.Or(p.Title, "no title"), p.Seconds, p.watched())
	}
	if len(p.NotCalled) > 0 {
		t.para("  ", "    ", "not called, because they don't say that they only read: %s (--all calls them, too)",
			strings.Join(p.NotCalled, ", "))
	}
	for _, n := range p.NotTried {
		t.para("  ", "    ", "not tried: %s, because %s", n.Tool, n.Why)
	}
	t.findings(p)
	if p.Silenced > 0 {
		t.para("  ", "    ", "%s silenced by the settings", wording.Count(p.Silenced, "finding"))
	}
	if p.Known > 0 {
		t.para("  ", "    ", "%s known from the baseline", wording.Count(p.Known, "finding"))
	}
}

// watched says how long the check watched the page until it was quiet.
func (p Page) watched() string {
	switch {
	case p.Waited == 0:
		return ""
	case p.Busy != "":
		return fmt.Sprintf(" (after %.1f s %s; --wait waits for longer)", p.Waited, p.Busy)
	}
	return fmt.Sprintf(" (%.1f s until it was quiet)", p.Waited)
}

// findings writes a page's findings by rule, the worst first. It only counts infos, unless they make the check fail.
func (t *texter) findings(p Page) {
	infos, n := []string{}, 0
	for _, same := range byRule(p.Findings) {
		f := same[0]
		if f.Severity == lint.Info && !t.Verbose && t.FailOn != lint.Info {
			infos, n = append(infos, fmt.Sprintf("%s %d", f.Rule, len(same))), n+len(same)
			continue
		}
		rule, times := t.rule(f.Rule), ""
		if len(same) > 1 {
			times = fmt.Sprintf(", %d times", len(same))
		}
		t.para("  ", "    ", "%s %s (%s)%s", paint(string(f.Severity), f.Severity, t.Color), rule.Title, f.Rule, times)
		if rule.Why != "" {
			t.para("      ", "      ", "%s", plain(rule.Why))
		}
		shown := same
		if len(shown) > maxShown && !t.Verbose {
			shown = shown[:maxShown]
		}
		for _, f := range shown {
			t.para("      - ", "        ", "%s", strings.TrimPrefix(about(f)+": ", ": ")+f.Message)
		}
		if more := len(same) - len(shown); more > 0 {
			t.para("      - ", "        ", "and %d more (--verbose lists them)", more)
		}
	}
	if n > 0 {
		t.para("  ", "    ", "%s: %s (--verbose lists them)", paint(fmt.Sprintf("%d info", n), lint.Info, t.Color),
			strings.Join(infos, ", "))
	}
}

// byRule groups findings by severity and rule: the worst first, of those the most frequent.
func byRule(all []lint.Finding) (groups [][]lint.Finding) {
	at := map[[2]string]int{}
	for _, f := range all {
		key := [2]string{f.Rule, string(f.Severity)}
		i, ok := at[key]
		if !ok {
			i, at[key] = len(groups), len(groups)
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], f)
	}
	slices.SortStableFunc(groups, func(a, b []lint.Finding) int {
		if worse, same := a[0].Severity.AtLeast(b[0].Severity), b[0].Severity.AtLeast(a[0].Severity); worse != same {
			return map[bool]int{true: -1, false: 1}[worse]
		}
		return len(b) - len(a)
	})
	return groups
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
