package registry

// recentlyRemoved are hub tools of a page that are gone: a page that registers one
// again, as many do at every render, gets it back as it was. They belong to
// their page and end with its document.
type recentlyRemoved map[registration]*HubTool

// registration is what a page replaces when it registers a tool again.
type registration struct {
	frame FrameID
	name  string
}

// maxRemoved is how many a page keeps.
const maxRemoved = 256

func (r *recentlyRemoved) keep(h *HubTool) {
	if *r == nil || len(*r) >= maxRemoved {
		*r = recentlyRemoved{}
	}
	(*r)[registration{h.Route.Frame, h.Route.Tool}] = h
}

// find gives the removed hub tool of the same content, made for the same page
// index and domain, or nil.
func (r recentlyRemoved) find(t *PageTool, p *page) *HubTool {
	h := r[registration{t.Frame, t.Name}]
	if h == nil || !h.MadeFor(&p.Page) || !h.Source().Same(t) {
		return nil
	}
	return h
}
