package find

// compact forgets documents that are kept but neither used nor read ahead, and terms that no document has.
func (x *Index) compact() {
	old, texts := x.vocabulary, make([]string, len(x.postings))
	for text, id := range old.ids {
		texts[id] = text
	}
	moved := make([]docID, len(x.docs))
	var docs []document
	x.byHash = map[uint64]docID{}
	ahead, kept := x.readAhead(), 0
	for i, d := range x.docs {
		moved[i] = -1
		if len(d.in) > 0 || ahead[docID(i)] {
			if len(d.in) == 0 {
				kept++
			}
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
				if len(docs[to].in) > 0 {
					x.live[now[id]]++
				}
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
	x.docs, x.kept = docs, kept
	x.move(moved)
}

// readAhead returns the documents that places will use when the rest is read.
func (x *Index) readAhead() map[docID]bool {
	ahead := map[docID]bool{}
	for _, p := range x.places {
		for _, d := range p.ahead {
			ahead[d] = true
		}
	}
	return ahead
}

// move updates the references to documents whose index has changed.
func (x *Index) move(moved []docID) {
	for said, s := range x.sources {
		x.sources[said] = source{moved[s.doc], s.terms}
	}
	for _, p := range x.places {
		if p.label >= 0 {
			p.label = moved[p.label]
		}
		for i, d := range p.ahead {
			p.ahead[i] = moved[d]
		}
		for i, d := range p.docs {
			p.docs[i] = moved[d]
		}
	}
}
