package replica

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"webmcphub/cluster/wire"
	"webmcphub/registry"
)

// slowWay is a node and a gateway with a way between them that loses nothing, and carries so many bytes a
// second to the gateway.
type slowWay struct {
	t      *testing.T
	now    time.Duration
	rate   int // bytes a second
	free   time.Duration
	sent   int // bytes
	wholes int
	node   *node
	mirror *Mirror
	come   []coming // to the gateway, in order
	timers map[uint64]time.Duration
}

type coming struct {
	at time.Duration
	m  wire.Message // nil: a part of the next one
}

// newSlowWay has a node whose pages are 3 MiB, and a way that carries so many bytes in a second.
func newSlowWay(t *testing.T, rate int) *slowWay {
	s := &slowWay{t: t, rate: rate, timers: map[uint64]time.Duration{}}
	s.node = newNode("n1", registry.Options{}, func(effects []SourceEffect) { s.fromNode(effects) })
	for i := range 32 {
		id := registry.PageID(fmt.Sprint("p", i))
		s.node.step(registry.PageOpened{Page: id, URL: "https://a.example/"}, registry.ToolsReported{Page: id, Tools: []*registry.PageTool{{Name: "x", Description: strings.Repeat("x", 100<<10)}}})
	}
	s.node.calm()
	var err error
	if s.mirror, err = NewMirror(nodeName, "g1", Bounds{}); err != nil {
		t.Fatal(err)
	}
	s.atGateway(s.mirror.Step(LinkBack{}))
	return s
}

func (s *slowWay) fromNode(effects []SourceEffect) {
	for _, e := range effects {
		send, is := e.(Send)
		if !is {
			continue
		}
		raw, err := wire.Encode(send.Message)
		if err != nil {
			s.t.Fatal(err)
		}
		if w, is := send.Message.(wire.Whole); is && w.Part == 0 {
			s.wholes++
		}
		s.sent += len(raw)
		s.free = max(s.free, s.now)
		for left := len(raw); left > 0; left -= 32 << 10 {
			s.free += time.Duration(min(left, 32<<10)) * time.Second / time.Duration(s.rate)
			if left > 32<<10 {
				s.come = append(s.come, coming{at: s.free})
			}
		}
		s.come = append(s.come, coming{s.free, send.Message})
	}
}

func (s *slowWay) atGateway(effects []MirrorEffect) {
	for _, e := range effects {
		switch e := e.(type) {
		case Ask:
			s.fromNode(s.node.source.Step(Heard{"g", e.Message}))
		case Arm:
			s.timers[e.Seq] = s.now + e.After
		}
	}
}

// until lets time pass until something is so; false if it isn't by then.
func (s *slowWay) until(end time.Duration, so func() bool) bool {
	for !so() {
		next, due, seq := end, false, uint64(0)
		for n, at := range s.timers {
			if at < next || at == next && due && n < seq {
				next, due, seq = at, true, n
			}
		}
		switch {
		case len(s.come) > 0 && s.come[0].at <= next:
			m := s.come[0]
			s.come, s.now = s.come[1:], m.at
			if m.m == nil {
				s.atGateway(s.mirror.Step(Hearing{}))
			} else {
				s.atGateway(s.mirror.Step(Received{coded(s.t, m.m)}))
			}
		case due:
			delete(s.timers, seq)
			s.now = next
			s.atGateway(s.mirror.Step(BoundDue{seq}))
		default:
			s.now = end
			return so()
		}
	}
	return true
}

// A node whose pages take some seconds to be told is known as soon as they have been: what is asked again
// meanwhile doesn't have them told again and again, so that it is never done.
func TestASlowWay(t *testing.T) {
	s := newSlowWay(t, 1<<20)
	if !s.until(5*time.Second, s.mirror.Known) {
		t.Errorf("it isn't known after %v; %d wholes were told", s.now, s.wholes)
	}
	// From now on it stays known, and is told nothing more.
	s.until(60*time.Second, func() bool { return !s.mirror.Known() })
	if !s.mirror.Known() || s.wholes > 1 {
		t.Errorf("known: %v after %v; %d wholes were told", s.mirror.Known(), s.now, s.wholes)
	}
	// Nor is it lost for good when the link breaks.
	s.come, s.free = nil, s.now
	s.node.source.Step(GatewayLost{"g"})
	s.atGateway(s.mirror.Step(LinkLost{}))
	s.until(s.now+time.Second, func() bool { return false }) // its pages are hidden, and being told
	s.come, s.free = nil, s.now
	s.node.source.Step(GatewayLost{"g"})
	s.atGateway(s.mirror.Step(LinkLost{}))
	if again := s.now; !s.until(again+5*time.Second, s.mirror.Known) || len(s.mirror.Content().Pages) != 32 {
		t.Errorf("it isn't known %v after a link was lost; %d wholes were told", s.now-again, s.wholes)
	}
}

// Nor do its pages' changes have it told anew.
func TestASlowWayInAStorm(t *testing.T) {
	s := newSlowWay(t, 1<<20)
	for i := range 300 {
		s.node.step(registry.PageChanged{Page: "p0", Title: fmt.Sprint(i)})
		s.node.calm()
		s.until(s.now+100*time.Millisecond, func() bool { return false })
	}
	if !s.until(s.now+time.Second, s.mirror.Known) || s.wholes > 1 {
		t.Errorf("known: %v after %v; %d wholes were told", s.mirror.Known(), s.now, s.wholes)
	}
}

// On a way that takes longer than the node may be silent, for all its pages or for one alone, they are known all the same,
// told once; what the node has withdrawn meanwhile isn't shown longer than it may.
func TestAVerySlowWay(t *testing.T) {
	for _, rate := range []int{256 << 10, 64 << 10, 16 << 10} {
		s := newSlowWay(t, rate)
		takes := 3300 * time.Second / time.Duration(rate>>10)
		if !s.until(takes, s.mirror.Known) || s.wholes > 1 {
			t.Fatalf("at %d bytes a second: known: %v after %v; %d wholes were told", rate, s.mirror.Known(), s.now, s.wholes)
		}
		var tools []*registry.PageTool
		for i := range 19 {
			tools = append(tools, &registry.PageTool{Name: fmt.Sprint("y", i), Description: strings.Repeat("y", 100<<10)})
		}
		s.node.step(registry.PageClosed{Page: "p1"}, registry.ToolsReported{Page: "p0", Tools: tools})
		s.node.calm()
		gone := func() bool { return s.mirror.Page("east/p1") == nil }
		if changed := s.now; !s.until(changed+Bounds{}.Stale(), gone) {
			t.Errorf("at %d bytes a second: a page that is gone is shown after %v", rate, s.now-changed)
		}
		s.until(s.now+3*takes, func() bool { return s.mirror.Known() && s.mirror.At() == s.node.source.At() })
		if p := s.mirror.Page("east/p0"); p == nil || len(p.Tools) != len(tools) || s.mirror.Page("east/p2") == nil || !gone() || s.wholes > 2 {
			t.Errorf("at %d bytes a second: known: %v after %v, and %d wholes", rate, s.mirror.Known(), s.now, s.wholes)
		}
		s.node.source.Step(GatewayLost{"g"}) // the way is silent from now on
		if s.come, s.rate = nil, 1; s.until(s.now+Bounds{}.Stale(), func() bool { return !s.mirror.Known() }) == false {
			t.Errorf("at %d bytes a second: it is known though nothing comes", rate)
		}
	}
}

// On a slow way that has room for what changes, the pages are known once they have been told: what is kept back meanwhile
// isn't forgotten, so that all has to be told again.
func TestChangesOnASlowWay(t *testing.T) {
	for _, c := range []struct{ rate, size, every int }{{64 << 10, 100 << 10, 10}, {256 << 10, 1000 << 10, 15}} {
		s := newSlowWay(t, c.rate)
		shown := 0
		for n := range 210 {
			if n%c.every == 0 {
				s.node.step(registry.ToolsReported{Page: "p0", Tools: []*registry.PageTool{{Name: "y", Description: fmt.Sprint(n, strings.Repeat("y", c.size))}}})
				s.node.calm()
			}
			s.until(s.now+time.Second, func() bool { return false })
			if s.mirror.Page("east/p2") != nil {
				shown++
			}
		}
		if shown < 120 || s.wholes > 1 {
			t.Errorf("at %d bytes a second: shown for %d s of 210; %d wholes were told", c.rate, shown, s.wholes)
		}
	}
}
