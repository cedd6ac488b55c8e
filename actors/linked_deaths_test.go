package actors

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"webmcphub/extlink/exttest"
	"webmcphub/registry"
)

// TestLinkedDeaths lets the actors of the extension's side panic at each kind
// of message, before it is handled and after. Whatever it was: another browser's
// page and its calls go on, the list comes to be what the pages offer (the
// extension connects anew where its connection was dropped), and the hub stops.
func TestLinkedDeaths(t *testing.T) {
	rows := linkedDeaths()
	for _, name := range []string{"linkedPage", "linksActor"} {
		want := append(cases(t, sourcesIn(t, "."), name, "Receive"), "*actor.Started", "*actor.Stopping", "*actor.Stopped")
		if name == "linkedPage" {
			want = append(want, prefixed(cases(t, sourcesIn(t, "."), name, "heard"))...)
		} else {
			want = append(slices.DeleteFunc(want, func(m string) bool { return m == "actors.fromLink" }), prefixed(cases(t, sourcesIn(t, "."), name, "heard"))...)
		}
		for _, message := range want {
			if rows[name+" "+message] == nil {
				t.Errorf("what becomes of a %s that panics at %s? Add a row", name, message)
			}
		}
	}
	for row, provoke := range rows {
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s after=%v", row, after), func(t *testing.T) {
				bubble(t, func(t *testing.T) { playLinkedDeath(t, row, after, provoke) })
			})
		}
	}
}

// prefixed names the extension's messages as messageName does.
func prefixed(cases []string) (all []string) {
	for _, c := range cases {
		all = append(all, strings.TrimPrefix(c, "actors."))
	}
	return all
}

type linkedScene struct {
	*testHub
	traps
	b    *exttest.Browser
	tab  *exttest.Tab
	page registry.PageID
	over bool
}

func linkedDeaths() map[string]func(*linkedScene) {
	rows := map[string]func(*linkedScene){}
	page := func(message string, provoke func(*linkedScene)) { rows["linkedPage "+message] = provoke }
	links := func(message string, provoke func(*linkedScene)) { rows["linksActor "+message] = provoke }
	send := func(m any) func(*linkedScene) {
		return func(s *linkedScene) {
			ref, _ := s.pages.Load(s.page)
			s.root.Send(ref.(*pageRef).pid, m)
		}
	}
	opens := func(s *linkedScene) { s.b.OpenTab(shop).Register(exttest.Tool{Name: "more"}) }
	stops := func(s *linkedScene) { s.over = true; s.stop() }
	calls := func(s *linkedScene) { go s.Call(context.Background(), s.tool("shop_test_page1_add"), nil, nil) }
	switches := func(s *linkedScene) {
		_ = s.DisconnectPage(context.Background(), s.page)
		s.quiet()
		_ = s.ConnectPage(context.Background(), s.page)
		s.quiet()
		_ = s.ConnectPage(context.Background(), s.page)
	}
	page("*actor.Started", opens)
	page("*actor.Stopping", func(s *linkedScene) { s.tab.Close() })
	page("*actor.Stopped", func(s *linkedScene) { s.tab.Close() })
	page("actors.pageGone", func(s *linkedScene) { s.tab.Close() })
	page("actors.retell", send(retell{}))
	page("actors.navigationOverdue", send(navigationOverdue{}))
	page("actors.startCall", calls)
	page("actors.cancelCall", func(s *linkedScene) { s.begin("shop_test_page1_wait", `{}`).cancel() })
	page("actors.reportDue", opens)
	page("actors.linkedSwitch", switches)
	page("extlink.TabUpdated", func(s *linkedScene) { s.tab.SetTitle("Another") })
	page("extlink.ToolsChanged", opens)
	page("extlink.TabFocused", func(s *linkedScene) { s.tab.Show() })
	page("extlink.ToolResult", calls)
	page("extlink.ToolProgress", func(s *linkedScene) { s.b.Say(`{"type":"toolProgress","callId":"1.1.1","params":{}}`) })
	asks := func(s *linkedScene) {
		s.b.Say(`{"type":"pageRequest","tabId":1,"requestId":"r","method":"roots/list"}`)
	}
	page("extlink.PageRequest", asks)
	page("actors.linkedAsked", asks)
	page("extlink.PageRequestCancelled", func(s *linkedScene) { s.b.Say(`{"type":"cancelPageRequest","tabId":1,"requestId":"r"}`) })
	links("extlink.PageRequest", asks)
	links("extlink.PageRequestCancelled", func(s *linkedScene) { s.b.Say(`{"type":"cancelPageRequest","tabId":1,"requestId":"r"}`) })

	links("*actor.Started", func(*linkedScene) {})
	links("*actor.Stopping", stops)
	links("*actor.Stopped", stops)
	links("actors.linkOpened", func(s *linkedScene) { s.AddExtension(s.b.Connect()) })
	links("actors.connectOrder", func(s *linkedScene) { _, _ = s.Connect(context.Background(), false) })
	links("*actors.linkedOrder", func(s *linkedScene) { _ = s.ActivateTab(context.Background(), s.page) })
	links("actors.orderOverdue", func(s *linkedScene) {
		s.b.Ignore("focusTab")
		_ = s.ActivateTab(context.Background(), s.page)
	})
	links("actors.pageFailed", func(s *linkedScene) {
		s.arm(&trap{actor: "linked", message: "extlink.TabUpdated"})
		s.tab.SetTitle("Another")
	})
	links("actors.extensionsKeptOut", func(s *linkedScene) { s.ExtensionsKeptOut("the port is taken") })
	links("actors.registryFailed", func(s *linkedScene) { s.root.Send(s.browser, registryFailed{}) })
	links("actors.stopBrowser", stops)
	links("actors.linkParted", stops)
	links("extlink.Closed", func(s *linkedScene) { _ = s.b.Wire().Close() })
	links("extlink.Connected", func(s *linkedScene) { s.AddExtension(s.b.Connect()) })
	links("extlink.Disconnected", func(s *linkedScene) { s.b.Say(`{"type":"disconnected"}`) })
	links("extlink.TabCreated", opens)
	links("extlink.TabUpdated", func(s *linkedScene) { s.tab.SetTitle("Another") })
	links("extlink.TabClosed", func(s *linkedScene) { s.tab.Close() })
	links("extlink.TabFocused", func(s *linkedScene) { s.tab.Show() })
	links("extlink.ToolsChanged", opens)
	links("extlink.ToolResult", calls)
	links("extlink.ToolProgress", func(s *linkedScene) { s.b.Say(`{"type":"toolProgress","callId":"1.1.1","params":{}}`) })
	links("extlink.OrderResult", func(s *linkedScene) { _ = s.ActivateTab(context.Background(), s.page) })
	return rows
}

func playLinkedDeath(t *testing.T, row string, after bool, provoke func(*linkedScene)) {
	kind, message, _ := strings.Cut(row, " ")
	s := &linkedScene{}
	s.testHub = prepare(t, func(o *Options) {
		o.Lazy, o.Extension = true, true
		o.PageRequests = func(context.Context, registry.PageRequest) (json.RawMessage, error) {
			return json.RawMessage(`{}`), nil
		}
		o.inside = []actor.ReceiverMiddleware{s.middleware}
	})
	trap := &trap{actor: map[string]string{"linkedPage": "linked", "linksActor": "links"}[kind], message: message, after: after}
	early := row == "linksActor *actor.Started"
	if early {
		s.arm(trap)
	}
	s.start()
	other := s.join(exttest.New("other"))
	read := newSlow()
	other.OpenTab(third).Register(forExtension(0, []suiteTool{{name: "read", run: read.execute}})...)
	s.quiet()
	news := registry.ExtractDomain(third) + "_page0_read"
	bystander := s.begin(news, `{}`)
	trap.spared = s.tool(news).Route.Page

	s.b = s.join(exttest.New("one"))
	s.tab = s.b.OpenTab(shop)
	s.tab.Register(append(forExtension(0, []suiteTool{{name: "wait", run: newSlow().execute}}), exttest.Tool{Name: "add"})...)
	s.quiet()
	s.page = s.pub.current().Tabs()[1].Page
	if !early {
		s.arm(trap)
		provoke(s)
	}
	s.pass(20 * time.Second)
	s.quiet()
	if n, of := s.sprung(); n != of {
		t.Fatalf("%d of %d messages came", n, of)
	}
	if n := s.log.count(slog.LevelError, "panicked"); n == 0 {
		t.Error("the log doesn't tell")
	}
	select {
	case err := <-s.Failed():
		t.Errorf("the hub gave up: %v", err)
	default:
	}
	if s.over {
		bystander.result()
		return
	}
	bystander.runs()
	read.answers <- "unharmed"
	bystander.says("unharmed")
	// The extension connects anew, where it has to.
	select {
	case <-s.b.Wire().Closed():
		s.AddExtension(s.b.Connect())
		s.quiet()
	default:
	}
	for _, tab := range s.b.Tabs() {
		tab.Register(exttest.Tool{Name: "late"})
	}
	s.quiet()
	var want, got []string
	for _, tab := range s.b.Tabs() {
		for _, tool := range tab.Tools() {
			want = append(want, fmt.Sprintf("%d %s", tab.ID, tool))
		}
	}
	for _, tab := range s.pub.current().Tabs()[1:] {
		id := string(tab.Page)[strings.LastIndex(string(tab.Page), "/")+1:]
		for _, tool := range tab.Tools {
			got = append(got, id+" "+tool.Route.Tool)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(want, got) {
		t.Errorf("listed %q, offered %q", got, want)
	}
}
