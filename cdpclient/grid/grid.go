package grid

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"webmcphub/cdpclient"
)

// Options say where a grid is, and which browsers to request.
type Options struct {
	// URL is the grid's, with http or https; it may have a user and a path.
	URL string
	// Header returns the headers for each request; nil sends none. It is called each time, so the headers may change.
	Header func() (http.Header, error)
	// Args are arguments for Chrome's command line.
	Args []string
	// Capabilities are requested besides browserName, which is chrome.
	Capabilities map[string]any
	// OnStatus, if not nil, gets Dial's context, and a text that says what Dial waits for.
	OnStatus func(ctx context.Context, status string)
	Log      *slog.Logger
}

// Grid is a client of a Selenium Grid that requests browsers.
type Grid struct {
	options Options
	driver
	open atomic.Int64 // sessions that are being checked
}

// New returns a Grid. It connects to nothing yet, and fails for an invalid URL.
func New(o Options) (*Grid, error) {
	u, err := url.Parse(o.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("that is not the address of a Selenium Grid; give it like http://grid.example:4444")
	}
	if o.Header == nil {
		o.Header = func() (http.Header, error) { return nil, nil }
	}
	if o.OnStatus == nil {
		o.OnStatus = func(context.Context, string) {}
	}
	return &Grid{options: o, driver: driver{at: u, header: o.Header, client: newClient()}}, nil
}

// Dial asks for a browser and waits until there is one, as long as the grid lets requests wait (its
// --session-request-timeout) or until ctx ends. Closing the wire ends the session. If the grid has ended the browser,
// the wire's error is a [cdpclient.Quit].
func (g *Grid) Dial(ctx context.Context) (cdpclient.Wire, error) {
	s, err := g.session(ctx)
	if err != nil {
		return nil, err
	}
	address, header, err := g.cdp(ctx, s)
	if err == nil {
		var w cdpclient.Wire
		if w, err = cdpclient.DialWebSocket(ctx, address, header); err == nil {
			return g.newWire(w, s.ID), nil
		}
	}
	g.release(s.ID)
	return nil, fmt.Errorf("the grid at %s started a browser, but its DevTools can't be reached: %w", g.place(), err)
}

// session requests a session, and meanwhile reports what it waits for.
func (g *Grid) session(ctx context.Context) (s session, err error) {
	tell := func(more string) {
		g.options.OnStatus(ctx, "waiting for a browser of the grid at "+g.place()+more)
	}
	tell("")
	waiting, end := context.WithCancel(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		g.watchQueue(waiting, tell)
	}()
	s, err = g.newSession(ctx, g.options.Args, g.options.Capabilities)
	end()
	<-watched
	if refused, ok := errors.AsType[*refusal](err); ok && strings.Contains(refused.Message, "timed out") {
		err = fmt.Errorf("no browser became free for as long as the grid lets requests wait (its "+
			"--session-request-timeout), or none of its nodes has what was asked for: %w", err)
	}
	if err != nil {
		err = fmt.Errorf("the grid at %s gave no browser: %w", g.place(), err)
	}
	return s, err
}

const (
	// firstLook is the time before the first check of the queue, and lookAgain the interval after that.
	firstLook = time.Second
	lookAgain = 5 * time.Second
)

// watchQueue reports the grid's load until ctx ends.
func (g *Grid) watchQueue(ctx context.Context, tell func(more string)) {
	wait := time.NewTimer(firstLook)
	defer wait.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-wait.C:
		}
		if q, err := g.queue(ctx); err == nil {
			tell(fmt.Sprintf(": %d of its %d places are in use, and requests that wait: %d", q.SessionCount,
				q.MaxSession, q.SessionQueueSize))
		}
		wait.Reset(lookAgain)
	}
}

// cdp returns the address of a session's DevTools, and the headers for it. A Grid serves DevTools at its own address,
// but may not know by which name the hub reaches it. For any other address cdp returns no headers.
func (g *Grid) cdp(ctx context.Context, s session) (address string, header http.Header, err error) {
	if s.Capabilities.CDP == "" {
		if own := s.Capabilities.Chrome.DebuggerAddress; own != "" && isLoopback(g.at.Hostname()) {
			address, err = cdpclient.BrowserWebSocketURL(ctx, "http://"+own) // the address is chromedriver's
			return address, nil, err
		}
		return "", nil, errors.New("its session has no se:cdp; the grid's nodes must offer Chrome's DevTools")
	}
	u, err := url.Parse(s.Capabilities.CDP)
	if err != nil || u.Host == "" || u.Scheme != "ws" && u.Scheme != "wss" {
		return "", nil, errors.New("its se:cdp is not the address of a websocket")
	}
	if !strings.EqualFold(u.Host, g.at.Host) && !strings.HasSuffix(u.Path, "/session/"+s.ID+"/se/cdp") {
		return u.String(), nil, nil
	}
	u.Scheme, u.Host, u.User = strings.Replace(g.at.Scheme, "http", "ws", 1), g.at.Host, nil
	if before := strings.TrimSuffix(g.base(), "/wd/hub"); !strings.HasPrefix(u.Path, before+"/") {
		u.Path = before + u.Path
	}
	header, err = g.headers()
	return u.String(), header, err
}

func isLoopback(host string) bool {
	return host == "127.0.0.1" || host == "::1" || strings.EqualFold(host, "localhost")
}
