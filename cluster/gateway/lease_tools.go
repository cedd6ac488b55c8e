package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"webmcphub/cluster/leases"
	"webmcphub/internal/browsertool"
	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
	"webmcphub/registry/focus"
	"webmcphub/registry/sanitize"
)

// The tools with which agents get browsers of their own, and give them back.
const (
	acquireBrowser = "acquire_browser"
	releaseBrowser = "release_browser"
)

const (
	// defaultWait is how long a request without wait waits, and maxWait is the longest wait.
	defaultWait = 30 * time.Second
	maxWait     = 10 * time.Minute

	acquireInput = `{"type":"object","properties":{` +
		`"labels":{"type":"array","items":{"type":"string"},"maxItems":20,"description":"Labels that the browser must have, such as os=linux. Default: any browser."},` +
		`"profile":{"type":"string","description":"The name of a browser profile, for a browser that is kept with it. Default: a fresh profile."},` +
		`"wait":{"type":"number","minimum":0,"maximum":600,"description":"How many seconds to wait at most while all are taken.","default":30}},"additionalProperties":false}`
	acquireOutput = `{"type":"object","properties":{` +
		`"browser":{"type":"string","description":"The handle: give it to open_tab or new_page as browser, and to release_browser at the end."},` +
		`"node":{"type":"string"},"until":{"type":"string","description":"When it ends at the latest (RFC 3339)."}},"required":["browser","node","until"]}`
	releaseInput  = `{"type":"object","properties":{"browser":{"type":"string","description":"The handle that acquire_browser gave."}},"required":["browser"],"additionalProperties":false}`
	releaseOutput = `{"type":"object","properties":{"released":{"type":"boolean"}},"required":["released"]}`
)

var leaseToolTable = []focus.Tool{
	focus.NewTool(acquireBrowser,
		"Gives you a browser of your own among those of this server, with a fresh profile: its tabs and tools are "+
			"yours until release_browser. While all are taken it waits in line.",
		acquireInput, acquireOutput, `{"readOnlyHint":false,"destructiveHint":false,"idempotentHint":false,"openWorldHint":false}`),
	focus.NewTool(releaseBrowser,
		"Gives a browser back that acquire_browser gave: its tabs are closed, and what is stored in it is deleted.",
		releaseInput, releaseOutput, `{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":false,"openWorldHint":false}`),
}

// appearance is how long acquire waits for the browser to appear in the tenant's list.
const appearance = 5 * time.Second

// leaseTools is a [calls.Automation] with a tenant's browser tools, and then its tools for leasing browsers.
type leaseTools struct {
	*tenantServer
	others calls.Automation // the browser tools; nil for none
}

// Tools always returns the same tools, because each tenant has one set.
func (l leaseTools) Tools(categories string) (all []browsertool.Tool) {
	if l.others != nil {
		all = l.others.Tools(categories)
	}
	for _, t := range leaseToolTable {
		all = append(all, browsertool.Tool{Name: t.Name, Input: t.InputSchema, Encoded: t.Encoded,
			OwnTime:   true,
			Arguments: func(args json.RawMessage) json.RawMessage { return args }})
	}
	return all
}

// ClientGone ends what a client has by browser tools. The tenant keeps its leases, because leases belong to a tenant
// and not to a client.
func (l leaseTools) ClientGone(session string) {
	if l.others != nil {
		l.others.ClientGone(session)
	}
}

// Call carries out a call.
func (l leaseTools) Call(ctx context.Context, call browsertool.Call) registry.Result {
	if call.Tool != acquireBrowser && call.Tool != releaseBrowser {
		return l.others.Call(ctx, call)
	}
	if call.Judge != nil {
		if err := call.Judge(ctx, browsertool.Action{}); err != nil {
			return sanitize.ErrorResult(err.Error())
		}
	}
	if call.Tool == releaseBrowser {
		var a struct{ Browser string }
		if err := json.Unmarshal(call.Args, &a); err != nil {
			return sanitize.ErrorResult(err.Error())
		}
		if err := l.options.Store.Release(ctx, l.tenant, a.Browser); err != nil {
			return l.refusal(err)
		}
		return sanitize.StructuredResult(map[string]bool{"released": true})
	}
	var w BrowserRequest
	if err := json.Unmarshal(call.Args, &w); err != nil {
		return sanitize.ErrorResult(err.Error())
	}
	if err := w.check(); err != nil {
		return sanitize.ErrorResult(err.Error())
	}
	given, err := l.acquire(ctx, w, func(s leases.Progress) { call.Progress(lineOf(s)) })
	if err != nil {
		return l.refusal(err)
	}
	if ctx.Err() != nil { // the client doesn't get the handle
		l.giveBack(given.Browser)
	}
	return sanitize.StructuredResult(given)
}

// lineOf returns a text about the progress of a request.
func lineOf(s leases.Progress) string {
	text := fmt.Sprintf("waiting for a browser; %d of your requests are ahead", s.Ahead)
	if s.Trouble != "" {
		text += "; " + s.Trouble
	}
	return text
}

// refusal returns a result that says why there is no browser, and when to try again.
func (r *tenantServer) refusal(err error) registry.Result {
	var why *leases.Refusal
	if !errors.As(err, &why) {
		return sanitize.ErrorResult(err.Error())
	}
	return sanitize.StructuredError(r.refused(why))
}

// Refused tells a client why it gets no browser.
type Refused struct {
	Error  string   `json:"error"`
	Reason string   `json:"reason"`
	After  float64  `json:"tryAgainAfterSeconds,omitempty"`
	Labels []string `json:"labels,omitempty"` // the existing labels, if the tenant sees all browsers
	Held   []string `json:"held,omitempty"`   // the tenant's browsers
}

// refused returns what to tell the tenant. It lists the existing labels only if the tenant sees all browsers: the
// operator chooses the labels, and they may reveal one tenant to another.
func (r *tenantServer) refused(why *leases.Refusal) Refused {
	is := Refused{Error: why.Text, Reason: string(why.Reason), After: why.After.Seconds(), Held: why.Held}
	if !r.leasing && len(why.Exist) > 0 {
		is.Labels = why.Exist
		is.Error += "; the existing labels are: " + strings.Join(why.Exist, ", ")
	}
	return is
}

// BrowserRequest says which browser a client asks for.
type BrowserRequest struct {
	Labels  []string `json:"labels"`
	Profile string   `json:"profile"`
	Wait    *float64 `json:"wait"` // in seconds
}

// check returns an error if a request is wrong.
func (w BrowserRequest) check() error {
	if w.Wait != nil && !(*w.Wait >= 0 && *w.Wait <= maxWait.Seconds()) {
		return fmt.Errorf("wait must be 0 to %v seconds, not %v", maxWait.Seconds(), *w.Wait)
	}
	return nil
}

// Given tells a client which browser it has got.
type Given struct {
	Browser string `json:"browser"` // the handle
	Node    string `json:"node"`
	Until   string `json:"until"` // RFC 3339
}

// acquire leases a browser for the tenant, and returns when the tenant's list has the browser.
func (r *tenantServer) acquire(ctx context.Context, w BrowserRequest, progress func(leases.Progress)) (Given, error) {
	wait := defaultWait
	if w.Wait != nil {
		wait = time.Duration(*w.Wait * float64(time.Second))
	}
	l, err := r.options.Store.Acquire(ctx, leases.Request{Tenant: r.tenant, Labels: w.Labels, Profile: w.Profile,
		Wait: wait}, progress)
	if err != nil {
		return Given{}, err
	}
	if ctx.Err() != nil { // the client wouldn't get the handle
		r.giveBack(l.Handle)
		return Given{}, context.Cause(ctx)
	}
	return Given{l.Handle, l.Node, l.Until.UTC().Format(time.RFC3339)}, r.appears(ctx, l.Handle)
}

// giveBackBound is how long giveBack may take.
const giveBackBound = 5 * time.Second

// giveBack releases a browser whose handle no client got. It returns at once. The gateway stops only when it is done.
func (r *tenantServer) giveBack(handle string) {
	r.returning.Go(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.ctx), giveBackBound)
		defer cancel()
		_ = r.options.Store.Release(ctx, r.tenant, handle)
	})
}

// appears waits until the tenant's list has the browser as connected, at most for appearance. It returns an error if
// the lease ends before, because the browser's node has died or has started the browser afresh.
func (r *tenantServer) appears(ctx context.Context, handle string) error {
	ctx, cancel := context.WithTimeout(ctx, appearance)
	ended := false
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		r.options.Store.Watch(ctx, func(p leases.Snapshot) {
			// The store has granted the lease. So if a snapshot lacks it, even the first one, the lease has ended.
			if !slices.ContainsFunc(p.Leases, func(l leases.Lease) bool { return l.Handle == handle }) {
				ended = true
				cancel()
			}
		})
	}()
	r.server.Await(ctx, func(c *registry.Catalog) bool { return connectedIn(c, handle) })
	cancel()
	<-watched
	if ended {
		return &leases.Refusal{Reason: leases.NoneFree, After: time.Second, Text: "the browser that you were given was " +
			"lost before you had it: try again"}
	}
	return nil
}

// connectedIn says whether a catalog has the browser of a handle, connected.
func connectedIn(c *registry.Catalog, handle string) bool {
	for _, b := range c.Browsers() {
		if slices.Contains(b.Labels, handle) {
			return b.Status == ""
		}
	}
	return false
}
