package trace

import (
	"fmt"
	"strings"

	"webmcphub/registry/sanitize"
)

// Text returns the report as text for a model: the metrics, and the insights that don't pass.
func (r *Report) Text() string {
	var b strings.Builder
	if r.ID != "" {
		fmt.Fprintf(&b, "Trace %s of %s\n", r.ID, line(r.URL))
	} else {
		fmt.Fprintf(&b, "Trace of %s\n", line(r.URL))
	}
	fmt.Fprintf(&b, "Length: %.1f s, %d events\n", float64(r.To-r.From)/1e6, r.Stats.Events)
	if r.Lost {
		b.WriteString("Data was lost: Chrome's trace buffer was full or the trace ends early. Figures may be wrong; " +
			"record less at once.\n")
	}
	if len(r.Partial) > 0 {
		fmt.Fprintf(&b, "Too many to count all: %s.\n", strings.Join(r.Partial, ", "))
	}
	if r.KeptOut {
		b.WriteString("The user's rules for sites keep some pages or frames out: of their requests only the number is told.\n")
	}
	for _, s := range r.Sets {
		s.write(&b)
	}
	return b.String()
}

func (s *Set) write(b *strings.Builder) {
	fmt.Fprintf(b, "\nInsight set %s: %s (%.1f s)\n", s.ID, line(s.URL), float64(s.To-s.From)/1e6)
	if s.KeptOut {
		b.WriteString("  not told: the user's rules for sites keep this page out\n")
		return
	}
	var parts []string
	for _, m := range s.Metrics.named() {
		if m.value != nil {
			parts = append(parts, m.name+" "+m.text())
		}
	}
	if len(parts) > 0 {
		fmt.Fprintf(b, "  %s\n", strings.Join(parts, ", "))
	}
	fmt.Fprintf(b, "  %s, %s transferred\n", plural(s.Metrics.Requests, "request"), bytesText(s.Metrics.Bytes))
	if s.LCP != nil && len(s.LCP.Parts) > 0 {
		var parts []string
		for _, p := range s.LCP.Parts {
			parts = append(parts, fmt.Sprintf("%s %.0f ms", p.Name, p.MS))
		}
		fmt.Fprintf(b, "  LCP: %s\n", strings.Join(parts, " + "))
	}
	if len(s.Tasks) > 0 {
		fmt.Fprintf(b, "  %s", plural(s.Metrics.LongTasks, "long task"))
		for _, t := range s.Tasks[:min(3, len(s.Tasks))] {
			fmt.Fprintf(b, "; %.0f ms at %.0f ms", t.Duration, t.At)
		}
		b.WriteByte('\n')
	}
	var passed []string
	for _, i := range s.Insights {
		if i.State == passes {
			passed = append(passed, i.Name)
			continue
		}
		fmt.Fprintf(b, "  - %s [%s]: %s\n", i.Name, i.State, line(i.Summary))
	}
	if len(passed) > 0 {
		fmt.Fprintf(b, "  passed: %s\n", strings.Join(passed, ", "))
	}
}

// Text returns the whole insight as text for a model.
func (i *Insight) Text(set *Set) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s of %s [%s]: %s\n", i.Name, set.ID, i.State, line(i.Summary))
	for _, d := range i.Details {
		fmt.Fprintf(&b, "  - %s\n", line(d))
	}
	if i.Wasted > 0 {
		fmt.Fprintf(&b, "About %s could be saved.\n", bytesText(i.Wasted))
	}
	return b.String()
}

// metric is one of the vitals, with its name.
type metric struct {
	name  string
	value *float64
	score bool // it is a score, not a time
}

func (m *Metrics) named() []metric {
	return []metric{{"TTFB", m.TTFB, false}, {"FCP", m.FCP, false}, {"LCP", m.LCP, false}, {"CLS", m.CLS, true},
		{"INP", m.INP, false}, {"TBT", m.TBT, false}, {"load", m.Load, false}}
}

func (m metric) text() string {
	switch {
	case m.value == nil:
		return "none"
	case m.score:
		return fmt.Sprintf("%.3f", *m.value)
	case *m.value >= 1000:
		return fmt.Sprintf("%.1f s", *m.value/1000)
	}
	return fmt.Sprintf("%.0f ms", *m.value)
}

// Compare says how the metrics changed from one trace to a later one, judging by their last sets: "LCP 2.9 s → 1.8
// s". It returns "" if either trace has no set.
func Compare(before, after *Report) string {
	if len(before.Sets) == 0 || len(after.Sets) == 0 {
		return ""
	}
	was, is := before.Sets[len(before.Sets)-1], after.Sets[len(after.Sets)-1]
	now := is.Metrics.named()
	var parts []string
	for i, m := range was.Metrics.named() {
		if m.value == nil && now[i].value == nil || m.text() == now[i].text() {
			continue
		}
		parts = append(parts, fmt.Sprintf("%s %s → %s", m.name, m.text(), now[i].text()))
	}
	if len(parts) == 0 {
		return "no change"
	}
	text := strings.Join(parts, ", ")
	if was.URL != is.URL {
		text += fmt.Sprintf(" (of another page: %s before)", line(was.URL))
	}
	return text
}

// line makes one line of a text of the trace.
func line(s string) string {
	return strings.NewReplacer("\n", " ", "\t", " ").Replace(sanitize.Text(s, 300))
}

func bytesText(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}
