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
	"time"

	"webmcphub/cluster/replica"
	"webmcphub/cluster/wire"
	"webmcphub/internal/jsonrpc"
	"webmcphub/registry"

	"webmcphub/mcpserver"
	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// caller is how a room's MCP server reaches pages and browsers.
type caller struct{ *room }

// maxRead is how many bytes a result may have that ask reads: the titles of some thousand pages.
const maxRead = 8 << 20

// ask has a node carry something out, and returns when there is an outcome, or ctx has ended. into
// is what the result is read into, nil if there is none to read.
func (r *room) ask(ctx context.Context, node string, f *flight, into any) error {
	o := r.fly(ctx, node, f)
	switch {
	case o.err != nil:
		return o.err
	case into == nil || o.result == nil:
		return nil
	}
	if len(o.result) > maxRead {
		return fmt.Errorf("the node %s answered with more than %d MiB", node, maxRead>>20)
	}
	if err := wire.Read(o.result, into); err != nil {
		return fmt.Errorf("the node %s answered with something that can't be read: %w", node, err)
	}
	return nil
}

// fly has a request of the room's carried out, and returns when it is over, or ctx has ended.
func (r *room) fly(ctx context.Context, node string, f *flight) outcome {
	f.room, f.reply = r, make(chan outcome, 1)
	t := r.talkWith(node)
	if t == nil {
		return outcome{err: fmt.Errorf("the node %s is gone", node), lost: "it is gone"}
	}
	if !t.box.Put(f) {
		return outcome{err: fmt.Errorf("too much is asked of the node %s; try again in a moment", node)}
	}
	select {
	case o := <-f.reply:
		return o
	case <-ctx.Done():
		return t.givesUp(f, context.Cause(ctx))
	case <-t.over:
		select {
		case o := <-f.reply:
			return o
		default:
			return outcome{err: fmt.Errorf("the node %s is gone", node), lost: "it is gone"}
		}
	}
}

// givesUp has a request end whose caller waits no longer, but for its last words.
func (t *talk) givesUp(f *flight, why error) outcome {
	t.box.Must(gaveUp{f, why.Error(), f.words > 0})
	if f.words > 0 {
		select {
		case o := <-f.reply:
			return o
		case <-time.After(f.words):
		case <-t.over:
		}
		t.box.Must(gaveUp{f, why.Error(), false})
	}
	return outcome{err: why}
}

// Call is [mcpserver.Caller]'s.
func (c caller) Call(ctx context.Context, call mcpserver.Call) registry.Result {
	route := call.Tool.Route
	if ctx.Err() != nil {
		return byContext(ctx, route.Tool)
	}
	node, page := replica.Own(string(route.Page))
	source := call.Tool.Source()
	if call.Exactly != nil {
		source = call.Exactly
	}
	f := &flight{kind: wire.CallTool, in: route.Document(), progress: call.Progress,
		trace: sanitize.TraceParent(call.Meta), body: wire.Call{
			Page: page, Frame: string(route.Frame), Doc: uint64(route.Doc), Runtime: route.Runtime, Tool: route.Tool,
			Digest: c.digests.Of(source), Args: call.Args, Meta: call.Meta, Extensions: call.Extensions,
			Progress: call.Progress != nil,
		}}
	o := c.fly(ctx, node, f)
	switch {
	case o.lost != "":
		return byNode(route.Tool, node, o.lost)
	case o.err != nil && ctx.Err() != nil:
		return byContext(ctx, route.Tool)
	case o.err != nil:
		return registry.NotThere(route.Tool, o.err.Error())
	}
	var r wire.Called
	if err := wire.Read(o.result, &r); err != nil {
		return byNode(route.Tool, node, "its answer can't be read")
	}
	result, ok := resultOf(r.Result, r.IsError, r.Ending)
	if !ok {
		return byNode(route.Tool, node, "its answer can't be read")
	}
	if result.FrameURL = r.FrameURL; isResult(r.Connects) {
		result.Connects = r.Connects
	}
	if r.Opened != "" {
		result.Opened = replica.Named(node, r.Opened)
	}
	return result
}

// byNode is the result of a call whose node was lost.
func byNode(tool, node, why string) registry.Result {
	r := sanitize.ErrorResult(fmt.Sprintf("The node %s, which runs the browser of tool %q, was lost while the tool "+
		"ran (%s); whether it took effect is unknown. Its tools come back once the node does. List the tools again.",
		node, sanitize.Text(tool, 128), sanitize.Text(why, 300)))
	r.Ending = sanitize.EndingLost
	return r
}

// byContext is the result of a call whose context ended. A cause with a Timeout method, as the
// errors of package net have, says that its time was up.
func byContext(ctx context.Context, tool string) registry.Result {
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

// visible are the connected browsers that the tenant sees, of these names or of all: by node, in
// their order.
func (c caller) visible(in []string) (nodes []string, of map[string][]string) {
	of = map[string][]string{}
	for _, b := range c.current.Load().Browsers() {
		node, own := replica.Own(b.Name)
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

// none is why nothing can be done without a browser.
func (c caller) none() error {
	if c.leasing {
		return errors.New("no browser is yours; call acquire_browser for one")
	}
	return errors.New("no node with browsers is connected; start one (webmcp-hub node)")
}

// Connect is [mcpserver.Browser]'s: it asks the nodes of these browsers, one after the other.
func (c caller) Connect(ctx context.Context, launch bool, in ...string) (name, version string, err error) {
	nodes, of := c.visible(in)
	err = c.none()
	for _, node := range nodes {
		for _, own := range of[node] {
			var r wire.Reached
			if err = c.ask(ctx, node, &flight{kind: wire.ReachBrowser,
				body: wire.Reaching{Browser: own, Launch: launch}}, &r); err == nil {
				return r.Name, r.Version, nil
			}
		}
	}
	return "", "", mcpserver.Advised{Err: err}
}

// OpenTab is [mcpserver.Browser]'s. Where the first node can't, the next does.
func (c caller) OpenTab(ctx context.Context, tab registry.NewTab) (registry.PageID, error) {
	if err := c.options.Registry.Origins.KeptOut(cmp.Or(tab.For, tab.URL)); err != nil {
		return "", err
	}
	nodes, of := c.visible(tab.In)
	besides, page := replica.Own(string(tab.Beside))
	slices.SortStableFunc(nodes, func(a, b string) int { return cmp.Compare(rank(a, besides), rank(b, besides)) })
	err := c.none()
	for _, node := range nodes {
		o := wire.Opening{URL: tab.URL, For: tab.For, In: of[node], Background: tab.Background}
		if c.leasing { // a browser that is another's by now is in another life
			o.Lives = c.livesOf(node, o.In)
		}
		if node == besides {
			o.Beside = page
		}
		var opened wire.Opened
		if err = c.ask(ctx, node, &flight{kind: wire.OpenTab, body: o}, &opened); err == nil {
			return registry.PageID(replica.Named(node, opened.Page)), nil
		}
		if ctx.Err() != nil {
			return "", err
		}
	}
	return "", err
}

// livesOf are the lives of a node's browsers for which the tenant has them.
func (c caller) livesOf(node string, in []string) map[string]string {
	held, of := *c.lives.Load(), map[string]string{}
	for _, own := range in {
		of[own] = cmp.Or(held[replica.Named(node, own)], "of a lease that has ended")
	}
	return of
}

func rank(node, first string) int {
	if node == first {
		return 0
	}
	return 1
}

func (c caller) onPage(ctx context.Context, kind wire.RequestKind, page registry.PageID) error {
	node, own := replica.Own(string(page))
	return c.ask(ctx, node, &flight{kind: kind, body: wire.OnPage{Page: own}}, nil)
}

// ActivateTab is [mcpserver.Browser]'s, as are the next three.
func (c caller) ActivateTab(ctx context.Context, page registry.PageID) error {
	return c.onPage(ctx, wire.ActivateTab, page)
}

// CloseTab closes a tab.
func (c caller) CloseTab(ctx context.Context, page registry.PageID) error {
	return c.onPage(ctx, wire.CloseTab, page)
}

// ConnectPage has a page's node attach to it.
func (c caller) ConnectPage(ctx context.Context, page registry.PageID) error {
	return c.onPage(ctx, wire.ConnectPage, page)
}

// DisconnectPage has it let go.
func (c caller) DisconnectPage(ctx context.Context, page registry.PageID) error {
	return c.onPage(ctx, wire.DisconnectPage, page)
}

// Titles asks all nodes that have pages here at once. One that doesn't answer costs its own
// titles only.
func (c caller) Titles(ctx context.Context) (map[registry.PageID]registry.Title, error) {
	nodes := map[string]bool{}
	for _, t := range c.current.Load().Tabs() {
		node, _ := replica.Own(string(t.Page))
		nodes[node] = true
	}
	var mu sync.Mutex
	all, failures := map[registry.PageID]registry.Title{}, []error(nil)
	var asking sync.WaitGroup
	for node := range maps.Keys(nodes) {
		asking.Go(func() {
			titles, err := c.titlesOf(ctx, node)
			mu.Lock()
			defer mu.Unlock()
			failures = append(failures, err)
			for page, title := range titles {
				all[registry.PageID(replica.Named(node, page))] = registry.Title(title)
			}
		})
	}
	asking.Wait()
	return all, errors.Join(failures...)
}

// titlesOf are those of one node's pages. One of an earlier build refuses to tell of what they are: it is asked
// for the titles alone.
func (c caller) titlesOf(ctx context.Context, node string) (titles map[string]wire.Title, err error) {
	err = c.ask(ctx, node, &flight{kind: wire.ReadTitled}, &titles)
	var refused *wire.Error
	if !errors.As(err, &refused) {
		return titles, err
	}
	var texts map[string]string
	if c.ask(ctx, node, &flight{kind: wire.ReadTitles}, &texts) != nil {
		return nil, err
	}
	titles = map[string]wire.Title{}
	for page, text := range texts {
		titles[page] = wire.Title{Text: text}
	}
	return titles, nil
}

// Ask is [mcpserver.PageServers]'.
func (c caller) Ask(ctx context.Context, server registry.ServerRef, method string, params json.RawMessage,
	progress func(json.RawMessage)) (json.RawMessage, error) {
	node, page := replica.Own(string(server.Page))
	f := &flight{kind: wire.AskPage, in: server, progress: progress,
		body: wire.Ask{Page: page, Frame: string(server.Frame), Doc: uint64(server.Doc), Method: method, Params: params,
			Progress: progress != nil}}
	o := c.fly(ctx, node, f)
	var refusal registry.PageError
	switch {
	case o.err == nil, errors.As(o.err, &refusal), ctx.Err() != nil:
		return o.result, o.err
	}
	return nil, registry.PageError{Code: jsonrpc.CodeInternal, Text: "the page did not answer: " + o.err.Error()}
}

// SetLogLevel is [mcpserver.PageServers]'. It returns at once.
func (c caller) SetLogLevel(level string) { c.setLevel(c.room, level) }

// maxAsked is how many questions of a node's pages may wait for their answers.
const maxAsked = 1024

// question passes what a page asks on to the tenant whose call it carries out.
func (t *talk) question(q wire.Question) {
	at := registry.ServerRef{Page: registry.PageID(replica.Named(t.node, q.Page)), Frame: registry.FrameID(q.Frame),
		Doc: offer.Gen(q.Doc)}
	var asked *room
	refuse := func(why string) {
		t.send(wire.Answered{ID: q.ID, Error: &wire.Error{Code: jsonrpc.CodeMethodNotFound, Message: q.Method +
			" was not passed on: " + why}})
	}
	for _, f := range t.flights {
		if f.in != at || f.room == nil || f.room == asked {
			continue
		}
		if asked != nil {
			refuse("the page carries out calls of several clients, and one client's questions must not reach " +
				"another; ask when only one of them is running")
			return
		}
		asked = f.room
	}
	switch {
	case asked == nil:
		refuse("a page may ask only while it carries out a call of an agent")
		return
	case t.asked[q.ID] != nil: // it is asked already
		return
	case len(t.asked) >= maxAsked:
		refuse("too many questions of pages wait for answers")
		return
	}
	ctx, cancel := context.WithCancelCause(t.ctx)
	t.asked[q.ID] = cancel
	go func() {
		defer cancel(nil)
		result, err := asked.server.PageRequest(ctx,
			offer.PageRequest{Server: at, Origin: q.Origin, PageOrigin: q.PageOrigin, Method: q.Method,
				Params: q.Params})
		a := wire.Answered{ID: q.ID, Result: result}
		if err != nil {
			a.Error = &wire.Error{Message: err.Error()}
			var page registry.PageError
			if errors.As(err, &page) {
				a.Error.Code = page.Code
			}
		}
		t.box.Must(answered{a})
	}()
}
