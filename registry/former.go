package registry

// former are hub tools of a page that are gone: a page that registers one
// again, as many do at every render, gets it back as it was. They belong to
// their page and end with its document.
type former map[registration]*HubTool

// registration is what a page replaces when it registers a tool again.
type registration struct {
	frame FrameID
	name  string
}

// maxFormer is how many a page keeps.
const maxFormer = 256

func (f *former) keep(h *HubTool) {
	if *f == nil || len(*f) >= maxFormer {
		*f = former{}
	}
	(*f)[registration{h.Route.Frame, h.Route.Tool}] = h
}

// find gives the former hub tool of the same content, made for the same page
// index and domain, or nil.
func (f former) find(t *PageTool, p *page) *HubTool {
	h := f[registration{t.Frame, t.Name}]
	if h == nil || !h.madeFor(p) || !h.source.Same(t) {
		return nil
	}
	return h
}
