package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"webmcphub/cluster/api"
	"webmcphub/cluster/pages"
	"webmcphub/internal/jsonrpc"
	"webmcphub/mcpserver/calls"
	"webmcphub/registry"

	"webmcphub/registry/sanitize"
)

// caller gives a tenant's MCP server access to pages and browsers.
type caller struct{ *tenantServer }

// Call implements [calls.Caller].
func (c caller) Call(ctx context.Context, call calls.Call) registry.Result {
	route := call.Tool.Route
	if ctx.Err() != nil {
		return Ended(ctx, route.Tool)
	}
	node, page := pages.Own(string(route.Page))
	source := call.Tool.Source()
	if call.Exactly != nil {
		source = call.Exactly
	}
	done, err := c.tenantServer.call(ctx, node, &pending{in: route.Document(), progress: call.Progress,
		start: &api.CallRequest_Start{Trace: sanitize.TraceParent(call.Meta), What: &api.CallRequest_Start_Tool{
			Tool: &api.ToolCall{Document: &api.Document{Page: page, Frame: string(route.Frame),
				Generation: uint64(route.Doc)}, Runtime: string(route.Runtime), Tool: route.Tool,
				Digest: pages.Digest(source), Args: call.Args, Meta: call.Meta, Extensions: call.Extensions}}}})
	var lost *NodeLost
	switch {
	case errors.As(err, &lost):
		return lostResult(route.Tool, node, lost.Why)
	case err != nil && ctx.Err() != nil:
		return Ended(ctx, route.Tool)
	case err != nil:
		return registry.NotThere(route.Tool, err.Error())
	}
	called := done.GetCalled()
	result, ok := resultOf(done.GetJson(), called.GetIsError(), called.GetEnding())
	if !ok {
		return lostResult(route.Tool, node, "its answer can't be read")
	}
	if result.FrameURL = called.GetFrameUrl(); isResult(called.GetConnects()) {
		result.Connects = called.GetConnects()
	}
	if called.GetOpened() != "" {
		result.Opened = pages.Named(node, called.GetOpened())
	}
	return result
}

// lostResult returns the result of a call whose node was lost.
func lostResult(tool, node, why string) registry.Result {
	r := sanitize.ErrorResult(fmt.Sprintf("The node %s, which runs the browser of tool %q, was lost while the tool "+
		"ran (%s); whether it took effect is unknown. Its tools come back once the node does. List the tools again.",
		node, sanitize.Text(tool, 128), sanitize.Text(why, 300)))
	r.Ending = sanitize.EndingLost
	return r
}

// Ended returns the result of a call whose context has ended. If the context's cause has a Timeout method that returns
// true, as errors of package net may have, the result says that the time was up.
func Ended(ctx context.Context, tool string) registry.Result {
	cause := context.Cause(ctx)
	var timeout interface{ Timeout() bool }
	switch {
	case errors.Is(cause, errStopped):
		return registry.EndedByStop(tool)
	case errors.Is(cause, registry.ErrEndedByUser):
		return registry.EndedByUser(tool)
	case errors.Is(ctx.Err(), context.DeadlineExceeded), errors.As(cause, &timeout) && timeout.Timeout():
		return registry.EndedByTimeout(tool, cause.Error())
	}
	return registry.EndedByCancel(tool)
}

// visible returns the nodes of the browsers that the tenant sees, and the browsers of each node, connected ones first.
// in are the names of the wanted browsers; nil means all.
func (c caller) visible(in []string) (nodes []string, of map[string][]string) {
	of = map[string][]string{}
	for _, b := range c.server.Catalog().Browsers() {
		node, own := pages.Own(b.Name)
		if own == "" || in != nil && !slices.Contains(in, b.Name) {
			continue
		}
		if of[node] == nil {
			nodes = append(nodes, node)
		}
		if b.Status == "" {
			of[node] = append([]string{own}, of[node]...)
		} else {
			of[node] = append(of[node], own)
		}
	}
	return nodes, of
}

// none returns the error for a tenant that sees no browser.
func (c caller) none() error {
	if c.leasing {
		return errors.New("you have no browser; call acquire_browser to get one")
	}
	return errors.New("no node with browsers is connected; start one (webmcp-hub node)")
}

// Connect implements [calls.Browser]. It asks the nodes of these browsers, one after the other.
func (c caller) Connect(ctx context.Context, launch bool, in ...string) (name, version string, err error) {
	nodes, of := c.visible(in)
	err = c.none()
	for _, node := range nodes {
		for _, own := range of[node] {
			var is *api.ConnectResponse
			is, err = c.asks(node).Connect(ctx, &api.ConnectRequest{Browser: own, Launch: launch})
			if err == nil {
				return is.Name, is.Version, nil
			}
		}
	}
	return "", "", calls.ErrorWithAdvice{Err: err}
}

// OpenTab implements [calls.Browser]. If the first node can't open the tab, the next one does.
func (c caller) OpenTab(ctx context.Context, tab registry.NewTab) (registry.PageID, error) {
	if err := c.options.Registry.Origins.KeptOut(cmp.Or(tab.For, tab.URL)); err != nil {
		return "", err
	}
	nodes, of := c.visible(tab.In)
	besides, page := pages.Own(string(tab.Beside))
	slices.SortStableFunc(nodes, func(a, b string) int { return cmp.Compare(rank(a, besides), rank(b, besides)) })
	err := c.none()
	for _, node := range nodes {
		o := &api.OpenTabRequest{Url: tab.URL, For: tab.For, Browsers: of[node], Background: tab.Background}
		if c.leasing { // a browser that belongs to another tenant by now is in another life
			o.Lives = c.livesOf(node, o.Browsers)
		}
		if node == besides {
			o.Beside = page
		}
		var opened *api.OpenTabResponse
		if opened, err = c.asks(node).OpenTab(ctx, o); err == nil {
			return registry.PageID(pages.Named(node, opened.Page)), nil
		}
		if lost := new(*NodeLost); ctx.Err() != nil || errors.As(err, lost) { // a lost node may have opened it
			return "", err
		}
	}
	return "", err
}

// livesOf returns the lives of a node's browsers that the tenant has leased.
func (c caller) livesOf(node string, in []string) map[string]string {
	held, of := *c.lives.Load(), map[string]string{}
	for _, own := range in {
		of[own] = cmp.Or(held[pages.Named(node, own)], "of a lease that has ended")
	}
	return of
}

func rank(node, first string) int {
	if node == first {
		return 0
	}
	return 1
}

func (c caller) changeTab(ctx context.Context, change api.ChangeTabRequest_Change, page registry.PageID) error {
	node, own := pages.Own(string(page))
	_, err := c.asks(node).ChangeTab(ctx, &api.ChangeTabRequest{Page: own, Change: change})
	return err
}

// ActivateTab, CloseTab, ConnectPage and DisconnectPage implement [calls.Browser].
func (c caller) ActivateTab(ctx context.Context, page registry.PageID) error {
	return c.changeTab(ctx, api.ChangeTabRequest_ACTIVATE, page)
}

// CloseTab closes a tab.
func (c caller) CloseTab(ctx context.Context, page registry.PageID) error {
	return c.changeTab(ctx, api.ChangeTabRequest_CLOSE, page)
}

// ConnectPage makes a page's node attach to the page.
func (c caller) ConnectPage(ctx context.Context, page registry.PageID) error {
	return c.changeTab(ctx, api.ChangeTabRequest_CONNECT, page)
}

// DisconnectPage makes the node detach from the page.
func (c caller) DisconnectPage(ctx context.Context, page registry.PageID) error {
	return c.changeTab(ctx, api.ChangeTabRequest_DISCONNECT, page)
}

// Titles asks all nodes of the tenant's pages at the same time. If a node doesn't answer, only the titles of its pages
// are missing.
func (c caller) Titles(ctx context.Context) (map[registry.PageID]registry.Title, error) {
	nodes := map[string]bool{}
	for _, t := range c.server.Catalog().Tabs() {
		node, _ := pages.Own(string(t.Page))
		nodes[node] = true
	}
	var mu sync.Mutex
	all, failures := map[registry.PageID]registry.Title{}, []error(nil)
	var asking sync.WaitGroup
	for node := range maps.Keys(nodes) {
		asking.Go(func() {
			titles, err := c.asks(node).Titles(ctx, &api.TitlesRequest{})
			mu.Lock()
			defer mu.Unlock()
			failures = append(failures, err)
			for page, t := range titles.GetTitles() {
				all[registry.PageID(pages.Named(node, page))] = registry.Title{URL: t.GetUrl(), Text: t.GetText()}
			}
		})
	}
	asking.Wait()
	return all, errors.Join(failures...)
}

// Ask implements [mcpserver.PageServers].
func (c caller) Ask(ctx context.Context, server registry.DocumentRef, method string, params json.RawMessage,
	progress func(json.RawMessage)) (json.RawMessage, error) {
	node, page := pages.Own(string(server.Page))
	done, err := c.tenantServer.call(ctx, node, &pending{in: server, progress: progress,
		start: &api.CallRequest_Start{What: &api.CallRequest_Start_Ask{Ask: &api.Ask{Document: &api.Document{Page: page,
			Frame: string(server.Frame), Generation: uint64(server.Doc)}, Method: method, Params: params}}}})
	var refusal registry.PageError
	switch {
	case err == nil, errors.As(err, &refusal), ctx.Err() != nil:
		return done.GetJson(), err
	}
	return nil, registry.PageError{Code: jsonrpc.CodeInternal, Text: "the page did not answer: " + err.Error()}
}

// SetLogLevel implements [mcpserver.PageServers]. It returns at once.
func (c caller) SetLogLevel(level string) { c.setLevel(c.tenantServer, level) }
