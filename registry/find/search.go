package find

import (
	"math/bits"
	"slices"

	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// Query says what to look for, and where.
type Query struct {
	Text string
	// Limit is the largest number of tools to return.
	Limit int
	// Place reports whether tools of a tab, or of a site, may be found. tab is nil, and site is set, for tools that
	// go to any tab of a site. Nil allows all.
	Place func(tab *registry.Tab, site string) bool
	// Front is the user's tab, or "".
	Front registry.PageID
	// Recent has tools that were used, by their pages and the pages' names for them. The value says how recently,
	// from 0 to 1.
	Recent map[registry.PageID]map[string]float32
	// Mixed keeps one site from filling the answer: of a site that Text doesn't name, at most [MaxOfSite] tools are
	// among the first [MixedFirst].
	Mixed bool
	Plain Plain
}

// See [Query].Mixed.
const (
	MaxOfSite  = 2
	MixedFirst = 5
)

// Found is a tool that was found.
type Found struct {
	Tool  *offer.HubTool
	Tab   *registry.Tab // nil for a tool of a site
	Site  string        // the host
	Score float32       // comparable only within one answer
	// Covered is the share of the query's words that the tool and its tab have, from 0 to 1. Rare words count more, and
	// words that no tool has count like the rarest.
	Covered float32
	// Also has the tools of the same site that say the same, in other tabs.
	Also []*offer.HubTool

	doc docID
}

// These are the parameters of the ranking.
const (
	saturation = 1.2  // k1 of BM25
	ofLabel    = 0.45 // how much words of a tab count for its tools
	ofSite     = 0.4  // how much words of a tab's other tools count
	uncovered  = 0.4  // what is left of the score of a tool that has none of the words
	besides    = 0.2  // how far a word counts as covered that only other tools of the tab have
	named      = 0.5  // bonus if the query has all words of a tool's name
	asksFor    = 1.2  // how much closer synonyms count when they come to a name's words
	favour     = 0.02 // bonus for the user's tab, and for what was used
	tail       = 0.12 // of the best score: tools below that are not found
)

// scratch has buffers of a search that are kept for the next one. Scores are zero between searches.
type scratch struct {
	docs       []docScore // by document
	touched    []docID
	any        []docID // of all words
	candidates []candidate
	closeness  map[termID]float32 // how close the query's words come to terms
	places     []*place           // places that have one of the words
	now        []*place           // places that have the word that is being weighed
}

// docScore is the score of a document. Its fields are used together, so they are stored together.
type docScore struct {
	score float32
	best  float32 // of the word that is being weighed
	has   uint32  // the query's words that it has
}

// placeScore is the score of the words of a tab and of all its tools together.
type placeScore struct {
	now   float32 // of the word that is being weighed
	score float32
	has   uint32 // the query's words that it has
}

// maxPostings is how many postings one search reads, those of rarer words first. It limits the search's time.
const maxPostings = 400_000

// Search finds tools of the catalog that the index was last updated to, the best first. Of equally good ones, tools in
// the user's tab and recently used tools come first, then the order is that of the tabs. An empty query finds all
// tools. total is how many tools there are without Limit; the same tool of several tabs counts several times.
func (x *Index) Search(q Query) (found []Found, total int) {
	groups, unknown := x.groups(q.Text, q.Plain)
	if len(groups) == 0 && q.Text != "" {
		return nil, 0
	}
	weights, all := x.weigh(groups)
	defer x.reset()
	whole := all + float32(unknown)*rarity(1, len(x.docs))
	cs := x.search.candidates[:0]
	best := float32(0)
	for order, p := range x.places {
		if q.Place != nil && !q.Place(p.tab, p.site) {
			continue
		}
		site := p.placeScore
		label := x.search.docs[p.label]
		around := label.score*ofLabel + site.score*ofSite
		front, recent := q.Front != "" && p.page == q.Front, q.Recent[p.page]
		for i, d := range p.docs {
			is := &x.search.docs[d]
			has := is.has | label.has
			if has == 0 && len(groups) > 0 {
				continue
			}
			score, cover := is.score+around, float32(1)
			if all > 0 {
				has := covered(weights, has) + besides*covered(weights, site.has&^has)
				score *= uncovered + (1-uncovered)*has/all
				cover = min(1, has/whole)
			}
			if front {
				score *= 1 + favour
			}
			if recent != nil {
				score *= 1 + favour*recent[p.tools[i].Route.Tool]
			}
			if score < best*tail {
				continue // nothing below can make it good enough
			}
			best = max(best, score)
			cs = append(cs, candidate{score: score, cover: cover, doc: d, place: int32(order), at: int32(i)})
		}
	}
	x.search.candidates = cs
	return x.choose(cs, best, q)
}

// named returns how much of a tool's name the query asks for, from 0 to 1.
func (x *Index) named(d docID) float32 {
	has, all := float32(0), float32(0)
	for _, w := range x.docs[d].name {
		weight := rarity(len(x.postings[w[0]]), len(x.docs))
		all += weight
		has += weight * max(x.search.closeness[w[0]], x.search.closeness[w[1]])
	}
	if all == 0 {
		return 0
	}
	return has / all
}

// covered returns the weight of the query's words in has.
func covered(weights []float32, has uint32) (sum float32) {
	for ; has != 0; has &= has - 1 {
		sum += weights[bits.TrailingZeros32(has)]
	}
	return sum
}

// weigh scores documents by a query's words. weights are the words' weights, and all is their sum.
func (x *Index) weigh(groups []group) (weights []float32, all float32) {
	s := &x.search
	if n := len(x.docs); len(s.docs) < n {
		s.docs = make([]docScore, n+n/4)
	}
	weights = make([]float32, len(groups))
	s.closeness = map[termID]float32{}
	for _, g := range groups {
		for _, c := range g.choices {
			if id, known := x.ids[c.text]; known {
				s.closeness[id] = max(s.closeness[id], min(1, c.like*asksFor))
			}
		}
	}
	left := maxPostings
	for _, g := range x.rarest(groups) {
		n := 0
		for _, c := range groups[g].choices {
			n += len(x.has(c.text))
		}
		if left -= n; left < 0 {
			break
		}
		weights[g] = x.weighGroup(groups[g], uint32(1)<<g)
		all += weights[g]
	}
	return weights, all
}

// rarest returns the groups' numbers, the rarest first.
func (x *Index) rarest(groups []group) []int {
	order, n := make([]int, len(groups)), make([]int, len(groups))
	for i, g := range groups {
		order[i] = i
		for _, c := range g.choices {
			n[i] += len(x.has(c.text))
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return n[a] - n[b] })
	return order
}

// weighGroup adds to documents' scores the value of the best choice of the group that each has. It returns the
// largest possible value.
func (x *Index) weighGroup(g group, bit uint32) (most float32) {
	s := &x.search
	for _, c := range g.choices {
		postings := x.has(c.text)
		if len(postings) == 0 {
			continue
		}
		worth := rarity(len(postings), len(x.docs)) * c.like * g.weight
		most = max(most, worth)
		for _, p := range postings {
			d := &s.docs[p.doc]
			if d.best == 0 {
				s.touched = append(s.touched, p.doc)
			}
			d.best = max(d.best, worth*p.weight*(saturation+1)/(p.weight+saturation))
		}
	}
	x.weighPlaces(bit)
	for _, doc := range s.touched {
		d := &s.docs[doc]
		if d.has == 0 {
			s.any = append(s.any, doc)
		}
		d.score += d.best
		d.has |= bit
		d.best = 0
	}
	s.touched = s.touched[:0]
	return most
}

// weighPlaces adds to tabs' scores what a word of any of their tools is worth for the others, because not every tool
// of a site names the site's subject. A word that most tabs have says nothing.
func (x *Index) weighPlaces(bit uint32) {
	s := &x.search
	for _, d := range s.touched {
		best := s.docs[d].best
		for _, p := range x.docs[d].in {
			worth := best
			if p.label == d {
				worth *= ofLabel
			}
			if p.now == 0 {
				s.now = append(s.now, p)
			}
			p.now = max(p.now, worth)
		}
	}
	tells := rarity(len(s.now), len(x.places)) / rarity(1, len(x.places))
	for _, p := range s.now {
		if p.has == 0 {
			s.places = append(s.places, p)
		}
		p.score += p.now * tells
		p.has |= bit
		p.now = 0
	}
	s.now = s.now[:0]
}

func (x *Index) reset() {
	s := &x.search
	for _, d := range s.any {
		s.docs[d] = docScore{}
	}
	for _, p := range s.places {
		p.placeScore = placeScore{}
	}
	clear(s.places)
	s.any, s.places = s.any[:0], s.places[:0]
}
