package registry

import (
	"maps"
	"slices"
	"strings"
)

// Extension is what the browsers that come by their extension are called beside others
// that have names.
const ExtensionBrowser = "extension"

// Named is a browser of a hub that has several.
type NamedBrowser struct {
	Name   string   `json:"name"`
	Labels []string `json:"labels,omitempty"` // other words by which agents may ask for it
}

// Browser is one of them, and how it stands.
type Browser struct {
	NamedBrowser
	Status string // a sentence for the agent; "" while it is connected
}

// Same says that nothing differs.
func (b Browser) Same(o Browser) bool {
	return b.Name == o.Name && b.Status == o.Status && slices.Equal(b.Labels, o.Labels)
}

// Standing says how all browsers stand that were told of. The zero value knows none.
type BrowserStates struct {
	named     []NamedBrowser
	status    map[string]string // by name: "" is the browser without one
	extension *string           // nil if nobody told of extensions
}

// With is the standing with one browser's status. A name that no browser has, as that of
// one that was taken away, changes nothing.
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

// WithExtension is the standing with that of the browsers that come by their extension.
func (s BrowserStates) WithExtension(status string) BrowserStates {
	s.extension = &status
	return s
}

// Of is the standing of these browsers, in that order. Those that were known keep their
// status.
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

// Text is what to tell agents of all browsers together: "" while any is connected. It
// begins with the extension where one is expected: its browser is the one that the user
// means.
func (s BrowserStates) Text() string {
	var ailing []string
	add := func(status string) (well bool) {
		ailing = append(ailing, status)
		return status == ""
	}
	if s.extension != nil && add(*s.extension) {
		return ""
	}
	if status, told := s.status[""]; told && add(status) {
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
	// unheard is the status of a browser that has yet to be told of.
	unheard = "not connected yet; try again in a moment"
	// none is that of a hub that has no browser, or of a gateway whose nodes have none.
	none = "there is no browser yet; the user can add one"
)

func (s BrowserStates) statusOf(name string) string {
	status, told := s.status[name]
	if !told {
		return unheard
	}
	return status
}

// Browsers are those of a hub that has several, in their order, with those of the
// extension as the last one if any are expected; nil if the hub has one.
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
