package corpus

import (
	"regexp"
	"strings"
)

var quoted = regexp.MustCompile(`"((?:[^"\\]|\\.)*)"`)

var unquoting = strings.NewReplacer(`\|`, "|", `\\`, `\`, `\"`, `"`, `\n`, "\n", `\r`, "\r")

// Shown are the texts of the page in a snapshot: what stands in quotes. The first line has the
// title, which is not on the page.
func Shown(snapshot string) []string {
	_, content, _ := strings.Cut(snapshot, "\n")
	var texts []string
	for _, m := range quoted.FindAllStringSubmatch(content, -1) {
		texts = append(texts, unquoting.Replace(m[1]))
	}
	return texts
}
