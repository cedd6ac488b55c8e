package gateway

import (
	"context"
	"encoding/json"
	"errors"

	"webmcphub/cluster/replica"
	"webmcphub/cluster/wire"
	"webmcphub/registry"
)

// Nodes are the nodes, as whoever oversees the room reaches them.
func (c caller) Nodes() Nodes { return Nodes{c.room} }

// Watching is the request to watch a page that the room sees, but for the screen's name, and the page's node.
func (n Nodes) Watching(page registry.PageID) (node string, w wire.Watching, err error) {
	tab := n.room.current.Load().Tab(page)
	if tab == nil {
		return "", w, errors.New("the tab is closed, or its browser is no longer leased")
	}
	node, w.Page = replica.Own(string(page))
	_, w.Browser.Browser = replica.Own(tab.Browser)
	if n.room.leasing {
		w.Browser.Life = caller{n.room}.livesOf(node, []string{w.Browser.Browser})[w.Browser.Browser]
	}
	if port, hosts := n.room.options.Registry.Origins.Own(); len(hosts) > 0 {
		w.Own = &wire.OwnPage{Port: port, Hosts: hosts}
	}
	return node, w, nil
}

// Ask has a node carry something out. Once ctx has ended it waits only shortly for what became of it. progress, if not nil, must not
// block. The error may be a [NodeLost].
func (n Nodes) Ask(ctx context.Context, node string, kind wire.RequestKind, body any,
	progress func()) (json.RawMessage, error) {
	f := &flight{kind: kind, body: body, words: lastWords}
	if progress != nil {
		f.progress = func(json.RawMessage) { progress() }
	}
	return n.carryOut(ctx, node, f)
}

// Await waits until the room sees what is as wanted, or ctx ends.
func (n Nodes) Await(ctx context.Context, wanted func(*registry.Catalog) bool) {
	n.room.await(ctx, wanted)
}
