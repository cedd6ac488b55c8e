// Package endpoints has the browsers that command lines name by the endpoints of their
// debugging ports: what is wrong with these, what the browsers are called where there are
// several, how they are reached, and by what processes with the same ones know each other.
// A file may name them, too, and is followed: see [Open].
package endpoints

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"webmcphub/actors"
	"webmcphub/cdpclient"
	"webmcphub/internal/hosts"
	"webmcphub/registry"
)

// The flags that name endpoints.
const (
	BrowserURL = "--browser-url"
	WSEndpoint = "--ws-endpoint"
)

// List are the endpoints that a command line names, in their order.
type List []Endpoint

// Endpoint is one of them.
type Endpoint struct {
	URL    string
	Direct bool     // it is the browser's websocket, not the address where one asks for that
	Header []string // to send with the websocket's handshake, as in "Name: value"

	secrets []secret // to send with it, too
}

// Of are those of the flags.
func Of(browserURLs, wsEndpoints, headers []string) (all List) {
	for _, u := range browserURLs {
		all = append(all, Endpoint{URL: u})
	}
	for _, u := range wsEndpoints {
		all = append(all, Endpoint{URL: u, Direct: true, Header: headers})
	}
	return all
}

// Validate says what contradicts itself.
func (l List) Validate() error {
	seen := map[string]bool{}
	for _, e := range l {
		if err := e.validate(); err != nil {
			return err
		}
		if len(e.Header) > 0 && len(l) > 1 {
			return errors.New("--ws-header goes with one --ws-endpoint and no other browser: with several, whose " +
				"header it is isn't said")
		}
		if seen[e.key()] {
			return fmt.Errorf("%s is given twice: each browser needs one", shown(e.URL))
		}
		seen[e.key()] = true
	}
	return nil
}

func (e Endpoint) validate() error {
	if e.Direct {
		return hosts.CheckURL(WSEndpoint, e.URL, "ws", "wss")
	}
	return hosts.CheckURL(BrowserURL, e.URL, "http", "https")
}

// Flag is the flag that names it.
func (e Endpoint) Flag() string {
	if e.Direct {
		return WSEndpoint
	}
	return BrowserURL
}

// shown is a URL without what may be secret in it.
func shown(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return "a browser's URL"
	}
	return u.Scheme + "://" + u.Host
}

// Key is by what processes with these browsers know each other, in whatever order they name
// them.
func (l List) Key() string {
	if len(l) == 1 {
		return l[0].key()
	}
	var keys []string
	for _, e := range l {
		keys = append(keys, e.key())
	}
	slices.Sort(keys)
	return "browsers\n" + strings.Join(keys, "\n")
}

func (e Endpoint) key() string {
	if !e.Direct {
		return "browser-url\n" + loopback(strings.ToLower(strings.TrimRight(e.URL, "/")))
	}
	key := "ws-endpoint\n" + loopback(e.URL) + "\n" + strings.Join(e.Header, "\n")
	for _, s := range e.secrets {
		key += "\n" + s.key()
	}
	return key
}

// loopback is the URL of what listens at this computer under one name, where it has two.
func loopback(text string) string {
	u, err := url.Parse(text)
	if err != nil || !strings.EqualFold(u.Hostname(), "localhost") {
		return text
	}
	u.Host = "127.0.0.1" + strings.TrimPrefix(strings.ToLower(u.Host), "localhost")
	return u.String()
}

// Dialer reaches the endpoint's browser.
func (e Endpoint) Dialer() (actors.Dialer, error) {
	if _, err := Headers(e.Header); err != nil {
		return nil, err
	}
	return dialer{e}, nil
}

type dialer struct{ Endpoint }

// Dial is [actors.Dialer]'s.
func (d dialer) Dial(ctx context.Context) (cdpclient.Wire, error) {
	header, err := d.header()
	if err != nil {
		return nil, err
	}
	ws := d.URL
	if !d.Direct {
		if ws, err = cdpclient.BrowserWebSocketURL(ctx, ws); err != nil {
			return nil, err
		}
	}
	return cdpclient.DialWebSocket(ctx, ws, header)
}

// Browsers are those of several endpoints and of a grid, each with a name; nil where there is
// one endpoint and no grid. With lazy, each is reached when a client asks for it.
func (l List) Browsers(lazy bool, grid []actors.Browser) ([]actors.Browser, error) {
	if len(l) < 2 && grid == nil {
		return nil, nil
	}
	all, err := l.named(lazy)
	if err != nil {
		return nil, err
	}
	return append(all, grid...), nil
}

// named are browsers with names, however few.
func (l List) named(lazy bool) ([]actors.Browser, error) {
	all := []actors.Browser{}
	names := l.names()
	for i, e := range l {
		d, err := e.Dialer()
		if err != nil {
			return nil, err
		}
		all = append(all, actors.Browser{NamedBrowser: registry.NamedBrowser{Name: names[i]},
			Reach: actors.Reach{Dialer: d, Lazy: lazy}, Key: e.key()})
	}
	return all, nil
}

// names are the endpoints' hosts and ports, made different where two are the same.
func (l List) names() (all []string) {
	taken := map[string]bool{}
	for _, e := range l {
		name := e.name()
		for n := 2; taken[name]; n++ {
			name = fmt.Sprintf("%s#%d", e.name(), n)
		}
		taken[name] = true
		all = append(all, name)
	}
	return all
}

// name is the endpoint's host and port: never the path or the query, which may be secret.
func (e Endpoint) name() string {
	u, err := url.Parse(e.URL)
	if err != nil {
		return "browser"
	}
	host := strings.ToLower(u.Host)
	if len(host) > registry.MaxBrowserName-4 {
		host = host[len(host)-(registry.MaxBrowserName-4):]
	}
	if registry.BrowserNameError(host) != "" { // such as a host outside ASCII, or "extension"
		return "browser"
	}
	return host
}
