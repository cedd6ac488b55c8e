// Package operator asks nodes how they are, and to leave, as operators do: without being a gateway
// that offers their pages.
package operator

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"webmcphub/cluster/certs"
	"webmcphub/cluster/link"
	"webmcphub/cluster/wire"
)

// Operator asks nodes. Its methods may be called from any goroutine.
type Operator struct {
	link *link.Link

	mu      sync.Mutex
	last    uint64
	waiting map[uint64]waiting // by id of the request
}

// waiting is who waits for a node's reply.
type waiting struct {
	node string
	to   chan reply // takes one; further ones are dropped
}

type reply struct {
	wire.Reply
	lost error
}

// Open makes one with this name, which is an operator's in its certificate. It listens at an address,
// where nodes reach it by another if advertised is one. Whoever opens it closes it.
func Open(as, listen, advertised string, tls *certs.Files) (*Operator, error) {
	o := &Operator{waiting: map[uint64]waiting{}}
	var err error
	o.link, err = link.Open(link.Options{Self: link.Peer{Role: link.Operator, Name: as, Address: advertised},
		Listen: listen, TLS: tls, Receive: o.receive, Lost: o.lost})
	return o, err
}

// Close closes it.
func (o *Operator) Close() { o.link.Close() }

// Status says how a node is, which listens at that address.
func (o *Operator) Status(ctx context.Context, node, address string) (s wire.NodeStatus, err error) {
	raw, err := o.ask(ctx, node, address, wire.Status)
	if err == nil {
		err = wire.Read(raw, &s)
	}
	return s, err
}

// Drain has a node leave. It returns when the node has begun to.
func (o *Operator) Drain(ctx context.Context, node, address string) error {
	_, err := o.ask(ctx, node, address, wire.Drain)
	return err
}

func (o *Operator) ask(ctx context.Context, node, address string, kind wire.RequestKind) (json.RawMessage, error) {
	to := make(chan reply, 1)
	o.mu.Lock()
	o.last++
	id := o.last
	o.waiting[id] = waiting{node, to}
	o.mu.Unlock()
	defer func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		delete(o.waiting, id)
	}()
	if err := o.link.Send(link.Peer{Role: link.Node, Name: node, Address: address},
		wire.Request{ID: id, Kind: kind}); err != nil {
		return nil, fmt.Errorf("the node %s can't be asked: %w", node, err)
	}
	select {
	case r := <-to:
		switch {
		case r.lost != nil:
			return nil, fmt.Errorf("the node %s at %s doesn't answer: %w", node, address, r.lost)
		case r.Error != nil:
			return nil, fmt.Errorf("the node %s says: %w", node, r.Error)
		}
		return r.Result, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("the node %s at %s doesn't answer: %w", node, address, context.Cause(ctx))
	}
}

// receive takes the reply of the node that was asked, and of no other.
func (o *Operator) receive(from link.Peer, m wire.Message) {
	r, is := m.(wire.Reply)
	if !is {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if w := o.waiting[r.ID]; w.node == from.Name {
		w.give(reply{Reply: r})
	}
}

// lost ends what waits for that node: which of it the node has heard isn't known.
func (o *Operator) lost(peer link.Peer, why error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, w := range o.waiting {
		if w.node == peer.Name {
			w.give(reply{lost: why})
		}
	}
}

// give doesn't wait: a node that answers twice keeps nobody.
func (w waiting) give(r reply) {
	select {
	case w.to <- r:
	default:
	}
}
