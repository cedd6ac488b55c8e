package record

import (
	"sync"

	"webmcphub/cdpclient"
)

// Recordings are the traces being recorded, by client, and those kept, by browser. The
// zero value has none. Any goroutine may use it.
type Recordings struct {
	mu      sync.Mutex
	running map[string]*Running
	shelves map[*cdpclient.Conn]*Shelf
}

// Running is a trace that a client began and has not ended.
type Running struct {
	*Recording
	Page  string // the tab, as whoever asked for it calls it
	Shelf *Shelf // for its trace
}

// Shelf is where the traces of a browser are kept, and lets go of those of browsers
// that are gone.
func (p *Recordings) Shelf(conn *cdpclient.Conn) *Shelf {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c, s := range p.shelves {
		select {
		case <-c.Done():
			delete(p.shelves, c)
			s.Close()
		default:
		}
	}
	s := p.shelves[conn]
	if s == nil {
		s = NewShelf(conn)
		if p.shelves == nil {
			p.shelves = map[*cdpclient.Conn]*Shelf{}
		}
		p.shelves[conn] = s
	}
	return s
}

// Reserve keeps a client's place for one recording, until Free or Take; false if it is
// taken.
func (p *Recordings) Reserve(client string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.running == nil {
		p.running = map[string]*Running{}
	}
	if _, taken := p.running[client]; taken {
		return false
	}
	p.running[client] = nil
	return true
}

func (p *Recordings) Free(client string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.running, client)
}

// Begin notes the recording of a client that has reserved its place, and says whether
// the client is still there.
func (p *Recordings) Begin(client string, r *Running) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, reserved := p.running[client]; !reserved {
		return false
	}
	p.running[client] = r
	return true
}

// Take gives a client's recording and frees its place, or gives nil if none is begun.
func (p *Recordings) Take(client string) *Running {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.running[client]
	if r != nil {
		delete(p.running, client)
	}
	return r
}

// Forget ends what a client was recording, without waiting for it. It calls then once Chrome has
// ended it, so that the next can begin.
func (p *Recordings) Forget(client string, then func()) {
	r := p.Take(client)
	p.Free(client)
	if r == nil {
		then()
		return
	}
	go func() {
		r.Abandon()
		then()
	}()
}

// Lost are the clients whose recording has lost its page. They don't know yet.
func (p *Recordings) Lost() (clients []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for client, r := range p.running {
		if r != nil && r.page.Err() != nil {
			clients = append(clients, client)
		}
	}
	return clients
}

// Close ends all.
func (p *Recordings) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.shelves {
		s.Close()
	}
	p.shelves, p.running = nil, nil // pages are closed next, and recordings end with them
}
