package wire

import "context"

// family links a request to the request that it is a part of, and to its own parts.
type family struct {
	part  *Request          // the whole request; nil if it is whole itself; set before it begins
	parts map[*Request]bool // the parts that are not done
}

// Part begins a part of a request that is being answered: one of several steps that the client asked for at once. A
// part has a context, a time limit and a document that it asks of its own. Progress, questions to the client and the
// answer are those of the whole request. When the part is done, and before the whole request is answered, the caller
// calls [Conn.PartOver]. A part of a part is a part of the whole request.
func (c *Conn) Part(of *Request) *Request {
	whole := of.Whole()
	p := &Request{ID: whole.ID, family: family{part: whole}}
	p.Ctx, p.Cancel = context.WithCancelCause(of.Ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	if whole.parts == nil {
		whole.parts = map[*Request]bool{}
	}
	whole.parts[p] = true
	return p
}

// PartOver reports that a part is done.
func (c *Conn) PartOver(p *Request) {
	c.mu.Lock()
	delete(p.part.parts, p)
	c.mu.Unlock()
	p.Cancel(nil)
}

// Whole returns the request that r is a part of, or r itself.
func (r *Request) Whole() *Request {
	if r.part != nil {
		return r.part
	}
	return r
}

// From notes the name that the sender of r gives itself, because several clients may use one connection. It must be
// called before r is carried out.
func (r *Request) From(client string) { r.of = client }

// Of returns the name that the sender of r, or of the whole request, gives itself. It returns "" if that is the name
// with which the connection was initialized.
func (r *Request) Of() string {
	if r == nil {
		return ""
	}
	return r.Whole().of
}

// asking visits r and its parts. mu must be held.
func (r *Request) asking(visit func(of *Request)) {
	visit(r)
	for p := range r.parts {
		visit(p)
	}
}
