package registry

import "encoding/json"

// labels are what tools of one page say alike: the beginning of their
// descriptions, and where they come from. Each is worked out again when what it
// is made of changes. They belong to their page.
type labels struct {
	domain string
	index  int
	active bool
	site   string
	start  string // of descriptions

	of   labelled
	meta json.RawMessage
}

// labelled is what a tool's provenance is made of, besides its tab.
type labelled struct {
	frameURL, pageURL string
	runtime           Runtime
	index             int
}

func (l *labels) prefix(p *page) string {
	if l.start == "" || l.domain != p.domain || l.index != p.index || l.active != p.active || l.site != p.site {
		l.domain, l.index, l.active, l.site, l.start = p.domain, p.index, p.active, p.site, p.descriptionPrefix()
	}
	return l.start
}

func (l *labels) provenance(t *PageTool, p *page) json.RawMessage {
	of := labelled{t.FrameURL, p.url, t.Runtime, p.index}
	if l.meta == nil || l.of != of {
		l.of, l.meta = of, provenance(t, p)
	}
	return l.meta
}
