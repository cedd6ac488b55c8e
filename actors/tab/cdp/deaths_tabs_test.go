package cdp_test

import (
	"testing"

	"webmcphub/actors"
	. "webmcphub/actors/hubtest"
	"webmcphub/actors/tab"
	. "webmcphub/actors/tab/cdp"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/cdptest"
)

// TestDeathsOfTabs lets the actors of tabs that are reached by this link panic at each
// kind of message: see [PlayDeaths].
func TestDeathsOfTabs(t *testing.T) { PlayDeaths(t, tabDeaths()) }

// tabDeaths are the rows. What provokes the messages is in package hubtest.
func tabDeaths() []Death {
	var all []Death
	page := func(message string, provoke func(*Scene)) {
		all = append(all, Death{Actor: "page", Message: message, Provoke: provoke})
	}
	page("*actor.Started", NewTab)
	page("*actor.Stopping", Closes)
	page("*actor.Stopped", Closes)
	page("tab.End", Closes)
	page("tab.infoChanged", func(s *Scene) { s.Page.SetTitle("Another") })
	page("tab.StartCall", Calls)
	page("tab.CancelCall", Cancels)
	page("tab.reportDue", Registers)
	page("tab.Resync", Sends(tab.Resync{}))
	page("tab.Wanted", Reconnects)
	page("tab.Offered", Reconnects)
	page("tab.AttachFailed", Sends(tab.AttachFailed{Err: ErrNoChrome}))
	page("cdpclient.SessionEnded", RemovesFrame)
	page("tab.TargetCrashed", Sends(tab.TargetCrashed{}))
	page("tab.TitleListed", Sends(tab.TitleListed{Title: "Another"}))
	page("tab.phaseOverdue", DetachesWhileNaming(false))
	page("tab.namedAll", DetachesWhileNaming(true))
	for _, message := range Harmless() {
		page(actors.MessageName(message), Sends(message))
	}
	page("cdp.ServerConnected", NavigatesToServer)
	page("cdp.ServerListed", ChangesServer)
	page("cdp.ServerAnswered", func(s *Scene) { s.Begin(s.NameOf("ask"), `{}`).Result() })
	page("cdp.LogLevelSet", func(s *Scene) { s.SetLogLevel("info") })
	for _, tag := range []string{"setupStep", "frameTreeReply", "autoAttachReply"} {
		page("reply cdp."+tag, NewTab)
	}
	page("reply cdp.titleReply", func(s *Scene) { s.Page.PushState(Shop + "pushed") })
	page("reply cdp.invokeReply", Calls)
	page("reply cdp.abortReply", Cancels)
	page("reply cdp.executeReply", Executes)
	page("reply cdp.requestReply", func(s *Scene) { s.Begin(s.NameOf("ask"), `{}`).Result() })
	for _, reply := range Questions() {
		page(actors.MessageName(reply), func(s *Scene) {
			s.Offers("shop_test", "deep")
			Sends(reply)(s)
			s.TestHub.Frame(s.Page.Main(), Shop+"inner").Register(Tool("deep"))
		})
	}
	for method, provoke := range map[string]func(*Scene){
		cdpclient.WebMCPToolsAdded:                Registers,
		cdpclient.WebMCPToolsRemoved:              func(s *Scene) { s.Now("shop_test", "wait", "pay", "ask"); s.Page.Unregister("add") },
		cdpclient.WebMCPToolInvoked:               Executes,
		cdpclient.WebMCPToolResponded:             Calls,
		cdpclient.RuntimeExecutionContextsCleared: Navigates,
		cdpclient.RuntimeExecutionContextCreated:  Navigates,
		cdpclient.RuntimeBindingCalled:            ChangesServer,
		cdpclient.PageFrameNavigated:              Navigates,
		cdpclient.PageLoadEventFired:              Navigates,
		cdpclient.PageFrameStartedNavigating:      Navigates,
		cdpclient.PageFrameRequestedNavigation: func(s *Scene) {
			s.Chrome.Serve(Cart, cdptest.Site{Tools: []cdptest.Tool{Tool("checkout")}})
			s.Now("shop_test", "checkout")
			s.Page.NavigateByScript(Cart)
		},
		cdpclient.PageFrameAttached: func(s *Scene) {
			s.Offers("shop_test", "deep")
			s.Page.AddFrame(Shop + "inner").Register(Tool("deep"))
		},
		cdpclient.PageFrameDetached:           RemovesFrame,
		cdpclient.PageNavigatedWithinDocument: func(s *Scene) { s.Page.PushState(Shop + "pushed") },
		cdpclient.TargetAttachedToTarget: func(s *Scene) {
			s.Offers("shop_test", "deep")
			s.TestHub.Frame(s.Page.Main(), Ads+"2").Register(Tool("deep"))
		},
		cdpclient.InspectorTargetCrashed:           Crashes,
		cdpclient.InspectorReloadAfterCrash:        Crashes,
		cdpclient.PageJavascriptDialogOpening:      SendsEvent(cdpclient.PageJavascriptDialogOpening),
		cdpclient.PageJavascriptDialogClosed:       SendsEvent(cdpclient.PageJavascriptDialogClosed),
		cdpclient.PageWindowOpen:                   SendsEvent(cdpclient.PageWindowOpen),
		cdpclient.PageDocumentOpened:               SendsEvent(cdpclient.PageDocumentOpened),
		cdpclient.PageFrameStoppedLoading:          SendsEvent(cdpclient.PageFrameStoppedLoading),
		cdpclient.RuntimeExecutionContextDestroyed: SendsEvent(cdpclient.RuntimeExecutionContextDestroyed),
	} {
		page(method, provoke)
	}
	return all
}
