package cdp

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"webmcphub/actors/tab"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/bridge"
	"webmcphub/cdpclient/pagemcp"
	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// PageServers has the MCP servers of a frame's document. The next document begins with none.
type PageServers struct {
	Own     *PageServer      // the page's own; nil while there is none
	Adapter *PageServer      // the hub's adapter, for other tools of the page; nil while there is none
	warned  pagemcp.Warnings // limits warnings about both
	failed  bool             // a session with Own could not be begun; see [PageServers.Initializing]
}

// ServerHome has what a server needs of the link.
type ServerHome struct {
	Tab   *tab.Tab
	Doc   registry.Gen
	Where func() FrameAddress
	Send  pagemcp.SendFunc
	Post  func(payload json.RawMessage, tag any) // carries a request into the page; tag is that of the reply
	Again func()                                 // asks the document again whether its server is ready
	Ctx   context.Context                        // ends with the tab
}

// FrameAddress is a frame, with the address and origin of its document as far as they are known.
type FrameAddress struct {
	Frame       registry.FrameID
	URL, Origin string
}

// PageServer is an MCP server in one document.
type PageServer struct {
	ServerHome
	of      *PageServers // the set of its document; current says whether the server is still in it
	adapter bool
	client  *pagemcp.Client
	begun   bool // an MCP session with the server has begun
	ctx     context.Context
	cancel  context.CancelFunc
	listing listing // the reading of its tools
	tools
	offers offers
	reread *time.Timer // see rereadLater; nil if there is no timer
}

// All returns the servers that there are, the page's own first.
func (all *PageServers) All() (there []*PageServer) {
	for _, s := range []*PageServer{all.Own, all.Adapter} {
		if s != nil {
			there = append(there, s)
		}
	}
	return there
}

// Of returns the server to which tools of a runtime belong, or nil if there is none.
func (all *PageServers) Of(r offer.Runtime) *PageServer {
	switch r {
	case offer.MCPB:
		return all.Own
	case offer.Polyfill, offer.Form, offer.DOM:
		return all.Adapter
	}
	return nil
}

// Initializing says whether the document has a server of its own that has not answered initialize, either not yet or
// not in time.
func (all *PageServers) Initializing() bool {
	if all.Own != nil {
		return !all.Own.begun
	}
	return all.failed
}

// slot returns the field for one kind of server.
func (all *PageServers) slot(adapter bool) **PageServer {
	if adapter {
		return &all.Adapter
	}
	return &all.Own
}

// Drop closes all servers. Requests to them fail.
func (all *PageServers) Drop() {
	for _, s := range all.All() {
		s.drop()
	}
}

func (s *PageServer) drop() {
	*s.of.slot(s.adapter) = nil
	s.client.Close(tab.ErrDocumentGone)
	s.cancel()
	s.stopReread()
}

// Take removes all servers from the document and returns them, for [PageServer.Release].
func (all *PageServers) Take() []*PageServer {
	there := all.All()
	for _, s := range there {
		s.stopReread()
	}
	all.Own, all.Adapter = nil, nil
	return there
}

// Release closes a server whose page may live on without the hub. First it waits until the hub has told the server
// which calls it gives up; the calls' contexts end meanwhile. It blocks for [tab.ReleaseTimeout] at most, so the tab's
// actor must not call it.
func (s *PageServer) Release() {
	ctx, cancel := context.WithTimeout(context.Background(), tab.ReleaseTimeout)
	defer cancel()
	s.client.Idle(ctx)
	s.client.Close(tab.ErrDocumentGone)
	s.cancel()
}

// Receive handles a message that the bridge carried from the document. If a server says that it is ready, Receive
// calls home to get the server's ServerHome, and connects to the server.
func (all *PageServers) Receive(m bridge.Message, home func() ServerHome) {
	s := *all.slot(m.Adapter)
	switch {
	case s == nil && !pagemcp.IsReady(m.Payload):
		return
	case s == nil:
		s = all.connect(m.Adapter, home())
	}
	s.hear(m)
}

func (s *PageServer) hear(m bridge.Message) {
	if m.Payload == nil {
		s.client.DeliverOversize(m.ID, m.Oversize)
		return
	}
	s.client.Deliver(m.Payload)
}

func (all *PageServers) connect(adapter bool, home ServerHome) *PageServer {
	s := &PageServer{ServerHome: home, of: all, adapter: adapter}
	s.listing = listing{what: "tools", read: s.readTools}
	s.offers.listing = listing{what: "resources and prompts", read: s.readOffers}
	s.ctx, s.cancel = context.WithCancel(home.Ctx)
	o := pagemcp.Options{
		// Deliver calls these functions, so they run in the actor's turn.
		OnListChanged:      func() { s.list(&s.listing) },
		OnResourcesChanged: s.offersChanged,
		OnPromptsChanged:   s.offersChanged,
		OnResourceUpdated:  s.resourceUpdated,
		OnLog:              s.logged,
		OnClosed:           s.closed,
		Logger:             s.Tab.Log,
	}
	if env := s.Tab.Env(); env.PageRequests != nil {
		o.Roots = env.PageRoots
		o.OnRequest = s.fromPage
	}
	s.client = pagemcp.New(home.Send, o)
	*all.slot(adapter) = s
	s.Tab.ReportSoon()
	go func() { s.Tab.Send(ServerConnected{s, s.client.Connect(s.ctx)}) }()
	return s
}

func (s *PageServer) current() bool { return s.of != nil && *s.of.slot(s.adapter) == s }

// ServerConnected says that a session with the server has begun, or why it could not begin.
type ServerConnected struct {
	Server *PageServer
	err    error
}

// Handle begins to read the server's lists.
func (m ServerConnected) Handle() {
	s := m.Server
	switch {
	case !s.current():
		return
	case m.err != nil:
		s.unreachable(m.err)
		return
	}
	s.begun = true
	if !s.adapter {
		s.of.failed = false
	}
	s.Tab.ReportSoon()
	s.list(&s.listing)
	s.offersChanged()
	if s.client.Offers().Browser != (pagemcp.BrowserCapabilities{}) {
		s.Tab.ReportTools() // the capabilities are reported with what pages offer
	}
	s.TellLogLevel()
	s.rereadLater()
}

// unreachable closes a server that did not connect. If the page was only busy, unreachable asks the document again,
// which says so once its server is ready.
func (s *PageServer) unreachable(err error) {
	s.drop()
	s.of.failed = s.of.failed || !s.adapter
	s.Tab.ReportSoon()
	s.Tab.Log.Log(s.Ctx, s.of.warned.Level("unreachable"), "a page's MCP server could not be reached", "err", err)
	if errors.Is(err, pagemcp.ErrNotReady) {
		s.Again()
	}
}

// closed is called when the page has closed its server. The document lives on and may start another server.
func (s *PageServer) closed() {
	if s.current() {
		s.drop()
		s.Tab.ReportTools()
	}
}

// ServerMessage comes to the tab's actor from a goroutine of a server, or from a timer.
type ServerMessage interface {
	// Handle is called in the tab's turn.
	Handle()
}

// ServerAnswered brings the answer to a call. The link decides how the call ends, from what has become of the page
// meanwhile.
type ServerAnswered struct {
	Call   *tab.Call
	Result json.RawMessage
	Err    error
}

// Start makes the server run a tool. A [ServerAnswered] follows, unless the call's Stop is called before. If the
// server ends before it answers, the ServerAnswered has the reason.
func (s *PageServer) Start(c *tab.Call) {
	ended := func(result json.RawMessage, err error) { s.Tab.Send(ServerAnswered{c, result, err}) }
	payload, cancel, err := s.client.CallTool(c.Route.Tool, c.Args, c.Progress, ended)
	if err != nil {
		ended(nil, err)
		return
	}
	c.State.Stop = cancel
	s.Post(payload, requestReply{s, c})
}

// requestReply tags the reply to the request of a call.
type requestReply struct {
	server *PageServer
	call   *tab.Call
}

// requested handles the reply to a call's request, which usually brings the answer. On an error, the document or its
// session ends, and a later message ends the call. If none comes, the call fails after [tab.MaxLoadWait].
func (s requestReply) requested(r cdpclient.Reply) {
	if r.Err != nil {
		s.server.Tab.After(tab.MaxLoadWait, ServerAnswered{s.call, nil, r.Err})
		return
	}
	m, came, err := bridge.Answer(r.Result)
	switch {
	case err != nil:
		s.server.Tab.Send(ServerAnswered{s.call, nil, err})
	case came:
		s.server.hear(m)
	}
}
