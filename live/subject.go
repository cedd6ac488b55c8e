package live

import (
	"slices"

	"webmcphub/registry"
)

// Subject is the only page that a hub serves, as for "webmcp-hub inspect". Its methods never wait, and any goroutine
// may call them.
type Subject interface {
	// Tab returns the page's tab, or 0 while the page isn't open.
	Tab() registry.TabID
	// Console returns the page's console messages, the oldest first. If they are unknown, problem says why.
	Console() (messages []ConsoleMessage, problem string)
}

// Inspects makes the live page show one page only, with its console. It must be called before [Server.Serve].
func (s *Server) Inspects(one Subject) { s.subject = one }

// only restricts a filter to the only page that the hub serves, if there is one.
func (s *Server) only(f Filter) Filter {
	if s.subject != nil {
		f.Tab = s.subject.Tab()
	}
	return f
}

// inspect removes all other tabs from what is shown, and adds the page's console, the newest message first.
func (s *Server) inspect(p *Page) {
	if s.subject == nil {
		return
	}
	for i := range p.Browsers {
		b := &p.Browsers[i]
		b.Tabs = slices.DeleteFunc(b.Tabs, func(t Tab) bool { return t.ID != p.Filter.Tab })
	}
	p.MoreTab = 0
	messages, problem := s.subject.Console()
	p.Console = &Console{Problem: problem}
	for _, m := range slices.Backward(messages) {
		p.Console.Messages = append(p.Console.Messages, m.Clean())
	}
}
