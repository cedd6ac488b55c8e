package exttest

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Tab is one open tab.
type Tab struct {
	ID int

	b          *Browser
	url, title string
	doc        string
	frameDocs  map[int]string
	tools      []Tool
	front      bool
	err        string // see Fail
	browser    map[string]bool
}

// Declares says what MCP servers of the tab declare as MCP-B's capabilities,
// together with its tools.
func (t *Tab) Declares(browser map[string]bool) {
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	t.browser = browser
	t.tellTools()
}

// OpenTab opens a tab.
func (b *Browser) OpenTab(url string) *Tab {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.open(url)
}

func (b *Browser) open(url string) *Tab {
	b.lastTab++
	t := &Tab{ID: b.lastTab, b: b, url: url, title: "A page", frameDocs: map[int]string{}}
	t.doc = b.newDoc()
	b.tabs = append(b.tabs, t)
	b.send(map[string]any{"type": "tabCreated", "tab": t.info()})
	return t
}

func (b *Browser) newDoc() string {
	b.lastDoc++
	return fmt.Sprintf("D%d", b.lastDoc)
}

func (t *Tab) info() map[string]any {
	m := map[string]any{"id": t.ID, "title": t.title, "url": t.url}
	if !t.b.Plain {
		m["doc"], m["active"], m["windowId"] = t.doc, t.front, 1
	}
	if t.err != "" {
		m["error"] = t.err
	}
	return m
}

func (t *Tab) list() []any {
	list := []any{}
	for _, tool := range t.tools {
		m := map[string]any{"name": tool.Name, "description": tool.Description}
		if tool.InputSchema != "" {
			m["inputSchema"] = json.RawMessage(tool.InputSchema)
		}
		if !t.b.Plain {
			if tool.Runtime != "" {
				m["runtime"] = tool.Runtime
			}
			m["frameId"], m["doc"], m["frameUrl"] = tool.Frame, t.doc, t.url
			if tool.Frame != 0 {
				m["doc"], m["frameUrl"] = t.frameDoc(tool.Frame), fmt.Sprintf("https://frame%d.test/", tool.Frame)
			}
		}
		list = append(list, m)
	}
	return list
}

func (t *Tab) frameDoc(frame int) string {
	if t.frameDocs[frame] == "" {
		t.frameDocs[frame] = t.b.newDoc()
	}
	return t.frameDocs[frame]
}

func (t *Tab) tellTools() {
	m := map[string]any{"type": "toolsChanged", "tabId": t.ID, "doc": t.doc, "tools": t.list()}
	if t.browser != nil {
		m["browser"] = t.browser
	}
	t.b.send(m)
}

// URL is the page's address.
func (t *Tab) URL() string {
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	return t.url
}

// Tools are the names of the tab's tools, as they were registered.
func (t *Tab) Tools() (names []string) {
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	for _, tool := range t.tools {
		names = append(names, tool.Name)
	}
	return names
}

// Doc names the main document.
func (t *Tab) Doc() string {
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	return t.doc
}

// Register adds tools, or replaces those of the same name.
func (t *Tab) Register(tools ...Tool) {
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	for _, tool := range tools {
		t.tools = slices.DeleteFunc(t.tools, func(o Tool) bool { return o.Name == tool.Name && o.Frame == tool.Frame })
		t.tools = append(t.tools, tool)
	}
	t.tellTools()
}

// Unregister takes tools away.
func (t *Tab) Unregister(names ...string) {
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	t.tools = slices.DeleteFunc(t.tools, func(o Tool) bool { return slices.Contains(names, o.Name) })
	t.tellTools()
}

// Navigate gives the tab a new document.
func (t *Tab) Navigate(url string) {
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	t.goTo(url, "")
}

// Fail is [Tab.Navigate] to an address that does not load: the tab shows the
// browser's error page, whose code is err.
func (t *Tab) Fail(url, err string) {
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	t.goTo(url, err)
}

func (t *Tab) goTo(url, err string) {
	t.abandon()
	t.url, t.doc, t.tools, t.frameDocs, t.err = url, t.b.newDoc(), nil, map[int]string{}, err
	t.b.send(map[string]any{"type": "tabUpdated", "tab": t.info()})
}

// NavigateFrame gives an iframe a new document, with the same tools.
func (t *Tab) NavigateFrame(frame int) {
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	t.frameDocs[frame] = t.b.newDoc()
	t.tellTools()
}

// Push changes the address within the document.
func (t *Tab) Push(url string) {
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	t.url = url
	t.b.send(map[string]any{"type": "tabUpdated", "tab": t.info()})
}

// SetTitle changes the title.
func (t *Tab) SetTitle(title string) {
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	t.title = title
	t.b.send(map[string]any{"type": "tabUpdated", "tab": t.info()})
}

// Show is the user's bringing it to the front.
func (t *Tab) Show() {
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	for _, other := range t.b.tabs {
		other.front = other == t
	}
	t.b.send(map[string]any{"type": "tabFocused", "tabId": t.ID, "doc": t.doc, "tools": t.list()})
}

// Close closes the tab.
func (t *Tab) Close() {
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	t.close()
}

func (t *Tab) close() {
	t.abandon()
	t.doc = ""
	t.b.tabs = slices.DeleteFunc(t.b.tabs, func(o *Tab) bool { return o == t })
	t.b.send(map[string]any{"type": "tabClosed", "tabId": t.ID})
}

// abandon ends what runs in the document.
func (t *Tab) abandon() {
	for _, r := range t.b.running {
		if r.tab == t {
			r.cancel()
		}
	}
}
