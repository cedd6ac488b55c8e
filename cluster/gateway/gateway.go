package gateway

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"webmcphub/cluster/allot"
	"webmcphub/cluster/certs"
	"webmcphub/cluster/link"
	"webmcphub/cluster/wire"
	"webmcphub/mcpserver"
	"webmcphub/registry"
)

// maxWaiting is how many messages may wait for one of a gateway's goroutines.
const maxWaiting = 100_000

// errStopped is why things end when the gateway does.
var errStopped = errors.New("the gateway is stopping")

// Options are fixed for the life of a [Gateway].
type Options struct {
	Name      string // [a-z0-9-]{1,32}, no other gateway's
	Listen    string // host:port for what nodes answer
	Advertise string // host:port by which nodes reach it; "" is where it listens
	TLS       *certs.Files
	// Store knows nodes and gives browsers; nil: there are the nodes of SetNodes alone, and no
	// browser is lent.
	Store allot.Store
	// Departure is how long a node is kept to that is no member any more and doesn't answer; default
	// [DefaultDeparture].
	Departure time.Duration
	// Tenants is who may have browsers: each sees those that it has leased alone. Nil is one tenant,
	// who sees all.
	Tenants []string
	// Server are the options of each tenant's MCP server. Browsers, automation and page servers are
	// the gateway's own.
	Server mcpserver.Options
	// Oversee says who watches a tenant's room that begins, in place of the Oversight in Server; nil
	// leaves that one. It is called for one room after the other.
	Oversee func(tenant string) Overseer
	// Automation makes the browser tools of a tenant's clients; nil for none.
	Automation     func(n Nodes, tenant string) mcpserver.Automation
	Registry       registry.Options
	NotifyInterval time.Duration // the flush interval; default [DefaultNotifyInterval]
	Build          string        // of the program
	Logger         *slog.Logger
}

// Gateway is a running gateway.
type Gateway struct {
	options     Options
	incarnation string
	log         *slog.Logger
	link        *link.Link
	house       *house
	ctx         context.Context // of all that the gateway does
	end         context.CancelCauseFunc
	figures     figures
	digests     wire.Digests // of tools that are called

	returning sync.WaitGroup // browsers that are given back

	mu    sync.RWMutex
	nodes map[string]*talk // by name
	rooms map[string]*room // by tenant
	tenancy
	// levels has the lowest level of pages' log messages that each room wants.
	levels map[*room]string
}

// Start starts a gateway. Its nodes are reached in the background.
func Start(o Options) (*Gateway, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	g := &Gateway{options: o, incarnation: rand.Text(), log: o.Logger, nodes: map[string]*talk{},
		rooms: map[string]*room{}, levels: map[*room]string{}}
	g.ctx, g.end = context.WithCancelCause(context.Background())
	g.house = newHouse(g)
	self := link.Peer{Role: link.Gateway, Name: o.Name, Address: o.Advertise}
	var err error
	g.link, err = link.Open(link.Options{Self: self, Listen: o.Listen, TLS: o.TLS, Receive: g.receive,
		Hearing: g.hearing, Lost: g.lost, Logger: o.Logger})
	if err != nil {
		g.end(errStopped)
		return nil, fmt.Errorf("the gateway can't be reached by its nodes: %w", err)
	}
	if err := g.join(tenantsOf(o.Tenants)); err != nil {
		g.end(errStopped)
		g.link.Close()
		return nil, err
	}
	go g.house.run()
	g.SetTenants(o.Tenants)
	if o.Store != nil {
		go g.follow()
	}
	return g, nil
}

// receive is the link's: it must not wait.
func (g *Gateway) receive(from link.Peer, m wire.Message) {
	if t := g.talkWith(from.Name); t != nil && from.Role == link.Node {
		t.takes(m)
	}
}

// hearing is the link's, too.
func (g *Gateway) hearing(from link.Peer) {
	if t := g.talkWith(from.Name); t != nil && from.Role == link.Node && !t.hears.Swap(true) {
		t.box.Must(hears{})
	}
}

func (g *Gateway) lost(peer link.Peer, why error) {
	if t := g.talkWith(peer.Name); t != nil && peer.Role == link.Node {
		t.box.Must(lost{why})
	}
}

// talkWith is the talk with a node, nil for one that there isn't.
func (g *Gateway) talkWith(node string) *talk {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.nodes[node]
}

// talks are all.
func (g *Gateway) talks() (all []*talk) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	for _, t := range g.nodes {
		all = append(all, t)
	}
	return all
}

// SetNodes says which nodes there are from now on, by name and address: those that are no longer
// among them are let go of with all their pages. It is for one goroutine at a time, and for a
// gateway without a store.
func (g *Gateway) SetNodes(now map[string]string) {
	for _, t := range g.talks() {
		if _, stays := now[t.node]; !stays {
			g.letGo(t)
		}
	}
	for name, address := range now {
		g.meet(name, address)
	}
}

// meet begins to talk with a node, or says where it is now.
func (g *Gateway) meet(name, address string) *talk {
	peer := link.Peer{Role: link.Node, Name: name, Address: address}
	g.mu.Lock()
	defer g.mu.Unlock()
	t := g.nodes[name]
	if t != nil {
		t.box.Must(moved{peer})
	} else if g.ctx.Err() == nil {
		var err error
		if t, err = g.newTalk(peer); err != nil {
			g.log.Error("a node is not talked with", "err", err)
			return nil
		}
		g.nodes[name] = t
	}
	return t
}

// letGo ends the talk with a node, and all its pages.
func (g *Gateway) letGo(t *talk) {
	g.mu.Lock()
	ours := g.nodes[t.node] == t
	if ours {
		delete(g.nodes, t.node)
	}
	g.mu.Unlock()
	if ours {
		close(t.stop)
		<-t.over
		g.house.box.Must(gone{t.node})
	}
}

// SetTenants says who the tenants are from now on; nil is one, who sees all browsers. The sessions
// of those that are no longer among them end, and so do their leases. Those that were never among them here keep
// what they have while another gateway serves them, and for [allot.DefaultUnserved] then.
// It is for one goroutine at a time.
func (g *Gateway) SetTenants(now []string) {
	leasing := now != nil
	now = tenantsOf(now)
	next := map[string]*room{}
	var all []*room
	for _, tenant := range now {
		r := g.Room(tenant)
		if r == nil || r.leasing != leasing {
			r = g.newRoom(tenant, leasing)
		}
		next[tenant] = r
		all = append(all, r)
	}
	g.mu.Lock()
	was := g.rooms
	g.rooms = next
	g.mu.Unlock()
	g.house.box.Must(lodged{all})
	g.serves(now)
	g.evict(was, next)
	for tenant, r := range was {
		if next[tenant] != r {
			r.close()
			g.setLevel(r, "")
		}
	}
}

// Room is a tenant's room, nil for one that there isn't.
func (g *Gateway) Room(tenant string) *room {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.rooms[tenant]
}

// Server is a tenant's MCP server, nil for a tenant that there isn't. With one tenant its name
// is "".
func (g *Gateway) Server(tenant string) *mcpserver.Server {
	if r := g.Room(tenant); r != nil {
		return r.server
	}
	return nil
}

// Stop ends the gateway: its calls end with the reason. It may be called more than once.
func (g *Gateway) Stop() {
	g.end(errStopped)
	g.SetNodes(nil)
	<-g.house.over
	g.mu.Lock()
	rooms := g.rooms
	g.rooms = map[string]*room{}
	g.mu.Unlock()
	for _, r := range rooms {
		r.close()
	}
	g.returning.Wait()
	g.link.Close()
}
