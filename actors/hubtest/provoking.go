package hubtest

import (
	"encoding/json"
	"testing/synctest"
	"time"

	"webmcphub/actors"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/internal/fakeclock"
	"webmcphub/registry"
)

// Functions that lead to a message, for rows of deaths.

// Sends sends the page's actor a message that changes nothing by itself.
func Sends(message any) func(*Scene) {
	return func(s *Scene) {
		s.TellTab(registry.PageID(s.Page.ID()), message)
	}
}

// SendsEvent sends the page's actor an event without parameters.
func SendsEvent(method string) func(*Scene) {
	return Sends(cdpclient.Event{Method: method, Params: json.RawMessage(`{}`)})
}

// NewTab opens a tab, whose actor is then the one that dies.
func NewTab(s *Scene) {
	s.Chrome.Serve(Third, cdptest.Site{Tools: []cdptest.Tool{Tool("new")}})
	s.Offers("third_test", "new")
	s.newcomer = s.Chrome.OpenPage(Third)
}

// Navigates navigates the page to another page of its site.
func Navigates(s *Scene) {
	s.Chrome.Serve(Cart, cdptest.Site{Tools: []cdptest.Tool{Tool("checkout")}})
	s.Now("shop_test", "checkout")
	s.Page.Navigate(Cart)
}

// Closes closes the page.
func Closes(s *Scene) {
	s.Now("shop_test")
	s.Page.Close()
}

// Stops stops the hub.
func Stops(s *Scene) {
	s.over = true
	s.StopNow()
}

// Calls calls a tool of the page.
func Calls(s *Scene) { s.Begin(s.NameOf("add"), `{}`).Result() }

// Executes does the same as Calls with arguments that only the page's own API accepts.
func Executes(s *Scene) { s.Begin(s.NameOf("add"), `{"ö":1}`).Result() }

// Cancels gives up a call that runs.
func Cancels(s *Scene) {
	c := s.Begin(s.NameOf("wait"), `{}`)
	c.Cancel()
	c.Fails("cancelled")
}

// Gone ends the connection to Chrome.
func Gone(s *Scene) { s.Chrome.Disconnect() }

// Retries makes the first attempt to reach Chrome fail.
func Retries(s *Scene) {
	s.Dialer.FailWith(func(attempt int) error {
		if attempt == 1 {
			return ErrNoChrome
		}
		return nil
	})
}

// Nothing is for messages that come by themselves.
func Nothing(*Scene) {}

// Registers makes the page offer one more tool.
func Registers(s *Scene) {
	s.Offers("shop_test", "more")
	s.Page.Register(Tool("more"))
}

// Orders brings a tab to the front.
func Orders(s *Scene) {
	news := s.Chrome.Pages()[0]
	_ = s.ActivateTab(s.T.Context(), registry.PageID(news.ID())) // carried out or refused, but answered
}

// Reconnects disconnects the page and connects it again, twice if necessary. An order that is refused, or lost with
// the page's actor, changes nothing.
func Reconnects(s *Scene) {
	page := registry.PageID(s.Page.ID())
	_ = s.DisconnectPage(s.T.Context(), page)
	s.Quiet()
	for range 2 {
		_ = s.ConnectPage(s.T.Context(), page)
		s.Quiet()
	}
}

// DetachesWhileNaming disconnects the page while Chrome has yet to name a call. does says whether Chrome ever names
// it.
func DetachesWhileNaming(does bool) func(*Scene) {
	return func(s *Scene) {
		named := make(chan struct{})
		s.Page.On(cdpclient.WebMCPInvokeTool, func(cdptest.Command) (any, error) {
			if !does {
				return nil, cdptest.ErrHang
			}
			<-named
			return nil, cdptest.ErrPass
		})
		c := s.Begin(s.NameOf("add"), `{}`)
		page := registry.PageID(s.Page.ID())
		_ = s.DisconnectPage(s.T.Context(), page)
		synctest.Wait()
		close(named)
		s.Page.On(cdpclient.WebMCPInvokeTool, nil)
		fakeclock.Elapse(time.Second)
		c.Result()
		for range 2 { // whatever became of the first
			_ = s.DisconnectPage(s.T.Context(), page)
			s.Quiet()
			_ = s.ConnectPage(s.T.Context(), page)
			s.Quiet()
		}
	}
}

// Connects asks for a browser.
func Connects(s *Scene) {
	info, err := s.Connect(s.T.Context(), false)
	if (err == nil) == (info == actors.BrowserInfo{}) {
		s.T.Errorf("connected to %v (%v)", info, err)
	}
}

// PanicsIn leads to the message by another panic.
func PanicsIn(kind, message string) func(*Scene) {
	return func(s *Scene) {
		s.Arm(&Trap{Actor: kind, Message: message, Spared: s.spared})
		Registers(s)
	}
}

// ChangesServer makes the page's own MCP server offer other tools.
func ChangesServer(s *Scene) {
	s.Offers("shop_test", "told")
	s.own.Change(Tool("ask"), Tool("told"))
}

// NavigatesToServer navigates the page to one that has an MCP server.
func NavigatesToServer(s *Scene) {
	s.Now("shop_test", "asked")
	s.Page.Navigate(Cart)
	s.Page.ServeMCP(cdptest.NewMCPServer(Tool("asked")).Handle)
}

// RemovesFrame removes the page's iframe.
func RemovesFrame(s *Scene) {
	s.Now("shop_test", "add", "wait", "ask")
	s.frame.Remove()
}

// Crashes makes the page's renderer crash, and loads the page again.
func Crashes(s *Scene) {
	s.Chrome.Serve(Shop, cdptest.Site{Tools: []cdptest.Tool{Tool("add")}})
	s.Now("shop_test", "add")
	s.Page.Crash()
	synctest.Wait()
	s.Page.Reload()
}
