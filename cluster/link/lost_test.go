package link

import (
	"errors"
	"strings"
	"testing"
	"time"

	"webmcphub/cluster/wire"
	"webmcphub/internal/proxytest"
)

// apart puts a proxy between a gateway and each direction's connection to a node: one on the way
// that the gateway dials, one on the way back.
func apart(t *testing.T, silence time.Duration) (gateway, node *side, there, back *proxytest.Proxy) {
	t.Helper()
	patience := func(o *Options) { o.Silence = silence }
	node = start(t, Node, "n", patience)
	there = between(t, node.Addr())
	// The gateway tells an address at which the proxy listens, which has to know the gateway's.
	listen := reserve(t)
	back = between(t, listen)
	gateway = start(t, Gateway, "g", func(o *Options) {
		o.Silence, o.Listen, o.Self.Address = silence, listen, back.Addr()
	})
	gateway.self.Address = back.Addr()
	node.self.Address = there.Addr()
	gateway.talk(node)
	return gateway, node, there, back
}

func between(t *testing.T, target string) *proxytest.Proxy {
	t.Helper()
	p, err := proxytest.Listen("", target)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// reserve gives an address of loopback at which nobody listens.
func reserve(t *testing.T) string {
	t.Helper()
	s := start(t, Node, "reserve", nil)
	s.Close()
	return s.Addr()
}

const (
	never = time.Hour       // of silence: what is noticed is noticed by a connection's end
	brief = 2 * time.Second // of silence: more than what a busy machine makes of its own
)

func TestTheEndOfEitherConnectionIsNoticedAtOnceByBoth(t *testing.T) {
	for _, which := range []string{"there", "back"} {
		gateway, node, there, back := apart(t, never)
		broken := map[string]*proxytest.Proxy{"there": there, "back": back}[which]
		broken.Set(proxytest.Refused)
		gateway.lose()
		node.lose()
		broken.Set(proxytest.Open)
		gateway.talk(node)
	}
}

func TestSilenceInEitherDirectionIsNoticedByBoth(t *testing.T) {
	for what, silence := range map[string]func(there, back *proxytest.Proxy){
		"nothing reaches the node":    func(there, back *proxytest.Proxy) { there.Set(proxytest.ToCaller); back.Set(proxytest.ToTarget) },
		"the node's way is cut":       func(there, _ *proxytest.Proxy) { there.Set(proxytest.Cut) },
		"the gateway's way is cut":    func(_, back *proxytest.Proxy) { back.Set(proxytest.Cut) },
		"all is cut":                  func(there, back *proxytest.Proxy) { there.Set(proxytest.Cut); back.Set(proxytest.Cut) },
		"nothing reaches the gateway": func(there, back *proxytest.Proxy) { there.Set(proxytest.ToTarget); back.Set(proxytest.ToCaller) },
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel() // they wait
			gateway, node, there, back := apart(t, brief)
			silence(there, back)
			gateway.lose()
			node.lose()
			there.Set(proxytest.Refused) // what was cut doesn't heal: it is dialled anew
			back.Set(proxytest.Refused)
			there.Set(proxytest.Open)
			back.Set(proxytest.Open)
			untilTalks(t, gateway, node)
		})
	}
}

// untilTalks begins links until one stands.
func untilTalks(t *testing.T, gateway, node *side) {
	t.Helper()
	late := time.After(patient)
	for {
		gateway.send(node.self, wire.Want{})
		select {
		case <-node.got:
			return
		case <-gateway.lost:
		case <-late:
			t.Fatal("they don't find together again")
		}
	}
}

func TestStreamsThatEndedAreForgotten(t *testing.T) {
	gateway, node, there, _ := apart(t, never)
	at, back := gateway.peers[node.self.id()], node.peers[gateway.self.id()]
	for range 5 {
		there.Set(proxytest.Refused)
		gateway.lose()
		node.lose()
		there.Set(proxytest.Open)
		gateway.talk(node)
	}
	gateway.Close()
	node.Close()
	if len(at.ins) > 1 || len(back.ins) > 1 {
		t.Errorf("the gateway keeps %d streams, the node %d", len(at.ins), len(back.ins))
	}
}

func TestASlowNetworkIsNoSilence(t *testing.T) {
	gateway, node, there, back := apart(t, 3*time.Second)
	there.Set(proxytest.Slow)
	back.Set(proxytest.Slow)
	gateway.send(node.self, wire.Cancel{Why: strings.Repeat("x", 5*proxytest.SlowRate)}) // takes 5 s
	select {
	case at := <-node.got:
		if len(at.m.(wire.Cancel).Why) != 5*proxytest.SlowRate {
			t.Error("it came as another")
		}
	case l := <-gateway.lost:
		t.Fatal(l.why)
	case <-time.After(patient):
		t.Fatal("it didn't come")
	}
}

func TestWhoCantBeReachedIsLostWithTheReason(t *testing.T) {
	gateway := start(t, Gateway, "g", func(o *Options) { o.Silence = brief })
	node := Peer{Node, "n", reserve(t)}
	gateway.send(node, wire.Want{})
	if lost := gateway.lose(); lost.peer != node || !strings.Contains(lost.why.Error(), "refused") {
		t.Errorf("lost %v: %v", lost.peer, lost.why)
	}
	other := start(t, Node, "other", nil)
	gateway.send(Peer{Node, "n", other.Addr()}, wire.Want{})
	if lost := gateway.lose(); !strings.Contains(lost.why.Error(), "was meant for node/n, and this is node/other") {
		t.Errorf("another node at the address: %v", lost.why)
	}
}

func TestANodeSpeaksWhenItIsSpokenTo(t *testing.T) {
	gateway, node := start(t, Gateway, "g", nil), start(t, Node, "n", nil)
	if err := node.Send(gateway.self, wire.Pong{}); !errors.Is(err, ErrNoLink) {
		t.Errorf("without a link: %v", err)
	}
	gateway.talk(node)
	gateway.Close()
	node.lose()
	if err := node.Send(gateway.self, wire.Pong{}); !errors.Is(err, ErrNoLink) {
		t.Errorf("after the link: %v", err)
	}
	if err := gateway.Send(node.self, wire.Want{}); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

func TestWhatWaitsForAPeerIsBoundedAndDelaysNoOther(t *testing.T) {
	gateway, node := joined(t, func(o *Options) { o.Waiting = 1 << 20 })
	const unread = 100 << 10
	held, release := make(chan struct{}), make(chan struct{})
	numbers := make(chan uint64, 100000)
	slow := start(t, Node, "slow", func(o *Options) {
		o.window = unread
		o.Receive = func(_ Peer, m wire.Message) {
			if c := m.(wire.Cancel); c.ID == 0 {
				close(held)
				<-release
			} else {
				numbers <- c.ID
			}
		}
	})
	gateway.send(slow.self, wire.Cancel{})
	await(t, held, "the slow node isn't reached")
	why := strings.Repeat("x", 10000)
	sent, late := uint64(0), time.After(patient)
	for err := error(nil); !errors.Is(err, ErrTooMuch); {
		if err = gateway.Send(slow.self, wire.Cancel{ID: sent + 1, Why: why}); err == nil {
			sent++
		}
		select {
		case <-late:
			t.Fatalf("%d messages of 10 kB wait, and more are taken", sent)
		default:
		}
	}
	if least := uint64(100); sent < least {
		t.Errorf("only %d messages wait", sent)
	}
	gateway.talk(node)
	close(release)
	for i := uint64(1); i <= sent; i++ {
		if at := await(t, numbers, "a message is missing"); at != i {
			t.Fatalf("number %d came in the place of %d", at, i)
		}
	}
}

func TestAPanicOfTheReceiverEndsTheLink(t *testing.T) {
	gateway := start(t, Gateway, "g", nil)
	node := start(t, Node, "n", func(o *Options) {
		o.Receive = func(_ Peer, m wire.Message) { panic("deliberate") }
	})
	gateway.send(node.self, wire.Want{})
	if lost := node.lose(); !strings.Contains(lost.why.Error(), "deliberate") {
		t.Errorf("lost by %v", lost.why)
	}
	gateway.lose()
}

func TestWhatIsSentBeforeCloseArrives(t *testing.T) {
	gateway, node := joined(t, nil)
	for i := range 1000 {
		node.send(gateway.self, wire.Pong{Seq: uint64(i)})
	}
	node.send(gateway.self, wire.Leaving{Why: "the end"})
	node.Close()
	for i := range 1000 {
		if at := gateway.receive(); at.m != (wire.Pong{Seq: uint64(i)}) {
			t.Fatalf("number %d is %#v", i, at.m)
		}
	}
	if at := gateway.receive(); at.m != (wire.Leaving{Why: "the end"}) {
		t.Errorf("the last words are %#v", at.m)
	}
}
