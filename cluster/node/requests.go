package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"webmcphub/actors"
	"webmcphub/cluster/link"
	"webmcphub/cluster/replica"
	"webmcphub/cluster/wire"
	"webmcphub/registry"

	"webmcphub/registry/sanitize"
)

// work carries out a request in a goroutine of its own, and returns soon after ctx has ended.
type work func(ctx context.Context) (any, error)

// request begins a request, or refuses it.
func (n *Node) request(from link.Peer, g *gateway, m wire.Request) {
	do, in, err := n.workOf(from, m)
	switch {
	case g == nil:
		n.send(from, refused(m.ID, "the node has been started anew, or had lost the gateway; list the tools again"))
	case err != nil:
		n.send(from, refused(m.ID, err.Error()))
	case len(g.running) >= MaxRunning:
		n.send(from, refused(m.ID, fmt.Sprintf("the gateway has %d requests under way at the node %s, which is its "+
			"limit; try again when one has ended", MaxRunning, n.options.Name)))
	case n.leaving.refuses(m.Kind):
		n.send(from, refused(m.ID, "the node "+n.options.Name+" is leaving ("+n.leaving.why+
			"), and opens no tabs any more"))
	case m.Kind == wire.SetLogLevel:
		g.level = levelIn(m.Body)
		n.setLevel()
		n.send(from, wire.Reply{ID: m.ID})
	default:
		n.begin(g, m, do, in)
	}
}

// begin has a goroutine carry out a request, and reply to it.
func (n *Node) begin(g *gateway, m wire.Request, do work, in registry.ServerRef) {
	ctx, cancel := context.WithCancelCause(n.life.ctx)
	held := m.Kind == wire.CallTool || m.Kind == wire.AskPage || m.Kind == wire.Automate
	r := &running{cancel: cancel, in: in, held: held, counts: !m.Kind.Watches()}
	if g.running[m.ID] = r; r.counts {
		n.figures.running.Add(1)
	}
	n.life.hands.Run(func() {
		defer cancel(nil)
		result, err := do(ctx)
		n.send(g.peer, reply(m.ID, result, err))
		n.box.Must(finished{g, m.ID})
	})
}

func reply(id uint64, result any, err error) wire.Reply {
	if err != nil {
		e := &wire.Error{Message: err.Error()}
		var page registry.PageError
		if errors.As(err, &page) {
			e.Code = page.Code
		}
		return wire.Reply{ID: id, Error: e}
	}
	if result == nil {
		return wire.Reply{ID: id}
	}
	return wire.Reply{ID: id, Result: encoded(result)}
}

func (n *Node) finished(m finished) {
	r := m.gateway.running[m.id]
	if r == nil {
		return
	}
	if delete(m.gateway.running, m.id); r.counts {
		n.figures.running.Add(-1)
	}
	n.quiet()
}

// workOf reads a request: what there is to do, and which document does it, if one does. The
// error says that it can't be read.
func (n *Node) workOf(from link.Peer, m wire.Request) (do work, in registry.ServerRef, err error) {
	switch m.Kind {
	case wire.CallTool:
		return read(m, func(c wire.Call) (work, registry.ServerRef) {
			return func(ctx context.Context) (any, error) {
				return n.call(ctx, c, m.Trace, n.progress(from, m.ID, c.Progress)), nil
			}, server(c.Page, c.Frame, c.Doc)
		})
	case wire.AskPage:
		return read(m, func(a wire.Ask) (work, registry.ServerRef) {
			in := server(a.Page, a.Frame, a.Doc)
			return func(ctx context.Context) (any, error) {
				return n.hub.Ask(ctx, in, a.Method, a.Params, n.progress(from, m.ID, a.Progress))
			}, in
		})
	case wire.OpenTab:
		return readAlone(m, func(ctx context.Context, o wire.Opening) (any, error) {
			in, err := n.browsers.lives.still(o.In, o.Lives)
			if err != nil {
				return nil, err
			}
			page, err := n.hub.OpenTab(ctx, registry.NewTab{URL: o.URL, For: o.For, Beside: registry.PageID(o.Beside),
				In: in, May: n.browsers.lives.may(o.Lives), Background: o.Background})
			return wire.Opened{Page: string(page)}, err
		})
	case wire.ActivateTab:
		return onPage(m, n.hub.ActivateTab)
	case wire.CloseTab:
		return onPage(m, n.hub.CloseTab)
	case wire.ConnectPage:
		return onPage(m, n.hub.ConnectPage)
	case wire.DisconnectPage:
		return onPage(m, n.hub.DisconnectPage)
	case wire.ReadTitles:
		return n.titles(func(t registry.Title) any { return t.Text }), in, nil
	case wire.ReadTitled:
		return n.titles(func(t registry.Title) any { return wire.Title(t) }), in, nil
	case wire.ReachBrowser:
		return readAlone(m, func(ctx context.Context, r wire.Reaching) (any, error) {
			info, err := n.hub.Connect(ctx, r.Launch, r.Browser)
			return wire.Reached{Name: info.Name, Version: info.Version}, err
		})
	case wire.Automate:
		return n.automation(from, m)
	case wire.ClientGone:
		return n.clientGone(from, m)
	case wire.Watch, wire.Look, wire.TakeOver, wire.Drive:
		return n.watching(from, m)
	case wire.SetLogLevel:
		return nil, in, nil
	}
	return nil, in, fmt.Errorf("the node %s (%s) doesn't know how to do %q; bring it and the gateway to "+
		"neighbouring builds", n.options.Name, n.options.Build, m.Kind)
}

// titles are those of all pages, each as its gateway reads it.
func (n *Node) titles(as func(registry.Title) any) work {
	return func(ctx context.Context) (any, error) {
		titles, err := n.hub.Titles(ctx)
		if len(titles) > 0 { // those of browsers that answered
			err = nil
		}
		told := map[registry.PageID]any{}
		for page, title := range titles {
			told[page] = as(title)
		}
		return told, err
	}
}

// read reads a request's body.
func read[B any](m wire.Request, as func(B) (work, registry.ServerRef)) (do work, in registry.ServerRef, err error) {
	var body B
	if err := wire.Read(m.Body, &body); err != nil {
		return nil, in, fmt.Errorf("the request %q can't be read: %w", m.Kind, err)
	}
	do, in = as(body)
	return do, in, nil
}

// readAlone is read for what no document does.
func readAlone[B any](m wire.Request, do func(context.Context, B) (any, error)) (work, registry.ServerRef, error) {
	return read(m, func(body B) (work, registry.ServerRef) {
		return func(ctx context.Context) (any, error) { return do(ctx, body) }, registry.ServerRef{}
	})
}

func onPage(m wire.Request, do func(context.Context, registry.PageID) error) (work, registry.ServerRef, error) {
	return readAlone(m, func(ctx context.Context, on wire.OnPage) (any, error) {
		return nil,
			do(ctx, registry.PageID(on.Page))
	})
}

func levelIn(body json.RawMessage) string {
	var l wire.Level
	_ = wire.Read(body, &l) // what can't be read is none
	return l.Level
}

func server(page, frame string, doc uint64) registry.ServerRef {
	return registry.ServerRef{Page: registry.PageID(page), Frame: registry.FrameID(frame), Doc: registry.Gen(doc)}
}

// progress passes a page's progress notifications on; nil where none are wanted.
func (n *Node) progress(to link.Peer, id uint64, wanted bool) func(json.RawMessage) {
	if !wanted {
		return nil
	}
	return func(params json.RawMessage) { n.send(to, wire.Progress{ID: id, Params: params}) }
}

// call calls the tool that the gateway's client saw, and no other. A change that the newest catalog
// doesn't have yet is found by the tab's actor.
func (n *Node) call(ctx context.Context, c wire.Call, parent string, progress func(json.RawMessage)) wire.Called {
	began := time.Now()
	over := func(string) {}
	if trace := n.options.Trace; trace != nil {
		var own string
		own, over = trace("node", parent)
		c.Meta = sanitize.WithTraceParent(c.Meta, own)
	}
	var r registry.Result
	if tool, err := replica.Find(n.current.Load(), &c, &n.digests); err != nil {
		r = sanitize.ErrorResult(registry.Sentence(err.Error()))
		r.Ending = sanitize.EndingGone
	} else {
		r = n.hub.Call(ctx, tool, c.Args, actors.CallExtras{Progress: progress, Meta: c.Meta, Extensions: c.Extensions,
			Exactly: tool.Source()})
	}
	over(n.called(r, time.Since(began)))
	return wire.Called{Result: r.JSON, IsError: r.IsError, Ending: r.Ending, FrameURL: r.FrameURL, Opened: r.Opened,
		Connects: r.Connects}
}

// operate carries out what operators ask.
func (n *Node) operate(from link.Peer, m wire.Request) {
	switch m.Kind {
	case wire.Status:
		n.send(from, wire.Reply{ID: m.ID, Result: encoded(n.status())})
	case wire.Drain:
		n.leave("its operator had it drained")
		n.send(from, wire.Reply{ID: m.ID})
	default:
		n.send(from, refused(m.ID, "operators may ask how the node is, and have it leave, and nothing else"))
	}
}

// status is how the node is.
func (n *Node) status() wire.NodeStatus {
	c := n.current.Load()
	s := wire.NodeStatus{Build: n.options.Build, Pages: len(c.Tabs()), Tools: c.Len(), Leaving: n.leaving.why}
	for _, b := range c.Browsers() {
		if b.Name != extension {
			s.Browsers = append(s.Browsers, wire.Browser{Name: b.Name, Labels: b.Labels, Status: b.Status})
		}
	}
	for g := range maps.Values(n.gateways) {
		for _, r := range g.running {
			if r.counts {
				s.Calls++
			}
		}
	}
	return s
}
