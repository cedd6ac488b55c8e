package find

import (
	"cmp"
	"container/heap"
	"slices"
	"strings"
	"unicode"
)

// candidate is a tool that may be found.
type candidate struct {
	score float32
	cover float32 // see Found.Covered
	doc   docID
	place int32 // index in Index.places
	at    int32 // index in the place's tools
}

// sameTool identifies tools of one site that say the same.
type sameTool struct {
	doc  docID
	site string
}

// choose returns the best candidates, with one for all tools of a site that say the same, and how many candidates
// there are in all. best is the highest score.
func (x *Index) choose(cs []candidate, best float32, q Query) (found []Found, total int) {
	cs = slices.DeleteFunc(cs, func(c candidate) bool { return c.score < best*tail })
	total = len(cs)
	for most := 4*q.Limit + 16; ; most *= 4 {
		first := x.first(cs, most, q)
		for i := range first {
			first[i].score *= 1 + named*x.named(first[i].doc)
		}
		slices.SortFunc(first, x.compare(q))
		found = x.merged(first, q)
		if len(found) == q.Limit || len(first) == len(cs) {
			break
		}
	}
	x.also(cs, found)
	return found, total
}

// first returns at most most candidates, the best first.
func (x *Index) first(cs []candidate, most int, q Query) []candidate {
	compare := x.compare(q)
	h := firsts{after: func(a, b candidate) bool { return compare(a, b) > 0 }}
	for _, c := range cs {
		if len(h.all) < most {
			heap.Push(&h, c)
		} else if c.score >= h.all[0].score && h.after(h.all[0], c) {
			h.all[0] = c
			heap.Fix(&h, 0)
		}
	}
	return h.all
}

// compare returns the order of candidates.
func (x *Index) compare(q Query) func(a, b candidate) int {
	return func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(x.second(a, q), x.second(b, q)),
			cmp.Compare(a.place, b.place), cmp.Compare(a.at, b.at))
	}
}

// firsts is a heap whose top is the worst of the best candidates.
type firsts struct {
	all   []candidate
	after func(a, b candidate) bool
}

func (h *firsts) Len() int           { return len(h.all) }
func (h *firsts) Less(i, j int) bool { return h.after(h.all[i], h.all[j]) }
func (h *firsts) Swap(i, j int)      { h.all[i], h.all[j] = h.all[j], h.all[i] }
func (h *firsts) Push(c any)         { h.all = append(h.all, c.(candidate)) }
func (h *firsts) Pop() any {
	last := h.all[len(h.all)-1]
	h.all = h.all[:len(h.all)-1]
	return last
}

// merged keeps the first of the candidates that say the same on one site. For a mixed query, it moves a site's tools
// beyond [MaxOfSite] behind the first [MixedFirst].
func (x *Index) merged(cs []candidate, q Query) (found []Found) {
	at, of := map[sameTool]bool{}, map[string]int{}
	var later []Found
	for _, c := range cs {
		p := x.places[c.place]
		k := sameTool{c.doc, p.site}
		if at[k] {
			continue
		}
		at[k] = true
		f := Found{Tool: p.tools[c.at], Tab: p.tab, Site: p.site, Score: c.score, Covered: c.cover, doc: c.doc}
		if of[p.site]++; q.Mixed && of[p.site] > MaxOfSite && len(found) < MixedFirst && !x.names(q.Text, p) {
			later = append(later, f)
			continue
		}
		if len(found) == MixedFirst && len(later) > 0 {
			found, later = append(found, later...), nil
		}
		found = append(found, f)
	}
	found = append(found, later...)
	return found[:min(len(found), q.Limit)]
}

// names reports whether a query names a place's site: by the host, or by the host's main part. The main part counts
// only if nothing on another site has that word, because a site can choose its host so that queries name it.
func (x *Index) names(query string, p *place) bool {
	query = strings.ToLower(query)
	host := strings.TrimPrefix(p.site, "www.")
	if host == "" || strings.Contains(query, host) {
		return host != ""
	}
	labels := strings.Split(host, ".")
	name := labels[max(0, len(labels)-2)]
	if !slices.Contains(strings.FieldsFunc(query, func(r rune) bool { return r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }), name) {
		return false
	}
	for _, has := range x.has(name) {
		for _, in := range x.docs[has.doc].in {
			if in.site != p.site {
				return false
			}
		}
	}
	return true
}

// also adds to each found tool the other tools of its site that say the same.
func (x *Index) also(cs []candidate, found []Found) {
	of := map[docID]bool{}
	for _, f := range found {
		of[f.doc] = true
	}
	for _, c := range cs {
		if !of[c.doc] {
			continue
		}
		p := x.places[c.place]
		for i := range found {
			if f := &found[i]; f.doc == c.doc && f.Site == p.site && f.Tool != p.tools[c.at] {
				f.Also = append(f.Also, p.tools[c.at])
			}
		}
	}
}

// second returns 0 for a tool in the user's tab, and 1 for any other.
func (x *Index) second(c candidate, q Query) int {
	if q.Front != "" && x.places[c.place].page == q.Front {
		return 0
	}
	return 1
}
