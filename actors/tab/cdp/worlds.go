package cdp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"webmcphub/cdpclient"
	"webmcphub/cdpclient/bridge"
	"webmcphub/cdpclient/pagemcp"
	"webmcphub/registry"
)

// contextCreated records the bridge's world of a document.
func (p *Link) contextCreated(s cdpclient.SessionID, e cdpclient.ExecutionContextCreated) {
	if e.Context.Name != bridge.World {
		return
	}
	f := p.frameIn(s, registry.FrameID(e.Context.AuxData.FrameID))
	if f == nil {
		return
	}
	p.forgetWorld(f)
	if p.barred(f, e.Context.Origin) { // the hub asks the document nothing and ignores what it says
		p.originIs(f, e.Context.Origin)
		return
	}
	f.world = &world{key: worldKey{s, e.Context.ID}, unique: e.Context.UniqueID, origin: e.Context.Origin}
	p.worlds[f.world.key] = f
	p.originIs(f, e.Context.Origin)
	switch {
	case p.BetweenDocuments() && s == p.session:
		// A world that is there before its page has an address comes back from the back-forward cache. Chrome
		// doesn't announce anything again.
		p.checkReady(f)
		if f != p.main {
			p.scan(f)
		}
	case f.found:
		p.scan(f)
	}
	p.askSchemas(f)
}

// barred says whether the user's rules keep the hub out of a frame's document, because of the document's own origin
// or its page's.
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

// documentOpened handles document.open(), which removes the bridge's listeners.
func (p *Link) documentOpened(s cdpclient.SessionID, e cdpclient.DocumentOpened) {
	if f := p.frames[registry.FrameID(e.Frame.ID)]; f != nil && f.session == s && f.world != nil {
		p.checkReady(f)
	}
}

func (p *Link) checkReady(f *frame) {
	p.conn.Post(f.session, bridge.CallMethod, bridge.Call(f.world.unique, bridge.CheckReady, nil), nil)
}

// bindingCalled handles a message that the bridge carried from the page. Its content comes from the page, whatever it
// looks like.
func (p *Link) bindingCalled(s cdpclient.SessionID, e cdpclient.BindingCalled) {
	if e.Name == bridge.FrontBinding && s == p.session {
		p.ReportFront()
		return
	}
	f := p.worlds[worldKey{s, e.ExecutionContextID}]
	if e.Name != bridge.Binding || f == nil {
		return
	}
	m, err := bridge.Decode(e.Payload)
	if err != nil {
		if unsaid, ok := p.logLimits.bridge.Allow(); ok {
			p.Log.Debug("a bridge message was ignored", "err", err, "unsaid", unsaid)
		}
		return
	}
	f.servers.Receive(m, func() ServerHome { return p.homeOf(f, m.Adapter) })
}

// homeOf returns the ServerHome for a server of a frame's document.
func (p *Link) homeOf(f *frame, adapter bool) ServerHome {
	conn, session, unique, function, request := p.conn, f.session, f.world.unique, bridge.Send, bridge.Request
	if adapter {
		function, request = bridge.AdapterSend, bridge.AdapterSend
	}
	send := func(ctx context.Context, payload json.RawMessage) error {
		var result json.RawMessage
		switch err := conn.Call(ctx, session, bridge.CallMethod, bridge.Call(unique, function, payload), &result); {
		case errors.Is(err, cdpclient.ErrNotSent):
			return fmt.Errorf("%w: %w", pagemcp.ErrNotSent, err)
		case err != nil:
			return err
		}
		return bridge.CallError(result)
	}
	return ServerHome{
		Tab: p.Tab, Doc: f.doc, Send: send, Ctx: p.ctx,
		Post: func(payload json.RawMessage, tag any) {
			conn.Post(session, bridge.CallMethod, cdpclient.Encoded(bridge.Call(unique, request, payload)), tag)
		},
		Where: func() FrameAddress { return FrameAddress{Frame: f.id, URL: f.url, Origin: f.origin} },
		Again: func() {
			if f.world != nil {
				p.checkReady(f)
			}
		},
	}
}
