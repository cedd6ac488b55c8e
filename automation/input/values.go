package input

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// SameText compares texts as fields keep them. It ignores the kind of line breaks, and line breaks at the end, which
// the browser adds to editable content.
func SameText(held, wanted string) bool {
	plain := func(s string) string {
		s = strings.ReplaceAll(s, "\r\n", "\n")
		s = strings.ReplaceAll(s, "\u00a0", " ")
		return strings.TrimRight(s, "\n")
	}
	if plain(held) == plain(wanted) {
		return true
	}
	return strings.TrimSpace(held) == strings.TrimSpace(wanted) ||
		held == strings.NewReplacer("\r", "", "\n", "").Replace(wanted)
}

// QuoteValue quotes a value for a message. Of a secret value it gives only the length.
func QuoteValue(value string, secret bool) string {
	const most = 200
	letters := []rune(value)
	switch {
	case value == "":
		return "nothing"
	case secret:
		return fmt.Sprintf("%d characters", len(letters))
	case len(letters) > most:
		return fmt.Sprintf("%q and %d more characters", string(letters[:most]), len(letters)-most)
	}
	return strconv.Quote(value)
}

// ParseToggle reads the wanted state of a toggle, and returns it as "true" or "false". ok is false if value is
// neither.
func ParseToggle(value string) (is string, ok bool) {
	switch v := strings.ToLower(strings.TrimSpace(value)); v {
	case "true", "on", "yes", "checked", "1":
		return "true", true
	case "false", "off", "no", "unchecked", "0":
		return "false", true
	}
	return "", false
}

// ListOptions lists the options of a list. all is how many options there are.
func ListOptions(options []string, all int) string {
	if len(options) == 0 {
		return "no options"
	}
	var quoted []string
	for _, o := range options {
		quoted = append(quoted, fmt.Sprintf("%q", o))
	}
	list := strings.Join(quoted, ", ")
	if more := all - len(options); more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list
}

// RefusedField describes a field that has refused a value.
type RefusedField struct {
	Type           string // the input's type
	Min, Max, Step string // only of a slider
	Became         string // the nearest value that the field takes
}

// formats has an example value for each type of field that is set and not typed into.
var formats = map[string]string{
	"date": "2026-01-31", "time": "23:59", "month": "2026-01", "week": "2026-W05",
	"datetime-local": "2026-01-31T23:59", "color": "#1a2b3c",
}

// Malformed returns an error that says what is wrong with a value that a field has refused, and what the field takes.
// what names the field.
func Malformed(what, value string, f RefusedField) error {
	if f.Type == "range" {
		text := fmt.Sprintf("%s does not take %q: it is a slider from %s to %s", what, value, cmp.Or(f.Min, "0"),
			cmp.Or(f.Max, "100"))
		if f.Step != "" {
			text += " in steps of " + f.Step
		}
		if f.Became != "" {
			text += "; the nearest value is " + f.Became
		}
		return errors.New(text)
	}
	return fmt.Errorf("%s does not take %q: a %s looks like %s", what, value, f.Type, formats[f.Type])
}
