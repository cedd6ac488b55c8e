package registry

import (
	"maps"
	"slices"
	"strings"
)

// ExtensionBrowser is the name for the browsers that connect by their extension, in a hub whose other browsers have
// names.
const ExtensionBrowser = "extension"

// NamedBrowser is a browser of a hub that has several.
type NamedBrowser struct {
	Name   string   `json:"name"`
	Labels []string `json:"labels,omitempty"` // other words by which agents may ask for it
}

// Browser is a named browser with its status.
type Browser struct {
	NamedBrowser
	Status string // a sentence for the agent; "" while it is connected
}

// Same reports whether both are equal.
func (b Browser) Same(o Browser) bool {
	return b.Name == o.Name && b.Status == o.Status && slices.Equal(b.Labels, o.Labels)
}

// BrowserStates holds the status of all browsers that were reported. The zero value knows none. It is immutable.
type BrowserStates struct {
	named     []NamedBrowser
	status    map[string]string // by name; "" is the browser without a name
	extension *string           // nil if no event has reported extensions
}

// With returns the states with one browser's status changed. It changes nothing if no browser has that name, such as
// one that was removed.
func (s BrowserStates) With(name, status string) BrowserStates {
	if name != "" && s.place(name) < 0 {
		return s
	}
	s.status = maps.Clone(s.status)
	if s.status == nil {
		s.status = map[string]string{}
	}
	s.status[name] = status
	return s
}

// WithExtension returns the states with the status of the browsers that connect by their extension.
func (s BrowserStates) WithExtension(status string) BrowserStates {
	s.extension = &status
	return s
}

// Of returns the states of these browsers, in that order. Known browsers keep their status.
func (s BrowserStates) Of(named []NamedBrowser) BrowserStates {
	now := BrowserStates{named: named, status: map[string]string{}, extension: s.extension}
	for name, status := range s.status {
		if name == "" || now.place(name) >= 0 {
			now.status[name] = status
		}
	}
	return now
}

func (s BrowserStates) place(name string) int {
	return slices.IndexFunc(s.named, func(n NamedBrowser) bool { return n.Name == name })
}

// Text returns the status of all browsers together, for agents; "" while any browser is connected. The text begins
// with the extension if one is expected, because its browser is the one that the user means.
func (s BrowserStates) Text() string {
	var ailing []string
	add := func(status string) (well bool) {
		ailing = append(ailing, status)
		return status == ""
	}
	if s.extension != nil && add(*s.extension) {
		return ""
	}
	if status, known := s.status[""]; known && add(status) {
		return ""
	}
	for _, n := range s.named {
		status := s.statusOf(n.Name)
		if status == "" {
			return ""
		}
		ailing = append(ailing, n.Name+": "+status)
	}
	if s.named != nil && len(s.named) == 0 {
		ailing = append(ailing, none)
	}
	return strings.Join(ailing, "; ")
}

const (
	// notConnectedYet is the status of a browser that no event has reported yet.
	notConnectedYet = "not connected yet; try again in a moment"
	// none is the status of a hub that has no browser, or of a gateway whose nodes have none.
	none = "there is no browser yet; the user can add one"
)

func (s BrowserStates) statusOf(name string) string {
	status, known := s.status[name]
	if !known {
		return notConnectedYet
	}
	return status
}

// Browsers returns the browsers of a hub that has several, in order. If extensions are expected, they come last as
// one browser. Browsers returns nil if the hub has one browser.
func (s BrowserStates) Browsers() []Browser {
	if s.named == nil {
		return nil
	}
	all := make([]Browser, 0, len(s.named)+1)
	for _, n := range s.named {
		all = append(all, Browser{n, s.statusOf(n.Name)})
	}
	if s.extension != nil {
		all = append(all, Browser{NamedBrowser{Name: ExtensionBrowser}, *s.extension})
	}
	return all
}
