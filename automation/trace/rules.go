package trace

import (
	"maps"
	"net/url"
	"slices"
	"strings"
)

// document is what a frame showed from the time ts on.
type document struct {
	ts  int64
	url string
}

func (d document) at() int64 { return d.ts }

// blank says whether a document has no address of its own. Such a document belongs to whoever created it.
func blank(address string) bool { return address == "" || strings.HasPrefix(address, "about:") }

// shows records that a frame shows a document from the time ts on.
func (c *collected) shows(f frameInfo, ts int64) {
	if c.room("documents", c.shown, maxMarks) {
		c.shown++
		c.documents[f.Frame] = append(c.documents[f.Frame], document{ts, clip(f.URL)})
	}
	if f.Parent != "" {
		c.parents[f.Frame] = f.Parent
	}
}

// at returns the address that a frame showed at a time, or "" if it isn't known.
func (c *collected) at(frame string, ts int64) string {
	address := ""
	for _, d := range c.documents[frame] {
		if d.ts > ts && address != "" {
			break
		}
		if !blank(d.url) {
			address = d.url
		}
	}
	return address
}

// apply applies the rules to what was collected. It removes what documents that are kept out did and requested.
func (c *collected) apply(permits func(address string) bool) {
	if permits == nil {
		return
	}
	c.permits = permits
	// If it isn't known everything that a frame showed, the rest may have been kept out.
	unknown := len(c.frames) == 0 || c.full["frames"] || c.full["documents"]
	c.kept = unknown
	for frame := range c.documents {
		if frame != c.main {
			c.out[frame] = unknown || c.hides(frame)
		}
	}
	for _, r := range c.byTime {
		switch {
		case unknown:
			r.hidden = true
		case r.Frame == c.main:
			showed := c.at(c.main, r.TS)
			r.hidden = showed != "" && !permits(showed) || r.ResourceType == "Document" && !permits(r.URL)
		default:
			r.hidden = c.out[r.Frame] || r.ResourceType == "Document" && !blank(r.URL) && !permits(r.URL)
		}
		c.kept = c.kept || r.hidden
	}
	for _, out := range c.out {
		c.kept = c.kept || out
	}
}

// hides says whether one of the documents that a frame inside the page showed is kept out or, if the frame showed no
// document with an address, one of the frame around it.
func (c *collected) hides(frame string) bool {
	for range 100 { // more than frames are ever nested
		own := false
		for _, d := range c.documents[frame] {
			if blank(d.url) {
				continue
			}
			if own = true; !c.permits(d.url) {
				return true
			}
		}
		if frame = c.parents[frame]; own || frame == "" || frame == c.main {
			return false
		}
	}
	return true
}

// addresses returns the addresses of all documents that the report mentions.
func (c *collected) addresses() []string {
	all := map[string]bool{}
	for frame, documents := range c.documents {
		for _, d := range documents {
			if !c.out[frame] && !blank(d.url) && !all[d.url] && (c.permits == nil || c.permits(d.url)) {
				all[d.url] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// keepOut reduces a set whose document is kept out to the document's origin, and says whether it is kept out.
func (s *Set) keepOut(c *collected) bool {
	if c.permits == nil || blank(s.URL) || c.permits(s.URL) {
		return false
	}
	s.URL, s.KeptOut, c.kept = originOf(s.URL), true, true
	return true
}

func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "an address"
	}
	return u.Scheme + "://" + u.Host
}
