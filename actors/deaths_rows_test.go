package actors

import (
	"encoding/json"
	"errors"
	"testing/synctest"
	"time"

	"webmcphub/actors/keeper"
	"webmcphub/actors/tab"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/bridge"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/internal/fakeclock"
	"webmcphub/registry"
)

// deaths are the rows, and below them what provokes the messages.
func deaths() []death {
	var all []death
	page := func(message string, provoke func(*deathScene)) {
		all = append(all, death{actor: "page", message: message, provoke: provoke})
	}
	page("*actor.Started", newTab)
	page("*actor.Stopping", closes)
	page("*actor.Stopped", closes)
	page("tab.End", closes)
	page("tab.infoChanged", func(s *deathScene) { s.page.SetTitle("Another") })
	page("tab.StartCall", calls)
	page("tab.CancelCall", cancels)
	page("tab.reportDue", registers)
	page("tab.Retell", tells(tab.Retell{}))
	page("tab.Wanted", reconnects)
	page("tab.Offered", reconnects)
	page("tab.Refused", tells(tab.Refused{Err: errNoChrome}))
	page("tab.SessionEnded", closes)
	page("tab.TargetCrashed", tells(tab.TargetCrashed{}))
	page("tab.TitleListed", tells(tab.TitleListed{Title: "Another"}))
	page("tab.phaseOverdue", detachesWhileNaming(false))
	page("tab.namedAll", detachesWhileNaming(true))
	page("actors.navigationOverdue", tells(navigationOverdue{}))
	page("actors.stuckDue", tells(stuckDue{&tab.Call{}}))
	page("actors.schemasDue", tells(schemasDue{schemasReply{frame: &frame{}}}))
	page("actors.silentDue", tells(silentDue{}))
	page("actors.retryDue", tells(retryDue{step: setupStep{command: bridge.Install()[0]}}))
	page("actors.serverConnected", navigatesToServer)
	page("actors.serverListed", changesServer)
	page("actors.serverAnswered", func(s *deathScene) { s.begin(s.name("ask"), `{}`).result() })
	page("actors.tabOpened", tells(tabOpened{}))
	page("actors.tabDue", tells(tabDue{call: &tab.Call{}}))
	page("actors.windowDue", tells(windowDue{&askedWindow{}}))
	page("actors.nowhereDue", tells(nowhereDue{&tab.Call{}}))
	page("actors.rereadDue", tells(rereadDue{&pageServer{frame: &frame{}}}))
	page("actors.offersListed", tells(offersListed{server: &pageServer{frame: &frame{}}}))
	page("actors.logLevelTold", tells(logLevelTold{server: &pageServer{frame: &frame{}}}))
	page("actors.findServer", tells(findServer{answer: make(chan serverFound, 1)}))
	page("actors.whoAsks", tells(whoAsks{server: &pageServer{frame: &frame{}}}))
	page("actors.watchFront", tells(watchFront{}))
	page("actors.logLevelSet", func(s *deathScene) { s.SetLogLevel("info") })
	page(messageName(cdpclient.Reply{Tag: chromeAnswers{}}), tells(cdpclient.Reply{Tag: chromeAnswers{}}))
	for _, tag := range []any{setupStep{}, frameTreeReply{}, autoAttachReply{}} {
		page(messageName(cdpclient.Reply{Tag: tag}), newTab)
	}
	page("reply actors.titleReply", func(s *deathScene) { s.page.PushState(shop + "pushed") })
	page("reply actors.errorCodeReply", tells(cdpclient.Reply{Tag: errorCodeReply{}}))
	page("reply actors.invokeReply", calls)
	page("reply actors.abortReply", cancels)
	page("reply actors.executeReply", executes)
	for _, tag := range []any{scanReply{frame: &frame{}}, schemasReply{frame: &frame{}}} {
		page(messageName(cdpclient.Reply{Tag: tag}), func(s *deathScene) {
			s.offers("shop_test", "deep")
			tells(cdpclient.Reply{Tag: tag})(s)
			s.testHub.frame(s.page.Main(), shop+"inner").Register(tool("deep"))
		})
	}
	for method, provoke := range map[string]func(*deathScene){
		cdpclient.WebMCPToolsAdded:                registers,
		cdpclient.WebMCPToolsRemoved:              func(s *deathScene) { s.now("shop_test", "wait", "pay", "ask"); s.page.Unregister("add") },
		cdpclient.WebMCPToolInvoked:               executes,
		cdpclient.WebMCPToolResponded:             calls,
		cdpclient.RuntimeExecutionContextsCleared: navigates,
		cdpclient.RuntimeExecutionContextCreated:  navigates,
		cdpclient.RuntimeBindingCalled:            changesServer,
		cdpclient.PageFrameNavigated:              navigates,
		cdpclient.PageLoadEventFired:              navigates,
		cdpclient.PageFrameStartedNavigating:      navigates,
		cdpclient.PageFrameRequestedNavigation: func(s *deathScene) {
			s.chrome.Serve(cart, cdptest.Site{Tools: []cdptest.Tool{tool("checkout")}})
			s.now("shop_test", "checkout")
			s.page.NavigateByScript(cart)
		},
		cdpclient.PageFrameAttached: func(s *deathScene) {
			s.offers("shop_test", "deep")
			s.page.AddFrame(shop + "inner").Register(tool("deep"))
		},
		cdpclient.PageFrameDetached:           removesFrame,
		cdpclient.TargetDetachedFromTarget:    removesFrame,
		cdpclient.PageNavigatedWithinDocument: func(s *deathScene) { s.page.PushState(shop + "pushed") },
		cdpclient.TargetAttachedToTarget: func(s *deathScene) {
			s.offers("shop_test", "deep")
			s.testHub.frame(s.page.Main(), ads+"2").Register(tool("deep"))
		},
		cdpclient.InspectorTargetCrashed:           crashes,
		cdpclient.InspectorReloadAfterCrash:        crashes,
		cdpclient.PageJavascriptDialogOpening:      says1(cdpclient.PageJavascriptDialogOpening),
		cdpclient.PageJavascriptDialogClosed:       says1(cdpclient.PageJavascriptDialogClosed),
		cdpclient.PageWindowOpen:                   says1(cdpclient.PageWindowOpen),
		cdpclient.PageDocumentOpened:               says1(cdpclient.PageDocumentOpened),
		cdpclient.PageFrameStoppedLoading:          says1(cdpclient.PageFrameStoppedLoading),
		cdpclient.RuntimeExecutionContextDestroyed: says1(cdpclient.RuntimeExecutionContextDestroyed),
	} {
		page(method, provoke)
	}

	browser := func(message string, provoke func(*deathScene)) *death {
		all = append(all, death{actor: "browser", message: message, provoke: provoke})
		return &all[len(all)-1]
	}
	browser("*actor.Started", nothing).early = true
	browser("*actor.Stopping", stops)
	browser("*actor.Stopped", stops)
	browser("keeper.Stop", stops)
	browser("keeper.Parted", stops)
	browser("actors.connected", nothing).early = true
	browser("actors.connected", gone).cuts = true
	browser("actors.dialFailed", retries).early = true
	browser("actors.redial", retries).early = true
	browser("actors.redial", gone).cuts = true
	browser("order to reach a browser", connects)
	browser("order to focus", orders)
	browser("order to open", func(s *deathScene) { _, _ = s.OpenTab(s.t.Context(), registry.NewTab{URL: cart}) })
	browser("order to close", func(s *deathScene) { _ = s.CloseTab(s.t.Context(), "nobody") })
	browser("order to list titles", func(s *deathScene) { _, _ = s.Titles(s.t.Context()) })
	browser("order to connect", reconnects)
	browser("order to disconnect", reconnects)
	browser("reply actors.attaching", reconnects)
	browser("tab.ActorFailed", panicsIn("page", cdpclient.WebMCPToolsAdded))
	browser("actors.watchFront", func(s *deathScene) { s.WatchFront() })
	browser("keeper.RegistryFailed", panicsIn("registry", "tab.Report"))
	browser("cdpclient.Closed", gone).cuts = true
	for _, tag := range []any{"", versionReply{}, attachReply{}, stripReply{}} {
		browser(messageName(cdpclient.Reply{Tag: tag}), nothing).early = true
	}
	for _, tag := range []any{windowReply{}, gatheredReply{}} {
		browser(messageName(cdpclient.Reply{Tag: tag}), func(s *deathScene) {
			s.page.InWindow(1)
			gone(s)
		}).cuts = true
	}
	browser(messageName(cdpclient.Reply{Tag: &keeper.Order{}}), orders)
	browser(cdpclient.TargetAttachedToTarget, newTab)
	browser(cdpclient.TargetDetachedFromTarget, closes)
	browser(cdpclient.TargetTargetCreated, newTab)
	browser(cdpclient.TargetTargetDestroyed, closes)
	browser(cdpclient.TargetTargetCrashed, crashes)
	browser(cdpclient.TargetTargetInfoChanged, func(s *deathScene) { s.page.SetTitle("Another") })

	reg := func(message string, provoke func(*deathScene)) *death {
		all = append(all, death{actor: "registry", message: message, provoke: provoke})
		return &all[len(all)-1]
	}
	reg("*actor.Started", nothing).early = true
	reg("*actor.Stopping", stops)
	reg("*actor.Stopped", stops)
	reg("tab.Report", registers)
	reg("keeper.Answered", connects)
	reg("keeper.StartAnew", panicsIn("registry", "tab.Report"))
	reg("registry.PageOpened", newTab)
	reg("registry.PageClosed", closes)
	reg("registry.PageChanged", navigates)
	reg("registry.Navigated", navigates)
	reg("registry.BrowserChanged", nothing).early = true
	reg("registry.BrowserChanged", gone).cuts = true
	reg("registry.FlushDue", registers)
	reg("registry.FrontTaken", orders)
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
		reg(typeName(e), func(s *deathScene) { s.root.Send(s.registry, e) })
	}
	return all
}

const third = "http://third.test/"

// tells sends the page's actor a message that changes nothing by itself.
func tells(message any) func(*deathScene) {
	return func(s *deathScene) {
		ref, _ := s.pages.Load(registry.PageID(s.page.ID()))
		s.root.Send(ref.(*tab.Address).PID, message)
	}
}

func says1(method string) func(*deathScene) {
	return tells(cdpclient.Event{Method: method, Params: json.RawMessage(`{}`)})
}

func newTab(s *deathScene) {
	s.chrome.Serve(third, cdptest.Site{Tools: []cdptest.Tool{tool("new")}})
	s.offers("third_test", "new")
	s.newcomer = s.chrome.OpenPage(third)
}

func navigates(s *deathScene) {
	s.chrome.Serve(cart, cdptest.Site{Tools: []cdptest.Tool{tool("checkout")}})
	s.now("shop_test", "checkout")
	s.page.Navigate(cart)
}

func closes(s *deathScene) {
	s.now("shop_test")
	s.page.Close()
}

func stops(s *deathScene) {
	s.over = true
	s.stop()
}

func calls(s *deathScene) { s.begin(s.name("add"), `{}`).result() }

func executes(s *deathScene) { s.begin(s.name("add"), `{"ö":1}`).result() }

func cancels(s *deathScene) {
	c := s.begin(s.name("wait"), `{}`)
	c.cancel()
	c.fails("cancelled")
}

func gone(s *deathScene) { s.chrome.Disconnect() }

var errNoChrome = errors.New("no Chrome")

// retries has the first attempt to reach Chrome fail.
func retries(s *deathScene) {
	s.dialer.failWith(func(attempt int) error {
		if attempt == 1 {
			return errNoChrome
		}
		return nil
	})
}

func nothing(*deathScene) {}

func registers(s *deathScene) {
	s.offers("shop_test", "more")
	s.page.Register(tool("more"))
}

func orders(s *deathScene) {
	news := s.chrome.Pages()[0]
	_ = s.ActivateTab(s.t.Context(), registry.PageID(news.ID())) // carried out or refused, but answered
}

// reconnects lets go of the page and takes it up again, if need be once more:
// an order that is refused, or lost with the page's actor, changes nothing.
func reconnects(s *deathScene) {
	page := registry.PageID(s.page.ID())
	_ = s.DisconnectPage(s.t.Context(), page)
	s.quiet()
	for range 2 {
		_ = s.ConnectPage(s.t.Context(), page)
		s.quiet()
	}
}

// detachesWhileNaming lets go of the page while Chrome has yet to name a call: it
// does so, or never.
func detachesWhileNaming(does bool) func(*deathScene) {
	return func(s *deathScene) {
		named := make(chan struct{})
		s.page.On(cdpclient.WebMCPInvokeTool, func(cdptest.Command) (any, error) {
			if !does {
				return nil, cdptest.ErrHang
			}
			<-named
			return nil, cdptest.ErrPass
		})
		c := s.begin(s.name("add"), `{}`)
		page := registry.PageID(s.page.ID())
		_ = s.DisconnectPage(s.t.Context(), page)
		synctest.Wait()
		close(named)
		s.page.On(cdpclient.WebMCPInvokeTool, nil)
		fakeclock.Elapse(time.Second)
		c.result()
		for range 2 { // whatever became of the first
			_ = s.DisconnectPage(s.t.Context(), page)
			s.quiet()
			_ = s.ConnectPage(s.t.Context(), page)
			s.quiet()
		}
	}
}

func connects(s *deathScene) {
	info, err := s.Connect(s.t.Context(), false)
	if (err == nil) == (info == BrowserInfo{}) {
		s.t.Errorf("connected to %v (%v)", info, err)
	}
}

// panicsIn leads to the message by another panic.
func panicsIn(kind, message string) func(*deathScene) {
	return func(s *deathScene) {
		s.arm(&trap{actor: kind, message: message, spared: s.spared})
		registers(s)
	}
}

func changesServer(s *deathScene) {
	s.offers("shop_test", "told")
	s.own.change(tool("ask"), tool("told"))
}

func navigatesToServer(s *deathScene) {
	s.now("shop_test", "asked")
	s.page.Navigate(cart)
	s.page.ServeMCP(cdptest.NewMCPServer(tool("asked")).Handle)
}

func removesFrame(s *deathScene) {
	s.now("shop_test", "add", "wait", "ask")
	s.frame.Remove()
}

func crashes(s *deathScene) {
	s.chrome.Serve(shop, cdptest.Site{Tools: []cdptest.Tool{tool("add")}})
	s.now("shop_test", "add")
	s.page.Crash()
	synctest.Wait()
	s.page.Reload()
}
