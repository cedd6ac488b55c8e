package trust

import "strings"

// quoted is a text as one word of a shell's, so that whoever copies it gets nothing else,
// whatever a page or an agent has called things.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
