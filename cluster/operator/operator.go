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
	replies map[uint64]chan reply
}

type reply struct {
	wire.Reply
	lost error
}

// Open makes one with this name, which is a gateway's in its certificate. It listens at an address,
// where nodes reach it by another if advertised is one. Whoever opens it closes it.
func Open(as, listen, advertised string, tls *certs.Files) (*Operator, error) {
	o := &Operator{replies: map[uint64]chan reply{}}
	var err error
	o.link, err = link.Open(link.Options{Self: link.Peer{Role: link.Gateway, Name: as, Address: advertised}, Listen: listen, TLS: tls, Receive: o.receive, Lost: o.lost})
	return o, err
}

// Close closes it.
func (o *Operator) Close() { o.link.Close() }

// Status says how a node is, which listens at that address.
func (o *Operator) Status(ctx context.Context, node, address string) (s wire.NodeStatus, err error) {
	raw, err := o.ask(ctx, node, address, wire.Status)
	if err == nil {
		err = json.Unmarshal(raw, &s)
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
	o.replies[id] = to
	o.mu.Unlock()
	defer func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		delete(o.replies, id)
	}()
	if err := o.link.Send(link.Peer{Role: link.Node, Name: node, Address: address}, wire.Request{ID: id, Kind: kind}); err != nil {
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

func (o *Operator) receive(_ link.Peer, m wire.Message) {
	if r, is := m.(wire.Reply); is {
		o.mu.Lock()
		to := o.replies[r.ID]
		o.mu.Unlock()
		select { // a node that answers twice keeps nobody
		case to <- reply{Reply: r}:
		default:
		}
	}
}

// lost ends what waits: which of it the node has heard isn't known.
func (o *Operator) lost(_ link.Peer, why error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, to := range o.replies {
		select {
		case to <- reply{lost: why}:
		default:
		}
	}
}
