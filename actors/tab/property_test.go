package tab

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/asynkron/protoactor-go/actor"
	"pgregory.net/rapid"

	"webmcphub/internal/fakeclock"
	"webmcphub/registry"

	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// TestAnyOrder drives a tab with messages in random orders, against a model of a
// browser: every call is answered, the tab never has two sessions, it lets go of each
// that the browser made, and nothing is told to the registry after the tab's end.
func TestAnyOrder(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		synctest.Test(t, func(t *testing.T) { newModel(r).play() })
	})
}

// A model is a browser with one tab, its supervisor, callers and the registry.
type model struct {
	*rapid.T
	tab   *Tab
	link  *modelLink
	to    *Address
	root  *actor.RootContext
	log   *bytes.Buffer
	told  atomic.Int64 // messages to the registry
	calls []*Call
	last  int // session
	lives bool
	turn  sync.Mutex // held while the tab has its turn
}

// modelLink is a link whose browser is the model. Its fields are the tab's while it
// runs, and the test's while it waits.
type modelLink struct {
	*Tab
	m       *model
	asked   int          // sessions that the browser was asked for
	made    map[int]bool // sessions that the browser has, of this tab
	session int          // taken up, 0 for none
	names   map[*Call]bool
}

type (
	panics    struct{}
	pageSays  struct{ what string }
	callNamed struct{ call *Call }
	callDone  struct{ call *Call }
	ended     struct{ session int }
	question  struct{ declined chan string }
)

func (q question) Decline(why string) { q.declined <- why }

func newModel(r *rapid.T) *model {
	m := &model{T: r, log: &bytes.Buffer{}, lives: true}
	log := slog.New(slog.NewTextHandler(m.log, nil))
	system := actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return slog.New(slog.DiscardHandler) }))
	m.root = system.Root
	count := m.root.Spawn(actor.PropsFromFunc(func(c actor.Context) {
		switch said := c.Message().(type) {
		case Report:
			m.told.Add(1)
			said.FlowControl.Reported()
		case registry.PageEvent:
			m.told.Add(1)
		}
	}))
	supervisor := m.root.Spawn(actor.PropsFromFunc(func(c actor.Context) {
		if failed, ok := c.Message().(ActorFailed); ok {
			m.root.Send(failed.Of.PID, End{Why: registry.EndedByFailure, Lives: true})
		}
	}))
	m.to = NewAddress(supervisor)
	birth := Birth{ID: "tab", Epoch: 1, Wanted: rapid.Bool().Draw(r, "wanted"), Address: m.to, FlowControl: &FlowControl{}}
	made := map[int]bool{}
	if rapid.Bool().Draw(r, "born with a session") {
		m.last = 1
		birth.Session, made[1] = 1, true
	}
	m.tab = New(&Env{Root: m.root, Registry: count, Log: log}, birth)
	m.link = &modelLink{Tab: m.tab, m: m, made: made, names: map[*Call]bool{}}
	m.tab.Use(m.link, m.tab.NewGen())
	m.to.PID = system.NewLocalPID("tab")
	stillborn := rapid.IntRange(0, 9).Draw(r, "stillborn") == 0
	guarded := func(next actor.ReceiverFunc) actor.ReceiverFunc {
		return func(c actor.ReceiverContext, env *actor.MessageEnvelope) {
			m.turn.Lock()
			defer m.turn.Unlock()
			defer func() {
				if recover() != nil {
					m.tab.Failed(c.(actor.Context), env.Message)
				}
			}()
			if _, begins := env.Message.(*actor.Started); begins && stillborn {
				panic("a test's panic")
			}
			next(c, env)
		}
	}
	if _, err := m.root.SpawnNamed(actor.PropsFromProducer(func() actor.Actor { return m.tab }, actor.WithReceiverMiddleware(guarded)), m.to.PID.Id); err != nil {
		r.Fatal(err)
	}
	return m
}

func (m *model) send(message any) {
	m.looked()
	m.root.Send(m.to.PID, message)
}

// looked ends a look of the test at what is the tab's, for the race detector: it sees the
// tab's turns before a [synctest.Wait], but not that a timer's comes after it.
func (m *model) looked() {
	m.turn.Lock()
	defer m.turn.Unlock()
}

func (m *model) play() {
	defer m.root.ActorSystem().Shutdown()
	steps := rapid.SliceOfN(rapid.SampledFrom(m.moves()), 0, 40).Draw(m.T, "moves")
	for _, s := range steps {
		m.move(s)
		if rapid.Bool().Draw(m.T, "at rest") { // else the next message stands behind this one
			m.rest()
		}
	}
	m.rest()
	m.end()
}

// rest waits until nothing moves, and looks at what has to be true then.
func (m *model) rest() {
	synctest.Wait()
	defer m.looked()
	if log := m.log.String(); strings.Contains(log, "no row for") {
		m.Fatalf("impossible: %s", log)
	}
}

func (m *model) moves() []string {
	return []string{"want", "don't want", "make the session", "make the session", "fail to attach", "attach by itself", "end the session", "end the tab's session", "target crashed", "info", "title", "retell",
		"call", "call", "cancel", "name", "name", "answer", "ask", "document ended", "document arrived", "crash", "back", "silent", "answering", "changed", "time", "time", "panic"}
}

func (m *model) move(what string) {
	defer m.looked()
	l := m.link
	switch what {
	case "want", "don't want":
		m.send(Wanted{On: what == "want", Answer: func(error) {}})
	case "make the session":
		synctest.Wait()
		if l.asked > 0 {
			l.asked--
			m.offer()
		}
	case "fail to attach":
		synctest.Wait()
		if l.asked > 0 {
			l.asked--
			m.send(AttachFailed{errors.New("no")})
		}
	case "attach by itself":
		synctest.Wait()
		m.offer()
	case "end the session":
		m.send(ended{-1})
	case "end the tab's session":
		synctest.Wait()
		if l.session != 0 {
			delete(l.made, l.session)
			m.send(ended{l.session})
		}
	case "target crashed":
		m.send(TargetCrashed{})
	case "info":
		m.tab.flow.NewInfo(m.root, m.to, Info{"http://a.test/", "a"})
	case "title":
		m.send(TitleListed{"http://a.test/", "b"})
	case "retell":
		m.send(Resync{})
	case "call":
		c := NewCall(offer.Route{Tool: "t"}, nil, CallExtras{})
		m.calls = append(m.calls, c)
		m.send(StartCall{c})
	case "cancel", "name", "answer":
		if len(m.calls) > 0 {
			c := rapid.SampledFrom(m.calls).Draw(m.T, "which call")
			m.send(map[string]any{"cancel": CancelCall{c}, "name": callNamed{c}, "answer": callDone{c}}[what])
		}
	case "ask":
		m.send(question{make(chan string, 1)})
	case "time":
		fakeclock.Elapse(ReleaseTimeout)
	case "panic":
		m.send(panics{})
	default:
		m.send(pageSays{what})
	}
}

func (m *model) offer() {
	if !m.lives || m.tab.phase.ending() { // the supervisor offers nothing to a tab that it has ended
		return
	}
	m.last++
	m.link.made[m.last] = true
	m.send(Offered{m.last})
}

// end has the supervisor end the tab, and looks at what is left.
func (m *model) end() {
	lives := rapid.Bool().Draw(m.T, "lives")
	if !lives {
		clear(m.link.made)
	}
	before := int64(-1)
	if m.tab.phase.ending() {
		before = m.told.Load()
	}
	severed := m.tab.phase == Severed
	m.send(End{Why: registry.EndedByClose, Lives: lives})
	synctest.Wait()
	if severed && m.tab.phase != Gone {
		m.Fatalf("it waits as %s for a browser that has ended the session", m.tab.phase)
	}
	if before < 0 {
		before = m.told.Load()
	}
	for _, late := range []any{Resync{}, pageSays{"changed"}, pageSays{"document ended"}, reportDue{}} {
		m.send(late)
	}
	for _, c := range m.calls { // the browser names none any more
		m.send(CancelCall{c})
	}
	fakeclock.Elapse(2 * ReleaseTimeout)
	m.rest()
	if n := m.told.Load(); n != before {
		m.Fatalf("%d messages to the registry after the tab's end", n-before)
	}
	if m.tab.phase != Gone {
		m.Fatalf("it ended as %s", m.tab.phase)
	}
	select {
	case <-m.to.Released():
	default:
		m.Fatal("nobody is told that the page has heard")
	}
	<-m.to.Gone()
	for i, c := range m.calls {
		select {
		case <-c.Answer():
		default:
			if m.to.Ended("t").Ending == "" {
				m.Fatalf("call %d is not answered", i)
			}
		}
	}
	if len(m.link.made) > 0 {
		m.Fatalf("sessions %v are left", m.link.made)
	}
}

// The link's side of the model.

func (l *modelLink) Attach() bool { l.asked++; return false }

func (l *modelLink) Take(session any) registry.Gen {
	if l.session != 0 {
		l.m.Fatalf("session %v is taken beside %d", session, l.session)
	}
	l.session = session.(int)
	return l.NewGen()
}

func (l *modelLink) Prepare()             { l.ReportTools() }
func (l *modelLink) TurnDown(session any) { delete(l.made, session.(int)) }
func (l *modelLink) Has(session any) bool { return session == l.session }

func (l *modelLink) Release() {
	delete(l.made, l.session)
	clear(l.names)
}

func (l *modelLink) Forget() registry.Gen {
	l.session = 0
	return l.NewGen()
}

func (l *modelLink) End(lives bool, heard func()) {
	l.Abandon(lives)
	heard()
}

func (l *modelLink) Abandon(lives bool) {
	if lives {
		delete(l.made, l.session)
	}
}

func (l *modelLink) Start(c *Call) string {
	l.Calls[c], l.names[c] = true, true
	return ""
}

func (l *modelLink) Cancel(c *Call) {
	if !l.names[c] { // else when it has a name
		l.Finish(c, registry.EndedByCancel("t"))
	}
}

func (l *modelLink) CallEnded(c *Call) { delete(l.names, c) }
func (l *modelLink) Naming() bool      { return len(l.names) > 0 }
func (l *modelLink) Took(any)          {}

func (l *modelLink) HandleUnattached(message any) {
	if _, ok := message.(panics); ok {
		panic("a test's panic")
	}
}

func (l *modelLink) Handle(message any) {
	switch m := message.(type) {
	case panics:
		panic("a test's panic")
	case callNamed:
		delete(l.names, m.call)
	case callDone:
		if l.Calls[m.call] {
			l.Finish(m.call, sanitize.TextResult("done"))
		}
	case ended:
		if m.session == l.session {
			l.SessionEnded()
		}
	case question:
		m.declined <- ""
	case pageSays:
		switch m.what {
		case "document ended":
			l.DocumentEnded(l.NewGen())
		case "document arrived":
			l.DocumentArrived("http://a.test/")
			l.ReportTools()
		case "crash":
			l.RendererCrashed(l.NewGen)
		case "back":
			l.RendererBack()
		case "silent":
			l.RendererSilent()
		case "answering":
			l.RendererAnswered()
		case "changed":
			l.ReportTools()
		}
	}
}

func (l *modelLink) Tools() []*registry.PageTool            { return nil }
func (l *modelLink) Readiness() registry.Readiness          { return "" }
func (l *modelLink) Frames() []registry.Frame               { return nil }
func (l *modelLink) Offers() (none registry.OffersReported) { return none }
func (l *modelLink) DrainEvents() []registry.Event          { return nil }
func (l *modelLink) Address(offer.Route) string             { return "" }
