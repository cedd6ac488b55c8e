package trust

import "strings"

// quoted returns a text as one word for a shell. A person who copies it runs no other command, whatever names a page
// or an agent has chosen.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
