package cdp_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"webmcphub/actors"
	. "webmcphub/actors/hubtest"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// shelf is what a page's server offers besides tools. Reading the resource
// "slow" waits for the test.
type shelf struct {
	mu        sync.Mutex
	resources []string
	asked     []string
	answers   chan string
}

func (s *shelf) answer(method string, params json.RawMessage) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, method+" "+string(params))
	list := []any{}
	switch method {
	case "resources/list":
		for _, uri := range s.resources {
			list = append(list, map[string]any{"uri": uri, "name": uri})
		}
		return map[string]any{"resources": list}
	case "resources/templates/list":
		return map[string]any{"resourceTemplates": append(list, map[string]any{"uriTemplate": "t://{x}", "name": "t"})}
	case "prompts/list":
		return map[string]any{"prompts": append(list, map[string]any{"name": "ask"})}
	case "resources/read":
		if strings.Contains(string(params), "slow") {
			s.mu.Unlock()
			text := <-s.answers
			s.mu.Lock()
			return map[string]any{"contents": text}
		}
		return map[string]any{"contents": "read"}
	case "logging/setLevel":
		return map[string]any{}
	}
	return nil
}

func (s *shelf) heard(method string) (all []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.asked {
		if params, ok := strings.CutPrefix(a, method+" "); ok {
			all = append(all, params)
		}
	}
	return all
}

// offering is a hub with a page that offers something, and what it is told.
type offering struct {
	*TestHub
	page   *cdptest.Page
	own    *Server
	shelf  *shelf
	mu     sync.Mutex
	offers *registry.Catalog
	events []registry.Effect // ResourcesUpdated and PageLogged
}

func newOffering(t *testing.T, set ...func(*actors.Options)) *offering {
	o := &offering{TestHub: Prepare(t, set...), shelf: &shelf{resources: []string{"a://", "slow"}, answers: make(chan string)}}
	o.offers = registry.EmptyCatalog()
	o.Pub.Also(o.take)
	o.Start()
	o.page = o.Offer()
	t.Cleanup(func() { close(o.shelf.answers) })
	o.serveShelf()
	return o
}

// take keeps what is published.
func (o *offering) take(effects []registry.Effect) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, e := range effects {
		switch e := e.(type) {
		case registry.SetCatalog:
			o.offers = e.Catalog
		case registry.ResourcesUpdated, registry.PageLogged:
			o.events = append(o.events, e)
		}
	}
}

// serveShelf starts the page's server.
func (o *offering) serveShelf() {
	own := cdptest.NewMCPServer(Tool("use"))
	own.Offer(map[string]any{"resources": map[string]any{"subscribe": true}, "prompts": map[string]any{}, "logging": map[string]any{}}, o.shelf.answer)
	o.own = o.ServeAll(o.page.Main(), own)
}

func (o *offering) catalog() *registry.Catalog {
	o.Quiet()
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.offers
}

func (o *offering) expect(want ...string) {
	o.T.Helper()
	all := o.catalog().Offered().Offers("")
	var got []string
	for _, offer := range slices.Concat(all.Of(offer.Resource), all.Of(offer.ResourceTemplate), all.Of(offer.Prompt)) {
		got = append(got, offer.Original)
	}
	if !slices.Equal(got, want) {
		o.T.Errorf("offered %q, want %q", got, want)
	}
}

// resource is what a page calls so.
func (o *offering) resource(uri string) *offer.Offer {
	o.T.Helper()
	for _, r := range o.catalog().Offered().Offers("").Of(offer.Resource) {
		if r.Original == uri {
			return r
		}
	}
	o.T.Fatalf("there is no %s", uri)
	return nil
}

type asked struct {
	result string
	err    error
}

// read begins a reading; its end comes on the channel.
func (o *offering) read(ctx context.Context, r *offer.Offer) <-chan asked {
	done := make(chan asked, 1)
	go func() {
		raw, err := o.Ask(ctx, r.Server, "resources/read", json.RawMessage(`{"uri":"`+r.Original+`"}`), nil)
		done <- asked{string(raw), err}
	}()
	synctest.Wait()
	return done
}

func (o *offering) wantFailure(done <-chan asked, says string) {
	o.T.Helper()
	synctest.Wait()
	select {
	case a := <-done:
		var said registry.PageError
		if !errors.As(a.err, &said) || !strings.Contains(said.Text, says) {
			o.T.Errorf("it ended with %s, %v; want %q", a.result, a.err, says)
		}
	default:
		o.T.Errorf("it goes on; want %q", says)
	}
}
