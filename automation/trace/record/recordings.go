package record

import (
	"context"
	"slices"
	"sync"

	"webmcphub/automation/page"
	"webmcphub/cdpclient"
	"webmcphub/registry/names"
)

// Recordings are the traces being recorded, by client, and those kept, by browser. The
// zero value has none. Any goroutine may use it.
type Recordings struct {
	mu      sync.Mutex
	places  map[string]*Place
	leaving []*Place // of clients that are gone, until their recordings have ended
	shelves map[*cdpclient.Conn]*Shelf
}

// Place is a client's for one recording, from before it begins until Chrome has ended it.
type Place struct {
	all     *Recordings
	client  string
	running *Running
	over    chan struct{} // closed when it is free
}

// Running is a trace that a client began and has not ended.
type Running struct {
	*Recording
	Page  string         // the tab, as whoever asked for it calls it
	Rules *names.Origins // which sites whoever asked for it may see; nil is all
	Shelf *Shelf         // for its trace
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

// Reserve keeps a client's place for one recording, until [Place.Free]; nil if it is taken.
func (p *Recordings) Reserve(client string) *Place {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.places == nil {
		p.places = map[string]*Place{}
	}
	if p.places[client] != nil {
		return nil
	}
	is := &Place{all: p, client: client, over: make(chan struct{})}
	p.places[client] = is
	return is
}

// Free gives the place back, once; nothing is being recorded there any more.
func (l *Place) Free() {
	l.all.mu.Lock()
	defer l.all.mu.Unlock()
	if l.all.places[l.client] == l {
		delete(l.all.places, l.client)
	}
	close(l.over)
}

func (l *Place) free() bool {
	select {
	case <-l.over:
		return true
	default:
		return false
	}
}

// Start is [Start] once the recordings of all clients that are gone have ended.
func (l *Place) Start(ctx context.Context, p *page.Page, o Options) (*Recording, error) {
	if err := l.all.Ended(ctx); err != nil {
		return nil, err
	}
	return Start(ctx, p, o)
}

// Begin notes the recording in its place, and says whether the client is still there.
func (l *Place) Begin(r *Running) bool {
	l.all.mu.Lock()
	defer l.all.mu.Unlock()
	if l.all.places[l.client] != l {
		return false
	}
	l.running = r
	return true
}

// Take gives a client's recording, if one is begun, to be ended. Its place is the caller's to free
// then.
func (p *Recordings) Take(client string) (*Running, *Place) {
	p.mu.Lock()
	defer p.mu.Unlock()
	is := p.places[client]
	if is == nil || is.running == nil {
		return nil, nil
	}
	r := is.running
	is.running = nil
	return r, is
}

// Forget ends what a client was recording, without waiting for it; see [Recordings.Ended].
func (p *Recordings) Forget(client string) {
	r, taken := p.Take(client)
	p.mu.Lock()
	if is := p.places[client]; is != nil { // what has begun or ends in a call of the client ends with that
		delete(p.places, client)
		p.leaving = append(slices.DeleteFunc(p.leaving, (*Place).free), is)
	}
	p.mu.Unlock()
	if r == nil {
		return
	}
	go func() {
		defer taken.Free()
		r.Abandon()
	}()
}

// Ended waits until the recordings of all forgotten clients have, as Chrome refuses another one
// while it ends one.
func (p *Recordings) Ended(ctx context.Context) error {
	for {
		p.mu.Lock()
		var next *Place
		if len(p.leaving) > 0 {
			next = p.leaving[0]
		}
		p.mu.Unlock()
		if next == nil {
			return nil
		}
		select {
		case <-next.over:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		p.mu.Lock()
		p.leaving = slices.DeleteFunc(p.leaving, (*Place).free)
		p.mu.Unlock()
	}
}

// Lost are the clients whose recording has lost its page. They don't know yet.
func (p *Recordings) Lost() (clients []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for client, is := range p.places {
		if is.running != nil && is.running.page.Err() != nil {
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
	p.shelves, p.places = nil, nil // pages are closed next, and recordings end with them
}
