package cdp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"webmcphub/actors/tab"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/bridge"
	"webmcphub/cdpclient/mcpb"
	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// pageServer is an MCP server of a frame, reached over the bridge, in one
// document: the frame's own (@mcp-b/global), or the hub's adapter. Its fields belong to
// the tab's actor. Goroutines that talk to the server send a pointer to it back with what
// they bring; if the frame has another server by then, that is dropped.
type pageServer struct {
	frame   *frame
	adapter bool
	doc     registry.Gen
	client  *mcpb.Client
	ctx     context.Context
	cancel  context.CancelFunc
	listing listing                       // of its tools
	tools   map[string]*registry.PageTool // as last read

	mirrored map[string]mirrored // of them those that Chrome has too

	lingering map[string]bool // no longer listed, but kept until their calls are answered
	offers    offers
	reread    *time.Timer // see rereadLater, else nil
}

// dropServers lets go of the frame's servers. Requests to them fail.
func (f *frame) dropServers() {
	for _, s := range f.servers() {
		s.drop()
	}
}

func (s *pageServer) drop() {
	*s.frame.slot(s.adapter) = nil
	s.client.Close(tab.ErrDocumentGone) // before cancel: the calls' goroutines bring this error
	s.cancel()
	s.stopReread()
}

// servers are those that there are: the page's own first.
func (f *frame) servers() (all []*pageServer) {
	for _, s := range []*pageServer{f.server, f.adapter} {
		if s != nil {
			all = append(all, s)
		}
	}
	return all
}

// takeServers is servers, which aren't the frame's any more.
func (f *frame) takeServers() []*pageServer {
	all := f.servers()
	for _, s := range all {
		s.stopReread()
	}
	f.server, f.adapter = nil, nil
	return all
}

// slot is where the frame keeps one kind of server.
func (f *frame) slot(adapter bool) **pageServer {
	if adapter {
		return &f.adapter
	}
	return &f.server
}

// serverOf is the server that a tool of this runtime belongs to, nil if there
// is none.
func (f *frame) serverOf(r offer.Runtime) *pageServer {
	switch r {
	case offer.MCPB:
		return f.server
	case offer.Polyfill, offer.Form, offer.DOM:
		return f.adapter
	}
	return nil
}

// part lets go of a server whose page may live on without us, once that has
// been told of the calls that we give up; their contexts end meanwhile.
func (s *pageServer) part() {
	ctx, cancel := context.WithTimeout(context.Background(), tab.PartTimeout)
	defer cancel()
	s.client.Settled(ctx)
	s.client.Close(tab.ErrDocumentGone)
	s.cancel()
}

// contextCreated learns where a document's bridge lives.
func (p *Link) contextCreated(s cdpclient.SessionID, e cdpclient.ExecutionContextCreated) {
	if e.Context.Name != bridge.World {
		return
	}
	f := p.frameIn(s, registry.FrameID(e.Context.AuxData.FrameID))
	if f == nil {
		return
	}
	p.forgetWorld(f)
	if p.barred(f, e.Context.Origin) { // nothing is asked of it, nor heard
		p.originIs(f, e.Context.Origin)
		return
	}
	f.world = &world{key: worldKey{s, e.Context.ID}, unique: e.Context.UniqueID, origin: e.Context.Origin}
	p.worlds[f.world.key] = f
	p.originIs(f, e.Context.Origin)
	switch {
	case p.Settling() && s == p.session:
		// A world that is there before its page has an address comes back
		// from the back-forward cache: nothing is announced again.
		p.checkReady(f)
		if f != p.main {
			p.scan(f)
		}
	case f.found:
		p.scan(f)
	}
	p.askSchemas(f)
}

// barred says whether the user's rules keep the hub out of a frame's document,
// for its own origin or for its page's.
func (p *Link) barred(f *frame, origin string) bool {
	rules := p.Env().Origins
	if f == p.main {
		return rules.Refuses(origin, p.Doc.URL, true)
	}
	return rules.Refuses(origin, f.url, false) || rules.Refuses(p.Doc.Origin, p.Doc.URL, true)
}

func (p *Link) contextDestroyed(s cdpclient.SessionID, e cdpclient.ExecutionContextDestroyed) {
	if f := p.worlds[worldKey{s, e.ExecutionContextID}]; f != nil {
		p.forgetWorld(f)
	}
}

// documentOpened: document.open() took the bridge's listeners away.
func (p *Link) documentOpened(s cdpclient.SessionID, e cdpclient.DocumentOpened) {
	if f := p.frames[registry.FrameID(e.Frame.ID)]; f != nil && f.session == s && f.world != nil {
		p.checkReady(f)
	}
}

func (p *Link) checkReady(f *frame) {
	p.conn.Post(f.session, bridge.CallMethod, bridge.Call(f.world.unique, bridge.CheckReady, nil), nil)
}

// bindingCalled takes what the bridge carried from the page: the page's own
// words, whatever they look like.
func (p *Link) bindingCalled(s cdpclient.SessionID, e cdpclient.BindingCalled) {
	if e.Name == bridge.FrontBinding && s == p.session {
		p.Shown()
		return
	}
	f := p.worlds[worldKey{s, e.ExecutionContextID}]
	if e.Name != bridge.Binding || f == nil {
		return
	}
	m, err := bridge.Decode(e.Payload)
	if err != nil {
		if unsaid, ok := p.noise.bridge.Allow(); ok {
			p.Log.Debug("a bridge message was ignored", "err", err, "unsaid", unsaid)
		}
		return
	}
	server := *f.slot(m.Adapter)
	if server == nil {
		if !mcpb.IsReady(m.Payload) {
			return
		}
		server = p.connectServer(f, m.Adapter)
	}
	if m.Payload == nil {
		server.client.DeliverOversize(m.ID, m.Oversize)
		return
	}
	server.client.Deliver(m.Payload)
}

// connectServer starts a session with a server that has said it is ready.
func (p *Link) connectServer(f *frame, adapter bool) *pageServer {
	s := &pageServer{frame: f, adapter: adapter, doc: f.doc}
	s.listing = listing{what: "tools", read: p.readTools(s)}
	s.offers.listing = listing{what: "resources and prompts", read: p.readOffers(s)}
	s.ctx, s.cancel = context.WithCancel(p.ctx)
	conn, session, unique, function := p.conn, f.session, f.world.unique, bridge.Send
	if adapter {
		function = bridge.AdapterSend
	}
	send := func(ctx context.Context, payload json.RawMessage) error {
		var result json.RawMessage
		switch err := conn.Call(ctx, session, bridge.CallMethod, bridge.Call(unique, function, payload), &result); {
		case errors.Is(err, cdpclient.ErrNotSent):
			return fmt.Errorf("%w: %w", mcpb.ErrNotSent, err)
		case err != nil:
			return err
		}
		return bridge.CallError(result)
	}
	o := mcpb.Options{
		// All are called within Deliver, so in this actor's turn.
		OnListChanged:      func() { p.list(s, &s.listing) },
		OnResourcesChanged: func() { p.offersChanged(s) },
		OnPromptsChanged:   func() { p.offersChanged(s) },
		OnResourceUpdated:  func(uri string) { p.resourceUpdated(s, uri) },
		OnLog:              func(params json.RawMessage) { p.logged(s, params) },
		OnClosed:           func() { p.serverClosed(s) },
		Logger:             p.Log,
	}
	if p.Env().PageRequests != nil {
		o.Roots = p.Env().PageRoots
		o.OnRequest = func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
			return p.fromPage(ctx, s, method, params)
		}
	}
	s.client = mcpb.New(send, o)
	*f.slot(adapter) = s
	go func() { p.Send(serverConnected{s, s.client.Connect(s.ctx)}) }()
	return s
}

func (s *pageServer) current() bool { return *s.frame.slot(s.adapter) == s }

func (p *Link) serverConnected(m serverConnected) {
	if !m.server.current() {
		return
	}
	if m.err != nil {
		p.unreachable(m.server, m.err)
		return
	}
	p.list(m.server, &m.server.listing)
	p.offersChanged(m.server)
	if m.server.client.Offers().Browser != (mcpb.BrowserCapabilities{}) {
		p.Changed() // they are told with what pages offer
	}
	p.tellLogLevel(m.server)
	p.rereadLater(m.server)
}

// unreachable lets go of a server that did not connect. A page that was only
// busy gets another chance: it says that its server is ready once it can.
func (p *Link) unreachable(s *pageServer, err error) {
	f := s.frame
	s.drop()
	p.Log.Log(p.ctx, f.warned.Level("unreachable"), "a page's MCP server could not be reached", "err", err)
	if errors.Is(err, mcpb.ErrNotReady) && f.world != nil {
		p.checkReady(f)
	}
}

// readTools reads the server's list of tools.
func (p *Link) readTools(s *pageServer) reader {
	return func(ctx context.Context) (take func(), err error) {
		tools, err := s.client.ListTools(ctx)
		return func() { p.takeTools(s, tools) }, err
	}
}

// takeTools makes the server's list the frame's, keeping the pointers of
// tools that did not change.
func (p *Link) takeTools(s *pageServer, list []mcpb.Tool) {
	tools := make(map[string]*registry.PageTool, len(list))
	for _, t := range list {
		tool := &registry.PageTool{
			Frame:        s.frame.id,
			Doc:          s.doc,
			FrameURL:     s.frame.url,
			Origin:       s.frame.origin,
			Runtime:      s.runtime(t),
			Name:         t.Name,
			Title:        t.Title,
			Description:  t.Description,
			InputSchema:  t.InputSchema,
			OutputSchema: t.OutputSchema,
			Annotations:  serverHints(t.Annotations),
		}
		if !s.adapter { // whose _meta is for runtime
			tool.Meta = t.Meta
		}
		if old := s.tools[t.Name]; old != nil && old.Same(tool) {
			tool = old
		}
		tools[t.Name] = tool
	}
	// A tool that takes itself away stays until its own result is out.
	lingering := map[string]bool{}
	for name, old := range s.tools {
		if tools[name] == nil && p.Running(s.frame.id, s.frame.doc, name) {
			tools[name], lingering[name] = old, true
		}
	}
	maps.DeleteFunc(s.mirrored, func(name string, _ mirrored) bool { return tools[name] == nil })
	s.tools, s.lingering = tools, lingering
}

// runtime is how the tool is reached: the adapter's word counts, a page's
// doesn't.
func (s *pageServer) runtime(t mcpb.Tool) offer.Runtime {
	if !s.adapter {
		return offer.MCPB
	}
	var meta map[string]any
	if json.Unmarshal(t.Meta, &meta) != nil {
		return offer.Polyfill
	}
	switch said, _ := meta[bridge.AdapterRuntimeKey].(string); offer.Runtime(said) {
	case offer.Form:
		return offer.Form
	case offer.DOM:
		return offer.DOM
	}
	return offer.Polyfill
}

// serverClosed: the page took its server down. The document lives on, and may
// start another.
func (p *Link) serverClosed(s *pageServer) {
	if !s.current() {
		return
	}
	s.drop()
	p.Changed()
}
