package node

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"webmcphub/actors"
	"webmcphub/cluster/api"
	"webmcphub/cluster/mailbox"
	"webmcphub/cluster/transport"
	"webmcphub/registry"
)

// running is a request that is being carried out. All fields but gateway are fixed once it has begun.
type running struct {
	caller transport.Caller
	cancel context.CancelCauseFunc
	// unsent has the messages that the request's handler, which alone sends, will send. Only calls have it.
	unsent *mailbox.Box[*api.CallResponse]
	// in is the document that carries out the call and may ask the agent something. It is zero if there is none.
	in    registry.DocumentRef
	party string // tells apart the parties for whom the gateway makes requests
	// client is the client of browser tools that the request is for. gone says that this client has gone.
	client string
	gone   bool
	// counts says that figures count the request, held that a node that leaves waits for it, and opens that a node
	// that leaves refuses it.
	counts, held, opens bool

	gateway *gateway // belongs to run; nil before the request has begun
}

// begun says how a request has begun, or why it hasn't.
type begun struct {
	err     error
	client  string // the node's name for the client
	leaving string // why the node leaves; "" if it stays
}

// carryOut registers a request with run and calls do, or returns an error if the request may not begin.
func (n *Node) carryOut(ctx context.Context, r *running, do func(ctx context.Context, at begun) error) error {
	r.caller = transport.CallerOf(ctx)
	stream := ctx
	ctx, r.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	defer r.cancel(nil)
	defer context.AfterFunc(stream, func() { r.cancel(errGivenUp) })()
	to := make(chan begun, 1)
	if !n.box.Put(func() { to <- n.begins(r) }) {
		return transport.Refuse("the node has too much to do; try again in a moment")
	}
	var at begun
	select {
	case at = <-to:
	case <-n.life.over:
		return status.Error(codes.Unavailable, "the node is stopping")
	}
	if at.err != nil {
		return transport.Refuse(at.err.Error())
	}
	if r.in.Page != "" {
		defer n.life.calls.Done()
	}
	defer n.box.Must(func() { n.finished(r) })
	err := do(ctx, at)
	if _, is := status.FromError(err); err != nil && !is {
		err = transport.Refuse(err.Error())
	}
	return err
}

// begins registers a request, or refuses it.
func (n *Node) begins(r *running) (at begun) {
	g := n.gateways[r.caller.Name]
	switch {
	case n.stopping:
		at.err = actors.ErrStopped
	case g == nil || g.watch.incarnation != r.caller.Incarnation:
		at.err = errors.New("the node was started again, or had lost the gateway; list the tools again")
	case len(g.running) >= MaxRunning:
		at.err = fmt.Errorf("the gateway has %d requests under way at the node %s, which is its limit; try again "+
			"when one has ended", MaxRunning, n.options.Name)
	case n.leaving.why != "" && r.opens:
		at.err = errors.New("the node " + n.options.Name + " is leaving (" + n.leaving.why +
			"), and no longer opens tabs")
	}
	if at.err != nil {
		return at
	}
	if g.running[r], r.gateway = true, g; r.in.Page != "" {
		n.life.calls.Add(1)
	}
	if r.counts {
		n.figures.running.Add(1)
	}
	at.leaving = n.leaving.why
	if clientsOf := n.clientsOf[r.caller.Name]; r.client != "" && clientsOf != nil {
		at.client = n.client(r.caller.Name, clientsOf, r.client)
		if r.gone {
			delete(clientsOf.clients, at.client)
		} else {
			clientsOf.clients[at.client] = true
		}
	}
	return at
}

func (n *Node) finished(r *running) {
	if delete(r.gateway.running, r); r.counts {
		n.figures.running.Add(-1)
	}
	for _, q := range n.questions {
		if q.call == r {
			n.settle(q, nil, unanswered(errors.New("the call during which it asked has ended")))
		}
	}
	n.quiet()
}

// OpenTab opens a tab.
func (s services) OpenTab(ctx context.Context, o *api.OpenTabRequest) (opened *api.OpenTabResponse, err error) {
	err = s.carryOut(ctx, &running{counts: true, opens: true}, func(ctx context.Context, _ begun) error {
		in, err := s.browsers.lives.still(o.Browsers, o.Lives)
		if err != nil {
			return err
		}
		page, err := s.hub.OpenTab(ctx, registry.NewTab{URL: o.Url, For: o.For, Beside: registry.PageID(o.Beside),
			In: in, May: s.browsers.lives.may(o.Lives), Background: o.Background})
		opened = &api.OpenTabResponse{Page: string(page)}
		return err
	})
	return opened, err
}

// ChangeTab activates, closes, connects or disconnects a tab.
func (s services) ChangeTab(ctx context.Context, c *api.ChangeTabRequest) (*api.ChangeTabResponse, error) {
	do := map[api.ChangeTabRequest_Change]func(context.Context, registry.PageID) error{
		api.ChangeTabRequest_ACTIVATE:   s.hub.ActivateTab,
		api.ChangeTabRequest_CLOSE:      s.hub.CloseTab,
		api.ChangeTabRequest_CONNECT:    s.hub.ConnectPage,
		api.ChangeTabRequest_DISCONNECT: s.hub.DisconnectPage,
	}[c.Change]
	if do == nil {
		return nil, transport.Refuse(fmt.Sprintf("the node %s (%s) doesn't know how to do %v; bring it and the "+
			"gateway to neighbouring builds", s.options.Name, s.options.Build, c.Change))
	}
	return &api.ChangeTabResponse{}, s.carryOut(ctx, &running{counts: true}, func(ctx context.Context, _ begun) error {
		return do(ctx, registry.PageID(c.Page))
	})
}

// maxTitleURL is how many bytes a page's address may have if Titles has the page. Gateways know no longer addresses.
const maxTitleURL = 64 << 10

// Titles returns the titles of all pages.
func (s services) Titles(ctx context.Context, _ *api.TitlesRequest) (*api.TitlesResponse, error) {
	response := &api.TitlesResponse{Titles: map[string]*api.TitlesResponse_Title{}}
	return response, s.carryOut(ctx, &running{counts: true}, func(ctx context.Context, _ begun) error {
		titles, err := s.hub.Titles(ctx)
		for page, t := range titles { // from the browsers that answered
			if len(t.URL) > maxTitleURL {
				continue
			}
			response.Titles[string(page)] = &api.TitlesResponse_Title{Url: valid(t.URL), Text: valid(t.Text)}
			err = nil
		}
		return err
	})
}

// Connect connects to a browser.
func (s services) Connect(ctx context.Context, c *api.ConnectRequest) (is *api.ConnectResponse, err error) {
	err = s.carryOut(ctx, &running{counts: true, opens: true}, func(ctx context.Context, _ begun) error {
		info, err := s.hub.Connect(ctx, c.Launch, c.Browser)
		is = &api.ConnectResponse{Name: info.Name, Version: info.Version}
		return err
	})
	return is, err
}

// ClientGone ends what a client of browser tools has.
func (s services) ClientGone(ctx context.Context, c *api.ClientGoneRequest) (*api.ClientGoneResponse, error) {
	r := &running{counts: true, client: c.Client, gone: true}
	return &api.ClientGoneResponse{}, s.carryOut(ctx, r, func(_ context.Context, at begun) error {
		if s.automates != nil {
			s.automates.ClientGone(at.client)
		}
		return nil
	})
}

// Status returns the node's status.
func (s services) Status(ctx context.Context, _ *api.StatusRequest) (*api.NodeStatus, error) {
	return s.Node.Status(ctx)
}

// Drain makes the node leave.
func (s services) Drain(ctx context.Context, _ *api.DrainRequest) (*api.DrainResponse, error) {
	s.Node.Drain("its operator drained it")
	_, err := s.Node.Status(ctx) // answers after the node has begun to leave
	return &api.DrainResponse{}, err
}
