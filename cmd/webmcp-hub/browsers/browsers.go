// Package browsers handles the browsers that command lines name by the endpoints of their debugging ports. It checks
// the endpoints, names the browsers where there are several, and connects to them. [List.Key] is the key by which
// processes with the same browsers find each other. A file may name browsers, too, and is followed; see [Open].
package browsers

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

// These flags name endpoints.
const (
	BrowserURL = "--browser-url"
	WSEndpoint = "--ws-endpoint"
)

// List has the endpoints that a command line names, in their order.
type List []Endpoint

// Endpoint is the endpoint of one browser.
type Endpoint struct {
	URL    string
	Direct bool     // URL is the browser's websocket, not the address that tells the websocket's URL
	Header []string // to send with the websocket's handshake, as in "Name: value"

	secrets []secret // headers to send besides Header
}

// Of returns the endpoints that the flags name.
func Of(browserURLs, wsEndpoints, headers []string) (all List) {
	for _, u := range browserURLs {
		all = append(all, Endpoint{URL: u})
	}
	for _, u := range wsEndpoints {
		all = append(all, Endpoint{URL: u, Direct: true, Header: headers})
	}
	return all
}

// Validate returns an error for endpoints that contradict each other.
func (l List) Validate() error {
	seen := map[string]bool{}
	for _, e := range l {
		if err := e.validate(); err != nil {
			return err
		}
		if len(e.Header) > 0 && len(l) > 1 {
			return errors.New("--ws-header goes with one --ws-endpoint and no other browser: with several, the " +
				"hub can't know which browser the header is for")
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

// Flag returns the flag that names the endpoint.
func (e Endpoint) Flag() string {
	if e.Direct {
		return WSEndpoint
	}
	return BrowserURL
}

// shown returns a URL without the parts that may be secret.
func shown(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return "a browser's URL"
	}
	return u.Scheme + "://" + u.Host
}

// Key returns the key by which processes with these browsers find each other, whatever order the browsers are named
// in.
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

// loopback returns the URL with 127.0.0.1 in place of localhost, so that a browser on this computer has one name.
func loopback(text string) string {
	u, err := url.Parse(text)
	if err != nil || !strings.EqualFold(u.Hostname(), "localhost") {
		return text
	}
	u.Host = "127.0.0.1" + strings.TrimPrefix(strings.ToLower(u.Host), "localhost")
	return u.String()
}

// Dialer returns a dialer for the endpoint's browser.
func (e Endpoint) Dialer() (actors.Dialer, error) {
	if _, err := Headers(e.Header); err != nil {
		return nil, err
	}
	return endpointDialer{e}, nil
}

type endpointDialer struct{ Endpoint }

// Dial implements [actors.Dialer].
func (d endpointDialer) Dial(ctx context.Context) (cdpclient.Wire, error) {
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

// Browsers returns the browsers of several endpoints and of a grid, each with a name. It returns nil if there is one
// endpoint and no grid. With lazy, the hub connects to each browser when a client asks for it.
func (l List) Browsers(lazy bool, grid []actors.BrowserOptions) ([]actors.BrowserOptions, error) {
	if len(l) < 2 && grid == nil {
		return nil, nil
	}
	all, err := l.named(lazy)
	if err != nil {
		return nil, err
	}
	return append(all, grid...), nil
}

// named returns the browsers with names, however few they are.
func (l List) named(lazy bool) ([]actors.BrowserOptions, error) {
	all := []actors.BrowserOptions{}
	names := l.names()
	for i, e := range l {
		d, err := e.Dialer()
		if err != nil {
			return nil, err
		}
		all = append(all, actors.BrowserOptions{NamedBrowser: registry.NamedBrowser{Name: names[i]},
			ConnectOptions: actors.ConnectOptions{Dialer: d, Lazy: lazy}, Key: e.key()})
	}
	return all, nil
}

// names returns the endpoints' hosts and ports, with a suffix where two are the same.
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

// name returns the endpoint's host and port. It has neither the path nor the query, which may be secret.
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
