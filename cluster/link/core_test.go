package link

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// model is a gateway and a node, with the streams between them. What is on a stream may be read at
// any time later, or never.
type model struct {
	t     *rapid.T
	sides [2]*modelled // gateway, node
	pipes []*pipe
	named int
}

// modelled is one side.
type modelled struct {
	core  core
	out   *pipe
	sent  int      // how many messages
	ear   uint64   // the stream that it hears
	heard []string // since it lost the other last
}

// pipe is a stream from one side to the other.
type pipe struct {
	from, to int
	session  string
	id       uint64 // at to, once it has come there: its place in pipes, from 1
	frames   []string
	first    string // that was ever put on it
	came     bool
	fromOver bool // from has hung up, or was told of the end
	toOver   bool // to has ended it, or was told of the end
}

// TestWhatArrivesIsWhatWasSent plays sends, losses, ends and silence in any order. Between two
// losses each side hears, in order and without a gap, what the other has sent since it began or
// took up one link, and nothing older.
func TestWhatArrivesIsWhatWasSent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &model{t: t, sides: [2]*modelled{{core: core{opens: true}}, {}}}
		t.Repeat(map[string]func(*rapid.T){
			"send":    m.send,
			"read":    m.read,
			"break":   m.breakOne,
			"tick":    m.tick,
			"":        func(*rapid.T) { m.check() },
			"dial in": m.comeIn,
		})
		m.settle()
	})
}

func (m *model) send(t *rapid.T) {
	at := rapid.IntRange(0, 1).Draw(t, "side")
	if s := m.sides[at]; s.core.opens || s.core.session != "" { // else it is refused with ErrNoLink
		m.say(at)
	}
}

func (m *model) say(at int) {
	s := m.sides[at]
	s.sent++
	m.named++
	text := fmt.Sprint(at, ":", s.core.epoch, ":", s.sent)
	m.step(at, sending{frames: [][]byte{[]byte(text)}, epoch: s.core.epoch, address: "a", name: strconv.Itoa(m.named)})
}

func (m *model) step(at int, e event) {
	s := m.sides[at]
	for _, effect := range s.core.Step(e) {
		switch e := effect.(type) {
		case dial:
			s.out = &pipe{from: at, to: 1 - at, session: e.session}
			m.pipes = append(m.pipes, s.out)
		case hand:
			for _, f := range e.frames {
				if s.out.first == "" {
					s.out.first = string(f)
				}
				s.out.frames = append(s.out.frames, string(f))
			}
		case listen:
			s.ear = e.stream
		case hangUp:
			s.out.fromOver = true
		case end:
			m.pipe(e.stream).toOver = true
		case lost:
			s.ear, s.heard = 0, nil
		}
	}
}

func (m *model) pipe(id uint64) *pipe { return m.pipes[id-1] }

// any draws a stream of a kind, and its place.
func (m *model) any(t *rapid.T, is func(*pipe) bool) *pipe {
	var fit []*pipe
	for _, p := range m.pipes {
		if is(p) {
			fit = append(fit, p)
		}
	}
	if len(fit) == 0 {
		return nil
	}
	return fit[rapid.IntRange(0, len(fit)-1).Draw(t, "stream")]
}

// comeIn has a stream reach the other side.
func (m *model) comeIn(t *rapid.T) {
	p := m.any(t, func(p *pipe) bool { return !p.came && !p.fromOver })
	if p == nil {
		return
	}
	for i := range m.pipes {
		if m.pipes[i] == p {
			p.id = uint64(i + 1)
		}
	}
	p.came = true
	m.step(p.to, came{p.id, p.session, "a"})
}

// read has the other side read one frame, also of a stream whose end it hasn't heard of yet.
func (m *model) read(t *rapid.T) {
	p := m.any(t, func(p *pipe) bool { return p.came && !p.toOver && len(p.frames) > 0 })
	if p == nil {
		return
	}
	if s := m.sides[p.to]; s.ear == p.id {
		s.heard = append(s.heard, p.frames[0])
	}
	p.frames = p.frames[1:]
}

// breakOne tells one side of the end of a stream: because of the other side, or because the network broke.
func (m *model) breakOne(t *rapid.T) {
	p := m.any(t, func(p *pipe) bool { return p.came && !(p.fromOver && p.toOver) })
	if p == nil {
		return
	}
	if rapid.Bool().Draw(t, "at its sender") {
		if !p.fromOver {
			p.fromOver = true
			m.step(p.from, outEnded{p.session, "broken"})
		}
	} else if !p.toOver {
		p.toOver = true
		m.step(p.to, inEnded{p.id, "broken"})
	}
}

func (m *model) tick(t *rapid.T) {
	at := rapid.IntRange(0, 1).Draw(t, "side")
	m.step(at, ticked{m.sides[at].core.session, rapid.Bool().Draw(t, "heard")})
}

// check holds what each side has heard to what it was sent.
func (m *model) check() {
	for at, s := range m.sides {
		if len(s.heard) > 0 && s.heard[0] != m.pipe(s.core.in).first {
			m.t.Fatalf("side %d heard %v, and the first was %s", at, s.heard, m.pipe(s.core.in).first)
		}
		before, epoch := 0, ""
		for i, text := range s.heard {
			part := strings.Split(text, ":")
			n, _ := strconv.Atoi(part[2])
			switch {
			case part[0] == strconv.Itoa(at):
				m.t.Fatalf("side %d hears itself", at)
			case i > 0 && (part[1] != epoch || n != before+1):
				m.t.Fatalf("side %d heard %v", at, s.heard)
			}
			before, epoch = n, part[1]
		}
	}
}

// settle lets everything be told, and a new message arrive: no link is stuck.
func (m *model) settle() {
	for range 20 {
		for _, p := range m.pipes {
			if p.came && p.fromOver && !p.toOver {
				p.toOver = true
				m.step(p.to, inEnded{p.id, "over"})
			}
			if p.came && p.toOver && !p.fromOver {
				p.fromOver = true
				m.step(p.from, outEnded{p.session, "over"})
			}
		}
		if m.sides[0].core.session == "" {
			m.say(0)
		}
		for i := 0; i < len(m.pipes); i++ {
			if p := m.pipes[i]; !p.came && !p.fromOver {
				p.came, p.id = true, uint64(i+1)
				m.step(p.to, came{p.id, p.session, "a"})
			}
		}
		m.check()
	}
	if g, n := m.sides[0].core, m.sides[1].core; g.session != n.session || g.in == 0 || n.in == 0 {
		m.t.Fatalf("the gateway's link is %q by stream %d, the node's %q by stream %d", g.session, g.in, n.session, n.in)
	}
}

func TestSilenceEndsALink(t *testing.T) {
	for what, c := range map[string]struct {
		before []event
		says   string
	}{
		"not reached":       {[]event{unreached{"s", "refused"}}, "couldn't be reached: refused"},
		"not dialled back":  {nil, "didn't connect back"},
		"nothing any more":  {[]event{came{7, "s", "a"}}, "nothing was heard"},
		"reached meanwhile": {[]event{unreached{"s", "refused"}, reached{"s"}, came{7, "s", "a"}}, "nothing was heard"},
	} {
		g := core{opens: true}
		g.Step(sending{name: "s", address: "a"})
		for _, e := range c.before {
			g.Step(e)
		}
		for range patience - 1 {
			if effects := g.Step(ticked{"s", false}); len(effects) != 1 || effects[0] != (arm{"s"}) {
				t.Fatalf("%s: too early: %v", what, effects)
			}
		}
		effects := g.Step(ticked{"s", false})
		if last, ok := effects[len(effects)-1].(lost); !ok || !strings.Contains(last.why, c.says) {
			t.Errorf("%s: %v", what, effects)
		}
		if again := g.Step(sending{name: "t", address: "a", epoch: 0}); again != nil {
			t.Errorf("%s: what was sent before the loss is sent after it: %v", what, again)
		}
	}
}

func TestTooLargeAMessageIsRefused(t *testing.T) {
	all := parts(make([]byte, MaxMessage-largestPart))
	if raw, err := all.add(encodeFrame(part, make([]byte, largestPart))); raw != nil || err != nil {
		t.Fatalf("too early: %v", err)
	}
	for _, kind := range []byte{part, whole} {
		if raw, err := all.add(encodeFrame(kind, []byte("x"))); raw != nil || err == nil {
			t.Errorf("more than the largest message gave %d bytes, %v", len(raw), err)
		}
	}
	if raw, err := all.add(encodeFrame(whole, nil)); len(raw) != MaxMessage || err != nil {
		t.Errorf("the largest message gave %d bytes, %v", len(raw), err)
	}
}
