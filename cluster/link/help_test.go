package link

import (
	"log/slog"
	"testing"
	"time"

	"webmcphub/cluster/wire"
)

// side is a process of the cluster in a test, and what it was told.
type side struct {
	*Link
	t    *testing.T
	self Peer
	got  chan got
	lost chan loss
}

type got struct {
	from Peer
	m    wire.Message
}

type loss struct {
	peer Peer
	why  error
}

// patient is how long a test waits for what must come.
const patient = 20 * time.Second

// start opens a link on loopback; change alters its options.
func start(t *testing.T, role Role, name string, change func(*Options)) *side {
	t.Helper()
	s := &side{t: t, got: make(chan got, 10000), lost: make(chan loss, 100)}
	o := Options{
		Self: Peer{Role: role, Name: name}, Listen: "127.0.0.1:0",
		Receive: func(from Peer, m wire.Message) { s.got <- got{from, m} },
		Lost:    func(p Peer, why error) { s.lost <- loss{p, why} },
		Logger:  slog.New(slog.NewTextHandler(t.Output(), nil)).With("at", name),
	}
	if change != nil {
		change(&o)
	}
	l, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	s.Link, s.self = l, Peer{role, name, l.Addr()}
	return s
}

// send sends what must be taken.
func (s *side) send(to Peer, m wire.Message) {
	s.t.Helper()
	if err := s.Send(to, m); err != nil {
		s.t.Fatalf("%s to %s: %v", s.self, to, err)
	}
}

func (s *side) receive() got {
	s.t.Helper()
	return await(s.t, s.got, s.self.String()+" got no message")
}

func (s *side) lose() loss {
	s.t.Helper()
	return await(s.t, s.lost, s.self.String()+" lost nobody")
}

// joined makes a gateway and a node between which messages have gone both ways.
func joined(t *testing.T, change func(*Options)) (gateway, node *side) {
	t.Helper()
	gateway, node = start(t, Gateway, "g", change), start(t, Node, "n", change)
	gateway.talk(node)
	return gateway, node
}

// talk has a message go to the node and one come back.
func (s *side) talk(node *side) {
	s.t.Helper()
	s.send(node.self, wire.Hello{Incarnation: "i"})
	if at := node.receive(); at.m != (wire.Hello{Incarnation: "i"}) {
		s.t.Fatalf("the node got %#v", at.m)
	}
	node.send(s.self, wire.Refused{Why: "no"})
	if at := s.receive(); at.m != (wire.Refused{Why: "no"}) {
		s.t.Fatalf("the gateway got %#v", at.m)
	}
}

func await[T any](t *testing.T, c <-chan T, otherwise string) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patient):
		t.Fatal(otherwise)
	}
	panic("unreachable")
}
