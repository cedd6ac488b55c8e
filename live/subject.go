package live

import (
	"slices"

	"webmcphub/registry"
)

// Subject is the one page that a hub is for, as that of "webmcp-hub inspect" is. Its methods
// never wait; any goroutine may call them.
type Subject interface {
	// Tab is the page's tab, 0 while it isn't open.
	Tab() registry.TabID
	// Console is what the page has said, the oldest first, and why that isn't known; "" if it is.
	Console() (said []Said, problem string)
}

// Inspects has the page show one page only, with its console beside. It must be called before
// [Server.Serve].
func (s *Server) Inspects(one Subject) { s.subject = one }

// only leaves a filter for the one page that there is, if there is one.
func (s *Server) only(f Filter) Filter {
	if s.subject != nil {
		f.Tab = s.subject.Tab()
	}
	return f
}

// inspect leaves that page in what is shown, and adds its console, the newest first.
func (s *Server) inspect(p *Page) {
	if s.subject == nil {
		return
	}
	for i := range p.Browsers {
		b := &p.Browsers[i]
		b.Tabs = slices.DeleteFunc(b.Tabs, func(t Tab) bool { return t.ID != p.Filter.Tab })
	}
	p.MoreTab = 0
	said, problem := s.subject.Console()
	p.Console = &Console{Problem: problem}
	for _, m := range slices.Backward(said) {
		p.Console.Said = append(p.Console.Said, m.Clean())
	}
}
