package page

import (
	"fmt"
	"strconv"
	"strings"

	"webmcphub/registry/sanitize"
)

// String says which text is shown, and where.
func (f ConditionMet) String() string {
	if f.Text == "" {
		return ""
	}
	what := sanitize.Text(f.Tag, 40)
	if f.Role != "" {
		what += " role=" + sanitize.Text(f.Role, 40)
	}
	s := fmt.Sprintf("%s is shown as %s of <%s>", quote(f.Text), f.Kind, what)
	if f.Kind == "text" {
		s = fmt.Sprintf("%s is shown in <%s>", quote(f.Text), what)
	}
	if words := strings.TrimSpace(f.Words); words != f.Text {
		s += ": " + quote(words)
	}
	if !f.Main {
		s += ", in the frame " + sanitize.Text(f.Frame.Address(), 200)
	}
	return s
}

// Error says what wasn't there in time.
func (e *NotYet) Error() string {
	var lacks []string
	if len(e.Text) > 0 {
		lacks = append(lacks, "shows no "+quoted(e.Text, " and no "))
	}
	if len(e.Still) > 0 {
		lacks = append(lacks, "still shows "+quoted(e.Still, " and "))
	}
	if e.Address != "" {
		lacks = append(lacks, "is not at an address with "+quote(e.Address))
	}
	s := fmt.Sprintf("after %v the page", e.After)
	if e.URL != "" {
		s += " at " + sanitize.Text(e.URL, 200)
	}
	if len(lacks) == 0 {
		s += " has not shown all at one time"
	}
	s += " " + strings.Join(lacks, ", and ")
	for i, silent := range e.Silent {
		if i == 3 {
			s += fmt.Sprintf("; and %d more", len(e.Silent)-i)
			break
		}
		s += "; the document at " + sanitize.Text(silent, 200) + " has not answered, its scripts may keep it busy"
	}
	return s + ". take_snapshot shows what is there"
}

func quote(text string) string { return strconv.Quote(sanitize.Text(text, 200)) }

func quoted(texts []string, and string) string {
	var all []string
	for _, t := range texts {
		all = append(all, quote(t))
	}
	return strings.Join(all, and)
}
