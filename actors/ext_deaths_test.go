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

	"webmcphub/actors/keeper"
	"webmcphub/actors/tab"
	"webmcphub/extlink/exttest"
	"webmcphub/registry"
	"webmcphub/registry/names"
	"webmcphub/registry/offer"
)

// TestExtDeaths lets the actors of the extension's side panic at each kind
// of message, before it is handled and after. Whatever it was: another browser's
// page and its calls go on, the list comes to be what the pages offer (the
// extension connects anew where its connection was dropped), and the hub stops.
func TestExtDeaths(t *testing.T) {
	rows := extDeaths()
	want := map[string][]string{
		"extLink":          append(tabMessages(t), append(extMessages(t, "Handle"), extMessages(t, "heard")...)...),
		"extBrowsersActor": append(cases(t, sourcesIn(t, "."), "extBrowsersActor", "Receive"), append(prefixed(cases(t, sourcesIn(t, "."), "extBrowsersActor", "heard")), "*actor.Started", "*actor.Stopping", "*actor.Stopped")...),
	}
	for name, messages := range want {
		for _, message := range messages {
			if rows[name+" "+message] == nil && message != "ext.Said" && message != "actors.fromExtension" && message != "*keeper.Order" && !overCDPOnly[message] {
				t.Errorf("what becomes of a %s that panics at %s? Add a row", name, message)
			}
		}
	}
	for row, provoke := range rows {
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s after=%v", row, after), func(t *testing.T) {
				bubble(t, func(t *testing.T) { playExtDeath(t, row, after, provoke) })
			})
		}
	}
}

// overCDPOnly are messages that a tab of an extension never gets: it has no
// session, its calls have names at once, and its title comes with what it says.
var overCDPOnly = map[string]bool{"tab.Offered": true, "tab.Refused": true, "tab.SessionEnded": true, "tab.TargetCrashed": true, "tab.infoChanged": true, "tab.TitleListed": true, "tab.phaseOverdue": true, "tab.namedAll": true}

// extMessages are what a link by the extension handles.
func extMessages(t *testing.T, method string) []string {
	all := cases(t, sourcesIn(t, "tab/ext"), "Link", method)
	for i, name := range all {
		if strings.HasPrefix(name, "actors.") {
			all[i] = "ext." + strings.TrimPrefix(name, "actors.")
		}
	}
	return prefixed(all)
}

// prefixed names the extension's messages as messageName does.
func prefixed(cases []string) (all []string) {
	for _, c := range cases {
		all = append(all, strings.TrimPrefix(c, "actors."))
	}
	return all
}

type extScene struct {
	*testHub
	traps
	b    *exttest.Browser
	tab  *exttest.Tab
	page registry.PageID
	over bool
}

func extDeaths() map[string]func(*extScene) {
	rows := map[string]func(*extScene){}
	page := func(message string, provoke func(*extScene)) { rows["extLink "+message] = provoke }
	browsers := func(message string, provoke func(*extScene)) { rows["extBrowsersActor "+message] = provoke }
	send := func(m any) func(*extScene) {
		return func(s *extScene) {
			ref, _ := s.pages.Load(s.page)
			s.root.Send(ref.(*tab.Address).PID, m)
		}
	}
	opens := func(s *extScene) { s.b.OpenTab(shop).Register(exttest.Tool{Name: "more"}) }
	stops := func(s *extScene) { s.over = true; s.stop() }
	calls := func(s *extScene) { go s.Call(context.Background(), s.tool("shop_test_page1_add"), nil, CallExtras{}) }
	switches := func(s *extScene) {
		_ = s.DisconnectPage(context.Background(), s.page)
		s.quiet()
		_ = s.ConnectPage(context.Background(), s.page)
		s.quiet()
		_ = s.ConnectPage(context.Background(), s.page)
	}
	page("*actor.Started", opens)
	page("*actor.Stopping", func(s *extScene) { s.tab.Close() })
	page("*actor.Stopped", func(s *extScene) { s.tab.Close() })
	page("tab.End", func(s *extScene) { s.tab.Close() })
	page("tab.Retell", send(tab.Retell{}))
	page("ext.leadOverdue", func(s *extScene) {
		s.begin("shop_test_page1_wait", `{}`)
		s.b.Say(`{"type":"toolResult","callId":"` + s.b.Heard("callTool")[0].CallID + `","result":null,"leaves":true}`)
		s.quiet()
		s.tab.Navigate("http://shop.test/thanks")
	})
	page("tab.StartCall", calls)
	page("tab.CancelCall", func(s *extScene) { s.begin("shop_test_page1_wait", `{}`).cancel() })
	page("tab.reportDue", opens)
	page("tab.Wanted", switches)
	page("extlink.TabUpdated", func(s *extScene) { s.tab.SetTitle("Another") })
	page("extlink.ToolsChanged", opens)
	page("extlink.TabFocused", func(s *extScene) { s.tab.Show() })
	page("extlink.ToolResult", calls)
	page("extlink.ToolProgress", func(s *extScene) { s.b.Say(`{"type":"toolProgress","callId":"1.1.1","params":{}}`) })
	asks := func(s *extScene) {
		s.b.Say(`{"type":"pageRequest","tabId":1,"requestId":"r","method":"roots/list"}`)
	}
	page("extlink.PageRequest", asks)
	page("ext.requestOver", asks)
	page("extlink.PageRequestCancelled", func(s *extScene) { s.b.Say(`{"type":"cancelPageRequest","tabId":1,"requestId":"r"}`) })
	browsers("extlink.PageRequest", asks)
	browsers("extlink.PageRequestCancelled", func(s *extScene) { s.b.Say(`{"type":"cancelPageRequest","tabId":1,"requestId":"r"}`) })

	browsers("*actor.Started", func(*extScene) {})
	browsers("*actor.Stopping", stops)
	browsers("*actor.Stopped", stops)
	browsers("actors.extOpened", func(s *extScene) { s.AddExtension(s.b.Connect()) })
	browsers("order to reach a browser", func(s *extScene) { _, _ = s.Connect(context.Background(), false) })
	browsers("order to focus", func(s *extScene) { _ = s.ActivateTab(context.Background(), s.page) })
	browsers("order to close", func(s *extScene) { _ = s.CloseTab(context.Background(), s.page) })
	browsers("order to open", func(s *extScene) { _, _ = s.OpenTab(context.Background(), registry.NewTab{URL: shop}) })
	browsers("order to connect", switches)
	browsers("order to disconnect", switches)
	browsers("actors.orderOverdue", func(s *extScene) {
		s.b.Ignore("focusTab")
		_ = s.ActivateTab(context.Background(), s.page)
	})
	browsers("tab.ActorFailed", func(s *extScene) {
		s.arm(&trap{actor: "ext", message: "extlink.TabUpdated"})
		s.tab.SetTitle("Another")
	})
	browsers("actors.keptOut", func(s *extScene) { s.ExtensionsKeptOut("the port is taken") })
	browsers("actors.refused", func(s *extScene) { s.ExtensionRefused("one", "it is too old") })
	browsers("keeper.RegistryFailed", func(s *extScene) { s.root.Send(s.browser, keeper.RegistryFailed{}) })
	browsers("keeper.Stop", stops)
	browsers("keeper.Parted", stops)
	browsers("extlink.Closed", func(s *extScene) { _ = s.b.Wire().Close() })
	browsers("extlink.Connected", func(s *extScene) { s.AddExtension(s.b.Connect()) })
	browsers("extlink.Disconnected", func(s *extScene) { s.b.Say(`{"type":"disconnected"}`) })
	browsers("extlink.TabCreated", opens)
	browsers("extlink.TabUpdated", func(s *extScene) { s.tab.SetTitle("Another") })
	browsers("extlink.TabClosed", func(s *extScene) { s.tab.Close() })
	browsers("extlink.TabFocused", func(s *extScene) { s.tab.Show() })
	browsers("extlink.ToolsChanged", opens)
	browsers("extlink.ToolResult", calls)
	browsers("extlink.ToolProgress", func(s *extScene) { s.b.Say(`{"type":"toolProgress","callId":"1.1.1","params":{}}`) })
	browsers("extlink.OrderResult", func(s *extScene) { _ = s.ActivateTab(context.Background(), s.page) })
	return rows
}

func playExtDeath(t *testing.T, row string, after bool, provoke func(*extScene)) {
	kind, message, _ := strings.Cut(row, " ")
	s := &extScene{}
	s.testHub = prepare(t, func(o *Options) {
		o.Lazy, o.Extension = true, true
		o.PageRequests = func(context.Context, offer.PageRequest) (json.RawMessage, error) {
			return json.RawMessage(`{}`), nil
		}
		o.inside = []actor.ReceiverMiddleware{s.middleware}
	})
	trap := &trap{actor: map[string]string{"extLink": "ext", "extBrowsersActor": "extBrowsers"}[kind], message: message, after: after}
	early := row == "extBrowsersActor *actor.Started"
	if early {
		s.arm(trap)
	}
	s.start()
	other := s.join(exttest.New("other"))
	read := newSlow()
	other.OpenTab(third).Register(forExtension(0, []suiteTool{{name: "read", run: read.execute}})...)
	s.quiet()
	news := names.ExtractDomain(third) + "_page0_read"
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
