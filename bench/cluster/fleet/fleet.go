package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"webmcphub/cdpclient/cdptest"
)

// Site is the address of every browser's page: many users have the same site open.
const Site = "http://shop.test/"

// The tools of a page that don't change in storms.
const (
	echo = iota
	hold
	steady // how many these are
)

// Fleet is a number of fake Chromes.
type Fleet struct {
	browsers []*browser
	server   *http.Server
	address  string

	mu      sync.Mutex // guards what follows, and the browsers' tools
	release chan struct{}
	holding int           // calls of hold that are under way
	conns   int           // connections to browsers so far
	more    chan struct{} // closed and replaced when holding changes
}

// browser is one of them.
type browser struct {
	chrome  *cdptest.Browser
	page    *cdptest.Page
	handler http.Handler
	there   []bool
	version []int
}

// Open starts so many browsers, whose pages have so many tools each: at least three.
func Open(browsers, tools int) (*Fleet, error) {
	if tools <= steady {
		return nil, fmt.Errorf("pages of %d tools: there must be more than %d", tools, steady)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	f := &Fleet{address: l.Addr().String(), release: make(chan struct{}), more: make(chan struct{})}
	for i := range browsers {
		b := &browser{chrome: cdptest.New(), there: make([]bool, tools), version: make([]int, tools)}
		b.page = b.chrome.OpenPage(Site)
		b.handler = http.StripPrefix("/"+strconv.Itoa(i), b.chrome.Handler())
		f.browsers = append(f.browsers, b)
		for tool := range tools {
			f.add(i, tool)
		}
	}
	f.server = &http.Server{Handler: http.HandlerFunc(f.serve)}
	go func() { _ = f.server.Serve(l) }() // until Close
	return f, nil
}

func (f *Fleet) serve(w http.ResponseWriter, r *http.Request) {
	number, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	i, err := strconv.Atoi(number)
	if err != nil || i < 0 || i >= len(f.browsers) {
		http.NotFound(w, r)
		return
	}
	if r.Header.Get("Upgrade") != "" {
		f.mu.Lock()
		f.conns++
		f.mu.Unlock()
	}
	f.browsers[i].handler.ServeHTTP(w, r)
}

// Close ends all browsers.
func (f *Fleet) Close() {
	f.Release()
	for _, b := range f.browsers {
		b.chrome.Die()
	}
	_ = f.server.Close() // connections that were taken over end with their browsers
}

// Endpoint is the websocket of a browser.
func (f *Fleet) Endpoint(i int) string {
	return fmt.Sprintf("ws://%s/%d/devtools/browser/cdptest", f.address, i)
}

// Connections is how many were made to all browsers so far, also those that have ended.
func (f *Fleet) Connections() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.conns
}

// Attached is how many sessions there are on a browser's page, of all connections.
func (f *Fleet) Attached(i int) int { return f.browsers[i].page.Sessions() }

// Echo is the page's own name of the tool that says what it is told.
func Echo(i int) string { return name(i, echo) }

// Hold is the page's own name of the tool that answers when [Fleet.Release] is called.
func Hold(i int) string { return name(i, hold) }

// Said is what the echo of a browser answers.
func Said(i int, text string) string { return fmt.Sprintf("k%d says %s.", i, text) }

func name(i, tool int) string {
	switch tool {
	case echo:
		return fmt.Sprintf("k%d_echo", i)
	case hold:
		return fmt.Sprintf("k%d_hold", i)
	}
	return fmt.Sprintf("k%d_t%d", i, tool)
}

// Truth is what the pages of some browsers have: the version by the page's own name.
func (f *Fleet) Truth(browsers ...int) map[string]int {
	f.mu.Lock()
	defer f.mu.Unlock()
	truth := map[string]int{}
	for _, i := range browsers {
		for tool, there := range f.browsers[i].there {
			if there {
				truth[name(i, tool)] = f.browsers[i].version[tool]
			}
		}
	}
	return truth
}

var schema = json.RawMessage(`{"type":"object","properties":{"text":{"type":"string","description":"What it is about."}}}`)

// add registers a tool. Of one browser one goroutine at a time changes tools.
func (f *Fleet) add(i, tool int) {
	b := f.browsers[i]
	f.mu.Lock()
	b.there[tool] = true
	version := b.version[tool]
	f.mu.Unlock()
	b.page.Register(cdptest.Tool{Name: name(i, tool), Description: fmt.Sprintf("version %d. What a page says of a "+
		"tool: what it does, and when to use it.", version), Schema: schema, Execute: f.execute(i, tool)})
}

func (f *Fleet) remove(i, tool int) {
	f.mu.Lock()
	f.browsers[i].there[tool] = false
	f.browsers[i].version[tool]++
	f.mu.Unlock()
	f.browsers[i].page.Unregister(name(i, tool))
}

func (f *Fleet) execute(i, tool int) func(context.Context, json.RawMessage) (any, error) {
	switch tool {
	case echo:
		return func(_ context.Context, args json.RawMessage) (any, error) {
			var a struct{ Text string }
			err := json.Unmarshal(args, &a)
			return Said(i, a.Text), err
		}
	case hold:
		return func(ctx context.Context, _ json.RawMessage) (any, error) { return "held", f.held(ctx) }
	}
	return nil
}

// held waits until Release, or the call's end.
func (f *Fleet) held(ctx context.Context) error {
	f.mu.Lock()
	release := f.release
	f.count(1)
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		f.count(-1)
		f.mu.Unlock()
	}()
	select {
	case <-release:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// count is called with the lock.
func (f *Fleet) count(n int) {
	f.holding += n
	close(f.more)
	f.more = make(chan struct{})
}

// Release has all calls of hold tools answer, that have begun by now.
func (f *Fleet) Release() {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.release)
	f.release = make(chan struct{})
}

// AwaitHolding waits until so many calls of hold tools are under way, and not more.
func (f *Fleet) AwaitHolding(ctx context.Context, n int) error {
	for {
		f.mu.Lock()
		now, more := f.holding, f.more
		f.mu.Unlock()
		if now == n {
			return nil
		}
		select {
		case <-more:
		case <-ctx.Done():
			return fmt.Errorf("%d calls are held by pages, not %d: %w", now, n, context.Cause(ctx))
		}
	}
}
