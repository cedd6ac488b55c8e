package automation

// Presence has the clients whose calls are being carried out. Its user guards it.
type Presence map[string]*present

type present struct {
	calls int
	gone  bool // Gone was called meanwhile
}

// Enter notes that a call of a client begins.
func (p Presence) Enter(client string) {
	if p[client] == nil {
		p[client] = &present{}
	}
	p[client].calls++
}

// Leave notes that a call has ended, and says whether nothing of its client is left: no other is
// under way, and either the client is gone or this was its last.
func (p Presence) Leave(client string, last bool) (over bool) {
	is := p[client]
	is.calls--
	if is.calls > 0 {
		return false
	}
	delete(p, client)
	return last || is.gone
}

// Gone notes that a client is gone, should calls of it still be under way.
func (p Presence) Gone(client string) {
	if is := p[client]; is != nil {
		is.gone = true
	}
}
