// Package decided keeps what one call was decided about: the document of its tab, others in
// which it acts, and others of which its result tells.
package decided

import (
	"cmp"
	"context"
	"slices"

	"webmcphub/automation/page"
	"webmcphub/automation/records"
	"webmcphub/registry/names"
)

// Judge says why a call may not be carried out for a document of an origin.
type Judge func(ctx context.Context, origin string) error

// Record is what a call was decided about. It belongs to the call's goroutine.
type Record struct {
	At     string   // the origin of the tab's document
	Beside []string // other origins that the result tells of
	frames map[page.FrameRef]error
}

// In says why the call may not act in a document whose origin isn't the tab's as it was
// decided about: a frame's, or what the tab shows by now. It is judged once.
func (a *Record) In(ctx context.Context, p *page.Page, in page.FrameRef, judge Judge) error {
	main, _ := p.Main()
	for _, f := range p.Frames() {
		known := f.Origin == a.At && f.Origin != "" && (f.Origin != names.OpaqueOrigin || in == main.FrameRef)
		if f.FrameRef != in || known {
			continue
		}
		was, judged := a.frames[in]
		if !judged {
			if a.frames == nil {
				a.frames = map[page.FrameRef]error{}
			}
			was = judge(ctx, cmp.Or(f.Origin, names.OpaqueOrigin))
			a.frames[in] = was
		}
		if was != nil {
			return was
		}
	}
	return nil
}

// TellsOf says why the call may not tell of what documents of these origins said, and
// takes note of them. judge may be nil.
func (a *Record) TellsOf(ctx context.Context, judge Judge, origins ...string) error {
	for _, origin := range origins {
		if origin == "" || origin == a.At || slices.Contains(a.Beside, origin) {
			continue
		}
		if judge != nil {
			if err := judge(ctx, origin); err != nil {
				return err
			}
		}
		a.Beside = append(a.Beside, origin)
	}
	return nil
}

// Origins are those of documents that records tell of.
func Origins(documents []records.Document) (all []string) {
	for _, d := range documents {
		all = append(all, records.Origin(d.URL))
	}
	return all
}
