package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"webmcphub/actors"
	"webmcphub/cluster/api"
	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

// Automation carries out calls of browser tools. Any goroutine may call its methods.
type Automation interface {
	// Categories returns the categories of the tools.
	Categories() []string
	// Call carries out a call of a client, and returns soon after ctx has ended. Each client has its own id; "" is an
	// unknown client.
	Call(ctx context.Context, client string, c *api.Automation, progress func(what string)) *api.Automated
	// ClientGone ends whatever a client has. It may wait for a browser.
	ClientGone(client string)
	// Close ends whatever is open in tabs.
	Close()
}

// Host gives a node's [Automation] access to the node. Any goroutine may call its methods.
type Host struct{ *Node }

// Hub returns the node's hub.
func (h Host) Hub() *actors.Hub { return h.hub }

// Name returns the node's name.
func (h Host) Name() string { return h.options.Name }

// Current returns the catalog of all the node's pages.
func (h Host) Current() *registry.Catalog { return h.current.Load() }

// InLife says whether a browser is in a life. It returns true if life is "".
func (h Host) InLife(browser, life string) bool {
	return life == "" || life == h.browsers.lives.of(browser)
}

// Await waits for a catalog for which satisfied returns true, and returns it. If ctx ends first, Await returns nil.
func (h Host) Await(ctx context.Context, satisfied func(*registry.Catalog) bool) *registry.Catalog {
	for {
		changes := *h.changes.Load()
		if now := h.current.Load(); satisfied(now) {
			return now
		}
		select {
		case <-changes:
		case <-ctx.Done():
			return nil
		}
	}
}

// served stores the newest catalog. The registry actor calls it.
func (n *Node) served(c *registry.Catalog) {
	n.current.Store(c)
	next := make(chan struct{})
	close(*n.changes.Swap(&next))
	n.figures.saw(c)
	n.box.Must(n.publish)
}

// absence is how long a gateway may be lost before its clients count as gone.
const absence = time.Minute

// gatewayClients are the clients of one gateway that have used browser tools.
type gatewayClients struct {
	incarnation string
	clients     map[string]bool
	due         *time.Timer // nil while the gateway is there
	recent      recent      // the snapshots that it was sent
}

// client returns the node's name for a gateway's client.
func (n *Node) client(gateway string, g *gatewayClients, client string) string {
	return gateway + " " + g.incarnation + " " + client
}

// carryOutAutomation carries out a call of a browser tool.
func (n *Node) carryOutAutomation(ctx context.Context, a *api.Automation, at begun,
	progress func(json.RawMessage)) (*api.Automated, error) {
	switch {
	case n.automates == nil:
		return nil, errors.New("the node " + n.options.Name + " was started without --automation, so only its " +
			"pages' own tools can operate the pages")
	case at.leaving != "" && a.Tool == "new_page":
		return nil, fmt.Errorf("the node %s is leaving (%s), and no longer opens tabs", n.options.Name, at.leaving)
	}
	report := func(what string) {
		if progress != nil {
			progress(sanitize.Encode(what))
		}
	}
	return n.automates.Call(ctx, at.client, a, report), nil
}

// hosts notes that a gateway is connected. It ends what the clients of the gateway's earlier incarnation have.
func (n *Node) hosts(gateway, incarnation string) {
	g := n.clientsOf[gateway]
	if g != nil && g.incarnation != incarnation {
		n.unhost(gateway, g)
		g = nil
	}
	if g == nil {
		n.clientsOf[gateway] = &gatewayClients{incarnation: incarnation, clients: map[string]bool{}}
	} else if g.due != nil {
		g.due.Stop()
		g.due = nil
	}
}

// misses notes that a gateway was lost. The gateway's clients count as gone if it doesn't come back within absence.
func (n *Node) misses(gateway string) {
	if g := n.clientsOf[gateway]; g != nil && g.due == nil {
		g.due = time.AfterFunc(absence, func() { n.box.Must(func() { n.absent(gateway, g) }) })
	}
}

// absent ends what a gateway's clients have, because the gateway was lost for too long, unless it has just come back.
func (n *Node) absent(gateway string, g *gatewayClients) {
	if g.due != nil {
		n.unhost(gateway, g)
	}
}

// unhost ends what the clients in g have, if g are still the gateway's clients.
func (n *Node) unhost(gateway string, g *gatewayClients) {
	if n.clientsOf[gateway] != g {
		return
	}
	delete(n.clientsOf, gateway)
	if g.due != nil {
		g.due.Stop()
	}
	if n.automates == nil || len(g.clients) == 0 {
		return
	}
	n.freeing.Go(func() {
		for client := range g.clients {
			n.automates.ClientGone(client)
		}
	})
}
