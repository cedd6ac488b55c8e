package registry

import (
	"slices"
	"webmcphub/registry/offer"
)

// maxBarred is how many frames of a page are named as refused.
const maxBarred = 20

// permitted gives those of p's reported tools whose page and frame may offer
// any. p.barred says which may not: once a document.
func (s *State) permitted(p *page, tools []*PageTool) []*PageTool {
	if s.options.Origins == nil {
		return tools
	}
	var may []*PageTool
	var barred []offer.Refusal
	bar := func(what, why string) {
		if r := (offer.Refusal{Tool: what, Why: why}); len(barred) < maxBarred && !slices.Contains(barred, r) {
			barred = append(barred, r)
		}
	}
	pageWhy := s.options.Origins.Refusal(p.said, p.url)
	for _, t := range tools {
		frameWhy := ""
		if !p.IsOwn(t.Document()) {
			frameWhy = s.options.Origins.DocumentRefusal(t.Origin, t.FrameURL, t.Doc == p.Gen)
		}
		switch {
		case pageWhy != "":
			bar(offer.AllTools, pageWhy)
		case frameWhy != "":
			bar(offer.AllFrameTools, frameWhy)
		default:
			may = append(may, t)
		}
	}
	if !slices.Equal(p.barred, barred) {
		p.barred, p.dirty, s.stale = barred, true, true
	}
	return may
}
