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

// gateway is a gateway that watches the node. It belongs to run.
type gateway struct {
	watch   *watch
	running map[*running]bool
	level   string // the lowest level of log messages that it wants; "" for none
}

// Reasons why requests end although their gateway hasn't cancelled them.
var (
	errGatewayLost = errors.New("the gateway that asked was lost")
	errGivenUp     = errors.New("the gateway that asked gave up the request, or was lost")
	errGatewayNew  = errors.New("the gateway that asked was started again")
)

const (
	// beat is the longest time between two messages to a gateway.
	beat = time.Second
	// maxRecent is how many of the snapshots that a gateway was sent are kept.
	maxRecent = 8
	// maxReplaced is how many replaced incarnations of a gateway the node remembers.
	maxReplaced = 16
)

// watch is a gateway's stream of what the node's pages offer. Its fields are fixed once it has joined.
type watch struct {
	name, incarnation string
	has               *api.WatchRequest_Open
	base              *pages.Snapshot // that the gateway has
	recent            *recent
	// unsent has the messages to send, except deltas and pongs. It is also woken when there may be one of these.
	unsent *mailbox.Box[*api.WatchResponse]
	// pinged is the newest ping without a pong, or 0. Its pong answers all earlier pings, too. It is not in unsent:
	// pages' events may fill unsent, and then the gateway would think that the node is slow.
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

// recent has the last snapshots that a gateway was sent. When the gateway comes back, it continues from one of them.
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

// find returns the snapshot with a version, or the zero Snapshot if it isn't kept.
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

// services implements the gRPC services for gateways and operators.
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

// Watch sends a gateway what the node's pages offer, until the stream ends.
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
		return status.Error(codes.InvalidArgument, "a watch begins with open, and its caller needs an incarnation")
	}
	if !s.box.Put(func() { s.joins(w) }) {
		return status.Error(codes.Unavailable, "the node has too much to do")
	}
	defer s.box.Must(func() { s.leaves(w) })
	select {
	case <-w.unsent.Ready(): // w has joined
	case <-w.ctx.Done():
		return w.status()
	case <-s.life.over:
		return status.Error(codes.Unavailable, "the node is stopping")
	}
	w.unsent.Wake()
	go s.hear(w, stream)
	return s.send(w, stream)
}

// hear handles what the gateway sends, until the stream ends.
func (n *Node) hear(w *watch, stream grpc.BidiStreamingServer[api.WatchRequest, api.WatchResponse]) {
	for {
		m, err := stream.Recv()
		if err != nil {
			return
		}
		switch e := m.Event.(type) {
		case *api.WatchRequest_Ping_:
			n.box.Put(func() { w.pong(e.Ping.GetSeq()) }) // after what was published before
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

// send sends messages until the stream ends. While the gateway can't take more, it waits in stream.Send; it sends the
// changes of that time together.
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
		pinged := w.pinged.Swap(0) // before newest is read, so that the pong follows all that was new at the ping
		unsent, now := w.unsent.Take(), n.newest.Load()
		leaves := func(m *api.WatchResponse) bool { return m.GetLeaving() != nil }
		var all []*api.WatchResponse
		if at := slices.IndexFunc(unsent, leaves); at >= 0 { // before the pages, so that the gateway doesn't show them
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

// joins adds a gateway's watch, or replaces the gateway's earlier one. Of two gateways with the same name, the node
// serves the one that came last, and never the other one again: otherwise they would replace each other for ever.
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
	w.unsent.Wake() // w has joined
}

// leaves removes a gateway whose watch has ended, and cancels its requests.
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

// setLevel makes pages log at the lowest level that any gateway wants.
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
