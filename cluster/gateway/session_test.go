package gateway

import (
	"errors"
	"log/slog"
	"testing"
	"time"

	"google.golang.org/grpc"

	"webmcphub/cluster/api"
	"webmcphub/cluster/mailbox"
	"webmcphub/cluster/pages"
)

// pings is a stream that notes the pings that are sent.
type pings struct {
	grpc.BidiStreamingClient[api.WatchRequest, api.WatchResponse]
	last uint64
}

func (p *pings) Send(m *api.WatchRequest) error {
	p.last = m.GetPing().GetSeq()
	return nil
}

// talking is a session whose node has said hello and shows a page, without goroutines.
func talking(t *testing.T) (*nodeSession, *conn, *pings, *int64) {
	t.Helper()
	mirror, err := pages.NewMirror("one")
	if err != nil {
		t.Fatal(err)
	}
	g := &Gateway{log: slog.New(slog.DiscardHandler), levels: map[*tenantServer]string{}}
	g.directory = newDirectory(g)
	s := &nodeSession{Gateway: g, node: "one", box: mailbox.New[func()](maxWaiting), mirror: mirror}
	p, bytes := &pings{}, new(int64)
	c := &conn{cancel: func(error) {}, turn: make(chan struct{}, 1000), stream: p, bytes: func() int64 { return *bytes }}
	s.current = c
	s.greeted(c, &api.WatchResponse_Hello{Incarnation: "n1"})
	s.heard(c, &api.WatchResponse{Event: &api.WatchResponse_Delta{Delta: &api.Delta{Version: 1, Pages: []*api.Page{{Id: "p", Info: &api.PageInfo{}}}}}})
	if len(g.directory.box.Take()) != 0 {
		t.Error("the page is shown before it is known to be new")
	}
	pong(s, c, p.last)
	if s.mirror.Page("one/p") == nil {
		t.Fatal("the page isn't shown")
	}
	return s, c, p, bytes
}

func pong(s *nodeSession, c *conn, seq uint64) {
	s.heard(c, &api.WatchResponse{Event: &api.WatchResponse_Pong_{Pong: &api.WatchResponse_Pong{Seq: seq}}})
}

// A node that says nothing, and of which no bytes come, is lost; what it showed is hidden soon after.
func TestSilentNode(t *testing.T) {
	s, c, _, bytes := talking(t)
	var why error
	c.cancel = func(err error) { why = err }
	s.beat() // it was heard since the last
	for range maxSilent - 1 {
		*bytes += someBytes / 2 // as gRPC's own pings bring
		s.beat()
	}
	if s.current != c {
		t.Fatal("it is lost too soon")
	}
	if s.beat(); s.current != nil || why == nil || s.conn.Load() != nil || s.retryAt.IsZero() || s.mirror.HideAt().IsZero() {
		t.Errorf("it is not lost: %v", why)
	}
	if s.shows(s.mirror.Due(time.Now().Add(pages.Lost))); s.mirror.Page("one/p") != nil {
		t.Error("its page is still shown")
	}
}

// While bytes come, a node isn't lost, however slow the way is; but what it shows is hidden when that may be out of
// date, until it is known to be new again.
func TestSlowWay(t *testing.T) {
	s, c, p, bytes := talking(t)
	asked := p.last
	for i := range 3 * maxSilent {
		*bytes += 16 << 10
		if s.beat(); (i >= maxSilent) != !s.mirror.HideAt().IsZero() && i != maxSilent-1 {
			t.Fatalf("after %d beats it is to be hidden at %v", i, s.mirror.HideAt())
		}
	}
	s.due(time.Now().Add(pages.Behind))
	if s.current != c || s.mirror.Page("one/p") != nil {
		t.Error("it is lost, or shown")
	}
	if pong(s, c, asked+1); s.mirror.Page("one/p") != nil {
		t.Error("what is as old as that is shown")
	}
	if pong(s, c, p.last+100); s.mirror.Page("one/p") == nil { // no more than the last ping
		t.Error("what is new is not shown")
	}
	if pong(s, c, p.last); len(c.turn) == 0 {
		t.Error("nobody said that it has been dealt with")
	}
}

// What came last of a connection that is over is done, so that nobody waits for it.
func TestOfAnotherConnection(t *testing.T) {
	s, c, _, _ := talking(t)
	s.disconnect(errors.New("x"))
	before := len(c.turn)
	s.heard(c, &api.WatchResponse{})
	s.loses(c, errors.New("x"))
	if len(c.turn) != before+1 {
		t.Error("it isn't done")
	}
	s, c, _, _ = talking(t)
	before = len(c.turn)
	s.heard(c, &api.WatchResponse{}) // something that a later build says
	if s.current != c || len(c.turn) != before+1 {
		t.Error("what isn't known is not passed over")
	}
}

// A node that is lost each time as soon as it has answered is dialled less and less often, until it has stayed.
func TestAnswersAndCloses(t *testing.T) {
	s, c, _, _ := talking(t)
	again := func() time.Duration {
		s.retryAt = time.Time{}
		s.loses(c, errors.New("it closed"))
		pause := time.Until(s.retryAt)
		s.current = c
		s.greeted(c, &api.WatchResponse_Hello{Incarnation: "n1"})
		return pause
	}
	if pause := again(); pause > longestPause {
		t.Errorf("it is dialled %v after it was lost once", pause)
	}
	for range 7 {
		again()
	}
	if pause := again(); pause < time.Second || pause > refusedPause {
		t.Errorf("it is dialled after %v", pause)
	}
	c.greetedAt = time.Now().Add(-steady)
	if pause := again(); pause > longestPause {
		t.Errorf("one that has stayed is dialled after %v", pause)
	}
}
