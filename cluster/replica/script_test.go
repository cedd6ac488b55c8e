package replica

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"webmcphub/cluster/wire"
	"webmcphub/internal/scripttest"
	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// TestScripts plays testdata/*.txt: a line is what happens at a node, at a gateway or between them,
// and what comes of it follows, indented: messages that are sent ("node:" or "gateway:"), content that
// changes, and times that are armed. An empty line begins anew. Run with -update to rewrite what is
// indented; read the diff before you commit it.
func TestScripts(t *testing.T) {
	scripttest.Play(t, func(t *testing.T, file string) string {
		var b strings.Builder
		s := newScript(t)
		for line := range strings.Lines(file) {
			line = strings.TrimRight(line, "\n")
			switch {
			case line == "":
				s = newScript(t)
			case strings.HasPrefix(line, " "):
				continue
			case !strings.HasPrefix(line, "#"):
				s.said = nil
				s.run(line)
				for _, said := range s.said {
					line += "\n    " + said
				}
			}
			b.WriteString(line + "\n")
		}
		return b.String()
	})
}

type script struct {
	t       *testing.T
	nodes   int
	node    *node
	mirror  *Mirror
	waiting []wire.Message // under way
	full    bool
	said    []string
}

func newScript(t *testing.T) *script {
	m, err := NewMirror(nodeName, "g1", Bounds{})
	if err != nil {
		t.Fatal(err)
	}
	s := &script{t: t, mirror: m}
	s.nodeAnew()
	return s
}

func (s *script) nodeAnew() {
	s.nodes++
	s.node = newNode(fmt.Sprint("n", s.nodes), registry.Options{}, s.fromNode)
}

func (s *script) say(format string, args ...any) {
	s.said = append(s.said, fmt.Sprintf(format, args...))
}

func (s *script) run(line string) {
	args, named, err := scripttest.Words(line)
	if err != nil {
		s.t.Fatal(err)
	}
	page := registry.PageID(slices.Concat(args, []string{"", ""})[1])
	switch args[0] {
	case "open":
		s.node.step(registry.PageOpened{Page: page, URL: named["url"]}, registry.Navigated{Page: page, Gen: 1, URL: named["url"]})
		s.node.calm()
	case "tools":
		tools := []*registry.PageTool{}
		for _, name := range args[2:] {
			tools = append(tools, &registry.PageTool{Name: name, Doc: 1, Runtime: offer.Native})
		}
		s.node.step(registry.ToolsReported{Page: page, Gen: 1, Tools: tools})
		s.node.calm()
	case "close":
		s.node.step(registry.PageClosed{Page: page})
		s.node.calm()
	case "restart": // of the node
		s.nodeAnew()
	case "full":
		s.full = args[1] == "yes"
	case "deliver", "lose", "double", "turn":
		s.under(args[0])
	case "lost":
		s.gateway(s.mirror.Step(LinkLost{}))
	case "back":
		s.gateway(s.mirror.Step(LinkBack{}))
	case "ended":
		s.gateway(s.mirror.Step(LeaseEnded{}))
	case "seen":
		s.gateway(s.mirror.Step(LeaseSeen{}))
	case "due": // the time that was armed last for ask, ping, stale or lease
		which := map[string]timer{"ask": askTimer, "ping": pingTimer, "stale": staleTimer, "lease": leaseTimer, "refuse": refuseTimer}[args[1]]
		s.gateway(s.mirror.Step(BoundDue{s.mirror.timers.armed[which]}))
	case "hello":
		s.fromNode(s.node.source.Step(Heard{"g", wire.Hello{Oldest: 7, Newest: 9}}))
	default:
		s.t.Fatalf("%q?", line)
	}
}

// under is what becomes of what is under way.
func (s *script) under(what string) {
	now := s.waiting
	switch what {
	case "lose":
		s.waiting = nil
		return
	case "double":
		s.waiting = append(slices.Clone(now), now...)
		return
	case "turn":
		slices.Reverse(now)
		return
	}
	s.waiting = nil
	for _, m := range now {
		switch m.(type) {
		case wire.Hello, wire.Got, wire.Want, wire.Ping:
			s.fromNode(s.node.source.Step(Heard{"g", coded(s.t, m)}))
		default:
			s.gateway(s.mirror.Step(Received{coded(s.t, m)}))
		}
	}
}

func (s *script) fromNode(effects []SourceEffect) {
	for _, e := range effects {
		switch e := e.(type) {
		case LeftOut:
			s.say("node leaves out: %s %s", e.Page, e.Why)
		case Send:
			if s.full {
				s.say("node can't send: %s", brief(e.Message))
				s.fromNode(s.node.source.Step(Unsent{e}))
				continue
			}
			s.say("node: %s", brief(e.Message))
			s.waiting = append(s.waiting, e.Message)
		}
	}
}

func (s *script) gateway(effects []MirrorEffect) {
	for _, e := range effects {
		switch e := e.(type) {
		case LeftOut:
			s.say("gateway leaves out: %s %s", e.Page, e.Why)
		case Ask:
			s.say("gateway: %s", brief(e.Message))
			s.waiting = append(s.waiting, e.Message)
		case Arm:
			which := [...]string{"", "ask", "ping", "stale", "lease", "refuse"}[slices.Index(s.mirror.timers.armed[:], e.Seq)]
			s.say("in %v: %s", e.After, which)
		case Content:
			var pages []string
			for _, f := range e.Pages {
				pages = append(pages, fmt.Sprintf("%s%s", f.Page, toolNames(f.Tools)))
			}
			s.say("content of epoch %d: gone %v pages %v browsers %d", e.Epoch, e.Gone, pages, len(e.Browsers))
		}
	}
}

func toolNames(tools []*registry.PageTool) string {
	var all []string
	for _, t := range tools {
		all = append(all, t.Name)
	}
	return "(" + strings.Join(all, " ") + ")"
}

// brief is a message in one line.
func brief(m wire.Message) string {
	pages := func(all []wire.Page) (ids []string) {
		for _, p := range all {
			ids = append(ids, p.ID)
		}
		return ids
	}
	switch m := m.(type) {
	case wire.Hello:
		return fmt.Sprintf("hello, in talk %s, has %s %d", m.Talk, m.Has.Incarnation, m.Has.Version)
	case wire.Welcome:
		return fmt.Sprintf("welcome of %s to talk %s", m.Incarnation, m.Talk)
	case wire.Refused:
		return "refused: " + m.Why
	case wire.Whole:
		return fmt.Sprintf("whole %s %d %v", m.At.Incarnation, m.At.Version, pages(m.Pages))
	case wire.Changes:
		said := fmt.Sprintf("changes %s %d to %d: %v gone %v", m.At.Incarnation, m.From, m.At.Version, pages(m.Pages), m.Gone)
		for _, e := range m.Edits {
			said += " " + briefEdit(e)
		}
		return said
	case wire.Ping:
		return fmt.Sprintf("ping %d", m.Seq)
	case wire.Pong:
		return fmt.Sprintf("pong %d, at %s %d, sent %d, in talk %q", m.Seq, m.At.Incarnation, m.At.Version, m.Sent, m.Talk)
	}
	return strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T", m), "wire."))
}

// briefEdit is what is told anew of a page, and which of its tools.
func briefEdit(e wire.Edit) string {
	var parts []string
	if e.Page != nil {
		parts = append(parts, "page")
	}
	if e.Frames != nil {
		parts = append(parts, "frames")
	}
	if e.Offers != nil {
		parts = append(parts, "offers")
	}
	if e.Tools != nil {
		tools := fmt.Sprint("tools ", e.Tools.Numbers)
		for _, n := range e.Tools.New {
			tools += fmt.Sprintf(" %d=%s", n.Number, n.Name)
		}
		parts = append(parts, tools)
	}
	return fmt.Sprintf("edit %s(%s)", e.ID, strings.Join(parts, ", "))
}
