package find

import (
	"slices"
	"strings"

	"webmcphub/registry/offer"
)

// Sure is the least [Found].Covered of the best tools with which they are likely to be what was looked for. It was chosen
// by the questions in testdata/quality/questions.json: below it, three times as many are answered wrongly as above.
const Sure = 0.5

// IsSure reports whether one of the best of the found tools is likely to be what was looked for.
func IsSure(found []Found) bool {
	return slices.ContainsFunc(found[:min(len(found), 3)], func(f Found) bool { return f.Covered >= Sure })
}

// Kinds says in at most most words of their names what tools do.
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
