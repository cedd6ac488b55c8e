package offer

import "encoding/json"

// labels are what tools of one page say alike: the beginning of their
// descriptions, and where they come from. Each is worked out again when what it
// is made of changes. They belong to their page.
type labels struct {
	host   string
	index  int
	active bool
	start  string // of descriptions of the page's own tools

	foreign string
	framed  string // of a frame's

	of   labelled
	meta json.RawMessage
}

// labelled is what a tool's provenance is made of, besides its tab.
type labelled struct {
	frameURL, origin string
	runtime          Runtime
	index            int
}

// prefix is what a tool's description begins with: the page, and the origin of the
// tool's document if it is foreign.
func (l *labels) prefix(p *Page, foreign string) string {
	if l.start == "" || l.host != p.Host || l.index != p.Index || l.active != p.Active {
		l.host, l.index, l.active, l.start, l.framed = p.Host, p.Index, p.Active, p.descriptionPrefix(), ""
	}
	if foreign == "" {
		return l.start
	}
	if l.framed == "" || l.foreign != foreign {
		l.foreign, l.framed = foreign, l.start+frameMark(foreign)
	}
	return l.framed
}

// frameMark says in a description that its tool, resource or prompt is that of a
// frame of another origin than the page's. It is "" for the page's own.
func frameMark(foreign string) string {
	if foreign == "" {
		return ""
	}
	return "[frame of " + foreign + "] "
}

func (l *labels) provenance(t *PageTool, p *Page, w whose) json.RawMessage {
	of := labelled{t.FrameURL, w.from, t.Runtime, p.Index}
	if l.meta == nil || l.of != of {
		l.of, l.meta = of, newProvenance(t.Document(), w, t.Runtime)
	}
	return l.meta
}
