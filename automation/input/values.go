package input

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Same compares texts as fields keep them: line breaks are alike, and those at the end of
// editable content are the browser's own.
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

// Quote tells a value, of a secret one only how long it is.
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

// Truth reads what a toggle is to be: "true" or "false". False is that it is neither.
func ParseToggle(value string) (is string, ok bool) {
	switch v := strings.ToLower(strings.TrimSpace(value)); v {
	case "true", "on", "yes", "checked", "1":
		return "true", true
	case "false", "off", "no", "unchecked", "0":
		return "false", true
	}
	return "", false
}

// List names the options of a list, of which there are so many in all.
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

// Field is a field that has refused a value.
type RefusedField struct {
	Type           string // of the input
	Min, Max, Step string // of a slider
	Became         string // the nearest value that it takes
}

// formats are how values of fields look that aren't typed into.
var formats = map[string]string{
	"date": "2026-01-31", "time": "23:59", "month": "2026-01", "week": "2026-W05",
	"datetime-local": "2026-01-31T23:59", "color": "#1a2b3c",
}

// Malformed says what is wrong with a value that a field has refused, and what it takes. what names it.
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
