package tab

import "webmcphub/registry"

// ToolList has the tools of a document, from a source that reports the whole list each time. The tab's actor owns it.
type ToolList struct {
	tools     map[string]*registry.PageTool
	lingering map[string]bool // no longer reported, but kept until their calls are answered
}

// All returns the tools by name. The caller must not change the map.
func (l *ToolList) All() map[string]*registry.PageTool { return l.tools }

// Get returns a tool, or nil.
func (l *ToolList) Get(name string) *registry.PageTool { return l.tools[name] }

// Take replaces the list by now, which the ToolList keeps. A tool that did not change keeps its pointer. A tool that
// is gone stays in the list until its running calls have been answered.
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

// Drop removes a tool.
func (l *ToolList) Drop(name string) {
	delete(l.tools, name)
	delete(l.lingering, name)
}

// CallEnded removes a tool that was kept only for its calls, once the last of them has ended. It says whether it
// removed the tool.
func (l *ToolList) CallEnded(name string) (dropped bool) {
	dropped = l.lingering[name]
	if dropped {
		l.Drop(name)
	}
	return dropped
}
