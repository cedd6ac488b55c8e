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
	"webmcphub/mcpserver/view"
	"webmcphub/mcpserver/wire"
	"webmcphub/registry"
	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// MaxSubscriptions is how many resources one client may subscribe to.
const MaxSubscriptions = 1000

// topics holds the resources to which clients are subscribed. The hub subscribes to a page's resource once, however
// many clients do. Any goroutine may use it.
type topics struct {
	mu  sync.Mutex
	all map[topicKey]*topic
}

// topicKey identifies a resource by its page's server and the URI there.
type topicKey struct {
	server registry.DocumentRef
	uri    string
}

type topic struct {
	resource *offer.Offer
	// turn holds a token while the hub asks the page, so that subscribing and unsubscribing reach the page in order.
	turn       chan struct{}
	subscribed bool // the page knows of the subscription; belongs to the holder of turn
	// watchers are the subscribed clients, with the URI under which each knows the resource.
	watchers map[*view.Client]string
}

// subscribe subscribes client o to a resource, under the URI that the client gave.
func (s *Server) subscribe(ctx context.Context, o *view.Client, hub string, target offer.ResourceTarget) error {
	key := topicKey{target.Resource.Server, target.URI}
	s.topics.mu.Lock()
	switch {
	case o.Conn.Over(): // the session's subscriptions have ended already
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
	t.watchers[o] = hub // first, because the page may report a change at once
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

// syncTopic subscribes at the page if any client is subscribed, and unsubscribes otherwise.
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
	if wanted == t.subscribed {
		return nil
	}
	method := mcp.MethodResourcesSubscribe
	if !wanted {
		method = mcp.MethodResourcesUnsubscribe
	}
	t.subscribed = false // unknown until the page has answered
	if _, err := s.options.PageServers.Ask(ctx, key.server, string(method),
		jsonrpc.MustEncode(map[string]any{"uri": key.uri}), nil); err != nil {
		return err
	}
	t.subscribed = wanted
	return nil
}

// forget drops a topic without subscribers. mu must be held.
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

// unsubscribe answers resources/unsubscribe. It succeeds even if the client is not subscribed.
func (s *session) unsubscribe(r *wire.Request, uri string) wire.Reply {
	for key, t := range s.server.topics.unwatch(s.client, func(hub string) bool { return hub == uri }) {
		s.server.letGo(r.Ctx, key, t)
	}
	return wire.Reply{Result: json.RawMessage("{}")}
}

// unsubscribeLater ends those subscriptions of a client for which which returns true, without waiting for the pages.
func (s *Server) unsubscribeLater(o *view.Client, which func(hub string) bool) {
	for key, t := range s.topics.unwatch(o, which) {
		go func() {
			ctx, cancel := s.withTimeout()
			defer cancel()
			s.letGo(ctx, key, t)
		}()
	}
}

// unwatch removes client o from the topics that it knows under such URIs. It returns the topics that are left without
// subscribers.
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

// letGo unsubscribes at the page, unless a client has subscribed since, and then forgets the topic. A client that
// subscribes meanwhile gets its turn after that.
func (s *Server) letGo(ctx context.Context, key topicKey, t *topic) {
	_ = s.syncTopic(ctx, key, t)
	s.topics.mu.Lock()
	defer s.topics.mu.Unlock()
	s.topics.forget(key, t)
}

// resubscribe renews subscriptions to resources whose page has a new document, and notifies the clients to read the
// resources again. A new document doesn't know of the subscriptions.
func (s *Server) resubscribe(now *registry.Catalog) {
	s.topics.mu.Lock()
	defer s.topics.mu.Unlock()
	for key, t := range s.topics.all {
		is := now.Offered().Current(t.resource)
		if is == nil || is.Server == key.server {
			continue // the resource may come back
		}
		delete(s.topics.all, key)
		watchers := maps.Clone(t.watchers) // clients whose subscription the old document has yet to answer still use t
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

// resourcesUpdated notifies the subscribed clients.
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

// listen answers subscriptions/listen (protocol 2026-07-28): it acknowledges what the request subscribes to, and the
// answer comes when the client or the session ends the request.
func (s *session) listen(r *wire.Request, m *jsonrpc.Message) wire.Reply {
	p, answered := s.params(r, m)
	var request mcp.SubscriptionsListenRequest
	switch {
	case answered != nil:
		return *answered
	case !p.modern() || json.Unmarshal(m.Raw, &request) != nil: // mcp-go says what is wrong
		return s.delegate(r, m)
	}
	filter := request.Params.Notifications
	var watched []offer.ResourceTarget
	if s.server.options.PageServers != nil {
		watched = s.watchable(filter.ResourceSubscriptions)
	}
	l := s.client.Conn.Listen(r, filter)
	var subscribing sync.WaitGroup
	for _, target := range watched {
		subscribing.Go(func() {
			if err := s.server.subscribe(r.Ctx, s.client, target.Hub, target); err != nil {
				s.log.Debug("a page did not take a subscription", "err", err)
			}
		})
	}
	if !filter.IsEmpty() {
		<-r.Ctx.Done()
	}
	others := s.client.Conn.Unlisten(l)
	subscribing.Wait()
	over := func(uri string) bool { // no other such request of the client has the subscription
		return slices.Contains(filter.ResourceSubscriptions, uri) && !slices.Contains(others, uri)
	}
	if len(watched) > 0 {
		s.server.unsubscribeLater(s.client, over)
	}
	return wire.Reply{Result: jsonrpc.MustEncode(map[string]any{"resultType": mcp.ResultTypeComplete,
		"_meta": map[string]any{mcp.MetaKeySubscriptionID: m.ID, mcp.MetaKeyServerInfo: s.server.info()}})}
}

// watchable returns the resources with these URIs to which the client can subscribe.
func (s *session) watchable(uris []string) (all []offer.ResourceTarget) {
	now, scope := s.client.View.OffersNow()
	for i, uri := range uris {
		target, err := registry.ResolveResource(nil, now, uri, registry.VisibleTools{})
		if err != nil || !scope.Sees(target.Resource.Server.Page) || i >= MaxSubscriptions {
			s.log.Debug("a resource can't be subscribed to", "uri", sanitize.Text(uri, 200), "err", err)
			continue
		}
		target.Hub = uri
		all = append(all, target)
	}
	return all
}
