package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"webmcphub/internal/jsonrpc"
	"webmcphub/registry"

	"webmcphub/mcpserver/view"
	"webmcphub/mcpserver/wire"
	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// MaxSubscriptions is how many resources one client can subscribe to.
const MaxSubscriptions = 1000

// topics are the resources that clients watch. A page is told to watch one once,
// however many clients do. Any goroutine may use it.
type topics struct {
	mu  sync.Mutex
	all map[topicKey]*topic
}

// topicKey is a resource as its page's server knows it.
type topicKey struct {
	server registry.ServerRef
	uri    string
}

type topic struct {
	resource *offer.Offer
	// turn holds a token while the page is asked: subscribing and unsubscribing
	// reach it in order.
	turn chan struct{}
	told bool // the page knows; belongs to the holder of the turn
	// watchers are those clients, and under which URI they know the resource.
	watchers map[*view.Client]string
}

// subscribe has o watch a resource, by the URI that its client gave.
func (s *Server) subscribe(ctx context.Context, o *view.Client, hub string, target offer.ResourceTarget) error {
	key := topicKey{target.Resource.Server, target.URI}
	s.topics.mu.Lock()
	switch {
	case o.Conn.Over(): // what it watched is ended already
		s.topics.mu.Unlock()
		return wire.ErrSessionOver
	case s.topics.count(o) >= MaxSubscriptions:
		s.topics.mu.Unlock()
		return registry.PageError{Code: jsonrpc.CodeServer, Text: fmt.Sprintf("this client has %d subscriptions, "+
			"which is the limit; end one", MaxSubscriptions)}
	}
	t := s.topics.all[key]
	if t == nil {
		t = &topic{resource: target.Resource, turn: make(chan struct{}, 1), watchers: map[*view.Client]string{}}
		s.topics.all[key] = t
	}
	t.watchers[o] = hub // before the page is asked: it may tell of a change at once
	s.topics.mu.Unlock()

	err := s.syncTopic(ctx, key, t)
	if err != nil {
		s.topics.mu.Lock()
		delete(t.watchers, o)
		s.topics.forget(key, t)
		s.topics.mu.Unlock()
	}
	return err
}

// syncTopic has the page know whether anybody watches.
func (s *Server) syncTopic(ctx context.Context, key topicKey, t *topic) error {
	select {
	case t.turn <- struct{}{}:
		defer func() { <-t.turn }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	s.topics.mu.Lock()
	wanted := len(t.watchers) > 0
	s.topics.mu.Unlock()
	if wanted == t.told {
		return nil
	}
	method := mcp.MethodResourcesSubscribe
	if !wanted {
		method = mcp.MethodResourcesUnsubscribe
	}
	t.told = false // as far as anybody knows, until the page has answered
	if _, err := s.options.PageServers.Ask(ctx, key.server, string(method),
		jsonrpc.MustEncode(map[string]any{"uri": key.uri}), nil); err != nil {
		return err
	}
	t.told = wanted
	return nil
}

// forget drops a topic that nobody watches. mu must be held.
func (t *topics) forget(key topicKey, topic *topic) {
	if len(topic.watchers) == 0 && t.all[key] == topic {
		delete(t.all, key)
	}
}

func (t *topics) count(o *view.Client) (n int) {
	for _, topic := range t.all {
		if _, watches := topic.watchers[o]; watches {
			n++
		}
	}
	return n
}

// unsubscribe answers resources/unsubscribe. What is not subscribed to needs
// no ending.
func (s *session) unsubscribe(r *wire.Request, uri string) wire.Reply {
	for key, t := range s.server.topics.unwatch(s.client, func(hub string) bool { return hub == uri }) {
		s.server.letGo(r.Ctx, key, t)
	}
	return wire.Reply{Result: json.RawMessage("{}")}
}

// unsubscribeLater ends such subscriptions of a client without waiting for the pages.
func (s *Server) unsubscribeLater(o *view.Client, which func(hub string) bool) {
	for key, t := range s.topics.unwatch(o, which) {
		go func() {
			ctx, cancel := s.withTimeout()
			defer cancel()
			s.letGo(ctx, key, t)
		}()
	}
}

// unwatch takes o off the topics that it knows by such URIs, and gives those that
// nobody watches any more.
func (t *topics) unwatch(o *view.Client, which func(hub string) bool) map[topicKey]*topic {
	t.mu.Lock()
	defer t.mu.Unlock()
	left := map[topicKey]*topic{}
	for key, topic := range t.all {
		if hub, watches := topic.watchers[o]; watches && which(hub) {
			delete(topic.watchers, o)
			if len(topic.watchers) == 0 {
				left[key] = topic
			}
		}
	}
	return left
}

// letGo has the page know that nobody watches, if that is still so, and forgets
// the topic then: who subscribes meanwhile has its turn behind that.
func (s *Server) letGo(ctx context.Context, key topicKey, t *topic) {
	_ = s.syncTopic(ctx, key, t)
	s.topics.mu.Lock()
	defer s.topics.mu.Unlock()
	s.topics.forget(key, t)
}

// resubscribe has clients go on watching resources whose page has another
// document now, which knows nothing of them, and tells them to read again.
func (s *Server) resubscribe(now *registry.Catalog) {
	s.topics.mu.Lock()
	defer s.topics.mu.Unlock()
	for key, t := range s.topics.all {
		is := now.Offered().Current(t.resource)
		if is == nil || is.Server == key.server {
			continue // it may come back
		}
		delete(s.topics.all, key)
		watchers := maps.Clone(t.watchers) // those who are yet to be answered by the old document still have t
		go func() {
			ctx, cancel := s.withTimeout()
			defer cancel()
			for o, hub := range watchers {
				if s.subscribe(ctx, o, hub, offer.ResourceTarget{Resource: is, URI: key.uri, Hub: hub}) == nil {
					o.Conn.ResourceUpdated(hub)
				}
			}
		}()
	}
}

// resourcesUpdated tells those who watch.
func (s *Server) resourcesUpdated(e registry.ResourcesUpdated) {
	s.topics.mu.Lock()
	defer s.topics.mu.Unlock()
	for _, uri := range e.URIs {
		if t := s.topics.all[topicKey{e.Server, uri}]; t != nil {
			for o, hub := range t.watchers {
				o.Conn.ResourceUpdated(hub)
			}
		}
	}
}

// listen takes note of what a subscriptions/listen request (protocol
// 2026-07-28), which mcp-go knows by this id, asks for.
func (s *session) listen(id json.RawMessage, filter mcp.SubscriptionFilter) {
	var watched []offer.ResourceTarget
	if s.server.options.PageServers != nil {
		watched = s.watchable(filter.ResourceSubscriptions)
	}
	l := s.client.Conn.Listen(id, filter, len(watched))
	if l == nil {
		return
	}
	for _, target := range watched {
		go func() {
			defer l.Begun.Done()
			if err := s.server.subscribe(l.Request.Ctx, s.client, target.Hub, target); err != nil {
				s.log.Debug("a page did not take a subscription", "err", err)
			}
		}()
	}
}

// watchable are the resources of these URIs that the client can subscribe to.
func (s *session) watchable(uris []string) (all []offer.ResourceTarget) {
	now, scope := s.client.Lens.OffersNow()
	for i, uri := range uris {
		target, err := registry.ResolveResource(nil, now, uri, registry.Audience{})
		if err != nil || !scope.Sees(target.Resource.Server.Page) || i >= MaxSubscriptions {
			s.log.Debug("a resource can't be subscribed to", "uri", sanitize.Text(uri, 200), "err", err)
			continue
		}
		target.Hub = uri
		all = append(all, target)
	}
	return all
}

// unlisten ends what a subscriptions/listen request asked for, and what it
// watched that no other one of the client watches.
func (s *session) unlisten(r *wire.Request) {
	l, others := s.client.Conn.Unlisten(r)
	if l == nil {
		return
	}
	l.Begun.Wait() // its context has ended
	watched := slices.DeleteFunc(slices.Clone(l.Filter.ResourceSubscriptions),
		func(uri string) bool { return slices.Contains(others, uri) })
	if len(watched) > 0 {
		s.server.unsubscribeLater(s.client, func(hub string) bool { return slices.Contains(watched, hub) })
	}
}
