package records

// Hides says whether to leave out records of documents with these origins. It returns at once. Nil hides nothing.
type Hides func(origins []string) bool

// whose returns the origins to which a record belongs: that of the tab's document, those of the documents in its
// session, and further ones that are known.
func (t *Tab) whose(document int, of []string, further ...string) []string {
	all := append([]string(nil), of...)
	if i := document - t.documents[0].Seq; i >= 0 && i < len(t.documents) {
		further = append(further, Origin(t.documents[i].URL))
	}
	for _, origin := range further {
		if origin != "" {
			all = append(all, origin)
		}
	}
	return all
}

// origin returns the origin of the document that a request brings, or "" for other requests.
func (r *request) origin() string {
	if r.Type == "document" {
		return Origin(r.URL)
	}
	return ""
}

// Asked says whether the request with the given CDP id is recorded. If the request brings a document, Asked returns
// the document's origin.
func (t *Tab) Asked(cdp string) (document string, recorded bool) {
	if s := t.step(cdp); s != nil {
		return s.value.origin(), true
	}
	return "", false
}

// MessageOf returns the origins to which a message belongs, or none if it isn't recorded.
func (t *Tab) MessageOf(id int) []string {
	if s := t.messages.get(id); s != nil {
		return t.whose(s.document, s.of)
	}
	return nil
}

// RequestOf returns the origins to which a request and its response belong, and those of the redirects that led to
// it, or none if it isn't recorded.
func (t *Tab) RequestOf(id int) []string {
	s := t.requests.get(id)
	if s == nil {
		return nil
	}
	all := t.whose(s.document, s.of, Origin(s.value.URL))
	for _, step := range t.Redirects(id) {
		all = append(all, Origin(step.URL))
	}
	return all
}
