package node

import (
	"context"
	"fmt"

	"webmcphub/cluster/link"
	"webmcphub/cluster/wire"
	"webmcphub/registry"
)

// Watcher is an [Automation] that shows tabs to gateways' users, and has them operate these. Screens of two gateways
// are two, however they are called. Any goroutine may call its methods.
type Watcher interface {
	// Watch shows a tab until ctx ends, or it can't any longer, which the error tells. begun is called
	// when it can be looked at.
	Watch(ctx context.Context, gateway string, w wire.Watching, begun func()) error
	// Look waits for something new.
	Look(ctx context.Context, gateway string, of wire.Looking) (wire.Shown, error)
	// TakeOver has a tab be a person's until ctx ends, or it is theirs no longer. yours is called when it is.
	TakeOver(ctx context.Context, gateway string, of wire.Looking, yours func()) error
	// Drive does what a person does.
	Drive(ctx context.Context, gateway string, d wire.Driving) error
}

// watching begins what has to do with a tab's picture.
func (n *Node) watching(from link.Peer, m wire.Request) (work, registry.ServerRef, error) {
	by, shows := n.automates.(Watcher)
	if !shows {
		return nil, registry.ServerRef{}, fmt.Errorf("the node %s was started without --automation, so it shows no "+
			"pictures of tabs", n.options.Name)
	}
	tell := n.progress(from, m.ID, true)
	says := func(what string) func() { return func() { tell(encoded(what)) } }
	switch m.Kind {
	case wire.Watch:
		return readAlone(m, func(ctx context.Context, w wire.Watching) (any, error) {
			return nil, by.Watch(ctx, from.Name, w, says("begun"))
		})
	case wire.Look:
		return readAlone(m, func(ctx context.Context, of wire.Looking) (any,
			error) {
			return by.Look(ctx, from.Name, of)
		})
	case wire.TakeOver:
		return readAlone(m, func(ctx context.Context, of wire.Looking) (any, error) {
			return nil, by.TakeOver(ctx, from.Name, of, says("yours"))
		})
	}
	return readAlone(m, func(ctx context.Context, d wire.Driving) (any, error) {
		return nil,
			by.Drive(ctx, from.Name, d)
	})
}
