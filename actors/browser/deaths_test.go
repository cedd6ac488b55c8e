package browser_test

import (
	"strings"
	"testing"

	. "webmcphub/actors"
	"webmcphub/actors/browser"
	. "webmcphub/actors/hubtest"
	"webmcphub/actors/supervisor"
	"webmcphub/cdpclient"
	"webmcphub/registry"
)

// TestDeaths lets the actor panic at each kind of message; see PlayDeaths.
func TestDeaths(t *testing.T) { PlayDeaths(t, deaths()) }

// deaths are the rows.
func deaths() []Death {
	var all []Death
	at := func(message string, provoke func(*Scene)) *Death {
		all = append(all, Death{Actor: "browser", Message: message, Provoke: provoke})
		return &all[len(all)-1]
	}
	at("*actor.Started", Nothing).Early = true
	at("*actor.Stopping", Stops)
	at("*actor.Stopped", Stops)
	at("supervisor.Stop", Stops)
	at("supervisor.ConnectionClosed", Stops)
	at("browser.connected", Nothing).Early = true
	at("browser.connected", Gone).Cuts = true
	at("browser.dialFailed", Retries).Early = true
	at("browser.dialStatus", func(s *Scene) { s.Dialer.Says = "waiting in a queue" }).Early = true
	at("browser.redial", Retries).Early = true
	at("browser.redial", Gone).Cuts = true
	at("order to reach a browser", Connects)
	at("order to focus", Orders)
	at("order to open", func(s *Scene) { _, _ = s.OpenTab(s.T.Context(), registry.NewTab{URL: Cart}) })
	at("order to close", func(s *Scene) { _ = s.CloseTab(s.T.Context(), "nobody") })
	at("order to list titles", func(s *Scene) { _, _ = s.Titles(s.T.Context()) })
	at("order to connect", Reconnects)
	at("order to disconnect", Reconnects)
	at("supervisor.Debug", func(s *Scene) { _, _ = s.DebugAccess(registry.PageID(s.Page.ID())) })
	at("reply cdp.Attaching", Reconnects)
	at("tab.ActorFailed", PanicsIn("page", cdpclient.WebMCPToolsAdded))
	at("browser.WatchFront", func(s *Scene) { s.WatchFront() })
	at("supervisor.RegistryFailed", PanicsIn("registry", "tab.Report"))
	at("cdpclient.Closed", Gone).Cuts = true
	early := []any{"", browser.VersionReply{}, browser.AttachReply{}, browser.StripReply{}, browser.ContextsReply{}}
	for _, tag := range early {
		at(MessageName(cdpclient.Reply{Tag: tag}), Nothing).Early = true
	}
	for _, tag := range []any{browser.WindowReply{}, browser.GatheredReply{}} {
		at(MessageName(cdpclient.Reply{Tag: tag}), func(s *Scene) {
			s.Page.InWindow(1)
			Gone(s)
		}).Cuts = true
	}
	at(MessageName(cdpclient.Reply{Tag: browser.ReopenReply{}}), func(s *Scene) {
		s.Dialer.Crashing(func(address func() string) { address() })
		Gone(s)
	}).Cuts = true
	at(MessageName(cdpclient.Reply{Tag: &supervisor.Order{}}), Orders)
	at(cdpclient.TargetAttachedToTarget, NewTab)
	at(cdpclient.TargetTargetCreated, NewTab)
	at(cdpclient.TargetTargetDestroyed, Closes)
	at(cdpclient.TargetTargetCrashed, Crashes)
	at(cdpclient.TargetTargetInfoChanged, func(s *Scene) { s.Page.SetTitle("Another") })
	return all
}

// TestEveryMessageHasItsDeath reads the actor's source for what it handles: each kind
// of message needs a row in deaths.
func TestEveryMessageHasItsDeath(t *testing.T) {
	here := SourcesIn(t, ".")
	kinds := append(Cases(t, here, "Actor", "Receive"), ActorMessages...)
	kinds = ReplaceKind(t, kinds, "browser.received", append(RepliesTo(t, here, "Actor"), "reply string", "reply *supervisor.Order", "cdpclient.Closed")...)
	kinds = append(kinds, Cases(t, here, "Actor", "event")...)
	kinds = ReplaceKind(t, kinds, "*supervisor.Order", orderNames...)
	rows := deaths()
	for i, d := range rows {
		for _, method := range []string{cdpclient.TargetAttachedToTarget, cdpclient.TargetTargetInfoChanged,
			cdpclient.TargetTargetCreated, cdpclient.TargetTargetDestroyed, cdpclient.TargetTargetCrashed} {
			if d.Actor == "browser" && d.Message == method { // the sources name them by their constants
				domain, name, _ := strings.Cut(method, ".")
				rows[i].Message = "cdpclient." + domain + strings.ToUpper(name[:1]) + name[1:]
			}
		}
	}
	WantRows(t, map[string][]string{"browser": kinds}, rows)
}

// orderNames are the orders, as MessageName calls them.
var orderNames = []string{"order to reach a browser", "order to open", "order to focus", "order to close", "order to connect", "order to disconnect", "order to list titles"}
