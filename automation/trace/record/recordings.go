package record

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"webmcphub/automation/page"
	"webmcphub/cdpclient"
	"webmcphub/registry/names"
)

// Recordings has the traces that are being recorded, by client, and those that are kept, by browser. The zero value
// is ready to use. Any goroutine may use it.
type Recordings struct {
	mu     sync.Mutex
	places []*Place // also those of clients that are gone, until their recordings have ended
	traces map[*cdpclient.Conn]*Traces
}

// Place is a client's place for one recording, from before it begins until Chrome has ended it.
type Place struct {
	all          *Recordings
	client, name string
	trace        string // see [Recordings.Reserve]
	since        time.Time
	running      *Running
	gone         bool          // the client is gone
	over         chan struct{} // closed when the place is free
}

// Running is a recording that a client began and has not ended.
type Running struct {
	*Recording
	Page   string         // the tab, as the caller names it
	Rules  *names.Origins // which sites the client may see; nil means all
	Traces *Traces        // where its trace is kept
}

// Traces returns the traces of a browser. It also removes those of browsers that are gone.
func (p *Recordings) Traces(conn *cdpclient.Conn) *Traces {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c, s := range p.traces {
		if c.Err() != nil {
			delete(p.traces, c)
			s.Close()
		}
	}
	s := p.traces[conn]
	if s == nil {
		s = NewTraces(conn)
		if p.traces == nil {
			p.traces = map[*cdpclient.Conn]*Traces{}
		}
		p.traces[conn] = s
	}
	return s
}

// Reserve keeps a client's place for one recording until [Place.Free]. name is the client's name as shown to other
// agents, and trace names the trace of one browser, which only one client at a time can record. The error says who
// records already. A recording that has lost its page only keeps its own client from recording.
func (p *Recordings) Reserve(client, name, trace string) (*Place, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.of(client) != nil {
		return nil, errors.New("you are recording a trace already; performance_stop_trace ends it")
	}
	for _, other := range p.places {
		lost := other.gone || other.running != nil && other.running.page.Err() != nil
		if other.trace == trace && !lost {
			return nil, fmt.Errorf("%s is in use by another client, %s, for %v now. Try again once that has ended", trace,
				other.name, time.Since(other.since).Round(time.Second))
		}
	}
	is := &Place{all: p, client: client, name: name, trace: trace, since: time.Now(), over: make(chan struct{})}
	p.places = append(p.places, is)
	return is, nil
}

// Free gives the place back. It is called once, when nothing is being recorded there any more.
func (l *Place) Free() {
	l.all.mu.Lock()
	defer l.all.mu.Unlock()
	l.all.places = slices.DeleteFunc(l.all.places, func(other *Place) bool { return other == l })
	close(l.over)
}

// of returns the place of a client that isn't gone, or nil. The caller holds mu.
func (p *Recordings) of(client string) *Place {
	for _, is := range p.places {
		if is.client == client && !is.gone {
			return is
		}
	}
	return nil
}

// Start calls [Start] once the recordings of all clients that are gone have ended.
func (l *Place) Start(ctx context.Context, p *page.Page, o Options) (*Recording, error) {
	if err := l.all.Ended(ctx); err != nil {
		return nil, err
	}
	return Start(ctx, p, o)
}

// Begin puts the recording into its place, and says whether the client is still there.
func (l *Place) Begin(r *Running) bool {
	l.all.mu.Lock()
	defer l.all.mu.Unlock()
	if l.all.of(l.client) != l {
		return false
	}
	l.running = r
	return true
}

// Take returns a client's recording, if one has begun, for the caller to end. The caller then frees the place.
func (p *Recordings) Take(client string) (*Running, *Place) {
	p.mu.Lock()
	defer p.mu.Unlock()
	is := p.of(client)
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
	if is := p.of(client); is != nil { // a recording that a call is beginning or ending ends with that call
		is.gone = true
	}
	p.mu.Unlock()
	if r != nil {
		go func() {
			defer taken.Free()
			r.Abandon()
		}()
	}
}

// Ended waits until the recordings of all forgotten clients have ended, because Chrome refuses to begin another one
// before.
func (p *Recordings) Ended(ctx context.Context) error {
	for {
		p.mu.Lock()
		at := slices.IndexFunc(p.places, func(l *Place) bool { return l.gone })
		if at < 0 {
			p.mu.Unlock()
			return nil
		}
		over := p.places[at].over
		p.mu.Unlock()
		select {
		case <-over:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Close closes the traces of all browsers.
func (p *Recordings) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.traces {
		s.Close()
	}
	p.traces, p.places = nil, nil // pages are closed next, and recordings end with them
}
