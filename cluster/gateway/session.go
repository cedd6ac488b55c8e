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

// Limits of a session with a node.
const (
	// beat is how often the gateway pings a node, and the longest time between two messages of the node.
	beat = time.Second
	// maxSilent is the number of beats without a sign of life after which a node is lost. If that many pings have no
	// answer, the node's pages may be out of date.
	maxSilent = 5
	// someBytes is more than what arrives during a beat on a connection without messages.
	someBytes = 1 << 10
	// refusal is how long the gateway doesn't dial a node that has sent more than it may.
	refusal = 30 * time.Second
	// firstPause and longestPause bound the time between two tries to reach a node.
	firstPause   = 20 * time.Millisecond
	longestPause = 250 * time.Millisecond
	// refusedPause is the pause before the next try if a node refuses this gateway, because another one has the same
	// name. It is also the longest pause if a node is lost again and again before it has answered for steady.
	refusedPause = 5 * time.Second
	steady       = 5 * time.Second
	// lastResults is how long a connection stays open for results on their way after the node's stream has ended.
	lastResults = 100 * time.Millisecond
)

// nodeSession holds what the gateway has of one node: the connection, while there is one, and the mirror of the node's
// pages.
type nodeSession struct {
	*Gateway
	node string
	box  *mailbox.Box[func()] // for run
	over chan struct{}        // closed when run has ended
	stop chan error           // ends the session; takes one value: why the node counts as lost, or nil

	conn      atomic.Pointer[conn]     // nil while the node doesn't answer
	why       atomic.Pointer[string]   // why the node doesn't answer
	running   atomic.Int64             // running requests, except for tabs' pictures
	held      atomic.Int64             // bytes of results that have only come in part
	automates atomic.Pointer[[]string] // categories of browser tools that the node has reported; nil before that

	// What follows belongs to run.
	address string
	mirror  *pages.Mirror
	current *conn // the newest connection, which may not be made yet; nil between two connections
	tries   int   // how many tries in a row failed
	brief   int   // how many connections in a row were lost within steady
	retryAt time.Time
	life    life
}

// life is one run of the node's process: the one that answered last.
type life struct {
	incarnation string
	leaving     string // why it leaves; "" while it stays
	// begins says that it hasn't sent its pages yet. Until then the directory keeps hiding the pages of an earlier
	// life that left.
	begins bool
}

// conn is one connection to a node, and the stream on which the node sends its pages.
type conn struct {
	*transport.Conn
	node   api.NodeClient
	cancel context.CancelCauseFunc
	bytes  func() int64          // how many bytes have come from the node
	turn   chan struct{}         // holds a token when the last message has been handled
	lost   atomic.Pointer[error] // why the connection is over; nil before that

	// What follows belongs to the session's run, once the node has sent its hello.
	stream           grpc.BidiStreamingClient[api.WatchRequest, api.WatchResponse]
	incarnation      string // the node's; "" before its hello
	greetedAt        time.Time
	pinged, answered uint64
	silent           int   // beats without a sign of life
	received         int64 // how many bytes had come at the last beat
	heard            bool  // a message has come since the last beat
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
				s.life.leaving = "the gateway drops the node"
				why = errors.New("the gateway drops the node")
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

// moved sets the node's address. If the address is new, it ends the connection.
func (s *nodeSession) moved(address string) {
	if address != s.address {
		s.address, s.tries = address, 0
		s.disconnect(errors.New("the node has another address now"))
		s.retryAt = time.Now()
	}
}

// next returns the time at which something is due, or a time in an hour.
func (s *nodeSession) next() time.Time {
	next := time.Now().Add(time.Hour)
	for _, at := range []time.Time{s.retryAt, s.mirror.HideAt()} {
		if !at.IsZero() && at.Before(next) {
			next = at
		}
	}
	return next
}

// due hides content and retries the connection when their times have come.
func (s *nodeSession) due(now time.Time) {
	s.shows(s.mirror.Due(now))
	if s.current == nil && !s.retryAt.IsZero() && !now.Before(s.retryAt) {
		s.connect()
	}
}

// connect begins a connection. The gateway sends which version of the pages it has, and the node sends what differs.
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

// follow makes a connection, and passes the node's messages to run until the connection ends.
func (s *nodeSession) follow(ctx context.Context, c *conn, address string, open *api.WatchRequest_Open) (err error) {
	if c.Conn, err = s.dialer.Dial(s.node, address); err != nil {
		return err
	}
	late := time.AfterFunc(transport.Silence, func() {
		c.cancel(errors.New("the node sent nothing for too long"))
	})
	defer late.Stop()
	c.bytes = c.Received
	c.node = api.NewNodeClient(c.Conn)
	if c.stream, err = c.node.Watch(ctx); err != nil {
		return err
	}
	if err := c.stream.Send(&api.WatchRequest{Event: &api.WatchRequest_Open_{Open: open}}); err != nil {
		_, err = c.stream.Recv() // its error says why
		return err
	}
	first, err := c.stream.Recv()
	if err != nil {
		return err
	}
	hello := first.GetHello()
	if hello.GetIncarnation() == "" || len(hello.GetIncarnation()) > 64 {
		return errors.New("the node sent no valid hello")
	}
	late.Stop()
	s.box.Must(func() { s.greeted(c, hello) })
	for {
		m, err := c.stream.Recv()
		if err != nil {
			return err
		}
		s.box.Must(func() { s.heard(c, m) })
		select { // further messages wait on the connection, and then at the node
		case <-c.turn:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// done reports that the last message has been handled.
func (c *conn) done() { c.turn <- struct{}{} }

// greeted handles a node's hello. If the node was leaving, it still is, unless it was started again.
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

// heard handles a message of the node.
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
			s.log.Warn("something that a node sent is ignored", "node", s.node, "page", l.Page, "why", l.Why)
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

// slow says whether the node's pages may be out of date.
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
		s.disconnect(errors.New("the node sent nothing for too long"))
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

// send sends the node a message. It ignores errors: the stream is over then, and its reader notices.
func (c *conn) send(m *api.WatchRequest) { _ = c.stream.Send(m) }

// shows passes the content to the directory, if it has changed.
func (s *nodeSession) shows(content pages.Content, changed bool) {
	if changed {
		s.tells(content, func() {})
	}
}

// tells passes the content to the directory, which calls taken when the tenants have it.
func (s *nodeSession) tells(c pages.Content, taken func()) {
	s.directory.box.Must(func() { s.directory.takes(s.node, c, taken) })
	if s.life.begins {
		s.life.begins = false
		s.directory.departs(s.node, "")
	}
}

// refuse disconnects from a node because of what it has sent, hides its pages, and dials it again only after a while.
func (s *nodeSession) refuse(why error) {
	s.log.Warn("something that a node sent is ignored", "node", s.node, "why",
		fmt.Sprintf("the node is ignored for %v: %v", refusal, why))
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

// loses handles the end of a connection. The mirror decides how long the node's pages stay. Running calls end by
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

// retry sets the time of the next try.
func (s *nodeSession) retry() {
	pause := min(firstPause<<min(s.tries, 8), longestPause)
	s.retryAt = time.Now().Add(max(pause, min(firstPause<<min(s.brief, 8), refusedPause)))
	s.tries++
}
