package cdp

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"webmcphub/actors/tab"
	"webmcphub/cdpclient/bridge"
	"webmcphub/cdpclient/mcpb"
	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// Servers are those of a frame's document. The next document's begin as none.
type PageServers struct {
	Own     *PageServer   // the page's, nil while there is none
	Adapter *PageServer   // the hub's, for tools of the page that have neither, nil while there are none
	warned  mcpb.Warnings // about both
	failed  bool          // no session with the page's own has begun, see [Servers.Initializing]
}

// Home is where a server is, as the link knows it.
type ServerHome struct {
	Tab   *tab.Tab
	Doc   registry.Gen
	Where func() FrameAddress
	Send  mcpb.SendFunc
	Again func()          // asks the document once more whether its server is ready
	Ctx   context.Context // ends with the tab
}

// Where is a frame, and the address and origin of its document, as far as known.
type FrameAddress struct {
	Frame       registry.FrameID
	URL, Origin string
}

// A Server is an MCP server in one document.
type PageServer struct {
	ServerHome
	of      *PageServers // as long as it is among them, it counts
	adapter bool
	client  *mcpb.Client
	begun   bool // a session with it has begun
	ctx     context.Context
	cancel  context.CancelFunc
	listing listing // of its tools
	tools
	offers offers
	reread *time.Timer // see rereadLater, else nil
}

// All are those that there are: the page's own first.
func (all *PageServers) All() (there []*PageServer) {
	for _, s := range []*PageServer{all.Own, all.Adapter} {
		if s != nil {
			there = append(there, s)
		}
	}
	return there
}

// Of is the server that a tool of this runtime belongs to, nil if there is none.
func (all *PageServers) Of(r offer.Runtime) *PageServer {
	switch r {
	case offer.MCPB:
		return all.Own
	case offer.Polyfill, offer.Form, offer.DOM:
		return all.Adapter
	}
	return nil
}

// Initializing says that the document has a server of its own that has not answered
// initialize, in time or yet.
func (all *PageServers) Initializing() bool {
	if all.Own != nil {
		return !all.Own.begun
	}
	return all.failed
}

// slot is where one kind of server is kept.
func (all *PageServers) slot(adapter bool) **PageServer {
	if adapter {
		return &all.Adapter
	}
	return &all.Own
}

// Drop lets go of all. Requests to them fail.
func (all *PageServers) Drop() {
	for _, s := range all.All() {
		s.drop()
	}
}

func (s *PageServer) drop() {
	*s.of.slot(s.adapter) = nil
	s.client.Close(tab.ErrDocumentGone) // before cancel: the calls' goroutines bring this error
	s.cancel()
	s.stopReread()
}

// Take gives all, which aren't the document's any more, for [Server.Release].
func (all *PageServers) Take() []*PageServer {
	there := all.All()
	for _, s := range there {
		s.stopReread()
	}
	all.Own, all.Adapter = nil, nil
	return there
}

// Release lets go of a server whose page may live on without us, once that has
// been told of the calls that we give up; their contexts end meanwhile. It blocks for
// [tab.ReleaseTimeout] at most, so it is not for the tab's turn.
func (s *PageServer) Release() {
	ctx, cancel := context.WithTimeout(context.Background(), tab.ReleaseTimeout)
	defer cancel()
	s.client.Idle(ctx)
	s.client.Close(tab.ErrDocumentGone)
	s.cancel()
}

// Heard takes what the bridge carried from the document, and begins with a server that
// says it is ready. home is asked for that one's.
func (all *PageServers) Heard(m bridge.Message, home func() ServerHome) {
	s := *all.slot(m.Adapter)
	switch {
	case s == nil && !mcpb.IsReady(m.Payload):
		return
	case s == nil:
		s = all.connect(m.Adapter, home())
	}
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
	o := mcpb.Options{
		// All are called within Deliver, so in the actor's turn.
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
	s.client = mcpb.New(home.Send, o)
	*all.slot(adapter) = s
	s.Tab.ReportSoon()
	go func() { s.Tab.Send(ServerConnected{s, s.client.Connect(s.ctx)}) }()
	return s
}

func (s *PageServer) current() bool { return s.of != nil && *s.of.slot(s.adapter) == s }

// Connected says that a session with the server has begun, or why not.
type ServerConnected struct {
	Server *PageServer
	err    error
}

// Handle begins to read what the server has.
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
	if s.client.Offers().Browser != (mcpb.BrowserCapabilities{}) {
		s.Tab.Changed() // they are told with what pages offer
	}
	s.TellLogLevel()
	s.rereadLater()
}

// unreachable lets go of a server that did not connect. A page that was only
// busy gets another chance: it says that its server is ready once it can.
func (s *PageServer) unreachable(err error) {
	s.drop()
	s.of.failed = s.of.failed || !s.adapter
	s.Tab.ReportSoon()
	s.Tab.Log.Log(s.Ctx, s.of.warned.Level("unreachable"), "a page's MCP server could not be reached", "err", err)
	if errors.Is(err, mcpb.ErrNotReady) {
		s.Again()
	}
}

// closed: the page took its server down. The document lives on, and may
// start another.
func (s *PageServer) closed() {
	if s.current() {
		s.drop()
		s.Tab.Changed()
	}
}

// A Message comes to the tab's actor from a goroutine of a server's, or from a timer.
type ServerMessage interface {
	// Handle is called in the tab's turn.
	Handle()
}

// Answered brings the answer of a call, to the link: what has become of the page
// meanwhile says how the call ends.
type ServerAnswered struct {
	Call   *tab.Call
	Result json.RawMessage
	Err    error
}

// Start has the server run a tool. [Answered] follows in any case, when the server is
// gone with the reason for that: an answer that was there before still counts.
func (s *PageServer) Start(c *tab.Call) {
	ctx, cancel := context.WithCancel(s.ctx)
	c.Flight.Stop = cancel
	go func() {
		result, err := s.client.CallTool(ctx, c.Route.Tool, c.Args, c.Progress)
		s.Tab.Send(ServerAnswered{c, result, err})
	}()
}
