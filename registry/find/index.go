package find

import (
	"hash/maphash"

	"webmcphub/registry"
	"webmcphub/registry/names"
	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// document has the terms of all tools that say the same, or of all tabs with the same label.
type document struct {
	hash  uint64 // seeded, so that nobody can make two documents collide
	terms []weighted
	name  [][2]termID // the words of a tool's name, each as its stem and its beginning, or twice the stem

	id docID    // its position in Index.docs
	in []*place // the places that have it, as a tool or as their label
}

// docID is a document's position in the index.
type docID int32

// weighted is a term, and how much it weighs in a document.
type weighted struct {
	term   termID
	weight float32
}

// Index is an index of the tools of one catalog. It holds each text once, whatever pages have it. For another catalog
// it is built anew, except the documents of tools that it has read before, because reading texts takes most of the
// time. It belongs to one goroutine.
type Index struct {
	vocabulary
	catalog *registry.Catalog // that the index was built of
	whole   bool              // all its tools have been read
	docs    []*document
	byHash  map[uint64]*document
	sources map[*offer.PageTool]source
	places  []*place
	turn    int // the place that is read first

	seed    maphash.Seed
	content content
	search  scratch
}

// source has the document of a tool, and how many terms of the tool were to be kept.
type source struct {
	doc   *document
	terms int
}

// place is a tab with its tools, or a site with the tools that go to any of its tabs.
type place struct {
	page   registry.PageID // "" for a site
	tab    *registry.Tab   // nil for a site
	site   string          // the host
	listed []*offer.HubTool
	tools  []*offer.HubTool // those that have been read
	read   []*document      // theirs, and then that of the place's label
	docs   []docID          // of the tools
	label  docID
	placeScore
}

// NewIndex returns an empty index.
func NewIndex() *Index {
	return &Index{vocabulary: newVocabulary(), byHash: map[uint64]*document{}, sources: map[*offer.PageTool]source{},
		seed: maphash.MakeSeed()}
}

// Update brings the index to a catalog, and returns whether it has read all tools. It reads about as many tools with
// new texts as most says, or fewer if texts are long. If it has not read all, call Update again with that catalog or a
// later one; until then, Search doesn't find the others. Update never reads again a text that the index has.
func (x *Index) Update(c *registry.Catalog, most int) (whole bool) {
	if c == x.catalog && x.whole {
		return true
	}
	x.catalog, x.whole = c, true
	x.places = placesOf(c)
	docs, sources := map[uint64]*document{}, make(map[*offer.PageTool]source, len(x.sources))
	from := x.turn
	for i := range x.places { // starts elsewhere each time, so that a busy place can't starve others
		at := (from + i) % len(x.places)
		p := x.places[at]
		terms := termsEach(len(p.listed))
		for _, t := range p.listed {
			d := x.read(t, terms, &most)
			if d == nil {
				if x.whole {
					x.whole, x.turn = false, at+1
				}
				continue
			}
			docs[d.hash], sources[t.Source()] = d, source{d, terms}
			p.tools, p.read = append(p.tools, t), append(p.read, d)
		}
		label := x.labelOf(p)
		docs[label.hash] = label
		p.read = append(p.read, label)
	}
	x.byHash, x.sources = docs, sources // forgets what no tool says any more
	x.link()
	return x.whole
}

// placesOf returns a catalog's places in order: first its tabs, then its sites. A site's tools are sorted by name,
// as all tools of sites are.
func placesOf(c *registry.Catalog) []*place {
	all := make([]*place, 0, len(c.Tabs()))
	for _, tab := range c.Tabs() {
		all = append(all, &place{page: tab.Page, tab: tab, site: names.PageHost(tab.URL, tab.Origin), listed: tab.Tools})
	}
	of := map[string]*place{}
	for _, t := range c.SiteTools() {
		p := of[t.SiteTool.Site]
		if p == nil {
			p = &place{site: names.DisplayHost(t.SiteTool.Site)}
			of[t.SiteTool.Site] = p
			all = append(all, p)
		}
		p.listed = append(p.listed, t)
	}
	return all
}

// link numbers the documents, and notes which documents have each term and which places have each document.
func (x *Index) link() {
	clear(x.docs) // so that the slice doesn't keep forgotten documents behind its end
	x.docs = x.docs[:0]
	for _, p := range x.places {
		all := make([]docID, len(p.read))
		for i, d := range p.read {
			all[i] = x.use(d, p)
		}
		p.docs, p.label, p.read = all[:len(all)-1], all[len(all)-1], nil
	}
	x.forgetTerms()
	for i := range x.postings {
		x.postings[i] = x.postings[i][:0]
	}
	for _, d := range x.docs {
		for _, t := range d.terms {
			x.postings[t.term] = append(x.postings[t.term], posting{d.id, t.weight})
		}
	}
}

// use adds a place to those that have a document.
func (x *Index) use(d *document, p *place) docID {
	if at := int(d.id); at >= len(x.docs) || x.docs[at] != d {
		clear(d.in)
		d.id, d.in = docID(len(x.docs)), d.in[:0]
		x.docs = append(x.docs, d)
	}
	d.in = append(d.in, p)
	return d.id
}

// read returns the document of a tool. It reads the tool if its text is new, and returns nil if no more may be read.
func (x *Index) read(t *offer.HubTool, terms int, most *int) *document {
	if s, known := x.sources[t.Source()]; known && s.terms == terms {
		return s.doc
	}
	h := x.hashOf(t, terms)
	if d, known := x.byHash[h]; known {
		return d
	}
	if *most <= 0 {
		return nil
	}
	*most -= 1 + len(t.InputSchema)/manyBytes
	x.content.tool(t, terms)
	return x.document(h)
}

// manyBytes is the size of a schema that takes as much work as another tool.
const manyBytes = 8 << 10

// hashOf returns a hash of everything by which a tool is found.
func (x *Index) hashOf(t *offer.HubTool, terms int) uint64 {
	var h maphash.Hash
	h.SetSeed(x.seed)
	source := t.Source()
	for _, text := range []string{t.Route.Tool, source.Title,
		beginningOf(source.Description, 2*sanitize.MaxDescription)} {
		_, _ = h.WriteString(text)
		_ = h.WriteByte(0)
	}
	_, _ = h.Write(t.InputSchema)
	_ = h.WriteByte(byte(terms))
	return h.Sum64()
}

// labelOf returns the document of a place's label: of its host and its tab's title.
func (x *Index) labelOf(p *place) *document {
	title := ""
	if p.tab != nil {
		title = p.tab.Title
	}
	h := maphash.Comparable(x.seed, [2]string{p.site, title})
	if d, known := x.byHash[h]; known {
		return d
	}
	x.content.label(p.site, title)
	return x.document(h)
}

// document adds a document with the collected terms.
func (x *Index) document(hash uint64) *document {
	d := &document{hash: hash, terms: make([]weighted, len(x.content.order))}
	for i, text := range x.content.order {
		d.terms[i] = weighted{x.id(text), x.content.weight[text]}
	}
	for _, w := range x.content.named {
		is := stem(w.text)
		one := [2]termID{x.id(is), x.id(is)}
		if b := beginnings(w.text); len(b) > 0 {
			one[1] = x.id(b[0])
		}
		d.name = append(d.name, one)
	}
	x.byHash[hash] = d
	return d
}

// forgetTerms forgets the terms that no document has, when they are many.
func (x *Index) forgetTerms() {
	used := make([]bool, len(x.texts))
	n := 0
	use := func(t termID) {
		if !used[t] {
			used[t], n = true, n+1
		}
	}
	for _, d := range x.docs {
		for _, t := range d.terms {
			use(t.term)
		}
		for _, w := range d.name {
			use(w[0])
			use(w[1])
		}
	}
	if len(x.texts) < 2*n+8192 {
		return
	}
	texts := x.texts
	x.vocabulary = newVocabulary()
	for _, d := range x.docs {
		for i, t := range d.terms {
			d.terms[i].term = x.id(texts[t.term])
		}
		for i, w := range d.name {
			d.name[i] = [2]termID{x.id(texts[w[0]]), x.id(texts[w[1]])}
		}
	}
}
