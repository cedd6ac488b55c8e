package wire

import "context"

// family are the request that one is a part of, and those that are parts of it.
type family struct {
	part  *Request          // nil of a whole one; set before it begins
	parts map[*Request]bool // those that go on
}

// Part begins a part of a request that is being answered: a step of several that the
// client asked for at once. It has a context, a time limit and a document that it asks of
// its own; progress, questions to the client and the answer are the whole request's. The
// caller calls [Conn.PartOver] once it is done, before the request is answered. A part of
// a part is one of the request.
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

// PartOver says that a part is done.
func (c *Conn) PartOver(p *Request) {
	c.mu.Lock()
	delete(p.part.parts, p)
	c.mu.Unlock()
	p.Cancel(nil)
}

// Whole is the request that r is a part of, or r itself.
func (r *Request) Whole() *Request {
	if r.part != nil {
		return r.part
	}
	return r
}

// From notes how the client calls itself that sends r: over one connection that may be
// several. It must be called before r is carried out.
func (r *Request) From(client string) { r.of = client }

// Of is how the client calls itself that sent r, or the request that it is a part of; "" if
// it is the one that the connection was introduced as.
func (r *Request) Of() string {
	if r == nil {
		return ""
	}
	return r.Whole().of
}

// asking visits what is asked on behalf of r and of its parts. mu must be held.
func (r *Request) asking(visit func(of *Request)) {
	visit(r)
	for p := range r.parts {
		visit(p)
	}
}
