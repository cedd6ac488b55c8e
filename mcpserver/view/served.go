package view

import (
	"encoding/json"
	"sync"
	"time"

	"webmcphub/registry"
	"webmcphub/registry/tokencount"
)

// ServedCatalog is a catalog with the results that are serialized from it. Each is made at most once, when the first
// request needs it. Any goroutine may use it.
type ServedCatalog struct {
	Catalog *registry.Catalog
	Reached time.Time      // when the hub last reached a browser again
	List    func() Listing // the list of a client that sees all tabs

	replaced chan struct{} // closed when all clients have been given a newer one
	own      *Own
	mu       sync.Mutex
	others   map[options]*ServedCatalog // the same catalog for clients that see it differently
	exceeds  map[int]bool               // see Exceeds
}

// options say how a client sees a catalog.
type options struct {
	registry.ListOptions
	own *Own
}

// Own holds the hub's own tools, each a whole Tool object, sorted by name.
type Own struct {
	Listed []json.RawMessage // for clients that see all tabs
	Static []json.RawMessage // for the static list, see [Static]
}

// maxListOptions is the number of options for which one catalog is kept. No more processes than that join a hub.
const maxListOptions = 100

// NewServedCatalog returns c as it is to be served, with own as the hub's own tools.
func NewServedCatalog(c *registry.Catalog, own *Own) *ServedCatalog {
	return &ServedCatalog{
		Catalog:  c,
		replaced: make(chan struct{}),
		List:     sync.OnceValue(func() Listing { return NewListing(own.Listed, c.Tools()) }),
		own:      own,
	}
}

// Exceeds reports whether the list of all tools is longer than limit tokens, by estimate.
func (s *ServedCatalog) Exceeds(limit int) bool {
	tools := s.Catalog.Tools()
	if (len(s.own.Listed)+len(tools))*leastTokens > limit {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	is, known := s.exceeds[limit]
	if !known {
		is = tokencount.Exceeds(limit, func(yield func(json.RawMessage) bool) {
			for _, own := range s.own.Listed {
				if !yield(own) {
					return
				}
			}
			for _, t := range tools {
				if !yield(t.Encoded) {
					return
				}
			}
		})
		if s.exceeds == nil || len(s.exceeds) >= maxListOptions {
			s.exceeds = map[int]bool{}
		}
		s.exceeds[limit] = is
	}
	return is
}

// leastTokens is the least that a tool in a list can cost.
const leastTokens = 15

// Next returns what is served after s. A catalog with the same tools (a page's title changed) keeps the list that is
// already serialized. Lists for other options are serialized again when a client asks for them: such a change is not
// announced, so clients rarely do.
func (s *ServedCatalog) Next(c *registry.Catalog) *ServedCatalog {
	next := NewServedCatalog(c, s.own)
	if c.SameTools(s.Catalog) {
		next.List = s.List
	}
	if next.Reached = s.Reached; s.Catalog.BrowserStatus() != "" && c.BrowserStatus() == "" {
		next.Reached = time.Now()
	}
	return next
}

// WithOptions returns the same catalog as a client sees it that has these options and these tools of the hub's own.
func (s *ServedCatalog) WithOptions(list registry.ListOptions, own *Own) *ServedCatalog {
	o := options{list, own}
	if o == (options{own: s.own}) {
		return s
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if other := s.others[o]; other != nil {
		return other
	}
	other := s
	if seen := s.Catalog.WithOptions(list); seen != s.Catalog || own != s.own {
		other = NewServedCatalog(seen, own)
	}
	if s.others == nil {
		s.others = map[options]*ServedCatalog{}
	}
	if len(s.others) < maxListOptions {
		s.others[o] = other
	}
	return other
}
