package trace

import (
	"maps"
	"net/url"
	"slices"
	"strings"
)

// document is what a frame showed from a moment on.
type document struct {
	ts  int64
	url string
}

// blank says whether a document has no address of its own: it belongs to whoever made it.
func blank(address string) bool { return address == "" || strings.HasPrefix(address, "about:") }

// shows notes that a frame shows a document from a moment on.
func (c *collected) shows(f frameInfo, ts int64) {
	if c.room("documents", c.shown, maxMarks) {
		c.shown++
		c.documents[f.Frame] = append(c.documents[f.Frame], document{ts, clip(f.URL)})
	}
	if f.Parent != "" {
		c.parents[f.Frame] = f.Parent
	}
}

// at is the address that a frame showed at a moment; "" is not known.
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

// apply holds what was collected to the rules: what documents that they keep out did and
// asked for isn't told.
func (c *collected) apply(permits func(address string) bool) {
	if permits == nil {
		return
	}
	c.permits = permits
	// What a frame showed that wasn't noted may have been kept out.
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
		case r.frame == c.main:
			showed := c.at(c.main, r.ts)
			r.hidden = showed != "" && !permits(showed) || r.kind == "Document" && !permits(r.url)
		default:
			r.hidden = c.out[r.frame] || r.kind == "Document" && !blank(r.url) && !permits(r.url)
		}
		c.kept = c.kept || r.hidden
	}
	for _, out := range c.out {
		c.kept = c.kept || out
	}
}

// hides says whether one of the documents that a frame within the page showed is kept out,
// or if it showed none of its own, whether one of the frame around it is.
func (c *collected) hides(frame string) bool {
	for range 100 { // more than frames are nested
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

// addresses are those of all documents that the report tells of.
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

// keepOut makes of a set one that says of its document only where it is from.
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
