package corpus

import (
	"regexp"
	"strings"
)

var quoted = regexp.MustCompile(`"((?:[^"\\]|\\.)*)"`)

var unquoting = strings.NewReplacer(`\|`, "|", `\\`, `\`, `\"`, `"`, `\n`, "\n", `\r`, "\r")

// Shown returns the texts of the page in a snapshot, which stand in quotes. It leaves out the first line, whose title
// isn't on the page.
func Shown(snapshot string) []string {
	_, content, _ := strings.Cut(snapshot, "\n")
	var texts []string
	for _, m := range quoted.FindAllStringSubmatch(content, -1) {
		texts = append(texts, unquoting.Replace(m[1]))
	}
	return texts
}
