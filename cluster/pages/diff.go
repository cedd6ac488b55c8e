package pages

import (
	"google.golang.org/protobuf/proto"

	"webmcphub/cluster/api"
)

// Diff returns what differs between two snapshots of one source. If was is the zero Snapshot, the Delta has everything
// in now.
func Diff(was, now *Snapshot) *api.Delta {
	d := &api.Delta{From: was.Version, Version: now.Version}
	if was.browsers != now.browsers {
		d.Browsers = now.browsers
	}
	for _, p := range was.order {
		if is := now.pages[p.facts.Page]; is == nil || is.facts.Opened != p.facts.Opened {
			d.Gone = append(d.Gone, string(p.facts.Page))
		}
	}
	for _, p := range now.order {
		had := was.pages[p.facts.Page]
		switch {
		case had == p:
			continue
		case had == nil || had.facts.Opened != p.facts.Opened:
			had = &page{}
		}
		d.Pages = append(d.Pages, p.since(had))
	}
	return d
}

// since returns the parts of the page that differ from had.
func (p *page) since(had *page) *api.Page {
	is := &api.Page{Id: string(p.facts.Page)}
	if p.info != had.info {
		is.Info = p.info
	}
	if p.frames != had.frames {
		is.Frames = p.frames
	}
	if p.offers != had.offers {
		is.Offers = p.offers
	}
	same := had.info != nil && len(had.tools) == len(p.tools)
	for i := 0; same && i < len(p.tools); i++ {
		same = p.tools[i] == had.tools[i]
	}
	if same {
		return is
	}
	is.Tools = &api.Tools{}
	known := make(map[uint64]bool, len(had.tools))
	for _, t := range had.tools {
		known[t.Number] = true
	}
	for _, t := range p.tools {
		is.Tools.Numbers = append(is.Tools.Numbers, t.Number)
		if !known[t.Number] {
			is.Tools.New = append(is.Tools.New, t.Tool)
		}
	}
	return is
}

// Parts divides a delta into parts, so that no part is much larger than a page.
func Parts(d *api.Delta) (parts []*api.Delta) {
	part := &api.Delta{From: d.From, Version: d.Version, Browsers: d.Browsers, Gone: d.Gone}
	bytes := 0
	for _, p := range d.Pages {
		size := proto.Size(p)
		if bytes > 0 && bytes+size > maxPart {
			part.More = true
			parts = append(parts, part)
			part, bytes = &api.Delta{From: d.From, Version: d.Version}, 0
		}
		part.Pages = append(part.Pages, p)
		bytes += size
	}
	return append(parts, part)
}
