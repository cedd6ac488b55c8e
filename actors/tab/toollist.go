package tab

import "webmcphub/registry"

// A ToolList is what a document offers, of whoever tells the whole list each time. It
// belongs to the tab's actor.
type ToolList struct {
	tools     map[string]*registry.PageTool
	lingering map[string]bool // no longer told, but kept until their calls are answered
}

// All are the tools by name. The map is the list's.
func (l *ToolList) All() map[string]*registry.PageTool { return l.tools }

// Get finds a tool, or returns nil.
func (l *ToolList) Get(name string) *registry.PageTool { return l.tools[name] }

// Take makes now the list, which it keeps. A tool that did not change is the same pointer
// as before; one that takes itself away stays until its own result is out.
func (l *ToolList) Take(t *Tab, frame registry.FrameID, doc registry.Gen, now map[string]*registry.PageTool) {
	lingering := map[string]bool{}
	for name, old := range l.tools {
		switch tool := now[name]; {
		case tool != nil && old.Same(tool):
			now[name] = old
		case tool == nil && t.Running(frame, doc, name):
			if now == nil {
				now = map[string]*registry.PageTool{}
			}
			now[name], lingering[name] = old, true
		}
	}
	l.tools, l.lingering = now, lingering
}

// Drop takes a tool away.
func (l *ToolList) Drop(name string) {
	delete(l.tools, name)
	delete(l.lingering, name)
}

// CallEnded takes a tool away that was only kept for its calls, the last of which has
// ended, and says whether it was.
func (l *ToolList) CallEnded(name string) (dropped bool) {
	dropped = l.lingering[name]
	if dropped {
		l.Drop(name)
	}
	return dropped
}
