package registry

import (
	"fmt"
	"testing"
	"webmcphub/registry/offer"
)

// BenchmarkOffersBesideTools: what a change of some page's tools costs while
// another page offers a thousand resources.
func BenchmarkOffersBesideTools(b *testing.B) {
	s := NewState(Options{})
	many := make([]string, offer.MaxOffers)
	for i := range many {
		many[i] = fmt.Sprintf("note://%d", i)
	}
	step := func(e Event) {
		s.Step(e)
		s.Step(FlushDue{})
	}
	step(PageOpened{Page: "A", URL: siteA})
	step(PageOpened{Page: "B", URL: siteA})
	step(Navigated{Page: "A", Gen: 1, URL: siteA})
	step(Navigated{Page: "B", Gen: 1, URL: siteA})
	step(reported("A", 1, siteA, many...))
	for b.Loop() {
		step(ToolsReported{Page: "B", Gen: 1, Tools: []*PageTool{{Frame: "main", Doc: 1, Name: "x"}}})
	}
}
