package actors

import (
	"context"
	"encoding/json"
	"errors"

	"webmcphub/cdpclient"
	"webmcphub/cdpclient/mcpb"
	"webmcphub/registry"
)

// pageServer is a frame's own MCP server (@mcp-b/global), reached over the
// bridge, in one document. Its fields belong to the page actor. Goroutines
// that talk to it carry a pointer to it back; one that is no longer its
// frame's is out of date, and so is what they bring.
type pageServer struct {
	frame  *frame
	doc    registry.Gen
	client *mcpb.Client
	ctx    context.Context
	cancel context.CancelFunc
	guard  syncGuard
	tools  map[string]*registry.PageTool // as last read

	leaving map[string]bool // no longer listed, but kept until their calls are answered
}

var errDocumentGone = errors.New("the page's document is gone")

// dropServer lets go of the frame's server. Requests to it fail.
func (f *frame) dropServer() {
	if s := f.server; s != nil {
		f.server = nil
		s.cancel()
		s.client.Close(errDocumentGone)
	}
}

// contextCreated learns where a document's bridge lives.
func (p *pageActor) contextCreated(s cdpclient.SessionID, e cdpclient.ExecutionContextCreated) {
	if e.Context.Name != cdpclient.BridgeWorld {
		return
	}
	f := p.frameIn(s, registry.FrameID(e.Context.AuxData.FrameID))
	p.forgetWorld(f)
	f.world = &world{key: worldKey{s, e.Context.ID}, unique: e.Context.UniqueID}
	p.worlds[f.world.key] = f
	switch {
	case p.unsettled && s == p.session:
		// A world that is there before its page has an address comes back
		// from the back-forward cache: nothing is announced again.
		p.checkReady(f)
		if f != p.main {
			p.scan(f)
		}
	case p.late && f != p.main:
		p.scan(f)
	}
}

func (p *pageActor) contextDestroyed(s cdpclient.SessionID, e cdpclient.ExecutionContextDestroyed) {
	if f := p.worlds[worldKey{s, e.ExecutionContextID}]; f != nil {
		p.forgetWorld(f)
	}
}

func (p *pageActor) checkReady(f *frame) {
	p.conn.Post(f.session, cdpclient.BridgeCallMethod, cdpclient.BridgeCall(f.world.unique, cdpclient.BridgeCheckReady, nil), nil)
}

// bindingCalled takes what the bridge carried from the page: the page's own
// words, whatever they look like.
func (p *pageActor) bindingCalled(s cdpclient.SessionID, e cdpclient.BindingCalled) {
	f := p.worlds[worldKey{s, e.ExecutionContextID}]
	if e.Name != cdpclient.BridgeBinding || f == nil {
		return
	}
	m, err := cdpclient.DecodeBridge(e.Payload)
	if err != nil {
		p.log.Debug("a bridge message was ignored", "err", err)
		return
	}
	if f.server == nil {
		if !mcpb.IsReady(m.Payload) {
			return
		}
		p.connectServer(f)
	}
	if m.Payload == nil {
		f.server.client.DeliverOversize(m.ID, m.Oversize)
		return
	}
	f.server.client.Deliver(m.Payload)
}

// connectServer starts a session with a server that has said it is ready.
func (p *pageActor) connectServer(f *frame) {
	s := &pageServer{frame: f, doc: f.doc}
	s.ctx, s.cancel = context.WithCancel(p.ctx)
	conn, session, unique := p.conn, f.session, f.world.unique
	send := func(ctx context.Context, payload json.RawMessage) error {
		var result json.RawMessage
		if err := conn.Call(ctx, session, cdpclient.BridgeCallMethod, cdpclient.BridgeCall(unique, cdpclient.BridgeSend, payload), &result); err != nil {
			return err
		}
		return cdpclient.BridgeCallError(result)
	}
	root, self := p.root, p.self
	s.client = mcpb.New(send, mcpb.Options{
		OnListChanged: func() { root.Send(self, serverChanged{s}) },
		OnClosed:      func() { root.Send(self, serverClosed{server: s}) },
		Logger:        p.log,
	})
	f.server = s
	go func() { root.Send(self, serverConnected{s, s.client.Connect(s.ctx)}) }()
}

func (s *pageServer) current() bool { return s.frame.server == s }

func (p *pageActor) serverConnected(m serverConnected) {
	if !m.server.current() {
		return
	}
	if m.err != nil {
		p.log.Warn("a page's MCP server could not be reached", "err", m.err)
		m.server.frame.dropServer()
		return
	}
	p.serverChanged(m.server)
}

func (p *pageActor) serverChanged(s *pageServer) {
	if s.current() && s.guard.changed() {
		p.listServer(s)
	}
}

func (p *pageActor) listServer(s *pageServer) {
	root, self := p.root, p.self
	go func() {
		tools, err := s.client.ListTools(s.ctx)
		root.Send(self, serverListed{s, tools, err})
	}()
}

func (p *pageActor) serverListed(m serverListed) {
	s := m.server
	if !s.current() {
		return
	}
	if m.err != nil {
		p.log.Warn("a page's MCP server did not list its tools", "err", m.err)
	} else {
		p.takeTools(s, m.tools)
	}
	if s.guard.done() {
		p.listServer(s)
	}
}

// takeTools makes the server's list the frame's, keeping the pointers of
// tools that did not change.
func (p *pageActor) takeTools(s *pageServer, list []mcpb.Tool) {
	tools := make(map[string]*registry.PageTool, len(list))
	for _, t := range list {
		tool := &registry.PageTool{
			Frame:        s.frame.id,
			Doc:          s.doc,
			FrameURL:     s.frame.url,
			Runtime:      registry.MCPB,
			Name:         t.Name,
			Title:        t.Title,
			Description:  t.Description,
			InputSchema:  t.InputSchema,
			OutputSchema: t.OutputSchema,
			Annotations:  serverHints(t.Annotations),
		}
		if old := s.tools[t.Name]; old != nil && sameTool(old, tool) {
			tool = old
		}
		tools[t.Name] = tool
	}
	// A tool that takes itself away stays until its own result is out.
	leaving := map[string]bool{}
	for name, old := range s.tools {
		if tools[name] == nil && p.running(s.frame, name) {
			tools[name], leaving[name] = old, true
		}
	}
	s.tools, s.leaving = tools, leaving
	p.changed()
}

func serverHints(raw json.RawMessage) registry.Annotations {
	var hints struct {
		ReadOnlyHint, DestructiveHint, IdempotentHint, OpenWorldHint *bool
	}
	if json.Unmarshal(raw, &hints) != nil {
		return registry.Annotations{} // none, or not an object
	}
	return registry.Annotations{ReadOnly: hints.ReadOnlyHint, Destructive: hints.DestructiveHint, Idempotent: hints.IdempotentHint, OpenWorld: hints.OpenWorldHint}
}

// serverClosed: the page took its server down. The document lives on, and may
// start another.
func (p *pageActor) serverClosed(m serverClosed) {
	s := m.server
	if !s.current() {
		return
	}
	s.frame.dropServer()
	for c := range p.calls {
		if c.route.Runtime == registry.MCPB && c.route.Frame == s.frame.id {
			p.finish(c, registry.EndedByServer(c.route.Tool))
		}
	}
	p.changed()
}

// callServer sends a call to a page's own server.
func (p *pageActor) callServer(s *pageServer, c *call) {
	ctx, cancel := context.WithCancel(s.ctx)
	c.cancel = cancel
	root, self := p.root, p.self
	go func() {
		result, err := s.client.CallTool(ctx, c.route.Tool, c.args, c.progress)
		root.Send(self, serverAnswered{c, result, err})
	}()
}

func (p *pageActor) serverAnswered(m serverAnswered) {
	c := m.call
	if !p.calls[c] || c.departed {
		return // the way it ended has been told, or is about to be
	}
	p.finish(c, serverResult(c.route.Tool, m.result, m.err))
}

func serverResult(tool string, result json.RawMessage, err error) registry.Result {
	var refusal *mcpb.RPCError
	switch {
	case errors.As(err, &refusal):
		return registry.PageFailure(tool, registry.CleanText(refusal.Message, 4096))
	case err != nil:
		return registry.PageFailure(tool, "The page's MCP server did not answer: "+err.Error())
	}
	if r, ok := registry.PageResult(result); ok {
		return r
	}
	return registry.NativeResult(result)
}
