package cdp

import (
	"context"
	"maps"
	"sync"
	"sync/atomic"

	"github.com/asynkron/protoactor-go/actor"

	"webmcphub/actors/tab"
	"webmcphub/cdpclient"
	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// Attaching tags the reply to Target.attachToTarget. The reply comes on the browser's own session, so it goes to the
// tab's supervisor, which passes a refusal on to the tab at To.
type Attaching struct{ To *actor.PID }

// Attach asks Chrome for a session. Chrome announces the session before it replies.
func (p *Link) Attach() (atHand bool) {
	p.conn.Post("", "Target.attachToTarget", map[string]any{"targetId": p.targetID, "flatten": true},
		Attaching{p.To().PID})
	return false
}

// Take takes over a session.
func (p *Link) Take(session any) registry.Gen {
	at := session.(cdpclient.AttachedToTarget)
	p.session, p.waiting, p.autoAttached = at.SessionID, at.WaitingForDebugger, false
	p.Doc.SetInfo(tab.Info{URL: at.TargetInfo.URL, Title: at.TargetInfo.Title})
	p.main.session = p.session
	p.conn.Attach(p.session, p.inbox)
	p.newDocument(p.main)
	return p.main.doc
}

// Prepare sets up the page's session.
func (p *Link) Prepare() { p.prepare(p.session, p.waiting) }

// Has says whether a session is the page's.
func (p *Link) Has(session any) bool {
	return session.(cdpclient.AttachedToTarget).SessionID == p.session
}

// ended handles the end of a session: the page's own, or that of an out-of-process iframe.
func (p *Link) ended(s cdpclient.SessionID) {
	if s == p.session {
		p.SessionEnded()
		return
	}
	maps.DeleteFunc(p.scripts, func(k scriptKey, _ string) bool { return k.session == s })
	for _, f := range p.frames {
		if f.session == s {
			f.apart = false
			p.endDocument(f)
		}
	}
}

// TurnDown detaches a session that isn't taken over.
func (p *Link) TurnDown(session any) {
	LetGo(p.conn, session.(cdpclient.AttachedToTarget).SessionID)
}

// LetGo detaches a session that no tab owns. It resumes the target first, which may be paused.
func LetGo(conn *cdpclient.Conn, s cdpclient.SessionID) {
	conn.Attach(s, nil)
	conn.Post(s, "Runtime.runIfWaitingForDebugger", nil, nil)
	conn.Post("", cdpclient.TargetDetachFromTarget, cdpclient.SessionParams{SessionID: s}, nil)
}

// Release detaches from the page. The tab goes on.
func (p *Link) Release() {
	p.endSilence()
	p.farewell(true, func() {})
	for s := range p.sessions() {
		p.conn.Detach(s) // further messages of the page are ignored
	}
}

// Forget drops all that is known of the page except its tab.
func (p *Link) Forget() registry.Gen {
	for _, f := range p.frames {
		if f != p.main {
			p.removeFrame(f)
		}
	}
	p.forgetWorld(p.main)
	p.newDocument(p.main)
	p.session, p.main.session = "", ""
	p.scripts, p.invocations = map[scriptKey]string{}, newInvocations()
	p.dialogIs(nil)
	return p.main.doc
}

// End ends the link for good. Nothing refers to the tab afterwards.
func (p *Link) End(lives bool, heard func()) {
	p.farewell(lives, heard)
	p.detach()
	p.cancel()
}

// Abandon does only what is indispensable of End.
func (p *Link) Abandon(lives bool) {
	p.detach()
	if lives && p.session != "" {
		p.conn.Post("", cdpclient.TargetDetachFromTarget, cdpclient.SessionParams{SessionID: p.session}, nil)
	}
	p.cancel()
}

// detach removes the page's sessions from the connection, so that the connection doesn't keep this tab in memory.
func (p *Link) detach() {
	p.endSilence()
	p.tabRef.Store(nil)
	for s := range p.sessions() {
		p.conn.Detach(s)
	}
}

// sessions returns the page's own session and those of its iframes.
func (p *Link) sessions() map[cdpclient.SessionID]bool {
	all := map[cdpclient.SessionID]bool{p.session: true}
	for script := range p.scripts {
		all[script.session] = true
	}
	for _, f := range p.frames {
		all[f.session] = true
	}
	delete(all, "")
	return all
}

// farewell tells the page which calls the hub gives up. Then it detaches the page's session, if detach is true, and
// calls then.
func (p *Link) farewell(detach bool, then func()) {
	for c := range p.Calls {
		p.abort(c)
		if c.State.Stop != nil {
			c.State.Stop()
		}
	}
	servers := &sync.WaitGroup{}
	for _, f := range p.frames {
		for _, s := range f.servers.Take() {
			servers.Go(s.Release)
		}
	}
	session, conn, aborting := p.session, p.conn, p.aborting
	if session == "" {
		then()
		return
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), tab.ReleaseTimeout)
		defer cancel()
		for id, s := range aborting { // the reply to this second command confirms the first
			_ = conn.Call(ctx, s, cdpclient.WebMCPCancelInvocation, cdpclient.CancelInvocationParams{InvocationID: id},
				nil)
		}
		servers.Wait() // each takes ReleaseTimeout at most
		if detach {
			conn.Post("", cdpclient.TargetDetachFromTarget, cdpclient.SessionParams{SessionID: session}, nil)
		}
		then()
	}()
}

// Naming says whether Chrome hasn't yet replied to some invocation.
func (p *Link) Naming() bool {
	for c := range p.Calls {
		if c.Route.Runtime == offer.Native && c.State.Invocation == "" && !c.State.Executed {
			return true
		}
	}
	return false
}

// messageCost is the number of bytes that a message takes in a mailbox in addition to its content.
const messageCost = 256

func weight(e cdpclient.Event) int64 { return int64(len(e.Params)) + messageCost }

// tabRef leads to a tab until the tab has ended. The connection remembers ended sessions and their inboxes for a while.
// Since the inboxes refer only to the tabRef, they don't keep the tab in memory.
type tabRef struct{ atomic.Pointer[tab.Address] }

// newInbox returns an inbox that passes a session's messages to the tab. It drops events without a handler, and those
// of a page that floods the hub.
func newInbox(env *tab.Env, b tab.Birth, ref *tabRef) cdpclient.Inbox {
	id, flow := b.ID, b.FlowControl
	return func(m cdpclient.Message) {
		to := ref.Load()
		if to == nil {
			return
		}
		if e, ok := m.(cdpclient.Event); ok {
			if eventHandlers[e.Method] == nil {
				return
			}
			pass, first := flow.Add(weight(e))
			if first {
				env.Log.Error("a page floods the hub; it is looked at anew", "page", id)
				env.Root.Send(to.Supervisor, tab.ActorFailed{Page: id, Of: to})
			}
			if !pass {
				return
			}
		}
		env.Root.Send(to.PID, m)
	}
}
