package node

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"webmcphub/cluster/api"
	"webmcphub/cluster/mailbox"
	"webmcphub/cluster/pages"
	"webmcphub/cluster/transport"
	"webmcphub/registry/sanitize"
)

// gateway is one that watches. It belongs to run.
type gateway struct {
	watch   *watch
	running map[*running]bool
	level   string // of log messages that it wants, "" for none
}

// Why requests end without their gateway having asked for it.
var (
	errGatewayLost = errors.New("the gateway that asked was lost")
	errGivenUp     = errors.New("the gateway that asked gave it up, or was lost")
	errGatewayNew  = errors.New("the gateway that asked has been started again")
)

const (
	// beat is how often a gateway hears something of its node at least.
	beat = time.Second
	// maxRecent is how many snapshots are remembered that a gateway was told.
	maxRecent = 8
	// maxReplaced is how many incarnations of a gateway are remembered whose place another one has taken.
	maxReplaced = 16
)

// watch is a gateway's stream of what there is. Its fields are fixed once it has joined.
type watch struct {
	name, incarnation string
	has               *api.WatchRequest_Open
	base              *pages.Snapshot // that the gateway has
	recent            *recent
	// unsent is what there is to send besides deltas and pongs. It is woken when there may be one of these, too.
	unsent *mailbox.Box[*api.WatchResponse]
	// pinged is the newest ping without its pong, which answers all earlier ones; 0 for none. It has a place of its
	// own, so that pages, whose events fill unsent, can't have the gateway think that the node is slow.
	pinged atomic.Uint64
	ctx    context.Context         // of the stream
	end    context.CancelCauseFunc // ends it, and says why
}

func (w *watch) leave(why string) {
	w.unsent.Must(&api.WatchResponse{Event: &api.WatchResponse_Leaving_{Leaving: &api.WatchResponse_Leaving{Why: why}}})
}

func (w *watch) pong(seq uint64) {
	w.pinged.Store(seq)
	w.unsent.Wake()
}

// recent are the snapshots that a gateway was told last, from which it goes on when it comes back.
type recent struct {
	mu  sync.Mutex
	all []*pages.Snapshot
}

func (r *recent) add(s *pages.Snapshot) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.all = append(r.all, s); len(r.all) > maxRecent {
		r.all = slices.Clone(r.all[1:])
	}
}

// find is the snapshot of a version; the one of no pages if that isn't remembered.
func (r *recent) find(version uint64) *pages.Snapshot {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.all {
		if s.Version == version {
			return s
		}
	}
	return &pages.Snapshot{}
}

// services are what gateways and operators ask of the node.
type services struct {
	api.UnimplementedNodeServer
	api.UnimplementedScreenServer
	api.UnimplementedAdminServer
	*Node
}

// serve registers the node's services.
func (n *Node) serve() {
	s := services{Node: n}
	api.RegisterNodeServer(n.server, s)
	api.RegisterScreenServer(n.server, s)
	api.RegisterAdminServer(n.server, s)
}

// Watch tells a gateway what there is, until it goes.
func (s services) Watch(stream grpc.BidiStreamingServer[api.WatchRequest, api.WatchResponse]) error {
	first, err := stream.Recv()
	if err != nil {
		return err
	}
	who := transport.CallerOf(stream.Context())
	w := &watch{name: who.Name, incarnation: who.Incarnation, has: first.GetOpen(),
		unsent: mailbox.New[*api.WatchResponse](maxUnsent)}
	w.ctx, w.end = context.WithCancelCause(stream.Context())
	defer w.end(nil)
	if w.has == nil || w.incarnation == "" {
		return status.Error(codes.InvalidArgument, "a watch begins with open, and its caller has an incarnation")
	}
	if !s.box.Put(func() { s.joins(w) }) {
		return status.Error(codes.Unavailable, "the node has too much to do")
	}
	defer s.box.Must(func() { s.leaves(w) })
	select {
	case <-w.unsent.Ready(): // it has joined
	case <-w.ctx.Done():
		return w.status()
	case <-s.life.over:
		return status.Error(codes.Unavailable, "the node is stopping")
	}
	w.unsent.Wake()
	go s.hear(w, stream)
	return s.send(w, stream)
}

// hear takes what the gateway says until the stream ends.
func (n *Node) hear(w *watch, stream grpc.BidiStreamingServer[api.WatchRequest, api.WatchResponse]) {
	for {
		m, err := stream.Recv()
		if err != nil {
			return
		}
		switch e := m.Event.(type) {
		case *api.WatchRequest_Ping_:
			n.box.Put(func() { w.pong(e.Ping.GetSeq()) }) // its pong comes after what was told before
		case *api.WatchRequest_LogLevel_:
			n.box.Put(func() {
				if g := n.gateways[w.name]; g != nil && g.watch == w {
					g.level = e.LogLevel.GetLevel()
					n.setLevel()
				}
			})
		}
	}
}

// send sends what there is to send, until the stream ends. While the way is full it waits in here, and what changes
// meanwhile is sent together.
func (n *Node) send(w *watch, stream grpc.BidiStreamingServer[api.WatchRequest, api.WatchResponse]) error {
	if err := stream.Send(&api.WatchResponse{Event: &api.WatchResponse_Hello_{Hello: n.hello}}); err != nil {
		return err
	}
	ticker := time.NewTicker(beat)
	defer ticker.Stop()
	for sent := w.base; ; {
		due := false
		select {
		case <-w.unsent.Ready():
		case <-ticker.C:
			due = true
		case <-w.ctx.Done():
			return w.status()
		}
		pinged := w.pinged.Swap(0) // before the rest is taken: its pong says that what is sent is no older
		unsent, now := w.unsent.Take(), n.newest.Load()
		leaves := func(m *api.WatchResponse) bool { return m.GetLeaving() != nil }
		var all []*api.WatchResponse
		if at := slices.IndexFunc(unsent, leaves); at >= 0 { // before what there is: its pages aren't shown
			all = append(all, unsent[at])
			unsent = slices.Delete(unsent, at, at+1)
		}
		if now.Version != sent.Version {
			for _, part := range pages.Parts(pages.Diff(sent, now)) {
				all = append(all, &api.WatchResponse{Event: &api.WatchResponse_Delta{Delta: part}})
			}
		}
		all = append(all, unsent...)
		if pinged > 0 || due {
			all = append(all, &api.WatchResponse{Event: &api.WatchResponse_Pong_{Pong: &api.WatchResponse_Pong{Seq: pinged}}})
		}
		if err := sendAll(stream, all); err != nil {
			return err
		}
		if now.Version != sent.Version {
			sent = now
			w.recent.add(now)
		}
	}
}

func (w *watch) status() error {
	why := context.Cause(w.ctx)
	if errors.Is(why, errReplaced) {
		return transport.Refuse(why.Error())
	}
	return status.Error(codes.Unavailable, why.Error())
}

// errReplaced is why a gateway is not served any more.
var errReplaced = errors.New("another gateway of the same name has taken its place; give each gateway a name of its own")

// joins begins, or begins anew, to tell a gateway what there is. Of two gateways of one name the one that came last
// is served, and the other one never again: else both would take the place of each other for ever.
func (n *Node) joins(w *watch) {
	if slices.Contains(n.replaced[w.name], w.incarnation) {
		w.end(errReplaced)
		return
	}
	if g := n.gateways[w.name]; g != nil {
		why := errGatewayLost
		if g.watch.incarnation != w.incarnation {
			why = errGatewayNew
			g.watch.end(errReplaced)
			all := append(n.replaced[w.name], g.watch.incarnation)
			n.replaced[w.name] = slices.Clone(all[max(0, len(all)-maxReplaced):])
		}
		n.forget(g, why)
	}
	n.hosts(w.name, w.incarnation)
	w.recent, w.base = &n.clientsOf[w.name].recent, &pages.Snapshot{}
	if w.has.Incarnation == n.incarnation {
		w.base = w.recent.find(w.has.Version)
	}
	n.gateways[w.name] = &gateway{watch: w, running: map[*running]bool{}}
	n.figures.gateways.Add(1)
	if n.leaving.why != "" {
		w.leave(n.leaving.why)
	}
	w.unsent.Wake() // it has joined
}

// leaves: what was under way for a gateway is given up.
func (n *Node) leaves(w *watch) {
	if g := n.gateways[w.name]; g != nil && g.watch == w {
		n.log.Warn("the connection of a gateway was lost", "gateway", w.name)
		n.forget(g, errGatewayLost)
	}
}

func (n *Node) forget(g *gateway, why error) {
	delete(n.gateways, g.watch.name)
	n.misses(g.watch.name)
	n.figures.gateways.Add(-1)
	g.watch.end(why)
	for r := range g.running {
		r.cancel(why)
	}
	n.setLevel()
}

// setLevel has pages log what any gateway wants.
func (n *Node) setLevel() {
	lowest := ""
	for _, g := range n.gateways {
		if g.level != "" && (lowest == "" ||
			slices.Index(sanitize.LogLevels, g.level) < slices.Index(sanitize.LogLevels, lowest)) {
			lowest = g.level
		}
	}
	if lowest != "" && n.life.ctx.Err() == nil {
		n.hub.SetLogLevel(lowest)
	}
}
