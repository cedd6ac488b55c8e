package find

import (
	"hash/maphash"
	"slices"

	"webmcphub/registry"
	"webmcphub/registry/names"
	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// docID is a document's place in the index.
type docID int32

// document is what is said of tools that say the same, or of tabs with the same label.
type document struct {
	hash  uint64 // nobody who doesn't know the seed can make two alike
	terms []termID
	name  [][2]termID // the words of a tool's name: each its stem, and what it begins with or the stem again
	in    []*place    // that have it: as a tool, or as their label
}

// source is the document of a tool, and how many terms were to be kept of it.
type source struct {
	doc   docID
	terms int
}

// label is what a tab is found by besides its tools.
type label struct{ host, title string }

// Index is an index of the tools of one catalog after another. It holds each text that
// tools share once, whatever page has it, and is brought from one catalog to the next by
// what differs. It belongs to one goroutine.
type Index struct {
	vocabulary
	docs    []document
	byHash  map[uint64]docID
	sources map[*offer.PageTool]source // of the tools that are there
	places  []*place
	byPage  map[registry.PageID]*place
	bySite  map[string]*place
	kept    int // documents without use

	seed    maphash.Seed
	content content
	search  scratch
}

// place is a tab with its tools, or a site with those that go to any tab of it.
type place struct {
	page   registry.PageID // "" of a site
	origin string          // of a site
	tab    *registry.Tab   // as it was read; nil of a site
	site   string          // the host
	tools  []*offer.HubTool
	docs   []docID // of the tools
	terms  int     // that are kept of each, see termsEach
	label  docID   // -1 before it has one
	said   label
	seen   bool // in the catalog that is being read
	placeScore
}

// NewIndex is an index of nothing.
func NewIndex() *Index {
	return &Index{vocabulary: newVocabulary(), byHash: map[uint64]docID{}, sources: map[*offer.PageTool]source{},
		byPage: map[registry.PageID]*place{}, bySite: map[string]*place{}, seed: maphash.MakeSeed()}
}

// Update brings the index to a catalog. It reads at most so many tools that say something
// new, and gives whether it is there; if not it is to be called again, with that catalog or
// a later one. What the index had read already it need not read again.
func (x *Index) Update(c *registry.Catalog, most int) (there bool) {
	for _, p := range x.places {
		p.seen = false
	}
	places := make([]*place, 0, len(c.Tabs()))
	for _, tab := range c.Tabs() {
		p := x.byPage[tab.Page]
		if p == nil {
			p = &place{page: tab.Page, label: -1, terms: maxTerms}
			x.byPage[tab.Page] = p
			x.places = append(x.places, p)
		}
		if p.tab != tab {
			if !x.fill(p, tab.Tools, &most) {
				return false
			}
			p.tab, p.site = tab, names.PageHost(tab.URL, tab.Origin)
			x.labeled(p, label{p.site, tab.Title})
		}
		p.seen = true
		places = append(places, p)
	}
	sites, ok := x.updateSites(c.Routed(), &most)
	if !ok {
		return false
	}
	places = append(places, sites...)
	for _, p := range x.places {
		if !p.seen {
			x.drop(p)
		}
	}
	x.places = places
	if x.kept > 1024 && x.kept > len(x.docs)/2 {
		x.compact()
	}
	return true
}

// updateSites brings the tools of sites up to date, which are sorted by name and so are
// those of a site.
func (x *Index) updateSites(routed []*offer.HubTool, most *int) (places []*place, ok bool) {
	if len(routed) == 0 {
		return nil, true
	}
	of := map[string][]*offer.HubTool{}
	var order []string
	for _, t := range routed {
		if of[t.Routed.Site] == nil {
			order = append(order, t.Routed.Site)
		}
		of[t.Routed.Site] = append(of[t.Routed.Site], t)
	}
	for _, site := range order {
		p := x.bySite[site]
		if p == nil {
			p = &place{origin: site, label: -1, terms: maxTerms, site: names.DisplayHost(site)}
			x.bySite[site] = p
			x.places = append(x.places, p)
		}
		if !slices.Equal(p.tools, of[site]) && !x.fill(p, of[site], most) {
			return nil, false
		}
		x.labeled(p, label{host: p.site})
		p.seen = true
		places = append(places, p)
	}
	return places, true
}

// fill gives a place its tools. It changes nothing if it would have to read too many.
func (x *Index) fill(p *place, tools []*offer.HubTool, most *int) bool {
	if len(tools) == len(p.tools) && (len(tools) == 0 || &tools[0] == &p.tools[0]) {
		return true
	}
	terms := termsEach(len(tools), p.terms)
	same, end := 0, 0 // at the beginning, and at the end
	if terms == p.terms {
		same, end = alike(p.tools, tools)
	}
	docs := slices.Concat(p.docs[:same], make([]docID, len(tools)-same-end), p.docs[len(p.docs)-end:])
	for i, t := range tools[same : len(tools)-end] {
		d, ok := x.docOf(t, terms, most)
		if !ok {
			return false
		}
		docs[same+i] = d
	}
	for _, d := range docs[same : len(docs)-end] {
		x.use(d, p)
	}
	x.forget(p, same, end)
	for i := same; i < len(tools)-end; i++ {
		x.sources[tools[i].Source()] = source{docs[i], terms}
	}
	p.tools, p.docs, p.terms = tools, docs, terms
	return true
}

// alike says how many tools two lists have in common at their beginning, and at the end of
// the rest.
func alike(a, b []*offer.HubTool) (beginning, end int) {
	n := min(len(a), len(b))
	for beginning < n && a[beginning] == b[beginning] {
		beginning++
	}
	for end < n-beginning && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	return beginning, end
}

// docOf is what a tool says, which is read if it is new.
func (x *Index) docOf(t *offer.HubTool, terms int, most *int) (docID, bool) {
	said := t.Source()
	if s, known := x.sources[said]; known && s.terms == terms {
		return s.doc, true
	}
	h := x.hashOf(t, terms)
	if d, known := x.byHash[h]; known {
		return d, true
	}
	if *most <= 0 {
		return 0, false
	}
	*most--
	x.content.tool(t, terms)
	return x.document(h), true
}

// hashOf is a hash of all by which a tool is found.
func (x *Index) hashOf(t *offer.HubTool, terms int) uint64 {
	var h maphash.Hash
	h.SetSeed(x.seed)
	said := t.Source()
	for _, text := range []string{t.Route.Tool, said.Title, beginningOf(said.Description, 2*sanitize.MaxDescription)} {
		_, _ = h.WriteString(text)
		_ = h.WriteByte(0)
	}
	_, _ = h.Write(t.InputSchema)
	_ = h.WriteByte(byte(terms))
	return h.Sum64()
}

// document adds one, which has the terms that have been collected. It is not used yet.
func (x *Index) document(hash uint64) docID {
	id := docID(len(x.docs))
	d := document{hash: hash, terms: make([]termID, len(x.content.order))}
	for i, text := range x.content.order {
		t := x.id(text)
		d.terms[i] = t
		x.postings[t] = append(x.postings[t], posting{id, x.content.weight[text]})
	}
	for _, w := range x.content.named {
		is := stem(w.text)
		one := [2]termID{x.id(is), x.id(is)}
		if b := beginnings(w.text); len(b) > 0 {
			one[1] = x.id(b[0])
		}
		d.name = append(d.name, one)
	}
	x.docs = append(x.docs, d)
	x.byHash[hash] = id
	x.kept++
	return id
}

// labeled gives a place its label.
func (x *Index) labeled(p *place, l label) {
	if p.label >= 0 && p.said == l {
		return
	}
	h := maphash.Comparable(x.seed, l)
	d, known := x.byHash[h]
	if !known {
		x.content.label(l.host, l.title)
		d = x.document(h)
	}
	x.use(d, p)
	if p.label >= 0 {
		x.unuse(p.label, p)
	}
	p.label, p.said = d, l
}

// use says that a place has a document, once more if it has it already.
func (x *Index) use(id docID, p *place) {
	d := &x.docs[id]
	if d.in = append(d.in, p); len(d.in) == 1 {
		x.kept--
		x.count(id, 1)
	}
}

// unuse takes that back.
func (x *Index) unuse(id docID, p *place) {
	d := &x.docs[id]
	last := len(d.in) - 1
	d.in[slices.Index(d.in, p)] = d.in[last]
	d.in[last] = nil
	if d.in = d.in[:last]; last == 0 {
		x.kept++
		x.count(id, -1)
	}
}

// count says that so many more documents with the terms of this one are used.
func (x *Index) count(d docID, more int) {
	for _, t := range x.docs[d].terms {
		x.live[t] += more
	}
}

// forget takes a place's tools away, but for so many at the beginning and at the end.
func (x *Index) forget(p *place, beginning, end int) {
	for i := beginning; i < len(p.docs)-end; i++ {
		x.unuse(p.docs[i], p)
		delete(x.sources, p.tools[i].Source())
	}
}

// drop takes a place away that is no more.
func (x *Index) drop(p *place) {
	x.forget(p, 0, 0)
	if p.label >= 0 {
		x.unuse(p.label, p)
	}
	if p.origin != "" {
		delete(x.bySite, p.origin)
	} else {
		delete(x.byPage, p.page)
	}
}

// compact forgets what is only kept, and the words that nothing has.
func (x *Index) compact() {
	old, texts := x.vocabulary, make([]string, len(x.postings))
	for text, id := range old.ids {
		texts[id] = text
	}
	moved := make([]docID, len(x.docs))
	var docs []document
	x.byHash = map[uint64]docID{}
	for i, d := range x.docs {
		moved[i] = -1
		if len(d.in) > 0 {
			moved[i] = docID(len(docs))
			x.byHash[d.hash] = moved[i]
			docs = append(docs, d)
		}
	}
	x.vocabulary = newVocabulary()
	now := make([]termID, len(texts))
	for id, text := range texts {
		now[id] = -1
		for _, p := range old.postings[id] {
			if to := moved[p.doc]; to >= 0 {
				if now[id] < 0 {
					now[id] = x.id(text)
				}
				x.postings[now[id]] = append(x.postings[now[id]], posting{to, p.weight})
				x.live[now[id]]++
			}
		}
	}
	for i := range docs {
		for j, t := range docs[i].terms {
			docs[i].terms[j] = now[t]
		}
		for j, w := range docs[i].name {
			docs[i].name[j] = [2]termID{now[w[0]], now[w[1]]}
		}
	}
	x.docs, x.kept = docs, 0
	for said, s := range x.sources {
		x.sources[said] = source{moved[s.doc], s.terms}
	}
	for _, p := range x.places {
		p.label = moved[p.label]
		for i, d := range p.docs {
			p.docs[i] = moved[d]
		}
	}
}
