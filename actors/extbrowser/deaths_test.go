package extbrowser_test

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

	. "webmcphub/actors"
	. "webmcphub/actors/hubtest"
	"webmcphub/actors/supervisor"
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
		"extLink":    append(TabMessages(t, "../tab"), append(extMessages(t, "Handle"), extMessages(t, "handleMessage")...)...),
		"extensions": append(Cases(t, SourcesIn(t, "."), "Actor", "Receive"), append(Cases(t, SourcesIn(t, "."), "Actor", "handleMessage"), "*actor.Started", "*actor.Stopping", "*actor.Stopped")...),
	}
	for name, messages := range want {
		for _, message := range messages {
			if rows[name+" "+message] == nil && message != "extbrowser.TabEvent" && message != "extbrowser.received" && message != "*supervisor.Order" && !overCDPOnly[message] {
				t.Errorf("what becomes of a %s that panics at %s? Add a row", name, message)
			}
		}
	}
	for row, provoke := range rows {
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s after=%v", row, after), func(t *testing.T) {
				Bubble(t, func(t *testing.T) { playExtDeath(t, row, after, provoke) })
			})
		}
	}
}

// overCDPOnly are messages that a tab of an extension never gets: it has no
// session, its calls have names at once, and its title comes with what it says.
var overCDPOnly = map[string]bool{"tab.Offered": true, "tab.AttachFailed": true, "tab.TargetCrashed": true, "tab.infoChanged": true, "tab.TitleListed": true, "tab.phaseOverdue": true, "tab.namedAll": true}

// extMessages are what a link by the extension handles.
func extMessages(t *testing.T, method string) []string {
	return Cases(t, SourcesIn(t, "."), "Link", method)
}

type extScene struct {
	*TestHub
	Traps
	b    *exttest.Browser
	tab  *exttest.Tab
	page registry.PageID
	over bool
}

func extDeaths() map[string]func(*extScene) {
	rows := map[string]func(*extScene){}
	page := func(message string, provoke func(*extScene)) { rows["extLink "+message] = provoke }
	browsers := func(message string, provoke func(*extScene)) { rows["extensions "+message] = provoke }
	send := func(m any) func(*extScene) {
		return func(s *extScene) {
			s.TellTab(s.page, m)
		}
	}
	opens := func(s *extScene) { s.b.OpenTab(Shop).Register(exttest.Tool{Name: "more"}) }
	stops := func(s *extScene) { s.over = true; s.StopNow() }
	calls := func(s *extScene) { go s.Call(context.Background(), s.Tool("shop_test_page1_add"), nil, CallExtras{}) }
	switches := func(s *extScene) {
		_ = s.DisconnectPage(context.Background(), s.page)
		s.Quiet()
		_ = s.ConnectPage(context.Background(), s.page)
		s.Quiet()
		_ = s.ConnectPage(context.Background(), s.page)
	}
	page("*actor.Started", opens)
	page("*actor.Stopping", func(s *extScene) { s.tab.Close() })
	page("*actor.Stopped", func(s *extScene) { s.tab.Close() })
	page("tab.End", func(s *extScene) { s.tab.Close() })
	page("tab.Resync", send(tab.Resync{}))
	page("extbrowser.leadOverdue", func(s *extScene) {
		s.Begin("shop_test_page1_wait", `{}`)
		s.b.Say(`{"type":"toolResult","callId":"` + s.b.Received("callTool")[0].CallID + `","result":null,"leaves":true}`)
		s.Quiet()
		s.tab.Navigate("http://shop.test/thanks")
	})
	page("tab.StartCall", calls)
	page("tab.CancelCall", func(s *extScene) { s.Begin("shop_test_page1_wait", `{}`).Cancel() })
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
	page("extbrowser.requestOver", asks)
	page("extlink.PageRequestCancelled", func(s *extScene) { s.b.Say(`{"type":"cancelPageRequest","tabId":1,"requestId":"r"}`) })
	browsers("extlink.PageRequest", asks)
	browsers("extlink.PageRequestCancelled", func(s *extScene) { s.b.Say(`{"type":"cancelPageRequest","tabId":1,"requestId":"r"}`) })

	browsers("*actor.Started", func(*extScene) {})
	browsers("*actor.Stopping", stops)
	browsers("*actor.Stopped", stops)
	browsers("extbrowser.Opened", func(s *extScene) { s.AddExtension(s.b.Connect()) })
	browsers("order to reach a browser", func(s *extScene) { _, _ = s.Connect(context.Background(), false) })
	browsers("order to focus", func(s *extScene) { _ = s.ActivateTab(context.Background(), s.page) })
	browsers("order to close", func(s *extScene) { _ = s.CloseTab(context.Background(), s.page) })
	browsers("order to open", func(s *extScene) { _, _ = s.OpenTab(context.Background(), registry.NewTab{URL: Shop}) })
	browsers("order to connect", switches)
	browsers("order to disconnect", switches)
	browsers("extbrowser.orderOverdue", func(s *extScene) {
		s.b.Ignore("focusTab")
		_ = s.ActivateTab(context.Background(), s.page)
	})
	browsers("tab.ActorFailed", func(s *extScene) {
		s.Arm(&Trap{Actor: "ext", Message: "extlink.TabUpdated"})
		s.tab.SetTitle("Another")
	})
	browsers("extbrowser.KeptOut", func(s *extScene) { s.ExtensionsKeptOut("the port is taken") })
	browsers("extbrowser.TurnedAway", func(s *extScene) { s.ExtensionTurnedAway("one", "it is too old") })
	browsers("supervisor.RegistryFailed", func(s *extScene) { s.TellExtensions(supervisor.RegistryFailed{}) })
	browsers("supervisor.Stop", stops)
	browsers("supervisor.ConnectionClosed", stops)
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
	automates := func(s *extScene) { _, _ = s.AutomationAccess(s.page) }
	browsers("supervisor.Debug", automates)
	browsers("extlink.DebuggerReply", automates)
	browsers("extlink.DebuggerEvent", func(s *extScene) { s.b.Say(`{"type":"debuggerEvent","tabId":1,"method":"Page.loadEventFired"}`) })
	browsers("extlink.DebuggerDetached", func(s *extScene) { s.b.Say(`{"type":"debuggerDetached","tabId":1,"reason":"target_closed"}`) })
	browsers("extbrowser.attachOverdue", func(s *extScene) {
		s.b.Ignore("debuggerAttach")
		_, _ = s.AutomationAccess(s.page)
	})
	browsers("extlink.SetPaused", func(s *extScene) { s.b.Say(`{"type":"setPaused","paused":true}`) })
	browsers("extlink.SetPermission", func(s *extScene) {
		s.b.Say(`{"type":"setPermission","origin":"https://a.example","permission":"ask"}`)
	})
	browsers("extbrowser.AgentStatus", func(s *extScene) { s.ShowAgentStatus(AgentStatus{Paused: true}) })
	browsers("extlink.OrderResult", func(s *extScene) { _ = s.ActivateTab(context.Background(), s.page) })
	return rows
}

func playExtDeath(t *testing.T, row string, after bool, provoke func(*extScene)) {
	kind, message, _ := strings.Cut(row, " ")
	s := &extScene{}
	s.TestHub = Prepare(t, func(o *Options) {
		o.Lazy, o.Extension = true, true
		o.PageRequests = func(context.Context, offer.PageRequest) (json.RawMessage, error) {
			return json.RawMessage(`{}`), nil
		}
		o.TestHooks.Inside = []actor.ReceiverMiddleware{s.Middleware}
	})
	trap := &Trap{Actor: map[string]string{"extLink": "ext", "extensions": "extensions"}[kind], Message: message, After: after}
	early := row == "extensions *actor.Started"
	if early {
		s.Arm(trap)
	}
	s.Start()
	other := s.Join(exttest.New("other"))
	read := NewSlow()
	other.OpenTab(Third).Register(ForExtension(0, []PageTool{{Name: "read", Run: read.Execute}})...)
	s.Quiet()
	news := names.ExtractDomain(Third) + "_page0_read"
	bystander := s.Begin(news, `{}`)
	trap.Spared = s.Tool(news).Route.Page

	one := exttest.New("one")
	one.Automation = true
	s.b = s.Join(one)
	s.tab = s.b.OpenTab(Shop)
	s.tab.Register(append(ForExtension(0, []PageTool{{Name: "wait", Run: NewSlow().Execute}}), exttest.Tool{Name: "add"})...)
	s.Quiet()
	s.page = s.Pub.Current().Tabs()[1].Page
	if !early {
		s.Arm(trap)
		provoke(s)
	}
	s.Pass(20 * time.Second)
	s.Quiet()
	if n, of := s.Sprung(); n != of {
		t.Fatalf("%d of %d messages came", n, of)
	}
	if n := s.Log.Count(slog.LevelError, "panicked"); n == 0 {
		t.Error("the log doesn't tell")
	}
	select {
	case err := <-s.Failed():
		t.Errorf("the hub gave up: %v", err)
	default:
	}
	if s.over {
		bystander.Result()
		return
	}
	bystander.Runs()
	read.Answers <- "unharmed"
	bystander.Says("unharmed")
	// The extension connects anew, where it has to.
	select {
	case <-s.b.Wire().Closed():
		s.AddExtension(s.b.Connect())
		s.Quiet()
	default:
	}
	for _, tab := range s.b.Tabs() {
		tab.Register(exttest.Tool{Name: "late"})
	}
	s.Quiet()
	var want, got []string
	for _, tab := range s.b.Tabs() {
		for _, tool := range tab.Tools() {
			want = append(want, fmt.Sprintf("%d %s", tab.ID, tool))
		}
	}
	for _, tab := range s.Pub.Current().Tabs()[1:] {
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
