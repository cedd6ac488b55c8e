package find

import (
	"hash/maphash"
	"slices"

	"webmcphub/registry"
	"webmcphub/registry/names"
	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// docID is a document's position in the index.
type docID int32

// document has the terms of all tools that say the same, or of all tabs with the same label.
type document struct {
	hash  uint64 // seeded, so that nobody can make two documents collide
	terms []termID
	name  [][2]termID // the words of a tool's name, each as its stem and its beginning, or twice the stem
	in    []*place    // the places that have it, as a tool or as their label
}

// source is the document of a tool, and how many terms of the tool were to be kept.
type source struct {
	doc   docID
	terms int
}

// label is what a tab is found by besides its tools.
type label struct{ host, title string }

// Index is an index of the tools of one catalog after another. It holds each text once, whatever pages have it, and
// moves from one catalog to the next by their differences. It belongs to one goroutine.
type Index struct {
	vocabulary
	docs    []document
	byHash  map[uint64]docID
	sources map[*offer.PageTool]source // of the tools that exist now
	places  []*place
	byPage  map[registry.PageID]*place
	bySite  map[string]*place
	kept    int // unused documents
	turn    int // the place that is read first

	seed    maphash.Seed
	content content
	search  scratch
}

// place is a tab with its tools, or a site with the tools that go to any of its tabs.
type place struct {
	page   registry.PageID // "" for a site
	origin string          // of a site
	tab    *registry.Tab   // as it was last read; nil for a site
	site   string          // the host
	tools  []*offer.HubTool
	docs   []docID // of the tools
	terms  int     // how many are kept of each tool, see termsEach
	label  docID   // -1 before it has one
	said   label
	seen   bool             // in the catalog that is being read
	coming []*offer.HubTool // the tools that are being read
	ahead  []docID          // of the first of them that differ from tools
	placeScore
}

// NewIndex returns an empty index.
func NewIndex() *Index {
	return &Index{vocabulary: newVocabulary(), byHash: map[uint64]docID{}, sources: map[*offer.PageTool]source{},
		byPage: map[registry.PageID]*place{}, bySite: map[string]*place{}, seed: maphash.MakeSeed()}
}

// statement is what the catalog says about a place.
type statement struct {
	place *place
	tab   *registry.Tab // nil for a site
	tools []*offer.HubTool
}

// Update brings the index to a catalog, or nearer to it. It reads about most tools with new texts, or fewer if they
// are long, and returns whether the index is up to date. If not, call Update again with that catalog or a later one;
// until then places have the tools that were read of them last. Update never reads a text again that the index has.
func (x *Index) Update(c *registry.Catalog, most int) (there bool) {
	for _, p := range x.places {
		p.seen = false
	}
	all := x.statements(c)
	there = true
	from := x.turn
	for i := range all { // start at another place each time, so that a place that changes all the time can't starve the others
		at := (from + i) % len(all)
		if !x.read(all[at], &most) && there {
			there, x.turn = false, at+1
		}
	}
	for _, p := range x.places {
		if !p.seen {
			x.drop(p)
		}
	}
	x.places = make([]*place, len(all))
	ahead := 0 // read, to be used when the rest is read
	for i, a := range all {
		x.places[i] = a.place
		ahead += len(a.place.ahead)
	}
	if useless := x.kept - ahead; useless > 1024 && useless > len(x.docs)/2 {
		x.compact()
	}
	return there
}

// statements returns a catalog's places in order: first its tabs, then its sites. A site's tools are sorted by name,
// as all routed tools are.
func (x *Index) statements(c *registry.Catalog) []statement {
	all := make([]statement, 0, len(c.Tabs()))
	for _, tab := range c.Tabs() {
		p := x.byPage[tab.Page]
		if p == nil {
			p = &place{page: tab.Page, label: -1, terms: maxTerms}
			x.byPage[tab.Page] = p
		}
		p.seen = true
		all = append(all, statement{p, tab, tab.Tools})
	}
	at := map[string]int{}
	for _, t := range c.Routed() {
		site := t.Routed.Site
		i, known := at[site]
		if !known {
			p := x.bySite[site]
			if p == nil {
				p = &place{origin: site, label: -1, terms: maxTerms, site: names.DisplayHost(site)}
				x.bySite[site] = p
			}
			p.seen = true
			i, at[site] = len(all), len(all)
			all = append(all, statement{place: p})
		}
		all[i].tools = append(all[i].tools, t)
	}
	return all
}

// read brings one place to what the catalog says about it.
func (x *Index) read(a statement, most *int) bool {
	p := a.place
	if a.tab == nil {
		if !slices.Equal(p.tools, a.tools) && !x.fill(p, a.tools, most) {
			return false
		}
		x.labeled(p, label{host: p.site})
		return true
	}
	if p.tab == a.tab {
		return true
	}
	if !x.fill(p, a.tools, most) {
		return false
	}
	p.tab, p.site = a.tab, names.PageHost(a.tab.URL, a.tab.Origin)
	x.labeled(p, label{p.site, a.tab.Title})
	return true
}

// fill gives a place its tools. If it would have to read too many, it only remembers how far it came.
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
	if !slices.Equal(p.coming, tools) {
		p.coming, p.ahead = tools, nil
	}
	for i, t := range tools[same : len(tools)-end] {
		if i < len(p.ahead) {
			docs[same+i] = p.ahead[i]
			continue
		}
		d, ok := x.docOf(t, terms, most)
		if !ok {
			return false
		}
		docs[same+i] = d
		p.ahead = append(p.ahead, d)
	}
	p.coming, p.ahead = nil, nil
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

// alike returns how many tools two lists have in common at their beginning, and at the end of the rest.
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

// docOf returns the document of a tool, which it reads if it is new.
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
	*most -= 1 + len(t.InputSchema)/manyBytes
	x.content.tool(t, terms)
	return x.document(h), true
}

// manyBytes is the size of a schema that takes as much work as another tool.
const manyBytes = 8 << 10

// hashOf returns a hash of everything by which a tool is found.
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

// document adds a document with the collected terms. It is not used yet.
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

// use records that a place uses a document; a place may use one several times.
func (x *Index) use(id docID, p *place) {
	d := &x.docs[id]
	if d.in = append(d.in, p); len(d.in) == 1 {
		x.kept--
		x.count(id, 1)
	}
}

// unuse reverses one use.
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

// count changes, for each term of a document, how many used documents have it.
func (x *Index) count(d docID, more int) {
	for _, t := range x.docs[d].terms {
		x.live[t] += more
	}
}

// forget removes a place's tools, except beginning ones at the start and end ones at the end.
func (x *Index) forget(p *place, beginning, end int) {
	for i := beginning; i < len(p.docs)-end; i++ {
		x.unuse(p.docs[i], p)
		delete(x.sources, p.tools[i].Source())
	}
}

// drop removes a place that no longer exists.
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
