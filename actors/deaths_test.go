package actors

import (
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"webmcphub/actors/tab"
	"webmcphub/actors/tab/ext"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/internal/fakeclock"
	"webmcphub/registry"
	"webmcphub/registry/names"
)

// TestDeaths lets each actor panic at each kind of message, before it handles
// the message and after, and holds what must be true whatever the message was:
// the panic is logged, other pages' calls go on, the page's own end with a
// result, the list comes to be what the pages offer, their tools can be called,
// later changes show, and the hub stops and leaves nothing.
// TestEveryMessageHasItsDeath sees to it that no kind is missing.
func TestDeaths(t *testing.T) {
	for _, d := range deaths() {
		for _, after := range []bool{false, true} {
			when := map[bool]string{false: " before ", true: " after "}[after]
			t.Run(d.actor+when+d.message, func(t *testing.T) {
				bubble(t, func(t *testing.T) { d.play(t, after) })
			})
		}
	}
}

// A death is one kind of message at which one kind of actor panics.
type death struct {
	actor   string // "page" (never the bystander's), "browser", "registry"
	message string // as messageName says
	provoke func(*deathScene)
	early   bool // it comes while the hub starts
	cuts    bool // with the connection, all calls end
}

// A deathScene is a page with calls in flight, and another that should notice
// nothing.
type deathScene struct {
	*testHub
	traps
	spared   registry.PageID
	newcomer *cdptest.Page // the page whose actor dies, if it isn't shop.test's
	page     *cdptest.Page // shop.test
	frame    *cdptest.Frame
	own      *server // the page's own MCP server
	seen     *registry.Catalog
	offer    map[string]string // what pages offer: host of each tool
	over     bool              // the hub was stopped
}

func (d death) play(t *testing.T, after bool) {
	s := &deathScene{offer: map[string]string{}}
	s.testHub = prepare(t, func(o *Options) { o.Dialogs = tab.DismissDialogs; o.inside = []actor.ReceiverMiddleware{s.middleware} })
	trap := &trap{actor: d.actor, message: d.message, after: after}
	if d.early {
		s.arm(trap)
		d.provoke(s)
	}
	s.start()
	fakeclock.Elapse(time.Second) // time to connect again
	synctest.Wait()
	news := s.chrome.OpenPage("http://news.test/")
	read := newSlow()
	news.Register(read.tool("read"), tool("hello"))
	s.page = s.chrome.OpenPage(shop)
	wait := newSlow()
	s.page.Register(tool("add"), wait.tool("wait"))
	s.quiet()
	s.frame = s.testHub.frame(s.page.Main(), ads)
	s.frame.Register(tool("pay"))
	s.own = s.serve(s.page.Main(), tool("ask"))
	s.quiet()
	s.offers("news_test", "read", "hello")
	s.offers("shop_test", "add", "wait", "pay", "ask")
	s.checkList()
	s.seen = s.pub.current()

	bystander, mine := s.begin(s.name("read"), `{}`), s.begin(s.name("wait"), `{}`)
	if !d.early {
		s.spared = registry.PageID(news.ID())
		trap.spared = s.spared
		s.arm(trap)
		d.provoke(s)
	}
	fakeclock.Elapse(10 * time.Second)
	synctest.Wait()
	n, of := s.sprung()
	if n != of {
		t.Fatal("the message never came")
	}
	if logged := s.log.count(slog.LevelError, "panicked"); logged != n {
		t.Errorf("%d panics, %d in the log", n, logged)
	}
	if !d.cuts && !s.over {
		bystander.runs()
		read.answers <- "unharmed"
		bystander.says("unharmed")
	} else {
		bystander.result()
	}
	switch {
	case mine.done():
		mine.result()
	case d.actor == "page" && s.newcomer == nil:
		t.Error("the call goes on, though its page's actor died")
	default:
		wait.answers <- "unharmed"
		mine.says("unharmed")
	}
	select {
	case err := <-s.Failed():
		t.Errorf("the hub gave up: %v", err)
	default:
	}
	if !s.over {
		s.checkList()
		s.checkCalls()
		for _, p := range s.chrome.Pages() {
			p.Register(tool("late"))
			s.offer["late of "+p.ID()] = names.ExtractDomain(p.URL())
		}
		s.checkList()
	}
	s.stop()
	if n := s.dialer.open(); n != 0 {
		t.Errorf("%d connections are open", n)
	}
}

func (s *deathScene) offers(host string, tools ...string) {
	for _, name := range tools {
		s.offer[name] = host
	}
}

// now has the page offer only these.
func (s *deathScene) now(host string, tools ...string) {
	for name, h := range s.offer {
		if h == host {
			delete(s.offer, name)
		}
	}
	s.offers(host, tools...)
}

func (s *deathScene) name(tool string) string {
	s.t.Helper()
	for _, t := range s.pub.current().Tools() {
		if t.Route.Tool == tool {
			return strings.TrimPrefix(t.Name, "webmcp_")
		}
	}
	s.t.Fatalf("no tool %s among %q", tool, s.tools())
	return ""
}

func (s *deathScene) checkList() {
	s.t.Helper()
	s.quiet()
	var want, got []string
	for tool, host := range s.offer {
		name, _, _ := strings.Cut(tool, " of ")
		want = append(want, host+" "+name)
	}
	for _, tab := range s.pub.current().Tabs() {
		for _, t := range tab.Tools {
			got = append(got, names.ExtractDomain(tab.URL)+" "+t.Route.Tool)
			if s.pub.current().Lookup(t.Name) != t {
				s.t.Errorf("%s is not published", t.Name)
			}
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(want, got) || s.pub.current().Len() != len(want) {
		s.t.Errorf("listed %q, offered %q", got, want)
	}
	if status := s.pub.current().BrowserStatus(); status != "" {
		s.t.Errorf("the status is %q", status)
	}
}

func (s *deathScene) checkCalls() {
	s.t.Helper()
	for tool := range s.offer {
		if tool != "wait" && tool != "read" {
			s.begin(s.name(tool), `{}`).result()
		}
	}
}

// A trap is one panic of one actor.
type trap struct {
	actor, message string
	after          bool
	spared         registry.PageID // whose actor doesn't step on it
	sprung         bool
}

// traps is the middleware in which actors panic.
type traps struct {
	mu  sync.Mutex
	set []*trap
}

func (ts *traps) arm(t *trap) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.set = append(ts.set, t)
}

// sprung counts the panics, and says of how many.
func (ts *traps) sprung() (n, of int) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for _, t := range ts.set {
		if t.sprung {
			n++
		}
	}
	return n, len(ts.set)
}

func (ts *traps) middleware(next actor.ReceiverFunc) actor.ReceiverFunc {
	return func(c actor.ReceiverContext, env *actor.MessageEnvelope) {
		t := ts.catch(c.Actor(), env.Message)
		if t != nil && !t.after {
			panic("a test's panic")
		}
		next(c, env)
		if t != nil {
			panic("a test's panic")
		}
	}
}

func (ts *traps) catch(a actor.Actor, message any) *trap {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for _, t := range ts.set {
		if !t.sprung && t.message == messageName(message) && t.catches(a) {
			t.sprung = true
			return t
		}
	}
	return nil
}

func (t *trap) catches(a actor.Actor) bool {
	switch a := a.(type) {
	case *tab.Tab:
		_, byExtension := a.Link().(*ext.Link)
		return t.actor == map[bool]string{false: "page", true: "ext"}[byExtension] && a.ID != t.spared
	case *browserActor:
		return t.actor == "browser"
	case *extBrowsersActor:
		return t.actor == "extBrowsers"
	}
	return t.actor == "registry"
}
