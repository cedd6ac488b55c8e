package hubtest

import (
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"webmcphub/actors"
	"webmcphub/actors/tab"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/internal/fakeclock"
	"webmcphub/registry"
	"webmcphub/registry/names"
)

// Death is a kind of message at which a kind of actor panics.
type Death struct {
	Actor   string // "page" (never the bystander's), "browser", "registry"
	Message string // the name that actors.MessageName gives it
	Provoke func(*Scene)
	Early   bool // the message comes while the hub starts
	Cuts    bool // all calls end, because the connection ends
}

// Scene is a page with calls in flight, and a bystander's page that should notice nothing.
type Scene struct {
	*TestHub
	Traps
	spared   registry.PageID
	newcomer *cdptest.Page // the page whose actor dies, if it isn't shop.test's
	news     *cdptest.Page // the bystander's
	Page     *cdptest.Page // shop.test
	frame    *cdptest.Frame
	own      *Server // the page's own MCP server
	seen     *registry.Catalog
	offer    map[string]string // what pages offer: host of each tool
	over     bool              // the hub was stopped
}

// PlayDeaths makes each actor panic at each kind of message, before it handles the message and after. It checks what
// must be true for every message: the panic is logged, other pages' calls go on, the page's own calls end with a
// result, the list becomes what the pages offer, their tools can be called, later changes show, and the hub stops and
// leaves nothing behind.
func PlayDeaths(t *testing.T, deaths []Death) {
	for _, d := range deaths {
		for _, after := range []bool{false, true} {
			when := map[bool]string{false: " before ", true: " after "}[after]
			t.Run(d.Actor+when+d.Message, func(t *testing.T) {
				Bubble(t, func(t *testing.T) { d.play(t, after) })
			})
		}
	}
}

func (d Death) play(t *testing.T, after bool) {
	s := &Scene{offer: map[string]string{}}
	s.TestHub = Prepare(t, func(o *actors.Options) {
		o.Dialogs = tab.DismissDialogs
		o.TestHooks.Inside = []actor.ReceiverMiddleware{s.Middleware}
	})
	trap := &Trap{Actor: d.Actor, Message: d.Message, After: after}
	if d.Early {
		s.Arm(trap)
		d.Provoke(s)
	}
	s.Start()
	fakeclock.Elapse(time.Second) // time to connect again
	synctest.Wait()
	read, wait := s.opens()
	bystander, mine := s.Begin(s.NameOf("read"), `{}`), s.Begin(s.NameOf("wait"), `{}`)
	if !d.Early {
		s.spared = registry.PageID(s.news.ID())
		trap.Spared = s.spared
		s.Arm(trap)
		d.Provoke(s)
	}
	fakeclock.Elapse(10 * time.Second)
	synctest.Wait()
	s.wantPanics()
	if !d.Cuts && !s.over {
		bystander.Runs()
		read.Answers <- "unharmed"
		bystander.Says("unharmed")
	} else {
		bystander.Result()
	}
	switch {
	case mine.done():
		mine.Result()
	case d.Actor == "page" && s.newcomer == nil:
		t.Error("the call goes on, though its page's actor died")
	default:
		wait.Answers <- "unharmed"
		mine.Says("unharmed")
	}
	s.wantGoesOn()
	if !s.over {
		s.checkList()
		s.checkCalls()
		for _, p := range s.Chrome.Pages() {
			p.Register(Tool("late"))
			s.offer["late of "+p.ID()] = names.ExtractDomain(p.URL())
		}
		s.checkList()
	}
	s.StopNow()
	if n := s.Dialer.Open(); n != 0 {
		t.Errorf("%d connections are open", n)
	}
}

// Offers records that a host offers these tools from now on, in addition to those that it has.
func (s *Scene) Offers(host string, tools ...string) {
	for _, name := range tools {
		s.offer[name] = host
	}
}

// Now records that a host offers only these tools.
func (s *Scene) Now(host string, tools ...string) {
	for name, h := range s.offer {
		if h == host {
			delete(s.offer, name)
		}
	}
	s.Offers(host, tools...)
}

// NameOf returns the published name of a page's tool, without the prefix.
func (s *Scene) NameOf(tool string) string {
	s.T.Helper()
	for _, t := range s.Pub.Current().Tools() {
		if t.Route.Tool == tool {
			return strings.TrimPrefix(t.Name, "webmcp_")
		}
	}
	s.T.Fatalf("no tool %s among %q", tool, s.Tools())
	return ""
}

func (s *Scene) checkList() {
	s.T.Helper()
	s.Quiet()
	var want, got []string
	for tool, host := range s.offer {
		name, _, _ := strings.Cut(tool, " of ")
		want = append(want, host+" "+name)
	}
	for _, tab := range s.Pub.Current().Tabs() {
		for _, t := range tab.Tools {
			got = append(got, names.ExtractDomain(tab.URL)+" "+t.Route.Tool)
			if s.Pub.Current().Lookup(t.Name) != t {
				s.T.Errorf("%s is not published", t.Name)
			}
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(want, got) || s.Pub.Current().Len() != len(want) {
		s.T.Errorf("listed %q, offered %q", got, want)
	}
	if status := s.Pub.Current().BrowserStatus(); status != "" {
		s.T.Errorf("the status is %q", status)
	}
}

func (s *Scene) checkCalls() {
	s.T.Helper()
	for tool := range s.offer {
		if tool != "wait" && tool != "read" {
			s.Begin(s.NameOf(tool), `{}`).Result()
		}
	}
}

// opens opens the bystander's page and shop.test, with what they offer, and returns the tools that answer late.
func (s *Scene) opens() (read, wait *Slow) {
	s.news = s.Chrome.OpenPage("http://news.test/")
	read = NewSlow()
	s.news.Register(read.Tool("read"), Tool("hello"))
	s.Page = s.Chrome.OpenPage(Shop)
	wait = NewSlow()
	s.Page.Register(Tool("add"), wait.Tool("wait"))
	s.Quiet()
	s.frame = s.TestHub.Frame(s.Page.Main(), Ads)
	s.frame.Register(Tool("pay"))
	s.own = s.Serve(s.Page.Main(), Tool("ask"))
	s.Quiet()
	s.Offers("news_test", "read", "hello")
	s.Offers("shop_test", "add", "wait", "pay", "ask")
	s.checkList()
	s.seen = s.Pub.Current()
	return read, wait
}

// wantPanics fails unless each trap has sprung, which the log shows.
func (s *Scene) wantPanics() {
	s.T.Helper()
	n, of := s.Sprung()
	if n != of {
		s.T.Fatal("the message never came")
	}
	if logged := s.Log.Count(slog.LevelError, "panicked"); logged != n {
		s.T.Errorf("%d panics, %d in the log", n, logged)
	}
}

// wantGoesOn fails if the hub gave up.
func (s *Scene) wantGoesOn() {
	s.T.Helper()
	select {
	case err := <-s.Failed():
		s.T.Errorf("the hub gave up: %v", err)
	default:
	}
}
