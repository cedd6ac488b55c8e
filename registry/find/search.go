package find

import (
	"math/bits"
	"slices"

	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// Query says what is looked for.
type Query struct {
	Text string
	// Limit is how many tools are found at most.
	Limit int
	// Place says whether a tab may have what is found; tab is nil, and site is told, for
	// tools that go to any tab of a site. Nil is all.
	Place func(tab *registry.Tab, site string) bool
	// Front is the user's tab, or "".
	Front registry.PageID
	// Recent are tools of pages that were used, by the pages' names for them, and how
	// recently, from 0 to 1.
	Recent map[registry.PageID]map[string]float32
	Plain  Plain
}

// Found is a tool that was found.
type Found struct {
	Tool  *offer.HubTool
	Tab   *registry.Tab // nil of a tool of a site
	Site  string        // the host
	Score float32       // only to be compared with others' of the same answer
	// Also are the tools of the same site that say the same, in other tabs.
	Also []*offer.HubTool

	doc docID
}

// The parameters of the ranking.
const (
	saturation = 1.2  // k1 of BM25
	ofLabel    = 0.45 // what words of a tab count for its tools
	ofSite     = 0.4  // what words of a tab's other tools count
	uncovered  = 0.4  // what is left of the score of a tool that has none of the words
	besides    = 0.2  // how far a word is covered that only other tools of the tab have
	named      = 0.5  // what it adds to the score that the query has all words of a tool's name
	asksFor    = 1.2  // how much nearer than they are synonyms come to a name's words
	favour     = 0.02 // of the user's tab, and of what was used
	tail       = 0.12 // of the best score: what is below it is not found
)

// scratch is what a search needs, kept for the next one. Scores are zero in between.
type scratch struct {
	docs       []docScore // by document
	touched    []docID
	any        []docID // of all words
	candidates []candidate
	asked      map[termID]float32 // how near the query's words come to terms
	places     []*place           // that have one of the words
	now        []*place           // likewise, of the word that is being weighed
}

// docScore is what the words of a document are worth. All of it is used at once, so it lies
// side by side.
type docScore struct {
	score float32
	best  float32 // of the word that is being weighed
	has   uint32  // the query's words
}

// placeScore is what the words of a tab and of all its tools together are worth.
type placeScore struct {
	now   float32 // of the word that is being weighed
	score float32
	has   uint32 // the query's words
}

// maxPostings is how many postings one search reads: the rarer words first. It bounds its time.
const maxPostings = 400_000

// Search finds the tools of the catalog that the index was brought to last, the best
// first: of equals those in the user's tab and those that were used, then in the order of tabs.
// With an empty query it finds all tools. total is how many there are without
// Limit, each tab's tools counted.
func (x *Index) Search(q Query) (found []Found, total int) {
	groups := x.groups(q.Text, q.Plain)
	if len(groups) == 0 && q.Text != "" {
		return nil, 0
	}
	weights, all := x.weigh(groups)
	defer x.reset()
	cs := x.search.candidates[:0]
	best := float32(0)
	for order, p := range x.places {
		if p.label < 0 || q.Place != nil && !q.Place(p.tab, p.site) {
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
			score := is.score + around
			if all > 0 {
				score *= uncovered + (1-uncovered)*(covered(weights, has)+besides*covered(weights, site.has&^has))/all
			}
			if front {
				score *= 1 + favour
			}
			if recent != nil {
				score *= 1 + favour*recent[p.tools[i].Route.Tool]
			}
			if score < best*tail {
				continue // nothing makes the best worse
			}
			best = max(best, score)
			cs = append(cs, candidate{score: score, doc: d, place: int32(order), at: int32(i)})
		}
	}
	x.search.candidates = cs
	return x.choose(cs, best, q)
}

// named says how much of a tool's name is asked for, from 0 to 1.
func (x *Index) named(d docID) float32 {
	has, all := float32(0), float32(0)
	for _, w := range x.docs[d].name {
		weight := rarity(x.live[w[0]], len(x.docs)-x.kept)
		all += weight
		has += weight * max(x.search.asked[w[0]], x.search.asked[w[1]])
	}
	if all == 0 {
		return 0
	}
	return has / all
}

// covered is the weight of a query's words that are there.
func covered(weights []float32, has uint32) (sum float32) {
	for ; has != 0; has &= has - 1 {
		sum += weights[bits.TrailingZeros32(has)]
	}
	return sum
}

// weigh gives documents their scores by a query's words. weights are those of the words,
// and all is their sum.
func (x *Index) weigh(groups []group) (weights []float32, all float32) {
	s := &x.search
	if n := len(x.docs); len(s.docs) < n {
		s.docs = make([]docScore, n+n/4)
	}
	weights = make([]float32, len(groups))
	s.asked = map[termID]float32{}
	for _, g := range groups {
		for _, c := range g.choices {
			if id, known := x.ids[c.text]; known {
				s.asked[id] = max(s.asked[id], min(1, c.like*asksFor))
			}
		}
	}
	left := maxPostings
	for _, g := range x.rarest(groups) {
		n := 0
		for _, c := range groups[g].choices {
			postings, _ := x.has(c.text)
			n += len(postings)
		}
		if left -= n; left < 0 {
			break
		}
		weights[g] = x.weighGroup(groups[g], uint32(1)<<g)
		all += weights[g]
	}
	return weights, all
}

// rarest are the groups' numbers, those first that fewest documents have.
func (x *Index) rarest(groups []group) []int {
	order, n := make([]int, len(groups)), make([]int, len(groups))
	for i, g := range groups {
		order[i] = i
		for _, c := range g.choices {
			_, live := x.has(c.text)
			n[i] += live
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return n[a] - n[b] })
	return order
}

// weighGroup adds to documents' scores what the best of a group's choices that they have is
// worth, and gives what it can be worth.
func (x *Index) weighGroup(g group, bit uint32) (most float32) {
	s := &x.search
	for _, c := range g.choices {
		postings, live := x.has(c.text)
		if live == 0 {
			continue
		}
		worth := rarity(live, len(x.docs)-x.kept) * c.like * g.weight
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

// weighPlaces adds to tabs' scores what a word that any of their tools has is worth for the
// others: the subject that a site has need not be named by each of its tools. A word that
// most tabs have says nothing.
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
