package records

// Hides says whether what is recorded of documents of these origins may not be told. It
// answers at once. Nil hides nothing.
type Hides func(origins []string) bool

// whose are the origins that a record is of: that of the tab's document, those of the documents
// in its session, and further ones that are known.
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

// origin is that of the document which a request brings, "" for others.
func (r *request) origin() string {
	if r.Type == "document" {
		return Origin(r.URL)
	}
	return ""
}

// Asked says whether a request is recorded that Chrome calls by an id, and if it brings a
// document, of which origin.
func (t *Tab) Asked(cdp string) (document string, recorded bool) {
	if s := t.step(cdp); s != nil {
		return s.value.origin(), true
	}
	return "", false
}

// MessageOf are the origins that a message is of, none if it isn't kept.
func (t *Tab) MessageOf(id int) []string {
	if s := t.messages.get(id); s != nil {
		return t.whose(s.document, s.of)
	}
	return nil
}

// RequestOf are the origins that a request is of with its response, and those of the steps
// that led to it; none if it isn't kept.
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
