package find

import (
	"slices"
	"strings"

	"webmcphub/registry/offer"
)

// Sure is the value of [Found].Covered from which the best tools are likely to be what the query is about. The
// questions in testdata/quality/questions.json gave it: below it, three times as many answers are wrong as above.
const Sure = 0.5

// IsSure reports whether one of the best of the found tools is likely to be what the query is about.
func IsSure(found []Found) bool {
	return slices.ContainsFunc(found[:min(len(found), 3)], func(f Found) bool { return f.Covered >= Sure })
}

// Kinds returns words from the names of tools, which tell what the tools do; at most most words.
func Kinds(tools []*offer.HubTool, most int) string {
	var words []string
	for _, t := range tools {
		wordsOf(t.Route.Tool, func(w word) bool {
			if !w.whole && !idle()[w.text] && len(w.text) <= 20 && !slices.Contains(words, w.text) {
				words = append(words, w.text)
			}
			return len(words) < most
		})
		if len(words) == most {
			break
		}
	}
	return strings.Join(words, " ")
}
