package node

import (
	"context"
	"errors"
	"slices"

	"webmcphub/cluster/link"
	"webmcphub/cluster/replica"
	"webmcphub/cluster/wire"
	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

// gateway is one that has said Hello.
type gateway struct {
	peer        link.Peer
	incarnation string
	running     map[uint64]*running
	level       string // of log messages that it wants, "" for none
}

// running is a request that is being carried out.
type running struct {
	cancel context.CancelCauseFunc
	// in is the document that carries it out, zero for none: it may ask the agent something.
	in registry.ServerRef
	// counts says that figures count it.
	counts bool
	// held says that the node waits for it before it leaves.
	held bool
}

// Why requests end without their gateway having asked for it.
var (
	errGatewayLost = errors.New("the gateway that asked was lost")
	errGatewayNew  = errors.New("the gateway that asked has been started again")
)

// heard takes what a gateway says.
func (n *Node) heard(from link.Peer, m wire.Message) {
	if from.Role == link.Operator {
		if m, is := m.(wire.Request); is {
			n.operate(from, m)
		}
		return
	}
	g := n.gateways[from.Name]
	switch m := m.(type) {
	case wire.Hello:
		n.hello(from, m)
	case wire.Request:
		n.request(from, g, m)
	case wire.Cancel:
		if g != nil && g.running[m.ID] != nil {
			g.running[m.ID].cancel(errors.New(m.Why))
		}
	case wire.Answered:
		n.answered(from.Name, m)
	case wire.Got:
		n.effects(n.source.Step(replica.Heard{Gateway: from.Name, Message: m}))
	case wire.Want, wire.Ping:
		if g == nil { // it takes a talk for granted that there isn't
			g = &gateway{peer: from}
			n.gateways[from.Name] = g
			defer delete(n.gateways, from.Name)
		}
		n.effects(n.source.Step(replica.Heard{Gateway: from.Name, Message: m}))
	}
}

// hello begins, or begins anew, to tell a gateway what there is.
func (n *Node) hello(from link.Peer, m wire.Hello) {
	g := n.gateways[from.Name]
	if g != nil && g.incarnation != m.Incarnation {
		n.forget(from.Name, errGatewayNew)
		g = nil
	}
	if g == nil {
		g = &gateway{incarnation: m.Incarnation, running: map[uint64]*running{}}
		n.gateways[from.Name] = g
		n.figures.gateways.Add(1)
	}
	g.peer = from
	n.hosts(from.Name, m.Incarnation)
	n.effects(n.source.Step(replica.Heard{Gateway: from.Name, Message: m}))
}

// dropped: what was under way for a gateway is given up, since its replies may not arrive.
func (n *Node) dropped(peer link.Peer, why error) {
	if peer.Role != link.Gateway || n.gateways[peer.Name] == nil {
		return
	}
	n.log.Warn("the link to a gateway was lost", "gateway", peer.Name, "why", why)
	n.forget(peer.Name, errGatewayLost)
}

func (n *Node) forget(name string, why error) {
	g := n.gateways[name]
	delete(n.gateways, name)
	n.misses(name)
	n.figures.gateways.Add(-1)
	for _, r := range g.running {
		r.cancel(why)
	}
	for _, q := range n.questions {
		if q.gateway == g {
			n.settle(q, nil, unanswered(why))
		}
	}
	n.effects(n.source.Step(replica.GatewayLost{Gateway: name}))
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

// tell passes on what a page's own server tells.
func (n *Node) tell(t wire.Told) {
	for _, g := range n.gateways {
		n.send(g.peer, t)
	}
}
