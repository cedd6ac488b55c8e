package registry

import (
	"hash/maphash"
	"slices"
	"strings"
	"sync"
)

// bucketCount splits the name index, so that a change copies one small map
// instead of the whole.
const bucketCount = 256

var bucketSeed = maphash.MakeSeed()

func bucketOf(name string) int { return int(maphash.String(bucketSeed, name) % bucketCount) }

// Catalog is the immutable set of all published tools at one version. Any
// goroutine may read it. What its methods return must not be modified.
type Catalog struct {
	version uint64
	count   int
	buckets [bucketCount]map[string]*HubTool
	tabs    []*Tab
	byPage  map[PageID]*Tab
	browser string
	sorted  func() []*HubTool
}

// EmptyCatalog has no tools and no pages, and version 0.
func EmptyCatalog() *Catalog {
	c := &Catalog{}
	c.sorted = sync.OnceValue(c.sort)
	return c
}

// Version grows with each catalog that a [State] serves.
func (c *Catalog) Version() uint64 { return c.version }

// Len is the number of published tools.
func (c *Catalog) Len() int { return c.count }

// Lookup finds a published tool by its hub name, or returns nil.
func (c *Catalog) Lookup(name string) *HubTool { return c.buckets[bucketOf(name)][name] }

// Tools returns the published tools sorted by name. The order is worked out at
// the first call.
func (c *Catalog) Tools() []*HubTool { return c.sorted() }

// Tabs returns the open pages in index order. Their tools are listed even
// while publishing is switched off.
func (c *Catalog) Tabs() []*Tab { return c.tabs }

// Tab finds an open page, or returns nil.
func (c *Catalog) Tab(p PageID) *Tab { return c.byPage[p] }

// BrowserStatus is empty while Chrome is connected, else a sentence that says
// what the matter is and what to do.
func (c *Catalog) BrowserStatus() string { return c.browser }

func (c *Catalog) sort() []*HubTool {
	all := make([]*HubTool, 0, c.count)
	for _, b := range c.buckets {
		for _, t := range b {
			all = append(all, t)
		}
	}
	slices.SortFunc(all, func(a, b *HubTool) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// next makes the catalog that follows c.
func (c *Catalog) next(withdraw []string, publish []*HubTool, tabs []*Tab, browser string) *Catalog {
	n := &Catalog{version: c.version + 1, count: c.count, buckets: c.buckets, tabs: tabs, browser: browser}
	var own [bucketCount]bool
	bucket := func(name string) map[string]*HubTool {
		i := bucketOf(name)
		if !own[i] {
			own[i] = true
			copied := make(map[string]*HubTool, len(n.buckets[i])+1)
			for k, v := range n.buckets[i] {
				copied[k] = v
			}
			n.buckets[i] = copied
		}
		return n.buckets[i]
	}
	for _, name := range withdraw {
		delete(bucket(name), name)
		n.count--
	}
	for _, t := range publish {
		b := bucket(t.Name)
		if _, had := b[t.Name]; !had {
			n.count++
		}
		b[t.Name] = t
	}
	n.byPage = make(map[PageID]*Tab, len(tabs))
	for _, t := range tabs {
		n.byPage[t.Page] = t
	}
	n.sorted = sync.OnceValue(n.sort)
	return n
}
