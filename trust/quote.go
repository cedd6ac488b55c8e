package trust

import "strings"

// quoted returns a text as one word for a shell, so that a person who copies it runs nothing else, whatever a page or
// an agent has named things.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
