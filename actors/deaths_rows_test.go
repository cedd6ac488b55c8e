package actors_test

import (
	. "webmcphub/actors"
	. "webmcphub/actors/hubtest"
	"webmcphub/actors/keeper"
	"webmcphub/cdpclient"
	"webmcphub/registry"
)

// deaths are the rows of the actors that own no page.
func deaths() []Death {
	var all []Death
	browser := func(message string, provoke func(*Scene)) *Death {
		all = append(all, Death{Actor: "browser", Message: message, Provoke: provoke})
		return &all[len(all)-1]
	}
	browser("*actor.Started", Nothing).Early = true
	browser("*actor.Stopping", Stops)
	browser("*actor.Stopped", Stops)
	browser("keeper.Stop", Stops)
	browser("keeper.Parted", Stops)
	browser("actors.connected", Nothing).Early = true
	browser("actors.connected", Gone).Cuts = true
	browser("actors.dialFailed", Retries).Early = true
	browser("actors.redial", Retries).Early = true
	browser("actors.redial", Gone).Cuts = true
	browser("order to reach a browser", Connects)
	browser("order to focus", Orders)
	browser("order to open", func(s *Scene) { _, _ = s.OpenTab(s.T.Context(), registry.NewTab{URL: Cart}) })
	browser("order to close", func(s *Scene) { _ = s.CloseTab(s.T.Context(), "nobody") })
	browser("order to list titles", func(s *Scene) { _, _ = s.Titles(s.T.Context()) })
	browser("order to connect", Reconnects)
	browser("order to disconnect", Reconnects)
	browser("actors.debugOrder", func(s *Scene) { _, _ = s.Debugger(registry.PageID(s.Page.ID())) })
	browser("reply cdp.Attaching", Reconnects)
	browser("tab.ActorFailed", PanicsIn("page", cdpclient.WebMCPToolsAdded))
	browser("actors.watchFront", func(s *Scene) { s.WatchFront() })
	browser("keeper.RegistryFailed", PanicsIn("registry", "tab.Report"))
	browser("cdpclient.Closed", Gone).Cuts = true
	for _, tag := range []any{"", VersionReply{}, AttachReply{}, StripReply{}} {
		browser(MessageName(cdpclient.Reply{Tag: tag}), Nothing).Early = true
	}
	for _, tag := range []any{WindowReply{}, GatheredReply{}} {
		browser(MessageName(cdpclient.Reply{Tag: tag}), func(s *Scene) {
			s.Page.InWindow(1)
			Gone(s)
		}).Cuts = true
	}
	browser(MessageName(cdpclient.Reply{Tag: &keeper.Order{}}), Orders)
	browser(cdpclient.TargetAttachedToTarget, NewTab)
	browser(cdpclient.TargetDetachedFromTarget, Closes)
	browser(cdpclient.TargetTargetCreated, NewTab)
	browser(cdpclient.TargetTargetDestroyed, Closes)
	browser(cdpclient.TargetTargetCrashed, Crashes)
	browser(cdpclient.TargetTargetInfoChanged, func(s *Scene) { s.Page.SetTitle("Another") })

	reg := func(message string, provoke func(*Scene)) *Death {
		all = append(all, Death{Actor: "registry", Message: message, Provoke: provoke})
		return &all[len(all)-1]
	}
	reg("*actor.Started", Nothing).Early = true
	reg("*actor.Stopping", Stops)
	reg("*actor.Stopped", Stops)
	reg("tab.Report", Registers)
	reg("keeper.Answered", Connects)
	reg("keeper.StartAnew", PanicsIn("registry", "tab.Report"))
	reg("registry.PageOpened", NewTab)
	reg("registry.PageClosed", Closes)
	reg("registry.PageChanged", Navigates)
	reg("registry.Navigated", Navigates)
	reg("registry.BrowserChanged", Nothing).Early = true
	reg("registry.BrowserChanged", Gone).Cuts = true
	reg("registry.FlushDue", Registers)
	reg("registry.FrontTaken", Orders)
	for _, e := range []registry.Event{
		registry.FramesReported{}, registry.ToolsReported{}, // pages send them in a pageReport
		registry.SettleDue{},
		registry.OffersReported{}, registry.ResourcesUpdated{}, registry.PageLogged{},
		registry.PageShown{},
		registry.PageSaid{},
		registry.FrontFound{},
		registry.ExtensionChanged{},
		registry.CacheChanged{},
	} {
		reg(TypeName(e), func(s *Scene) { s.TellRegistry(e) })
	}
	return all
}
