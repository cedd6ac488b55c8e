package gateway

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"

	"webmcphub/cluster/api"
	"webmcphub/cluster/mailbox"
	"webmcphub/cluster/pages"
	"webmcphub/cluster/transport"
	"webmcphub/registry/sanitize"
)

// Bounds of a session with a node.
const (
	// beat is how often a node is pinged, and how often it says something at least.
	beat = time.Second
	// maxSilent is after how many beats without a sign of life a node is lost. It is also the number of pings without
	// an answer from which on the node's pages may be out of date.
	maxSilent = 5
	// someBytes are more than a connection brings that no message comes by.
	someBytes = 1 << 10
	// refusal is how long the gateway doesn't dial a node that has sent more than it may.
	refusal = 30 * time.Second
	// firstPause and longestPause bound the time between two tries to reach a node.
	firstPause   = 20 * time.Millisecond
	longestPause = 250 * time.Millisecond
	// refusedPause is how long a gateway waits whose place another one of its name has taken. It bounds the time
	// between two tries with a node that is lost each time before it has answered for so long as steady.
	refusedPause = 5 * time.Second
	steady       = 5 * time.Second
	// lastResults is how long results that are on the way may take when a node ends its connection.
	lastResults = 100 * time.Millisecond
)

// nodeSession holds what the gateway has of one node: a connection, while there is one, and what the node's pages
// offer.
type nodeSession struct {
	*Gateway
	node string
	box  *mailbox.Box[func()] // for run
	over chan struct{}        // closed when run has ended
	stop chan error           // takes once that it is to end: why the node counts as lost, or nil

	conn      atomic.Pointer[conn]     // nil while the node doesn't answer
	why       atomic.Pointer[string]   // why it doesn't
	running   atomic.Int64             // calls under way, but for tabs' pictures
	held      atomic.Int64             // bytes of results that have come in part
	automates atomic.Pointer[[]string] // categories of browser tools, as the node says; nil before it has

	// What follows belongs to run.
	address string
	mirror  *pages.Mirror
	current *conn // the newest connection, be it made already or not; nil between two
	tries   int   // how often in a row it wasn't made
	brief   int   // how often in a row it didn't stay
	retryAt time.Time
	life    life
}

// life is one of a node's, from its start to its end: that of the node that answered last.
type life struct {
	incarnation string
	leaving     string // why it leaves, "" while it stays
	// begins: it hasn't told yet what there is now. Until then the directory keeps hiding what a life that left had
	// offered.
	begins bool
}

// conn is one connection to a node, and the stream by which it tells of its pages.
type conn struct {
	*transport.Conn
	node   api.NodeClient
	cancel context.CancelCauseFunc
	bytes  func() int64          // how many have come from the node
	turn   chan struct{}         // holds a token when what came last has been dealt with
	lost   atomic.Pointer[error] // why it is over; nil before

	// What follows belongs to the session's run, once the node has said hello.
	stream           grpc.BidiStreamingClient[api.WatchRequest, api.WatchResponse]
	incarnation      string // the node's; "" before
	greetedAt        time.Time
	pinged, answered uint64
	silent           int   // beats without a sign of life
	received         int64 // bytes, at the last beat
	heard            bool  // a message has come since
}

func (g *Gateway) newSession(node, address string) (*nodeSession, error) {
	mirror, err := pages.NewMirror(node)
	if err != nil {
		return nil, err
	}
	s := &nodeSession{Gateway: g, node: node, address: address, box: mailbox.New[func()](maxWaiting),
		over: make(chan struct{}), stop: make(chan error, 1), mirror: mirror}
	s.why.Store(new("it has not answered yet"))
	go s.run()
	return s, nil
}

// run owns the session.
func (s *nodeSession) run() {
	defer close(s.over)
	s.connect()
	ticker := time.NewTicker(beat)
	defer ticker.Stop()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		timer.Reset(time.Until(s.next()))
		select {
		case why := <-s.stop:
			if why == nil {
				s.life.leaving = "the gateway lets go of it"
				why = errors.New("the gateway lets go of the node")
			}
			s.disconnect(why)
			s.shows(s.mirror.Drop())
			return
		case <-ticker.C:
			s.beat()
		case <-timer.C:
		case <-s.box.Ready():
			for _, do := range s.box.Take() {
				do()
			}
		}
		s.due(time.Now())
	}
}

// moved says where the node is now.
func (s *nodeSession) moved(address string) {
	if address != s.address {
		s.address, s.tries = address, 0
		s.disconnect(errors.New("it is at another address now"))
		s.retryAt = time.Now()
	}
}

// next is when something is due; far away if nothing is.
func (s *nodeSession) next() time.Time {
	next := time.Now().Add(time.Hour)
	for _, at := range []time.Time{s.retryAt, s.mirror.HideAt()} {
		if !at.IsZero() && at.Before(next) {
			next = at
		}
	}
	return next
}

// due does what is due.
func (s *nodeSession) due(now time.Time) {
	s.shows(s.mirror.Due(now))
	if s.current == nil && !s.retryAt.IsZero() && !now.Before(s.retryAt) {
		s.connect()
	}
}

// connect begins a connection. The node is told what the gateway has, and tells what differs from that.
func (s *nodeSession) connect() {
	ctx, cancel := context.WithCancelCause(s.ctx)
	c := &conn{cancel: cancel, turn: make(chan struct{}, 1)}
	s.current, s.retryAt = c, time.Time{}
	s.mirror.Begin()
	open := &api.WatchRequest_Open{}
	open.Incarnation, open.Version = s.mirror.Has()
	go func() {
		err := s.follow(ctx, c, s.address, open)
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		c.lost.Store(&err)
		s.conn.CompareAndSwap(c, nil)
		if c.Conn != nil {
			if s.ctx.Err() != nil {
				_ = c.Close()
			} else {
				time.AfterFunc(lastResults, func() { _ = c.Close() })
			}
		}
		cancel(nil)
		s.box.Must(func() { s.loses(c, err) })
	}()
}

// follow makes a connection, and passes on what the node tells, until that ends.
func (s *nodeSession) follow(ctx context.Context, c *conn, address string, open *api.WatchRequest_Open) (err error) {
	if c.Conn, err = s.dialer.Dial(s.node, address); err != nil {
		return err
	}
	late := time.AfterFunc(transport.Silence, func() {
		c.cancel(errors.New("nothing was heard of it for too long"))
	})
	defer late.Stop()
	c.bytes = c.Received
	c.node = api.NewNodeClient(c.Conn)
	if c.stream, err = c.node.Watch(ctx); err != nil {
		return err
	}
	if err := c.stream.Send(&api.WatchRequest{Event: &api.WatchRequest_Open_{Open: open}}); err != nil {
		_, err = c.stream.Recv() // which says why
		return err
	}
	first, err := c.stream.Recv()
	if err != nil {
		return err
	}
	hello := first.GetHello()
	if hello.GetIncarnation() == "" || len(hello.GetIncarnation()) > 64 {
		return errors.New("it doesn't say hello as nodes do")
	}
	late.Stop()
	s.box.Must(func() { s.greeted(c, hello) })
	for {
		m, err := c.stream.Recv()
		if err != nil {
			return err
		}
		s.box.Must(func() { s.heard(c, m) })
		select { // what the node says meanwhile waits on the way, and then at the node
		case <-c.turn:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// done says that what came last has been dealt with.
func (c *conn) done() { c.turn <- struct{}{} }

// greeted: the node answers. One that leaves goes on doing so, unless it was started again.
func (s *nodeSession) greeted(c *conn, hello *api.WatchResponse_Hello) {
	if c != s.current {
		return
	}
	c.incarnation, c.greetedAt, s.tries = hello.Incarnation, time.Now(), 0
	if hello.Incarnation != s.life.incarnation {
		s.life = life{incarnation: hello.Incarnation, begins: true}
	}
	s.automates.Store(&hello.Automation)
	s.log.Info("a node answers", "node", s.node, "build", sanitize.Text(hello.Build, 100), "incarnation", hello.Incarnation)
	s.figures.answering.Add(1)
	s.figures.answered.Store(true)
	s.conn.Store(c)
	s.tellLevel()
	s.ping(c)
}

// heard takes what the node says.
func (s *nodeSession) heard(c *conn, m *api.WatchResponse) {
	if c != s.current {
		c.done()
		return
	}
	c.heard = true
	done := c.done
	switch e := m.Event.(type) {
	case *api.WatchResponse_Delta:
		content, changed, left, err := s.mirror.Apply(c.incarnation, e.Delta)
		for _, l := range left {
			s.log.Warn("something that a node tells is not heeded", "node", s.node, "page", l.Page, "why", l.Why)
		}
		if err != nil {
			s.refuse(err)
		} else if changed {
			s.tells(content, done)
			return
		}
	case *api.WatchResponse_Pong_:
		if c.answered = max(c.answered, min(e.Pong.GetSeq(), c.pinged)); c.answered > 0 && !c.slow() {
			if content, changed := s.mirror.Fresh(); changed {
				s.tells(content, done)
				return
			}
		}
	case *api.WatchResponse_Page:
		if s.directory.box.Put(func() { s.directory.passOn(s.node, e.Page, done) }) {
			return
		}
	case *api.WatchResponse_Leaving_:
		s.log.Info("a node is leaving", "node", s.node, "why", sanitize.Text(e.Leaving.GetWhy(), 200))
		s.life.leaving, s.life.begins = e.Leaving.GetWhy(), false
		s.directory.departs(s.node, e.Leaving.GetWhy())
	}
	done()
}

// slow says that what the node has told may be out of date.
func (c *conn) slow() bool { return c.pinged-c.answered >= maxSilent }

// beat pings the node, and notices when it is silent. Bytes that come are a sign of life, too, because a large message
// may take long on a slow connection.
func (s *nodeSession) beat() {
	c := s.current
	if c == nil || c.incarnation == "" {
		return
	}
	received := c.bytes()
	if c.silent++; c.heard || received-c.received > someBytes {
		c.silent = 0
	}
	c.heard, c.received = false, received
	switch {
	case c.silent >= maxSilent:
		s.disconnect(errors.New("nothing was heard of it for too long"))
		s.retry()
		return
	case c.slow():
		s.mirror.HideIn(time.Now(), pages.Behind)
	}
	s.ping(c)
}

func (s *nodeSession) ping(c *conn) {
	c.pinged++
	c.send(&api.WatchRequest{Event: &api.WatchRequest_Ping_{Ping: &api.WatchRequest_Ping{Seq: c.pinged}}})
}

// send tells the node something. If it can't be told the stream is over, which its reader notices.
func (c *conn) send(m *api.WatchRequest) { _ = c.stream.Send(m) }

// shows tells the directory, if the content has changed.
func (s *nodeSession) shows(content pages.Content, changed bool) {
	if changed {
		s.tells(content, func() {})
	}
}

// tells tells the directory what there is now, and calls taken when the tenants know.
func (s *nodeSession) tells(c pages.Content, taken func()) {
	s.directory.box.Must(func() { s.directory.takes(s.node, c, taken) })
	if s.life.begins {
		s.life.begins = false
		s.directory.departs(s.node, "")
	}
}

// refuse disconnects from a node because of what it has sent, hides its pages, and dials it again only after a while.
func (s *nodeSession) refuse(why error) {
	s.log.Warn("something that a node tells is not heeded", "node", s.node, "why",
		fmt.Sprintf("the node is not heeded for %v: %v", refusal, why))
	s.disconnect(fmt.Errorf("it is refused: %w", why))
	s.shows(s.mirror.Drop())
	s.retryAt = time.Now().Add(refusal)
}

// disconnect ends the connection, if there is one.
func (s *nodeSession) disconnect(why error) {
	if c := s.current; c != nil {
		c.cancel(why)
		s.loses(c, why)
	}
}

// loses: a connection is over. The mirror decides how long the node's pages stay, and the calls under way end by
// themselves.
func (s *nodeSession) loses(c *conn, why error) {
	if c != s.current {
		return
	}
	s.current = nil
	s.conn.Store(nil)
	text := transport.Reason(why)
	s.why.Store(new("it was lost: " + text))
	if c.incarnation != "" {
		s.figures.answering.Add(-1)
		if s.life.leaving == "" {
			s.figures.lost.Add(1)
		}
		s.log.Warn("a node was lost", "node", s.node, "why", text, "requests under way", s.running.Load())
		s.mirror.HideIn(time.Now(), pages.Lost)
		if s.brief++; time.Since(c.greetedAt) >= steady {
			s.brief = 0
		}
	} else if s.tries == 0 {
		s.log.Info("a node can't be reached", "node", s.node, "why", text)
	}
	s.retry()
	if _, refused := transport.Refusal(why); refused {
		s.log.Error("a node refuses this gateway", "node", s.node, "why", text)
		s.retryAt = time.Now().Add(refusedPause)
	}
}

// retry has the node be dialled again, soon.
func (s *nodeSession) retry() {
	pause := min(firstPause<<min(s.tries, 8), longestPause)
	s.retryAt = time.Now().Add(max(pause, min(firstPause<<min(s.brief, 8), refusedPause)))
	s.tries++
}
